//! Parser for search queries.
//!
//! The text is never passed on to a database engine: it is parsed here, and the engine's query is
//! built from words alone. So no character has a meaning except those below, and none can cause an injection.
//!
//! ```text
//! rust news            both words        "open source"      next to each other
//! program*             its beginning     cats OR dogs       one of them
//! -sport -"a b"        without           title:x author:"y" in that part
//! feed:3 feed:heise    of a feed         category:news      with the categories in it
//! is:unread|read|starred                 before:2026-03-01 after:2026
//! label:later          with that label   a AND b NOT c      a b -c
//! ```

use crate::ids::{CategoryId, FeedId};
use crate::message::messages;
use crate::time::Timestamp;

use super::query::{FeedFilter, FeedWanted, Filters, LabelFilter, Part, Query, Term};
use super::words::{Kind, each_word};

/// Maximum length of a query, in characters.
pub const MAX_QUERY_CHARS: usize = 500;
/// Maximum number of words, phrases and filters in a query.
const MAX_TERMS: usize = 32;

messages! {
    /// Syntax error in a query; the text can be shown to the user.
    pub enum QueryError("query-error") {
        Empty("empty") => "is empty; say what to look for",
        /// The query contains only punctuation.
        NoWord("no_word") => "has no word in it; say what to look for",
        /// The query contains only exclusions.
        OnlyExclusions("only_exclusions") => "only says what to leave out; add a word, or a filter such as is:unread",
        TooLong("too_long") { most: usize } => "has more than {most} characters",
        TooManyTerms("too_many_terms") { most: usize } => "has more than {most} words, phrases and filters",
        /// A prefix this short matches a large part of the index, and all of it would be looked up.
        ShortPrefix("short_prefix") => "must have at least two letters before a *",
        /// A field without a value.
        Incomplete("incomplete") { field: String } => "{field}: must be followed by what to look for, without a blank",
        /// An unknown word after `is:`.
        UnknownState("unknown_state") => "is: must be followed by unread, read or starred",
        /// An invalid date after `before:` or `after:`.
        BadDate("bad_date") { field: String } => "{field}: must be followed by a date such as 2026, 2026-03 or 2026-03-01",
        /// `-before:` or `-after:`.
        ExcludedDate("excluded_date") { field: String, other: String } => "{field}: cannot be left out with a minus; use {other}: instead",
        /// `OR` next to a filter or an exclusion.
        BadOr("bad_or") => "OR must stand between words or phrases",
    }
}

/// A field name, which is followed by a colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Title,
    Author,
    Feed,
    Category,
    Label,
    Is,
    Before,
    After,
}

impl Field {
    const ALL: [Self; 8] = [
        Self::Title,
        Self::Author,
        Self::Feed,
        Self::Category,
        Self::Label,
        Self::Is,
        Self::Before,
        Self::After,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Author => "author",
            Self::Feed => "feed",
            Self::Category => "category",
            Self::Label => "label",
            Self::Is => "is",
            Self::Before => "before",
            Self::After => "after",
        }
    }

    /// Returns the field that `text` begins with, and the text after its colon.
    fn at_start(text: &str) -> Option<(Self, &str)> {
        let (name, rest) = text.split_once(':')?;
        let field = Self::ALL
            .into_iter()
            .find(|field| field.name().eq_ignore_ascii_case(name))?;
        Some((field, rest))
    }
}

/// One element of a query as it was typed.
struct Token<'q> {
    is_excluded: bool,
    field: Option<Field>,
    text: &'q str,
    is_quoted: bool,
    is_prefix: bool,
}

impl Token<'_> {
    /// Returns `true` if the token is the bare word `operator`.
    fn is(&self, operator: &str) -> bool {
        !self.is_excluded && self.field.is_none() && !self.is_quoted && self.text == operator
    }
}

/// Accepts the typographic quotation marks that some keyboards insert.
fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '＂')
}

/// Removes the next token from the start of `rest`.
fn next_token<'q>(rest: &mut &'q str) -> Option<Token<'q>> {
    let mut text = rest.trim_start();
    if text.is_empty() {
        return None;
    }
    let is_excluded = text
        .strip_prefix('-')
        .is_some_and(|after| after.starts_with(|c: char| !c.is_whitespace()));
    if is_excluded {
        text = &text[1..];
    }
    let mut field = None;
    if let Some((found, after)) = Field::at_start(text) {
        field = Some(found);
        text = after;
    }
    let is_quoted = text.starts_with(is_quote);
    let (value, after) = if is_quoted {
        let inside = text.strip_prefix(is_quote).unwrap_or(text);
        match inside.char_indices().find(|(_, c)| is_quote(*c)) {
            Some((end, quote)) => (&inside[..end], &inside[end + quote.len_utf8()..]),
            // A quotation that is not closed ends with the query.
            None => (inside, ""),
        }
    } else {
        text.split_at(
            text.find(|c: char| c.is_whitespace() || is_quote(c))
                .unwrap_or(text.len()),
        )
    };
    let (is_prefix, after) = match after.strip_prefix('*') {
        Some(after) if is_quoted => (true, after),
        _ => (!is_quoted && value.ends_with('*'), after),
    };
    *rest = after;
    Some(Token {
        is_excluded,
        field,
        text: value,
        is_quoted,
        is_prefix,
    })
}

