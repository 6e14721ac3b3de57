//! Translations of the pages.
//!
//! Messages are Fluent files under `locales/`, with a folder for each language and a file for each
//! part of the application, compiled into the binary. With Fluent, plurals and word order are
//! decided by the translator, not by the template. English is the reference: a test fails if
//! another language lacks a message, or if a message is not used.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::types::FluentNumber;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use lede_model::preferences::Language;
use lede_model::time::Timestamp;
use unic_langid::LanguageIdentifier;

use super::messages;
use crate::error::ApiError;

/// Source texts of a language, one for each part of the application.
macro_rules! parts {
    ($language:literal) => {
        [
            include_str!(concat!("../../locales/", $language, "/common.ftl")),
            include_str!(concat!("../../locales/", $language, "/sign_in.ftl")),
            include_str!(concat!("../../locales/", $language, "/reader.ftl")),
            include_str!(concat!("../../locales/", $language, "/script.ftl")),
            include_str!(concat!("../../locales/", $language, "/feeds.ftl")),
            include_str!(concat!("../../locales/", $language, "/settings.ftl")),
            include_str!(concat!("../../locales/", $language, "/admin.ftl")),
            include_str!(concat!("../../locales/", $language, "/dashboard.ftl")),
            include_str!(concat!("../../locales/", $language, "/errors.ftl")),
            include_str!(concat!("../../locales/", $language, "/messages.ftl")),
        ]
    };
}

const PARTS: usize = 10;
/// Index of `script.ftl` in `parts!`.
const SCRIPT_PART: usize = 3;

type Bundle = FluentBundle<FluentResource>;

static ENGLISH: LazyLock<Bundle> = LazyLock::new(|| bundle(Language::English));
static JAPANESE: LazyLock<Bundle> = LazyLock::new(|| bundle(Language::Japanese));
static PORTUGUESE: LazyLock<Bundle> = LazyLock::new(|| bundle(Language::Portuguese));

const fn sources(language: Language) -> [&'static str; PARTS] {
    match language {
        Language::English => parts!("en"),
        Language::Japanese => parts!("ja"),
        Language::Portuguese => parts!("pt"),
    }
}

fn bundle(language: Language) -> Bundle {
    let tag: LanguageIdentifier = language.tag().parse().unwrap_or_default();
    let mut bundle = Bundle::new_concurrent(vec![tag]);
    // Isolation marks would keep the direction of inserted text from affecting its surroundings.
    // Templates use `<bdi>` for that, and attributes and scripts must not contain the marks.
    bundle.set_use_isolating(false);
    bundle.set_formatter(Some(match language {
        Language::Portuguese => |value, _| number_of(value, '.'),
        Language::English | Language::Japanese => |value, _| number_of(value, ','),
    }));
    for source in sources(language) {
        // Messages with a syntax error are dropped; a test reports them.
        let resource = FluentResource::try_new(source.to_owned()).unwrap_or_else(|(part, _)| part);
        bundle.add_resource_overriding(resource);
    }
    bundle
}

/// Formats a number for Fluent.
fn number_of(value: &FluentValue<'_>, separator: char) -> Option<String> {
    match value {
        FluentValue::Number(number) if number.value.fract() == 0.0 => {
            Some(grouped(number.value as i64, separator))
        }
        _ => None,
    }
}

/// Formats a number with a thousands separator: `12345` as `12,345`.
fn grouped(number: i64, separator: char) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if number < 0 {
        text.push('-');
    }
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

/// Returns the messages for the scripts of the reading view as JSON. Variables are `{count}` and
/// `{text}`, which the scripts replace.
fn script_words(words: Translator) -> String {
    let given = [("count", &"{count}" as &dyn Display), ("text", &"{text}")];
    let keys = sources(words.0)[SCRIPT_PART].lines().filter_map(|line| {
        let (key, _) = line.split_once(" =")?;
        key.strip_prefix("script-")
    });
    let said: BTreeMap<&str, Cow<'_, str>> = keys
        .map(|key| (key, words.with_all(&format!("script-{key}"), &given)))
        .collect();
    serde_json::to_string(&said).unwrap_or_default()
}

