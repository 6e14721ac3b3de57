//! One type per kind of id, so that an item's id cannot be passed where a feed's is meant.

use std::fmt;

use serde::de::{Error as _, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// What is wrong with an id that nothing can have.
pub const TOO_SMALL: &str = "must be at least 1";

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(i64);

        impl $name {
            /// The number, as it stands in rows and in JSON.
            pub const fn as_i64(self) -> i64 {
                self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! {
    /// A person. Having one means that somebody signed in as that person: it cannot be read from
    /// a request, only from a session, a token or a row (see `clippy.toml`).
    #[doc(alias = "account")]
    UserId,
    /// A feed, shared by everybody who follows it.
    FeedId,
    /// An item of a feed; the catalogue's article and Solo's post are the same number.
    ItemId,
    /// One person's following of one feed.
    SubscriptionId,
    /// A category in one person's tree.
    CategoryId,
    /// A search that somebody keeps.
    SavedSearchId,
    /// A label of one person.
    LabelId,
    /// A rule for somebody's new items.
    RuleId,
    /// Many items that somebody marked read at once.
    SweepId,
    /// A subscription list that somebody takes in.
    ImportId,
    /// A password for one app.
    AppPasswordId,
}

impl UserId {
    /// Makes the id from a stored row or a verified token; clippy allows it to those alone.
    pub const fn from_row(id: i64) -> Self {
        Self(id)
    }
}

macro_rules! from_anywhere {
    ($($name:ident)*) => {$(
        impl From<i64> for $name {
            /// Any number may be asked for; the store answers only for what the asker may see.
            fn from(id: i64) -> Self {
                Self(id)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let id = whole_number(deserializer)?;
                match id {
                    1.. => Ok(Self(id)),
                    // Nothing has such a number: whoever sends one has made a mistake, and is told which.
                    _ => Err(D::Error::custom(TOO_SMALL)),
                }
            }
        }
    )*};
}

from_anywhere!(FeedId ItemId SubscriptionId CategoryId SavedSearchId LabelId RuleId SweepId ImportId AppPasswordId);

/// Reads a whole number, also one with a fraction of zero: to JSON Schema, `2.0` is an integer.
pub fn whole_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    struct Whole;

    impl Visitor<'_> for Whole {
        type Value = i64;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("i64")
        }

        fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<i64, E> {
            Ok(number)
        }

        fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<i64, E> {
            let too_large = || E::invalid_value(Unexpected::Unsigned(number), &self);
            i64::try_from(number).map_err(|_| too_large())
        }

        fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<i64, E> {
            // Beyond this, neighbours are more than 1 apart.
            const EXACT: f64 = 9_007_199_254_740_992.0;
            if number.fract() == 0.0 && number.abs() <= EXACT {
                Ok(number as i64)
            } else {
                Err(E::invalid_type(Unexpected::Float(number), &self))
            }
        }
    }

    deserializer.deserialize_i64(Whole)
}