impl Query {
    /// Parses a query as typed by a user.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        if text.trim().is_empty() {
            return Err(QueryError::Empty);
        }
        if text.chars().count() > MAX_QUERY_CHARS {
            return Err(QueryError::TooLong {
                most: MAX_QUERY_CHARS,
            });
        }
        let mut query = Self::default();
        let mut rest = text;
        let mut terms = 0;
        // The previous element, for an `OR` that may follow.
        let mut last = Last::Nothing;
        let mut is_negated = false;
        while let Some(mut token) = next_token(&mut rest) {
            // Other search engines write `AND` between words and `NOT` before exclusions. Without
            // an operand they are plain words.
            let is_last = rest.trim().is_empty();
            if token.is("AND") && last != Last::Nothing && !is_last {
                continue;
            }
            if token.is("NOT") && !is_last {
                is_negated = true;
                continue;
            }
            if token.is("OR") {
                last = match last {
                    Last::Nothing => Last::Nothing,
                    Last::Text | Last::TextOr => Last::TextOr,
                    Last::Other | Last::OtherOr => Last::OtherOr,
                };
                continue;
            }
            token.is_excluded |= std::mem::take(&mut is_negated);
            terms += 1;
            if terms > MAX_TERMS {
                return Err(QueryError::TooManyTerms { most: MAX_TERMS });
            }
            let part = match token.field {
                None => Some(Part::Any),
                Some(Field::Title) => Some(Part::Title),
                Some(Field::Author) => Some(Part::Author),
                Some(field) => {
                    filter(&mut query.filters, field, &token)?;
                    None
                }
            };
            let is_text = part.is_some() && !token.is_excluded;
            if last == Last::OtherOr || (last == Last::TextOr && !is_text) {
                return Err(QueryError::BadOr);
            }
            let Some(part) = part else {
                last = Last::Other;
                continue;
            };
            let term = term(part, &token)?;
            if token.is_excluded {
                query.excluded.extend(term);
                last = Last::Other;
            } else {
                match query.groups.last_mut() {
                    Some(group) if last == Last::TextOr => group.extend(term),
                    _ => query.groups.push(term.into_iter().collect()),
                }
                last = Last::Text;
            }
        }
        // A group of punctuation only has no terms.
        query.groups.retain(|group| !group.is_empty());
        if query.groups.is_empty() && query.filters.is_empty() {
            return Err(match query.excluded.is_empty() {
                true => QueryError::NoWord,
                false => QueryError::OnlyExclusions,
            });
        }
        Ok(query)
    }
}

/// The element before the present token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Nothing,
    /// A word or phrase, whose group `OR` can extend.
    Text,
    TextOr,
    /// A filter or an exclusion.
    Other,
    OtherOr,
}

fn incomplete(field: &str) -> QueryError {
    let field = field.to_owned();
    QueryError::Incomplete { field }
}

fn bad_date(field: &str) -> QueryError {
    let field = field.to_owned();
    QueryError::BadDate { field }
}

fn excluded_date(field: &str, other: &str) -> QueryError {
    let (field, other) = (field.to_owned(), other.to_owned());
    QueryError::ExcludedDate { field, other }
}

/// Returns the words of a token; `None` if it has none.
fn term(part: Part, token: &Token<'_>) -> Result<Option<Term>, QueryError> {
    let mut words: Vec<String> = Vec::new();
    let mut last = Kind::Word;
    each_word(token.text, |found| {
        words.push(found.word.to_owned());
        last = found.kind;
    });
    if last == Kind::Last {
        // In the item the run may continue; so only the pairs are searched for.
        words.pop();
    }
    if words.is_empty() {
        return match token.field {
            Some(field) => Err(incomplete(field.name())),
            None => Ok(None),
        };
    }
    let is_short = |word: &String| word.chars().nth(1).is_none();
    if token.is_prefix && last == Kind::Word && words.last().is_some_and(is_short) {
        return Err(QueryError::ShortPrefix);
    }
    Ok(Some(Term {
        part,
        words,
        // A single character of an unspaced script is the prefix of a pair.
        is_prefix: token.is_prefix || last == Kind::Alone,
    }))
}