static SCRIPT_WORDS: LazyLock<[String; 3]> =
    LazyLock::new(|| Language::ALL.map(|language| script_words(Translator(language))));

/// A count of any integer type. Implemented for references too, because templates pass those.
pub(crate) trait Whole {
    fn whole(&self) -> i64;
}

macro_rules! whole {
    ($($number:ty)*) => {$(
        impl Whole for $number {
            fn whole(&self) -> i64 {
                i64::try_from(*self).unwrap_or(i64::MAX)
            }
        }
    )*};
}

whole!(i64 u64 usize u8);

impl<T: Whole> Whole for &T {
    fn whole(&self) -> i64 {
        (**self).whole()
    }
}

/// Translates messages to one language.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Translator(pub(crate) Language);

impl Translator {
    fn bundle(self) -> &'static Bundle {
        match self.0 {
            Language::English => &ENGLISH,
            Language::Japanese => &JAPANESE,
            Language::Portuguese => &PORTUGUESE,
        }
    }

    /// Returns the language tag for the `lang` attribute.
    pub(crate) fn tag(self) -> &'static str {
        self.0.tag()
    }

    fn find(self, key: &str, args: Option<&FluentArgs<'_>>) -> Option<Cow<'static, str>> {
        let bundle = self.bundle();
        let pattern = match key.split_once('.') {
            Some((key, attribute)) => bundle.get_message(key)?.get_attribute(attribute)?.value(),
            None => bundle.get_message(key)?.value()?,
        };
        let said = bundle.format_pattern(pattern, args, &mut Vec::new());
        Some(match said {
            Cow::Borrowed(text) if args.is_none() => Cow::Borrowed(text),
            said => Cow::Owned(said.into_owned()),
        })
    }

    pub(super) fn format(self, key: &str, args: Option<&FluentArgs<'_>>) -> Cow<'static, str> {
        debug_assert!(self.find(key, args).is_some(), "no message {key}");
        self.find(key, args)
            .unwrap_or_else(|| Cow::Owned(key.to_owned()))
    }

    /// Returns a message; `key.part` selects an attribute of it.
    pub(crate) fn t(self, key: &str) -> Cow<'static, str> {
        self.format(key, None)
    }

    /// Returns a message with one variable.
    pub(crate) fn with(self, key: &str, name: &str, value: impl Display) -> Cow<'static, str> {
        self.with_all(key, &[(name, &value)])
    }

    /// Returns a message with several variables.
    pub(crate) fn with_all(self, key: &str, values: &[(&str, &dyn Display)]) -> Cow<'static, str> {
        let values = values
            .iter()
            .map(|(name, value)| (*name, value.to_string()));
        self.format(key, Some(&values.collect()))
    }

    /// Returns a message with the variable `$count`.
    pub(crate) fn count(self, key: &str, count: impl Whole) -> Cow<'static, str> {
        let count = count.whole();
        let mut args = FluentArgs::new();
        args.set("count", FluentNumber::from(count));
        self.format(key, Some(&args))
    }

    /// Formats a number in the style of the language.
    pub(crate) fn number(self, number: impl Whole) -> String {
        let number = number.whole();
        match self.0 {
            Language::Portuguese => grouped(number, '.'),
            Language::English | Language::Japanese => grouped(number, ','),
        }
    }

    /// Returns the messages for scripts; see [`script_words`].
    pub(crate) fn script_words(self) -> &'static str {
        let place = Language::ALL
            .iter()
            .position(|language| *language == self.0);
        &SCRIPT_WORDS[place.unwrap_or_default()]
    }

    /// Returns the description of an error and its remedy in the user's language: the message that the
    /// error is made from, or else the text for its code.
    pub(crate) fn explain(self, error: &ApiError) -> (String, String) {
        let key = format!("error-{}", error.code().replace('_', "-"));
        let exactly = error.detail().map(|message| self.translate(message));
        // The message of a field implies the remedy; "correct the request" is for programs.
        if let (true, Some(message)) = (error.is_about_field(), error.detail()) {
            let action = self.find(&format!("{}.action", messages::key(message)), None);
            let action = action.unwrap_or_default().into_owned();
            return (sentence(&self.translate(message)), action);
        }
        let action = self.find(&format!("{key}.action"), None);
        let said = match exactly {
            Some(said) => Some(Cow::Owned(sentence(&said))),
            // In English, the error's own text is more specific than the one for its code.
            None if self.0 == Language::English => None,
            None => self.find(&key, None),
        };
        match (self.0, said, action) {
            (_, None, _) | (_, _, None) => (error.message.clone(), error.action.clone()),
            (Language::English, Some(said), _) => (said.into_owned(), error.action.clone()),
            (_, Some(said), Some(action)) => (said.into_owned(), action.into_owned()),
        }
    }

    /// Formats the time since `at` in short form: `4 min`, `2 h`, `3 d`; a date after a week.
    pub(crate) fn age(self, at: Timestamp, now: Timestamp) -> Cow<'static, str> {
        let keys = ["age-now", "age-minutes", "age-hours", "age-days"];
        self.passed(at, now, keys)
    }

    /// Same as [`Translator::age`], as an adverb: `4 min ago`.
    pub(crate) fn ago(self, at: Timestamp, now: Timestamp) -> Cow<'static, str> {
        let keys = ["ago-now", "ago-minutes", "ago-hours", "ago-days"];
        self.passed(at, now, keys)
    }

    fn passed(self, at: Timestamp, now: Timestamp, keys: [&str; 4]) -> Cow<'static, str> {
        const MINUTE: u64 = 60;
        const HOUR: u64 = 60 * MINUTE;
        const DAY: u64 = 24 * HOUR;
        let [at_once, minutes, hours, days] = keys;
        match now.since(at).as_secs() {
            0..MINUTE => self.t(at_once),
            seconds @ MINUTE..HOUR => self.count(minutes, seconds / MINUTE),
            seconds @ HOUR..DAY => self.count(hours, seconds / HOUR),
            seconds if seconds < 7 * DAY => self.count(days, seconds / DAY),
            _ if utc(at).year() == utc(now).year() => self.day(at),
            _ => self.date("date-day-year", at),
        }
    }

    /// Formats a date without its year.
    pub(crate) fn day(self, at: Timestamp) -> Cow<'static, str> {
        self.date("date-day", at)
    }

    fn date(self, key: &str, at: Timestamp) -> Cow<'static, str> {
        let (at, months) = (utc(at), self.t("date-months-short"));
        let month = nth(&months, at.month());
        let year = at.year().to_string();
        let parts: [(&str, &dyn Display); 3] =
            [("day", &at.day()), ("month", &month), ("year", &year)];
        self.with_all(key, &parts)
    }

    /// Formats a date and time in UTC. It is shown in a `<time data-exact>`: the server does not
    /// know the user's time zone, and `assets/js/i18n.js` converts it.
    pub(crate) fn exact(self, at: Timestamp) -> Cow<'static, str> {
        let at = utc(at);
        let months = self.t("date-months");
        let time = at.strftime("%H:%M").to_string();
        self.with_all(
            "date-exact",
            &[
                ("day", &at.day()),
                ("month", &nth(&months, at.month())),
                ("year", &at.year().to_string()),
                ("time", &time),
            ],
        )
    }
}

