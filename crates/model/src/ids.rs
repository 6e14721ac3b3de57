//! One type per kind of id, so that an item's id cannot be passed in place of a feed's.

use std::fmt;

use serde::de::{Error as _, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Error message for an id below 1, which no row has.
pub const TOO_SMALL: &str = "must be at least 1";

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(i64);

        impl $name {
            /// Returns the number used in rows and in JSON.
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
    /// A user. A value of this type proves that the user is authenticated: it cannot be
    /// deserialised from a request, only made from a session, a token or a row (see `clippy.toml`).
    #[doc(alias = "account")]
    UserId,
    /// A feed, shared by all of its subscribers.
    FeedId,
    /// An item of a feed. APIs that speak of articles or posts use the same number.
    ItemId,
    /// A user's subscription to a feed.
    SubscriptionId,
    /// A category of one user.
    CategoryId,
    /// A saved search of one user.
    SavedSearchId,
    /// A label of one user.
    LabelId,
    /// A rule of one user for new items.
    RuleId,
    /// A notification of one user.
    NotificationId,
    /// A bulk mark: many items that a user marked as read at once.
    BulkMarkId,
    /// An import of a subscription list.
    ImportId,
    AppPasswordId,
}

impl UserId {
    /// Makes the id from a stored row or a verified token; clippy forbids it elsewhere.
    pub const fn from_row(id: i64) -> Self {
        Self(id)
    }
}

macro_rules! from_anywhere {
    ($($name:ident)*) => {$(
        impl From<i64> for $name {
            /// Accepts any number; the store returns only rows that the user may see.
            fn from(id: i64) -> Self {
                Self(id)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let id = whole_number(deserializer)?;
                match id {
                    1.. => Ok(Self(id)),
                    // No row has such an id. The client has made a mistake and gets a specific error.
                    _ => Err(D::Error::custom(TOO_SMALL)),
                }
            }
        }
    )*};
}

from_anywhere!(
    FeedId ItemId SubscriptionId CategoryId SavedSearchId LabelId RuleId NotificationId BulkMarkId ImportId AppPasswordId
);

/// Deserialises an integer, also one with a fraction of zero: in JSON Schema `2.0` is an integer.
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
            // 2^53: beyond it, neighbouring floats are more than 1 apart.
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