fn filter(filters: &mut Filters, field: Field, token: &Token<'_>) -> Result<(), QueryError> {
    let name = field.name();
    let wanted = match field {
        Field::Is => return state(filters, token),
        Field::Before | Field::After if token.is_excluded => {
            let other = if field == Field::Before {
                "after"
            } else {
                "before"
            };
            return Err(excluded_date(name, other));
        }
        Field::Before => {
            let at = beginning_of(token.text).ok_or_else(|| bad_date(name))?;
            filters.until = Some(filters.until.map_or(at, |until| until.min(at)));
            return Ok(());
        }
        Field::After => {
            let at = beginning_of(token.text).ok_or_else(|| bad_date(name))?;
            filters.from = Some(filters.from.map_or(at, |from| from.max(at)));
            return Ok(());
        }
        _ if token.text.trim().is_empty() => return Err(incomplete(name)),
        Field::Label => {
            let words: Vec<&str> = token.text.split_whitespace().collect();
            filters.labels.push(LabelFilter {
                is_excluded: token.is_excluded,
                key: words.join(" ").to_lowercase(),
            });
            return Ok(());
        }
        Field::Category => match number(token) {
            Some(id) => FeedWanted::Category(CategoryId::from(id)),
            None => FeedWanted::CategoryNamed(token.text.trim().to_lowercase()),
        },
        _ => match number(token) {
            Some(id) => FeedWanted::Feed(FeedId::from(id)),
            None => FeedWanted::FeedNamed(token.text.trim().to_lowercase()),
        },
    };
    filters.feeds.push(FeedFilter {
        is_excluded: token.is_excluded,
        wanted,
    });
    Ok(())
}

/// Parses an id. A quoted number is a name.
fn number(token: &Token<'_>) -> Option<i64> {
    let is_number = !token.is_quoted && token.text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| token.text.parse().ok()).flatten()
}

fn state(filters: &mut Filters, token: &Token<'_>) -> Result<(), QueryError> {
    let (flag, value) = match token.text.to_ascii_lowercase().as_str() {
        "unread" => (&mut filters.unread, true),
        "read" => (&mut filters.unread, false),
        "starred" => (&mut filters.starred, true),
        _ => return Err(QueryError::UnknownState),
    };
    let value = value != token.is_excluded;
    filters.contradict |= flag.is_some_and(|other| other != value);
    *flag = Some(value);
    Ok(())
}