fn utc(at: Timestamp) -> jiff::Zoned {
    at.to_jiff().to_zoned(jiff::tz::TimeZone::UTC)
}

/// Returns the name of a month from twelve names separated by spaces.
fn nth(months: &str, month: i8) -> String {
    let place = usize::try_from(month - 1).unwrap_or_default();
    months.split(' ').nth(place).unwrap_or_default().to_owned()
}

/// Capitalises an error text, which starts in lower case to fit inside a sentence.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let mut sentence: String = letters
        .next()
        .map(|first| first.to_uppercase().collect())
        .unwrap_or_default();
    sentence.push_str(letters.as_str());
    if !sentence.ends_with(['.', '!', '?', '。', '！', '？']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;
    use std::time::Duration;

    use super::*;

    /// Returns every message and attribute of a language with the names of its variables.
    pub(in crate::web) fn translations(language: Language) -> BTreeMap<String, BTreeSet<String>> {
        let mut messages = BTreeMap::new();
        let mut current = String::new();
        for line in sources(language).iter().flat_map(|source| source.lines()) {
            if line.starts_with('#') || line.trim().is_empty() {
                continue;
            }
            if let Some((name, _)) = line.split_once('=')
                && !line.starts_with([' ', '[', '*', '}'])
            {
                current = name.trim().to_owned();
                let twice = messages.insert(current.clone(), BTreeSet::new());
                assert!(twice.is_none(), "{language:?} says {current} twice");
            } else if let Some((name, _)) = line.trim().split_once('=')
                && let Some(attribute) = name.trim().strip_prefix('.')
            {
                let message = current.split('.').next().unwrap_or_default();
                current = format!("{message}.{attribute}");
                messages.insert(current.clone(), BTreeSet::new());
            }
            let values = line.split('$').skip(1).map(|rest| {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
                rest[..end.unwrap_or(rest.len())].to_owned()
            });
            messages.entry(current.clone()).or_default().extend(values);
        }
        messages
    }

    #[test]
    fn every_file_can_be_read_and_every_language_says_the_same() {
        for language in Language::ALL {
            for source in sources(language) {
                let read = FluentResource::try_new(source.to_owned());
                let problems = read.err().map(|(_, problems)| problems);
                assert_eq!(problems, None, "{language:?}");
            }
        }
        let english = translations(Language::English);
        for language in [Language::Japanese, Language::Portuguese] {
            let theirs = translations(language);
            let missing: Vec<_> = english
                .keys()
                .filter(|key| !theirs.contains_key(*key))
                .collect();
            assert!(missing.is_empty(), "{language:?} lacks {missing:?}");
            let unknown: Vec<_> = theirs
                .keys()
                .filter(|key| !english.contains_key(*key))
                .collect();
            assert!(unknown.is_empty(), "only {language:?} has {unknown:?}");
            for (key, values) in &english {
                let unknown: Vec<_> = theirs[key].difference(values).collect();
                assert!(
                    unknown.is_empty(),
                    "{key} in {language:?}: {unknown:?} is not given"
                );
            }
        }
    }

    /// Appends all files below `folder` that end in `extension` to `text`.
    fn read_all(folder: &Path, extension: &str, text: &mut String) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                read_all(&path, extension, text);
            } else if path.extension().is_some_and(|found| found == extension) {
                text.push_str(&fs::read_to_string(&path).unwrap());
            }
        }
    }

    /// Prefixes of keys that are composed at run time. Messages of the model have their own tests.
    const BUILT: [&str; 19] = [
        "error-",
        "script-",
        "address-error-",
        "category-error-",
        "cleanup-note-",
        "credentials-error-",
        "entry-error-",
        "feed-error-",
        "input-error-",
        "label-error-",
        "opml-error-",
        "weak-password-",
        "maintenance-error-",
        "query-error-",
        "schedule-reason-",
        "share-target-error-",
        "shortcut-error-",
        "style-sheet-error-",
        "warning-",
    ];

    #[test]
    fn what_is_asked_for_is_there_and_what_is_there_is_asked_for() {
        let house = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut text = String::new();
        read_all(&house.join("templates"), "html", &mut text);
        read_all(&house.join("src"), "rs", &mut text);
        let messages = translations(Language::English);
        for call in [
            "page.t(\"",
            "page.with(\"",
            "page.with_all(\"",
            "page.count(\"",
            "self.t(\"",
            "self.with(\"",
            "self.with_all(\"",
            "self.count(\"",
        ] {
            for asked in text.split(call).skip(1) {
                let key = asked.split('"').next().unwrap_or_default();
                let is_there =
                    messages.contains_key(key) || key.ends_with('-') || key.starts_with('{');
                assert!(is_there, "nobody says {key:?}, which {call} asks for");
            }
        }
        for key in messages.keys().filter(|key| !key.contains('.')) {
            let is_built = BUILT.iter().any(|begin| key.starts_with(begin));
            let is_asked_for =
                text.contains(&format!("\"{key}\"")) || text.contains(&format!("\"{key}."));
            assert!(is_built || is_asked_for, "nobody asks for {key:?}");
        }
    }

    #[test]
    fn every_error_has_words() {
        let mut text = String::new();
        read_all(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
            "rs",
            &mut text,
        );
        let messages = translations(Language::English);
        let mut codes = 0;
        for made in text.split("StatusCode::").skip(1) {
            // The code of an error follows its status.
            let after = made.trim_start_matches(|c: char| c.is_ascii_uppercase() || c == '_');
            let Some(quoted) = after.trim_start_matches([',', ' ', '\n']).strip_prefix('"') else {
                continue;
            };
            let Some((code, rest)) = quoted.split_once('"') else {
                continue;
            };
            if rest.starts_with(',') && code.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
                codes += 1;
                let key = format!("error-{}", code.replace('_', "-"));
                for key in [format!("{key}.action"), key] {
                    assert!(messages.contains_key(&key), "nobody says {key:?}");
                }
            }
        }
        assert!(codes > 30, "only {codes} were found");
    }

    #[test]
    fn scripts_ask_for_what_is_there_and_for_all_of_it() {
        let mut text = String::new();
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/js");
        read_all(&scripts, "js", &mut text);
        let messages = translations(Language::English);
        let keys = messages
            .keys()
            .filter_map(|key| key.strip_prefix("script-"));
        for key in keys {
            let counted = ["-one", "-other"]
                .iter()
                .find_map(|end| key.strip_suffix(end));
            let key = counted.unwrap_or(key);
            let is_built = key.starts_with("theme-");
            assert!(
                is_built || text.contains(&format!("\"{key}\"")),
                "no script says {key:?}"
            );
        }
        let mut calls = 0;
        for (call, ending) in [("t(\"", ""), ("tCount(\"", "-other")] {
            for (at, _) in text.match_indices(call) {
                // The end of a longer name, such as `toast(`.
                if text[..at].ends_with(|before: char| before.is_alphanumeric()) {
                    continue;
                }
                let key = text[at + call.len()..].split('"').next();
                let key = format!("script-{}{ending}", key.unwrap_or_default());
                assert!(messages.contains_key(&key), "no message {key:?}");
                calls += 1;
            }
        }
        assert!(calls > 20, "only {calls} calls were found");
    }

    #[test]
    fn ages_dates_and_numbers_are_written_as_people_write_them() {
        const DAY: u64 = 86_400;
        let now = Timestamp::from_seconds(1_763_000_000); // 2025-11-13
        let before = |seconds| now - Duration::from_secs(seconds);
        let [english, japanese, portuguese] = Language::ALL.map(Translator);
        for (seconds, texts) in [
            (5, ["now", "たった今", "agora"]),
            (240, ["4 min", "4分前", "4 min"]),
            (7205, ["2 h", "2時間前", "2 h"]),
            (3 * DAY, ["3 d", "3日前", "3 d"]),
            (30 * DAY, ["14 Oct", "10月14日", "14 de out."]),
            (
                400 * DAY,
                ["9 Oct 2024", "2024年10月9日", "9 de out. de 2024"],
            ),
        ] {
            let said = [english, japanese, portuguese].map(|words| words.age(before(seconds), now));
            assert_eq!(said, texts);
        }
        let read = before(7205);
        let said = [english, japanese, portuguese].map(|words| words.ago(read, now));
        assert_eq!(said, ["2 h ago", "2時間前", "há 2 h"]);
        assert_eq!(
            english.age(now + Duration::from_secs(90), now),
            "now",
            "the future is not negative"
        );
        assert_eq!(english.exact(now), "13 November 2025, 02:13 UTC");
        assert_eq!(japanese.exact(now), "2025年11月13日 02:13 UTC");
        assert_eq!(portuguese.exact(now), "13 de novembro de 2025, 02:13 UTC");
        let numbers = [english, japanese, portuguese].map(|words| words.number(-1_234_567_i64));
        assert_eq!(numbers, ["-1,234,567", "-1,234,567", "-1.234.567"]);
        assert_eq!(english.number(999_i64), "999");
    }
}
