//! Credentials for the server of a feed. Values are accepted, but never returned: responses tell
//! only which ones are stored.

use lede_core::access::VisibleCredentials;
use lede_model::credentials::{Access, AccessChange, Part};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::input::access_change;
use crate::input::present::present;

/// Credentials for the feed's server, which are sent to no other: a user name and a password (HTTP
/// Basic), a `User-Agent` and a `Cookie` of your own. They are stored encrypted and never returned;
/// only you may follow such a feed.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct AccessBody {
    /// Null or empty for none. If absent, the stored one is kept.
    #[serde(default, deserialize_with = "username")]
    #[schema(value_type = Option<String>, max_length = 256, pattern = r"^[^:\x00-\x1f\x7f-\x9f]*$")]
    username: Option<Option<String>>,
    /// Null or empty for none. If absent, the stored one is kept.
    #[serde(default, deserialize_with = "password")]
    #[schema(value_type = Option<String>, max_length = 256, format = "password", pattern = r"^[^\x00-\x1f\x7f-\x9f]*$")]
    password: Option<Option<String>>,
    /// Replaces Lede's own `User-Agent`; null or empty for Lede's own.
    #[serde(default, deserialize_with = "user_agent")]
    #[schema(value_type = Option<String>, max_length = 256, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$")]
    user_agent: Option<Option<String>>,
    /// Value of the header, `name=value; name=value`; null or empty for none.
    #[serde(default, deserialize_with = "cookie")]
    #[schema(value_type = Option<String>, max_length = 4096, format = "password", pattern = r"^[^\x00-\x1f\x7f-\x9f]*$")]
    cookie: Option<Option<String>>,
}

/// Defines a deserialiser per field, which names the field in its errors: the fields are flattened
/// into another body, and serde then loses the name of the one that it read.
macro_rules! named {
    ($($field:ident)*) => {$(
        fn $field<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<Option<String>>, D::Error> {
            present(deserializer).map_err(|error: D::Error| {
                D::Error::custom(format_args!(concat!(stringify!($field), ": {}"), error))
            })
        }
    )*};
}

named!(username password user_agent cookie);

impl AccessBody {
    /// Validates the fields that are present.
    pub(crate) fn into_change(self) -> Result<AccessChange, ApiError> {
        let fields = [
            (Part::Username, self.username),
            (Part::Password, self.password),
            (Part::UserAgent, self.user_agent),
            (Part::Cookie, self.cookie),
        ];
        let named = fields
            .into_iter()
            .filter_map(|(part, value)| Some((part, value?.unwrap_or_default())));
        access_change(named)
    }

    /// Same, for a feed without stored credentials.
    pub(crate) fn into_access(self) -> Result<Access, ApiError> {
        Ok(self.into_change()?.applied_to(Access::default()))
    }
}

/// Names of the credentials that are stored for a feed.
#[derive(Serialize, ToSchema)]
pub(crate) struct AccessView {
    username: bool,
    password: bool,
    user_agent: bool,
    cookie: bool,
    /// False if the stored credentials can no longer be decrypted, because the instance's secret
    /// changed. Enter them again.
    readable: bool,
}

impl AccessView {
    /// Returns `None` if nothing is stored.
    pub(crate) fn of(shown: &VisibleCredentials) -> Option<Self> {
        let parts = match shown {
            VisibleCredentials::Nothing => return None,
            VisibleCredentials::Parts(parts) => parts.as_slice(),
            VisibleCredentials::Unreadable => &[],
        };
        Some(Self {
            username: parts.contains(&Part::Username),
            password: parts.contains(&Part::Password),
            user_agent: parts.contains(&Part::UserAgent),
            cookie: parts.contains(&Part::Cookie),
            readable: *shown != VisibleCredentials::Unreadable,
        })
    }
}
