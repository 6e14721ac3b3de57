//! Messages: texts that are stored or translated as a code with parameters.
//!
//! Errors of feeds, schedule reasons, warnings and clean-up notes are stored as JSON
//! (`{"code": "closed_port", "port": 22}`). [`Display`] gives the English text for the API and the
//! log; the server renders the code in the user's language. No text is ever parsed back.

use std::borrow::Cow;
use std::fmt::{Debug, Display};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::shortcuts::Action;

/// A code with parameters.
pub trait Message: Display + Debug + Send + Sync {
    /// The group that the code belongs to, in kebab case. A translation's key is the group and the code.
    fn group(&self) -> &'static str;

    /// The code, in snake case; unique within its group and stable, because it is stored.
    fn code(&self) -> &'static str;

    fn params(&self) -> Vec<(&'static str, Param<'_>)>;
}

/// A message that is stored. A row may have been written by another version, with a code or with
/// parameters that this one cannot read.
pub trait StoredMessage: Message + Serialize + DeserializeOwned {
    /// Stands for a message that cannot be read.
    const UNKNOWN: Self;
}

/// Returns the English text of several messages, in one line.
pub fn english(messages: &[impl Message]) -> String {
    let texts: Vec<String> = messages.iter().map(ToString::to_string).collect();
    texts.join(" ")
}

/// Returns the codes of several messages.
pub fn codes(messages: &[impl Message]) -> Vec<&'static str> {
    messages.iter().map(Message::code).collect()
}

/// A parameter, by the way in which languages format it.
#[derive(Debug)]
pub enum Param<'a> {
    Text(Cow<'a, str>),
    /// Selects between singular and plural.
    Number(i64),
    /// An interval, as in "every two hours".
    Minutes(i64),
    /// A number with one decimal place, times ten.
    Tenths(i64),
    Action(Action),
    Message(&'a dyn Message),
}

/// A type that a parameter may have.
pub trait ParamValue {
    fn param(&self) -> Param<'_>;

    /// Returns any value, for the test that renders every message.
    fn example() -> Self;
}

impl ParamValue for String {
    fn param(&self) -> Param<'_> {
        Param::Text(self.as_str().into())
    }

    fn example() -> Self {
        "7".to_owned()
    }
}

/// A port is formatted as text: no language groups its digits.
impl ParamValue for u16 {
    fn param(&self) -> Param<'_> {
        Param::Text(self.to_string().into())
    }

    fn example() -> Self {
        7
    }
}

macro_rules! numbers {
    ($($number:ty)+) => {$(
        impl ParamValue for $number {
            fn param(&self) -> Param<'_> {
                Param::Number((*self).try_into().unwrap_or(i64::MAX))
            }

            fn example() -> Self {
                7
            }
        }
    )+};
}

numbers!(i64 u64 u32 usize);

impl ParamValue for Action {
    fn param(&self) -> Param<'_> {
        Param::Action(*self)
    }

    fn example() -> Self {
        Self::ALL[0]
    }
}

/// An interval in minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Minutes(pub i64);

impl Display for Minutes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Display::fmt(&self.0, f)
    }
}

impl ParamValue for Minutes {
    fn param(&self) -> Param<'_> {
        Param::Minutes(self.0)
    }

    fn example() -> Self {
        Self(7)
    }
}

/// A number with one decimal place, times ten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Tenths(pub i64);

impl Display for Tenths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.0 / 10, (self.0 % 10).abs())
    }
}

impl ParamValue for Tenths {
    fn param(&self) -> Param<'_> {
        Param::Tenths(self.0)
    }

    fn example() -> Self {
        Self(73)
    }
}