/// Returns the first instant of a year, a month or a day, in UTC.
fn beginning_of(text: &str) -> Option<Timestamp> {
    let mut parts = text.split('-');
    let mut next = |digits: usize| match parts.next() {
        None => Some(None),
        Some(part) if part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit()) => {
            part.parse::<i16>().ok().map(Some)
        }
        Some(_) => None,
    };
    let year = next(4)??;
    let month = i8::try_from(next(2)?.unwrap_or(1)).ok()?;
    let day = i8::try_from(next(2)?.unwrap_or(1)).ok()?;
    if parts.next().is_some() {
        return None;
    }
    let date = jiff::civil::Date::new(year, month, day).ok()?;
    let midnight = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(midnight.timestamp().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::FeedFacts;

    /// Formats a parsed query.
    fn understood(text: &str) -> String {
        let query = Query::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let term = |term: &Term| {
            let part = match term.part {
                Part::Any => "",
                Part::Title => "title:",
                Part::Author => "author:",
            };
            let star = if term.is_prefix { "*" } else { "" };
            format!("{part}{}{star}", term.words.join("_"))
        };
        let groups = query.groups.iter().map(|group| {
            let terms: Vec<String> = group.iter().map(term).collect();
            terms.join("|")
        });
        let excluded = query.excluded.iter().map(|out| format!("-{}", term(out)));
        groups.chain(excluded).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_phrases_and_exclusions_are_distinguished() {
        for (text, expected) in [
            ("Rust news", "rust news"),
            ("\"open  Source\" x", "open_source x"),
            ("“open source” x", "open_source x"),
            ("prog* \"open sour\"* x", "prog* open_sour* x"),
            ("a -b -\"c d\" -title:e", "a -b -c_d -title:e"),
            (
                "TITLE:x author:\"Ada L\" title:\"y zz\"*",
                "title:x author:ada_l title:y_zz*",
            ),
            ("don't foo-bar 3.5 a:b", "don_t foo_bar 3_5 a_b"),
            ("cats OR dogs or birds", "cats|dogs or birds"),
            ("a OR title:b OR \"c d\" e", "a|title:b|c_d e"),
            ("OR a OR", "a"),
            ("(a OR b) c", "a|b c"),
            ("\"never closed", "never_closed"),
            ("a - b", "a b"),
            ("a😀b 😀 … x", "a_b x"),
            ("x\"y z\"", "x y_z"),
            ("https://example.org/a", "https_example_org_a"),
            ("NEAR(a b) AND NOT", "near_a b not"),
            ("cats AND dogs and birds", "cats dogs and birds"),
            ("AND", "and"),
            ("AND a AND", "and a and"),
            ("a \"AND\" b", "a and b"),
            ("a AND NOT b", "a -b"),
            ("NOT \"b c\" a NOT NOT title:d", "a -b_c -title:d"),
            ("a NOT -b not c", "a not c -b"),
            ("a AND b OR c AND d", "a b|c d"),
            ("NOT", "not"),
            ("a -NOT", "a -not"),
        ] {
            assert_eq!(understood(text), expected, "{text}");
        }
    }

    #[test]
    fn scripts_without_blanks_become_phrases_of_pairs() {
        for (text, expected) in [
            ("日本語", "日本_本語"),
            ("日本", "日本"),
            ("日", "日*"),
            ("東京　大阪", "東京 大阪"),
            ("\"東京 大阪\"", "東京_京_大阪"),
            ("\"東京 大\"", "東京_京_大*"),
            ("Rust言語", "rust_言語"),
            ("言語Rust", "言語_語_rust"),
            ("한국어", "한국_국어"),
            ("title:日本語 -語", "title:日本_本語 -語*"),
        ] {
            assert_eq!(understood(text), expected, "{text}");
        }
    }

    #[test]
    fn filters_are_read_and_combined() {
        let filters = |text: &str| Query::parse(text).unwrap().filters;
        let found = filters("is:unread -IS:starred after:2026-03 after:2025 before:2026-03-02");
        assert_eq!((found.unread, found.starred), (Some(true), Some(false)));
        assert_eq!(found.from.unwrap().to_string(), "2026-03-01T00:00:00Z");
        assert_eq!(found.until.unwrap().to_string(), "2026-03-02T00:00:00Z");
        assert!(!found.contradict && !found.has_feed_condition());
        assert!(filters("is:read is:unread").contradict);
        assert!(!filters("is:read -is:unread").contradict);

        let feed = FeedFacts {
            id: FeedId::from(7),
            title: "The Daily Ümlaut".to_owned(),
            host: "feeds.example.org".to_owned(),
            categories: vec![
                (CategoryId::from(5), "World News".to_owned()),
                (CategoryId::from(4), "News".to_owned()),
            ],
        };
        for (text, is_allowed) in [
            ("feed:7", true),
            ("feed:8", false),
            ("feed:\"7\"", false),
            ("feed:üml", true),
            ("feed:\"daily ü\"", true),
            ("feed:EXAMPLE.org", true),
            ("-feed:example", false),
            ("-feed:other", true),
            ("category:news", true),
            ("category:\"World News\"", true),
            ("category:new", false),
            ("category:4", true),
            ("category:6", false),
            ("category:news -category:5", false),
        ] {
            assert_eq!(filters(text).allow_feed(&feed), is_allowed, "{text}");
        }
    }

    #[test]
    fn errors_name_the_part_that_is_wrong() {
        let long = "x".repeat(501);
        let many = "x ".repeat(33);
        for (text, expected) in [
            ("", QueryError::Empty),
            (" \u{3000}\t", QueryError::Empty),
            ("\"", QueryError::NoWord),
            ("😀 … : * --", QueryError::NoWord),
            ("-a", QueryError::OnlyExclusions),
            ("-a -\"b c\"", QueryError::OnlyExclusions),
            (&long, QueryError::TooLong { most: 500 }),
            (&many, QueryError::TooManyTerms { most: 32 }),
            ("a*", QueryError::ShortPrefix),
            ("x \"open s\"*", QueryError::ShortPrefix),
            ("title: x", incomplete("title")),
            ("author:\"…\"", incomplete("author")),
            ("feed:", incomplete("feed")),
            ("category:\" \"", incomplete("category")),
            ("is:new", QueryError::UnknownState),
            ("before:yesterday", bad_date("before")),
            ("after:2026-13", bad_date("after")),
            ("after:2026-02-30", bad_date("after")),
            ("after:26", bad_date("after")),
            ("after:2026-01-01-01", bad_date("after")),
            ("-after:2026", excluded_date("after", "before")),
            ("a OR is:unread", QueryError::BadOr),
            ("is:unread OR a", QueryError::BadOr),
            ("a OR -b", QueryError::BadOr),
            ("a OR NOT b", QueryError::BadOr),
            ("NOT a", QueryError::OnlyExclusions),
            ("a NOT before:2026", excluded_date("before", "after")),
        ] {
            assert_eq!(Query::parse(text), Err(expected), "{text}");
        }
        for fine in ["-a is:unread", "-a feed:3", "is:starred", "before:2026"] {
            assert!(Query::parse(fine).is_ok(), "{fine}");
        }
    }
}
