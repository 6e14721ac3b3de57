//! Messages of the model (`model::message`) in the user's language.
//!
//! The key of a translation is the message's group and its code, as in `feed-error-slow-body`; its
//! variables are the message's parameters. The translations are in `locales/*/messages.ftl`.

use std::borrow::Cow;
use std::fmt::Display;

use fluent_bundle::types::FluentNumber;
use fluent_bundle::{FluentArgs, FluentValue};
use lede_model::message::{Message, Param};
use lede_model::preferences::Language;

use super::i18n::Translator;

/// Returns the key of the translation.
pub(super) fn key(message: &dyn Message) -> String {
    format!("{}-{}", message.group(), message.code().replace('_', "-"))
}

impl Translator {
    pub(crate) fn translate(self, message: &dyn Message) -> Cow<'static, str> {
        let params = message.params().into_iter();
        let args: FluentArgs<'_> = params
            .map(|(name, param)| (name, self.value(param)))
            .collect();
        self.format(&key(message), Some(&args))
    }

    /// Translates several messages that are complete sentences, in one line.
    pub(crate) fn translate_all<M: Message>(self, messages: &[M]) -> String {
        let texts = messages.iter().map(|message| self.translate(message));
        texts.collect::<Vec<_>>().join(" ")
    }

    /// Describes the error of a field. Errors without a message are those of clients that send
    /// something which no page sends.
    pub(crate) fn field(self, message: Option<&dyn Message>) -> String {
        let text = match message {
            Some(message) => self.translate(message),
            None => self.t("error-invalid-field"),
        };
        text.into_owned()
    }

    fn value(self, param: Param<'_>) -> FluentValue<'_> {
        match param {
            Param::Text(text) => FluentValue::String(text),
            Param::Number(number) => FluentValue::Number(FluentNumber::from(number)),
            Param::Minutes(minutes) => FluentValue::String(self.interval(minutes)),
            Param::Tenths(tenths) => FluentValue::String(self.tenths(tenths).into()),
            Param::Action(action) => FluentValue::String(self.action(action)),
            Param::Message(message) => FluentValue::String(self.translate(message)),
        }
    }

    /// Formats an interval: every half hour, every two hours.
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

    /// Formats a number with one decimal place.
    fn tenths(self, tenths: i64) -> String {
        let point = match self.0 {
            Language::Portuguese => ',',
            Language::English | Language::Japanese => '.',
        };
        format!("{}{point}{}", self.number(tenths / 10), (tenths % 10).abs())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use lede_model::address::AddressError;
    use lede_model::category::CategoryError;
    use lede_model::credentials::CredentialsError;
    use lede_model::feed_error::{EntryError, FeedError};
    use lede_model::import::OpmlError;
    use lede_model::input::InputError;
    use lede_model::label::LabelError;
    use lede_model::message::{Minutes, Tenths};
    use lede_model::password::WeakPassword;
    use lede_model::schedule::ScheduleReason;
    use lede_model::search::QueryError;
    use lede_model::share_target::ShareTargetError;
    use lede_model::shortcuts::{Action, ShortcutError};
    use lede_model::style_sheet::StyleSheetError;
    use lede_model::warning::{CleanupNote, MaintenanceError, Warning};

    use super::super::i18n::tests::translations;
    use super::*;

    fn boxed<M: Message + 'static>(examples: Vec<M>) -> Vec<Box<dyn Message>> {
        let boxed = |message| Box::new(message) as Box<dyn Message>;
        examples.into_iter().map(boxed).collect()
    }

    /// Every message of every group once.
    fn examples() -> Vec<Box<dyn Message>> {
        let groups = [
            boxed(CredentialsError::examples()),
            boxed(AddressError::examples()),
            boxed(CategoryError::examples()),
            boxed(CleanupNote::examples()),
            boxed(EntryError::examples()),
            boxed(ShortcutError::examples()),
            boxed(InputError::examples()),
            boxed(LabelError::examples()),
            boxed(OpmlError::examples()),
            boxed(WeakPassword::examples()),
            boxed(MaintenanceError::examples()),
            boxed(QueryError::examples()),
            boxed(ShareTargetError::examples()),
            boxed(StyleSheetError::examples()),
            boxed(FeedError::examples()),
            boxed(Warning::examples()),
            boxed(ScheduleReason::examples()),
        ];
        groups.into_iter().flatten().collect()
    }

    #[test]
    fn every_message_is_rendered_in_every_language() {
        let all = Language::ALL.map(|language| (language, translations(language)));
        for message in examples() {
            let key = key(&*message);
            let texts = all.each_ref().map(|(language, keys)| {
                let used = keys.get(&key);
                let used = used.unwrap_or_else(|| panic!("{language:?} has no {key}"));
                let given = message
                    .params()
                    .into_iter()
                    .map(|(name, _)| name.to_owned());
                let given: BTreeSet<String> = given.collect();
                assert!(used.is_subset(&given), "{key} in {language:?}: {used:?}");
                Translator(*language).translate(&*message)
            });
            let [english, japanese, portuguese] = texts.each_ref().map(|text| text.as_ref());
            let is_kana = |c: char| ('ぁ'..='ヿ').contains(&c);
            assert!(japanese.chars().any(is_kana), "{key}: {japanese}");
            assert_ne!(portuguese, english, "{key}");
        }
    }

    #[test]
    fn every_translation_is_of_a_message() {
        let known: BTreeSet<String> = examples().iter().map(|message| key(&**message)).collect();
        let groups: BTreeSet<&str> = examples().iter().map(|message| message.group()).collect();
        for key in translations(Language::English).keys() {
            let message = key.split('.').next().unwrap_or_default();
            let is_of_group = groups.iter().any(|group| {
                let rest = message.strip_prefix(group);
                rest.is_some_and(|rest| rest.starts_with('-'))
            });
            assert!(
                !is_of_group || known.contains(message),
                "{key} is never used"
            );
        }
    }

    #[test]
    fn parameters_are_written_as_the_language_writes_them() {
        let [english, japanese, portuguese] = Language::ALL.map(Translator);
        let full = |most| FeedError::ListFull { most };
        assert_eq!(
            english.translate(&full(1)),
            "you follow one feed, which is the limit here"
        );
        assert_eq!(
            portuguese.translate(&full(1000)),
            "você segue 1.000 feeds, que é o limite aqui"
        );
        let size = Tenths(12_345);
        let large = Warning::TooLarge { size, limit: 1024 };
        assert!(english.translate(&large).contains("1,234.5 MB"));
        assert!(portuguese.translate(&large).contains("1.234,5 MB"));
        let minutes = Minutes(120);
        let every = ScheduleReason::EveryMinutes { minutes };
        assert_eq!(japanese.translate(&every), "2時間ごとに取得しています");
        let clash = ShortcutError::Clash {
            key: "j".to_owned(),
            one: Action::Next,
            other: Action::Star,
        };
        assert!(english.translate(&clash).contains("“next item”"));
        let target = FeedError::BadTarget {
            problem: AddressError::Malformed,
        };
        assert_eq!(
            english.translate(&target),
            "the site points to an address that can’t be followed: that isn’t a web address"
        );
        let port = FeedError::ClosedPort { port: 8080 };
        assert!(english.translate(&port).contains("port 8080 "));
    }
}
