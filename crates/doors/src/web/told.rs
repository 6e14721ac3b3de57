//! What is kept in English (`model::said`), in the reader's language.
//!
//! Each match is over all that may be kept: who adds a sentence is told by the compiler to give it a
//! message, and by the test of all messages to give it one in every language. What another version
//! kept is shown as it is.

use std::borrow::Cow;
use std::fmt::Display;

use lede_model::access::AccessError;
use lede_model::address::AddressError;
use lede_model::keys::KeyError;
use lede_model::label::LabelError;
use lede_model::preferences::Language;
use lede_model::schedule::Why;
use lede_model::search::QueryError;
use lede_model::service::ServiceError;
use lede_model::style_sheet::StyleSheetError;
use lede_model::trouble::{EntryTrouble, Trouble};
use lede_model::warning::{CleanupNote, Obstacle, Warning};

use super::words::Words;

impl Words {
    /// Why a feed brought nothing, or is not followed.
    pub(crate) fn trouble(self, kept: &str) -> Cow<'static, str> {
        self.find_trouble(kept)
            .unwrap_or_else(|| Cow::Owned(kept.to_owned()))
    }

    /// The same, if it is something that is kept.
    pub(super) fn find_trouble(self, kept: &str) -> Option<Cow<'static, str>> {
        let trouble = kept.parse().map(|trouble| self.say_trouble(trouble)).ok();
        trouble.or_else(|| kept.parse().map(|error| self.say_address(error)).ok())
    }

    /// What is wrong with a field.
    pub(crate) fn field(self, text: &str) -> String {
        match self.find_field(text) {
            Some(said) => said.into_owned(),
            None => self.say("error-invalid-field").into_owned(),
        }
    }

    /// The same, if it is something that people come by who fill in a page.
    pub(super) fn find_field(self, text: &str) -> Option<Cow<'static, str>> {
        let query = text.parse().map(|error| self.say_query(error)).ok();
        query
            .or_else(|| text.parse().map(|error| self.key_error(&error)).ok())
            .or_else(|| text.parse().map(|error| self.service_error(&error)).ok())
            .or_else(|| text.parse().map(|error| self.say_access(error)).ok())
            .or_else(|| text.parse().map(|error| self.say_label(error)).ok())
            .or_else(|| text.parse().map(|error| self.style_error(&error)).ok())
            .or_else(|| self.find_trouble(text))
    }

    /// Why an entry of a take-out was not brought in. What could not be read at all is told in the parser's
    /// words, which are about the document.
    pub(super) fn entry(self, reason: &str) -> Cow<'static, str> {
        let entry = reason.parse().map(|trouble| self.say_entry(trouble)).ok();
        let said = entry.or_else(|| self.find_field(reason));
        said.unwrap_or_else(|| self.with("entry-unreadable", "reason", reason))
    }

    /// How often something happens: every half hour, every two hours.
    pub(super) fn interval(self, minutes: i64) -> Cow<'static, str> {
        match (minutes / 60, minutes % 60) {
            (hours, 0) => self.count("feeds-interval-hours", hours),
            (0, minutes) => self.count("feeds-interval-minutes", minutes),
            (hours, minutes) => {
                let parts: [(&str, &dyn Display); 2] = [("hours", &hours), ("minutes", &minutes)];
                self.with_all("feeds-interval-mixed", &parts)
            }
        }
    }

    /// Why a feed is fetched when it is.
    pub(crate) fn why(self, kept: &str) -> Cow<'static, str> {
        match kept.parse() {
            Ok(why) => self.say_why(why),
            Err(_) => Cow::Owned(kept.to_owned()),
        }
    }

    /// What is wrong with the instance; a warning on each line.
    pub(crate) fn warnings(self, kept: &str) -> String {
        let said = kept.lines().map(|line| match line.parse() {
            Ok(warning) => self.say_warning(warning),
            Err(_) => Cow::Owned(line.to_owned()),
        });
        said.collect::<Vec<_>>().join(" ")
    }

    /// What a clean-up noted; a note on each line.
    pub(crate) fn notes(self, kept: &str) -> String {
        let said = kept.lines().map(|line| match line.parse() {
            Ok(note) => self.say_note(note),
            Err(_) => Cow::Owned(line.to_owned()),
        });
        said.collect::<Vec<_>>().join(" ")
    }

    /// What keeps the database from being copied or made smaller.
    fn obstacle(self, kept: &str) -> Cow<'static, str> {
        match kept.parse() {
            Ok(obstacle) => self.say_obstacle(obstacle),
            Err(_) => Cow::Owned(kept.to_owned()),
        }
    }

    fn say_access(self, error: AccessError) -> Cow<'static, str> {
        match error {
            AccessError::TooLong { most } => self.with("access-too-long", "most", most),
            AccessError::ControlCharacter => self.say("access-control-character"),
            AccessError::Colon => self.say("access-colon"),
        }
    }

    fn say_trouble(self, trouble: Trouble) -> Cow<'static, str> {
        match trouble {
            Trouble::PrivateName => self.say("trouble-private-name"),
            Trouble::PrivateAddress => self.say("trouble-private-address"),
            Trouble::ClosedPort { port } => self.with("trouble-closed-port", "port", port),
            Trouble::BadTarget { problem } => {
                self.with("trouble-bad-target", "problem", self.trouble(&problem))
            }
            Trouble::TooManyRedirects { most } => self.with("trouble-many-redirects", "most", most),
            Trouble::Unencrypted => self.say("trouble-unencrypted"),
            Trouble::RedirectToNowhere => self.say("trouble-redirect-to-nowhere"),
            Trouble::UnknownHost => self.say("trouble-unknown-host"),
            Trouble::NoConnection => self.say("trouble-no-connection"),
            Trouble::CertificateName => self.say("trouble-certificate-name"),
            Trouble::CertificateTime => self.say("trouble-certificate-time"),
            Trouble::CertificateIssuer => self.say("trouble-certificate-issuer"),
            Trouble::NoEncryption => self.say("trouble-no-encryption"),
            Trouble::SlowName { seconds } => self.with("trouble-slow-name", "seconds", seconds),
            Trouble::SlowConnection { seconds } => {
                self.with("trouble-slow-connection", "seconds", seconds)
            }
            Trouble::SlowEncryption { seconds } => {
                self.with("trouble-slow-encryption", "seconds", seconds)
            }
            Trouble::SlowAnswer { seconds } => self.with("trouble-slow-answer", "seconds", seconds),
            Trouble::SlowRequest { seconds } => {
                self.with("trouble-slow-request", "seconds", seconds)
            }
            Trouble::SlowBody => self.say("trouble-slow-body"),
            Trouble::LargeHeaders => self.say("trouble-large-headers"),
            Trouble::LargeBody { bytes } => {
                self.with("trouble-large-body", "bytes", self.number(bytes))
            }
            Trouble::AbsurdBody => self.say("trouble-absurd-body"),
            Trouble::UnexpectedNotModified => self.say("trouble-not-modified"),
            Trouble::Answered { status } => self.with("trouble-answered", "status", status),
            Trouble::Truncated => self.say("trouble-truncated"),
            Trouble::BadPacking => self.say("trouble-bad-packing"),
            Trouble::UnknownPacking { name } => self.with("trouble-unknown-packing", "name", name),
            Trouble::NotHttp => self.say("trouble-not-http"),
            Trouble::BotWall { name } => self.with("trouble-bot-wall", "name", name),
            Trouble::Busy => self.say("trouble-busy"),
            Trouble::Empty => self.say("trouble-empty"),
            Trouble::IsPage => self.say("trouble-is-page"),
            Trouble::IsJson => self.say("trouble-is-json"),
            Trouble::IsList => self.say("trouble-is-list"),
            Trouble::IsXml => self.say("trouble-is-xml"),
            Trouble::IsOther => self.say("trouble-is-other"),
            Trouble::BadJson { reason } => self.with("trouble-bad-json", "reason", reason),
            Trouble::PageNow => self.say("trouble-page-now"),
            Trouble::PageWithFeed { feed } => self.with("trouble-page-with-feed", "feed", feed),
            Trouble::PageWithFeeds { feeds } => {
                self.with("trouble-page-with-feeds", "feeds", feeds)
            }
            Trouble::TooComplicated { seconds } => {
                self.with("trouble-complicated", "seconds", seconds)
            }
            Trouble::Broken => self.say("trouble-broken"),
            Trouble::NoFeedFound => self.say("trouble-no-feed-found"),
            Trouble::ListCut => self.say("trouble-list-cut"),
            Trouble::ListFull { most } => self.count("trouble-list-full", most),
            Trouble::NotAllowed => self.say("trouble-not-allowed"),
            Trouble::KeptByOther => self.say("trouble-kept-by-other"),
            Trouble::FollowedByOthers => self.say("trouble-followed-by-others"),
            Trouble::AccessUnreadable => self.say("trouble-access-unreadable"),
        }
    }

    fn say_address(self, error: AddressError) -> Cow<'static, str> {
        match error {
            AddressError::Empty => self.say("address-empty"),
            AddressError::TooLong => self.say("address-long"),
            AddressError::ForbiddenCharacter => self.say("address-character"),
            AddressError::Scheme { scheme } => self.with("address-scheme", "scheme", scheme),
            AddressError::Credentials => self.say("address-credentials"),
            AddressError::ObscureHost => self.say("address-obscure"),
            AddressError::Malformed => self.say("address-malformed"),
        }
    }

    fn say_entry(self, trouble: EntryTrouble) -> Cow<'static, str> {
        match trouble {
            EntryTrouble::UnknownLook => self.say("entry-unknown-look"),
            EntryTrouble::NoName => self.say("entry-no-name"),
            EntryTrouble::LongName { most } => self.with("entry-long-name", "most", most),
            EntryTrouble::BadQuery { problem } => {
                self.with("entry-bad-query", "problem", self.field(&problem))
            }
            EntryTrouble::BadCategoryName { .. } => self.say("entry-bad-category-name"),
            EntryTrouble::BadLabelName { .. } => self.say("entry-bad-label-name"),
            EntryTrouble::BadTitle { .. } => self.say("entry-bad-title"),
            EntryTrouble::BadDepth { most } => self.with("entry-bad-depth", "most", most),
            EntryTrouble::ManyCategories { most } => {
                self.with("entry-many-categories", "most", most)
            }
            EntryTrouble::ManyLabels { most } => self.with("entry-many-labels", "most", most),
            EntryTrouble::ManySearches { most } => self.with("entry-many-searches", "most", most),
            EntryTrouble::ManyRules { most } => self.with("entry-many-rules", "most", most),
            EntryTrouble::NoCategory => self.say("entry-no-category"),
            EntryTrouble::NoLabel => self.say("entry-no-label"),
            EntryTrouble::NoCondition => self.say("entry-no-condition"),
            EntryTrouble::NoAction => self.say("entry-no-action"),
            EntryTrouble::NotFollowed => self.say("entry-not-followed"),
            EntryTrouble::BadKey => self.say("entry-bad-key"),
            EntryTrouble::BadText => self.say("entry-bad-text"),
            EntryTrouble::NotAllowed => self.say("entry-not-allowed"),
        }
    }

    fn say_query(self, error: QueryError) -> Cow<'static, str> {
        match error {
            QueryError::Empty => self.say("query-empty"),
            QueryError::NoWord => self.say("query-no-word"),
            QueryError::OnlyExclusions => self.say("query-only-exclusions"),
            QueryError::TooLong { most } => self.with("query-long", "most", most),
            QueryError::TooManyTerms { most } => self.with("query-many-terms", "most", most),
            QueryError::ShortPrefix => self.say("query-short-prefix"),
            QueryError::Incomplete { field } => self.with("query-incomplete", "field", field),
            QueryError::UnknownState => self.say("query-unknown-state"),
            QueryError::BadDate { field } => self.with("query-bad-date", "field", field),
            QueryError::ExcludedDate { field, other } => self.with_all(
                "query-excluded-date",
                &[("field", &field), ("other", &other)],
            ),
            QueryError::BadOr => self.say("query-bad-or"),
        }
    }

    /// Why keys cannot be as somebody wants them.
    pub(super) fn key_error(self, error: &KeyError) -> Cow<'static, str> {
        // The name of an action is for programs.
        let name = |name: &str| match name.parse() {
            Ok(action) => self.action(action),
            Err(_) => Cow::Owned(name.to_owned()),
        };
        match error {
            KeyError::Unknown { action } => self.with("key-unknown", "action", action),
            KeyError::NotOneCharacter { action } => {
                self.with("key-not-one", "action", name(action))
            }
            KeyError::BeginsPlaces { key, action } => self.with_all(
                "key-begins-places",
                &[("key", key), ("action", &name(action))],
            ),
            KeyError::Clash { key, one, other } => self.with_all(
                "key-clash",
                &[("key", key), ("one", &name(one)), ("other", &name(other))],
            ),
        }
    }

    /// Why a service cannot be kept.
    pub(super) fn service_error(self, error: &ServiceError) -> Cow<'static, str> {
        match error {
            ServiceError::NoName => self.say("service-no-name"),
            ServiceError::LongName { most } => self.with("service-long-name", "most", most),
            ServiceError::LongAddress { most } => self.with("service-long-address", "most", most),
            ServiceError::Scheme => self.say("service-scheme"),
            ServiceError::NoItem { place } => self.with("service-no-item", "place", place),
            ServiceError::UnknownPlace { place } => {
                self.with("service-unknown-place", "place", place)
            }
            ServiceError::TooEarly => self.say("service-early"),
            ServiceError::Unusable { problem } => {
                self.with("service-unusable", "problem", self.trouble(problem))
            }
            ServiceError::NoServer { name } => self.with("service-no-server", "name", name),
            ServiceError::TooMany { most } => self.with("service-many", "most", most),
        }
    }

    /// Why a style sheet cannot be kept.
    pub(super) fn style_error(self, error: &StyleSheetError) -> Cow<'static, str> {
        match error {
            StyleSheetError::TooLong { most } => self.with("style-too-long", "most", most),
            StyleSheetError::ControlCharacter => self.say("style-control-character"),
        }
    }

    /// Why a label cannot be as somebody wants it.
    pub(crate) fn say_label(self, error: LabelError) -> Cow<'static, str> {
        match error {
            LabelError::NameLength { most } => self.with("label-name-length", "most", most),
            LabelError::NameCharacter => self.say("label-name-character"),
            LabelError::NameTaken => self.say("label-name-taken"),
            LabelError::TooMany { most } => self.with("label-too-many", "most", most),
            LabelError::TooManyOnItem { most } => self.with("label-many-on-item", "most", most),
        }
    }

    fn say_why(self, why: Why) -> Cow<'static, str> {
        match why {
            Why::EveryMinutes { minutes } => {
                self.with("feeds-why-interval", "interval", self.interval(minutes))
            }
            Why::Timetable => self.say("feeds-why-timetable"),
            Why::ServerAsks => self.say("feeds-why-server-asks"),
            Why::FeedAsks => self.say("feeds-why-feed-asks"),
            Why::QuietUntil { time } => self.with("feeds-why-silence", "time", time),
            Why::QuietForDays => self.say("feeds-why-quiet-days"),
            Why::ServerSaid => self.say("feeds-why-server-said"),
            Why::FewerRequests => self.say("feeds-why-fewer"),
            Why::Failure { number } => self.count("feeds-why-failure", number),
            Why::Gone => self.say("feeds-why-gone"),
            Why::Failed => self.say("feeds-why-failed"),
            Why::FailedTimes { times } => self.count("feeds-why-given-up", times),
            Why::New => self.say("feeds-why-new"),
            Why::FollowedAgain => self.say("feeds-why-followed"),
            Why::NobodyFollows => self.say("feeds-why-nobody"),
            Why::NewPlan => self.say("feeds-why-new-plan"),
            Why::NewAccess => self.say("feeds-why-new-access"),
            Why::Asked => self.say("feeds-why-asked"),
            Why::MovedHere => self.say("feeds-why-moved-here"),
        }
    }

    fn say_warning(self, warning: Warning) -> Cow<'static, str> {
        match warning {
            Warning::DiskFull { free } => self.with("warning-disk-full", "free", free),
            Warning::DiskLow { free } => self.with("warning-disk-low", "free", free),
            Warning::Stuck => self.say("warning-stuck"),
            Warning::TooLarge { size, limit } => {
                let (size, limit) = (self.tenths(&size), self.number(i64::from(limit)));
                self.with_all("warning-large", &[("size", &size), ("limit", &limit)])
            }
            Warning::StillTooLarge => self.say("warning-still-large"),
            Warning::NoBackup { day, error } => {
                let error = self.obstacle(&error);
                self.with_all("warning-no-backup", &[("day", &day), ("error", &error)])
            }
        }
    }

    /// A number that is kept with one place after the point; what is not is shown as it is.
    fn tenths(self, kept: &str) -> String {
        let point = match self.0 {
            Language::Portuguese => ',',
            Language::English | Language::Japanese => '.',
        };
        let (whole, tenth) = kept.split_once('.').unwrap_or((kept, "0"));
        match whole.parse::<i64>() {
            Ok(whole) => format!("{}{point}{tenth}", self.number(whole)),
            Err(_) => kept.to_owned(),
        }
    }

    fn say_note(self, note: CleanupNote) -> Cow<'static, str> {
        match note {
            CleanupNote::RemovedForRoom { items, days } => {
                let items = self.number(items);
                self.with_all("note-removed", &[("items", &items), ("days", &days)])
            }
            CleanupNote::KeptByPostgres => self.say("note-kept-by-postgres"),
            CleanupNote::NotSmaller { error } => {
                self.with("note-not-smaller", "error", self.obstacle(&error))
            }
            CleanupNote::StillTooLarge => self.say("note-still-large"),
        }
    }

    fn say_obstacle(self, obstacle: Obstacle) -> Cow<'static, str> {
        match obstacle {
            Obstacle::NoRoomToVacuum { needed, free } => {
                let (needed, free) = (self.number(needed), self.number(free));
                self.with_all("obstacle-room", &[("needed", &needed), ("free", &free)])
            }
            Obstacle::InUse => self.say("obstacle-in-use"),
            Obstacle::NoRoomToCopy { needed, free } => {
                let (needed, free) = (self.number(needed), self.number(free));
                self.with_all("obstacle-copy", &[("needed", &needed), ("free", &free)])
            }
            Obstacle::NotWritable { path, reason } => {
                self.with_all("obstacle-file", &[("path", &path), ("reason", &reason)])
            }
            Obstacle::Incomplete {
                table,
                found,
                expected,
            } => {
                let (found, expected) = (self.number(found), self.number(expected));
                let rows: [(&str, &dyn Display); 3] = [
                    ("table", &table),
                    ("found", &found),
                    ("expected", &expected),
                ];
                self.with_all("obstacle-incomplete", &rows)
            }
            Obstacle::BrokenOff => self.say("obstacle-broken-off"),
            Obstacle::NotCopied { reason } => {
                self.with("obstacle-not-copied", "reason", self.obstacle(&reason))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use lede_model::preferences::Language;

    use super::*;

    #[test]
    fn nothing_that_is_kept_is_english_for_those_who_read_another_language() {
        let patterns = [
            (
                Trouble::PATTERNS,
                Words::trouble as fn(Words, &str) -> Cow<'static, str>,
            ),
            (AddressError::PATTERNS, Words::trouble),
            (AccessError::PATTERNS, |words, kept| {
                words.field(kept).into()
            }),
            (EntryTrouble::PATTERNS, Words::entry),
            (QueryError::PATTERNS, |words, kept| words.field(kept).into()),
            (KeyError::PATTERNS, |words, kept| words.field(kept).into()),
            (ServiceError::PATTERNS, |words, kept| {
                words.field(kept).into()
            }),
            (LabelError::PATTERNS, |words, kept| words.field(kept).into()),
            (StyleSheetError::PATTERNS, |words, kept| {
                words.field(kept).into()
            }),
            (Why::PATTERNS, Words::why),
            (Warning::PATTERNS, |words, kept| words.warnings(kept).into()),
            (CleanupNote::PATTERNS, |words, kept| {
                words.notes(kept).into()
            }),
            (Obstacle::PATTERNS, Words::obstacle),
        ];
        for (patterns, say) in patterns {
            for pattern in patterns {
                // Whatever goes in, 7 is one of it.
                let pieces = pattern.split(['{', '}']).enumerate();
                let kept: String = pieces
                    .map(|(place, piece)| if place % 2 == 1 { "7" } else { piece })
                    .collect();
                let said = Language::ALL.map(|language| say(Words(language), &kept));
                let [english, japanese, portuguese] = said.each_ref().map(|said| said.as_ref());
                assert!(
                    japanese.chars().any(|c| ('ぁ'..='ヿ').contains(&c)),
                    "{japanese}"
                );
                assert_ne!(portuguese, kept);
                assert_ne!(portuguese, english);
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_shown_as_it_is() {
        let words = Words(Language::Japanese);
        assert_eq!(words.trouble("the moon is full"), "the moon is full");
        assert_eq!(words.why("because"), "because");
        let two = "the moon is full\nDB exceeds configured limit";
        assert!(words.warnings(two).starts_with("the moon is full "));
        assert!(!words.warnings(two).contains("exceeds"));
    }
}