/// Defines an enum whose variants are messages of one group: a code, parameters, and the English
/// text.
macro_rules! messages {
    (
        $(#[$about:meta])*
        pub enum $name:ident($group:literal) {
            $($(#[$note:meta])* $variant:ident($code:literal) $({ $($field:ident: $type:ty),+ })? => $text:literal,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(tag = "code")]
        pub enum $name {
            $(
                $(#[$note])*
                #[serde(rename = $code)]
                $variant $({ $($field: $type),+ })?,
            )+
        }

        impl $name {
            /// Returns every message of the group once, for the test that renders all of them.
            pub fn examples() -> Vec<Self> {
                vec![$(
                    Self::$variant $({ $($field: $crate::message::ParamValue::example()),+ })?
                ),+]
            }
        }

        impl $crate::message::Message for $name {
            fn group(&self) -> &'static str {
                $group
            }

            fn code(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $code,)+
                }
            }

            fn params(&self) -> Vec<(&'static str, $crate::message::Param<'_>)> {
                match self {
                    $(Self::$variant $({ $($field),+ })? => vec![
                        $($((stringify!($field), $crate::message::ParamValue::param($field))),+)?
                    ],)+
                }
            }
        }

        impl $crate::message::ParamValue for $name {
            fn param(&self) -> $crate::message::Param<'_> {
                $crate::message::Param::Message(self)
            }

            fn example() -> Self {
                Self::examples().remove(0)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $(Self::$variant $({ $($field),+ })? => write!(f, $text),)+
                }
            }
        }

        impl std::error::Error for $name {}
    };
}

pub(crate) use messages;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crate::address::AddressError;
    use crate::category::CategoryError;
    use crate::credentials::CredentialsError;
    use crate::feed_error::{EntryError, FeedError};
    use crate::import::OpmlError;
    use crate::input::InputError;
    use crate::label::LabelError;
    use crate::password::WeakPassword;
    use crate::schedule::ScheduleReason;
    use crate::search::QueryError;
    use crate::share_target::ShareTargetError;
    use crate::shortcuts::ShortcutError;
    use crate::style_sheet::StyleSheetError;
    use crate::warning::{CleanupNote, MaintenanceError, Warning};

    use super::*;

    fn check<M: Message + Serialize + DeserializeOwned + PartialEq>(examples: &[M]) {
        let mut codes = HashSet::new();
        for message in examples {
            let json = serde_json::to_string(message).unwrap();
            let start = format!("{{\"code\":\"{}\"", message.code());
            assert!(json.starts_with(&start), "{json}");
            assert_eq!(&serde_json::from_str::<M>(&json).unwrap(), message);
            assert!(
                codes.insert(message.code()),
                "{} is used twice",
                message.code()
            );
        }
    }

    #[test]
    fn every_message_has_a_code_of_its_own_and_can_be_stored() {
        check(&CredentialsError::examples());
        check(&AddressError::examples());
        check(&CategoryError::examples());
        check(&CleanupNote::examples());
        check(&EntryError::examples());
        check(&ShortcutError::examples());
        check(&InputError::examples());
        check(&LabelError::examples());
        check(&OpmlError::examples());
        check(&WeakPassword::examples());
        check(&MaintenanceError::examples());
        check(&QueryError::examples());
        check(&ShareTargetError::examples());
        check(&StyleSheetError::examples());
        check(&FeedError::examples());
        check(&Warning::examples());
        check(&ScheduleReason::examples());
    }

    #[test]
    fn a_message_keeps_its_parameters_and_those_of_the_message_inside_it() {
        let problem = AddressError::Scheme {
            scheme: "ftp".to_owned(),
        };
        let error = FeedError::BadTarget { problem };
        let json = serde_json::to_value(&error).unwrap();
        let expected = serde_json::json!({
            "code": "bad_target",
            "problem": {"code": "scheme", "scheme": "ftp"},
        });
        assert_eq!(json, expected);
        assert_eq!(
            error.to_string(),
            "the site points to an address that cannot be followed: only http and https addresses can be followed, not ftp:"
        );
    }

    #[test]
    fn tenths_are_written_with_a_point() {
        assert_eq!(Tenths(1234).to_string(), "123.4");
        assert_eq!(Tenths(7).to_string(), "0.7");
    }
}
