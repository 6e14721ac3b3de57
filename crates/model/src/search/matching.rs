//! Matching of one item against a query, without an index.

use std::cell::LazyCell;

use super::query::{FeedFacts, Part, Query, Term};
use super::words::each_word;
use crate::time::Timestamp;

/// The words of one text, sorted for lookup.
pub(super) struct TextWords {
    words: String,
    /// End of each word in `words`; a word starts at the end of the previous one.
    ends: Vec<usize>,
    /// The positions of all words, sorted by word.
    sorted: Vec<u32>,
}

impl TextWords {
    pub(super) fn of(text: &str) -> Self {
        let (mut words, mut ends) = (String::with_capacity(text.len()), Vec::new());
        each_word(text, |found| {
            words.push_str(found.word);
            ends.push(words.len());
        });
        let mut new = Self {
            words,
            ends,
            sorted: Vec::new(),
        };
        // `each_word` yields at most `MAX_WORDS`, which fits easily.
        let mut sorted: Vec<u32> = (0..u32::try_from(new.ends.len()).unwrap_or(u32::MAX)).collect();
        sorted.sort_unstable_by_key(|place| (new.word(*place as usize), *place));
        new.sorted = sorted;
        new
    }

    fn word(&self, place: usize) -> Option<&str> {
        let end = *self.ends.get(place)?;
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.words[start..end])
    }

    /// Returns the positions at which the words of `term` begin.
    pub(super) fn places<'t>(&'t self, term: &'t Term) -> impl Iterator<Item = usize> + 't {
        let last = term.words.len() - 1;
        let is_there = move |index: usize, place: usize| {
            let wanted = term.words[index].as_str();
            self.word(place).is_some_and(|word| match term.is_prefix {
                true if index == last => word.starts_with(wanted),
                _ => word == wanted,
            })
        };
        let first = Some(term.words[0].as_str());
        let from = self
            .sorted
            .partition_point(|place| self.word(*place as usize) < first);
        self.sorted[from..]
            .iter()
            .map(|place| *place as usize)
            .take_while(move |place| is_there(0, *place))
            .filter(move |place| (1..=last).all(|index| is_there(index, place + index)))
    }

    fn has(&self, term: &Term) -> bool {
        self.places(term).next().is_some()
    }
}

type LazyWords<'a> = LazyCell<TextWords, Box<dyn FnOnce() -> TextWords + 'a>>;

/// Searchable text of one item. It is tokenised when a query first needs it.
pub struct ItemText<'a> {
    title: LazyWords<'a>,
    author: LazyWords<'a>,
    body: LazyWords<'a>,
}

impl<'a> ItemText<'a> {
    /// Creates the text of an item; `body` returns its content without markup.
    pub fn new(title: &'a str, author: &'a str, body: impl FnOnce() -> String + 'a) -> Self {
        Self {
            title: LazyCell::new(Box::new(move || TextWords::of(title))),
            author: LazyCell::new(Box::new(move || TextWords::of(author))),
            body: LazyCell::new(Box::new(move || TextWords::of(&body()))),
        }
    }

    fn has(&self, term: &Term) -> bool {
        match term.part {
            Part::Title => self.title.has(term),
            Part::Author => self.author.has(term),
            Part::Any => self.title.has(term) || self.author.has(term) || self.body.has(term),
        }
    }
}

/// Properties of an item that filters test, for one user.
#[derive(Debug, Clone, Copy)]
pub struct ItemFacts<'a> {
    pub feed: &'a FeedFacts,
    /// Sort key in lists.
    pub sort_at: Timestamp,
    pub is_unread: bool,
    pub is_starred: bool,
    /// Names of the item's labels, in lower case.
    pub labels: &'a [String],
}

impl Query {
    /// Returns `true` if an item matches the query. The store finds the same items.
    pub fn matches(&self, text: &ItemText<'_>, facts: &ItemFacts<'_>) -> bool {
        let filters = &self.filters;
        let is_as = |wanted: Option<bool>, is: bool| wanted.is_none_or(|wanted| wanted == is);
        !filters.contradict
            && is_as(filters.unread, facts.is_unread)
            && is_as(filters.starred, facts.is_starred)
            && filters.from.is_none_or(|from| facts.sort_at >= from)
            && filters.until.is_none_or(|until| facts.sort_at < until)
            && filters.allow_feed(facts.feed)
            && filters
                .labels
                .iter()
                .all(|label| facts.labels.contains(&label.key) != label.is_excluded)
            && self
                .groups
                .iter()
                .all(|group| group.iter().any(|term| text.has(term)))
            && !self.excluded.iter().any(|term| text.has(term))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::FeedId;

    #[test]
    fn an_item_matches_by_its_words() {
        let feed = FeedFacts {
            id: FeedId::from(1),
            title: "Feed".to_owned(),
            host: "site.example".to_owned(),
            categories: Vec::new(),
        };
        let facts = ItemFacts {
            feed: &feed,
            sort_at: Timestamp::from_seconds(1_773_489_600),
            is_unread: true,
            is_starred: false,
            labels: &["to read".to_owned()],
        };
        for (query, is_match) in [
            ("café", true),
            ("\"quick brown\"", true),
            ("\"brown quick\"", false),
            ("\"lovelace the\"", false),
            ("bro*", true),
            ("\"quick bro\"*", true),
            ("\"quick br\"", false),
            ("title:quick", false),
            ("author:ada", true),
            ("京都", true),
            ("東京都", true),
            ("都", true),
            ("都東", false),
            ("cat OR fox", true),
            ("fox -cafe", false),
            ("fox -cat", true),
            ("is:unread after:2026-03-14 feed:site", true),
            ("is:read", false),
            ("label:\"To  READ\" fox", true),
            ("label:\"to read\" -label:later", true),
            ("label:later", false),
            ("fox -label:\"to read\"", false),
            ("is:unread is:read", false),
            ("before:2026-03-14", false),
        ] {
            let text = ItemText::new("Café 東京都", "Ada Lovelace", || {
                "The quick brown fox".to_owned()
            });
            let query_read = Query::parse(query).unwrap();
            assert_eq!(query_read.matches(&text, &facts), is_match, "{query}");
        }
    }

    #[test]
    fn nothing_is_read_that_no_term_asks_for() {
        let feed = FeedFacts {
            id: FeedId::from(1),
            title: String::new(),
            host: String::new(),
            categories: Vec::new(),
        };
        let facts = ItemFacts {
            feed: &feed,
            sort_at: Timestamp::EPOCH,
            is_unread: true,
            is_starred: false,
            labels: &[],
        };
        let text = ItemText::new("One", "", || unreachable!("nobody asks for the text"));
        for query in ["title:one", "one", "title:two", "is:read one two"] {
            Query::parse(query).unwrap().matches(&text, &facts);
        }
    }
}
