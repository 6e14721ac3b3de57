//! What the server of a feed is shown: parts come in, and whether there are some goes out. No value does.

use lede_core::access::Shown;
use lede_model::access::{Access, AccessChange, Part};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::input::access_change;
use crate::input::present::present;

/// What the feed's server is shown, and no other: a user name and a password (HTTP Basic), a `User-Agent`
/// and a `Cookie` of your own. Kept sealed and never given out again; only you may follow such a feed.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct AccessBody {
    /// Null or empty for none; what is absent stays as it is.
    #[serde(default, deserialize_with = "username")]
    #[schema(value_type = Option<String>, max_length = 256, pattern = "^[^:]*$")]
    username: Option<Option<String>>,
    /// Null or empty for none; what is absent stays as it is.
    #[serde(default, deserialize_with = "password")]
    #[schema(value_type = Option<String>, max_length = 256, format = "password")]
    password: Option<Option<String>>,
    /// Instead of Lede's own; null or empty for that.
    #[serde(default, deserialize_with = "user_agent")]
    #[schema(value_type = Option<String>, max_length = 256)]
    user_agent: Option<Option<String>>,
    /// As the header has it, `name=value; name=value`; null or empty for none.
    #[serde(default, deserialize_with = "cookie")]
    #[schema(value_type = Option<String>, max_length = 4096, format = "password")]
    cookie: Option<Option<String>>,
}

/// Reads each field by a function of its own that names it when it is wrong: the fields stand among those of another
/// body (`flatten`), and there serde forgets which one it read.
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
    /// What is to be changed.
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

    /// All there is, where there was nothing before.
    pub(crate) fn into_access(self) -> Result<Access, ApiError> {
        Ok(self.into_change()?.applied_to(Access::default()))
    }
}

/// Which parts are kept for a feed.
#[derive(Serialize, ToSchema)]
pub(crate) struct AccessView {
    username: bool,
    password: bool,
    user_agent: bool,
    cookie: bool,
    /// `false` when what is kept can no longer be read, because the instance's secret changed: enter it
    /// again.
    readable: bool,
}

impl AccessView {
    /// Nothing when nothing is kept.
    pub(crate) fn of(shown: &Shown) -> Option<Self> {
        let parts = match shown {
            Shown::Nothing => return None,
            Shown::Parts(parts) => parts.as_slice(),
            Shown::Unreadable => &[],
        };
        Some(Self {
            username: parts.contains(&Part::Username),
            password: parts.contains(&Part::Password),
            user_agent: parts.contains(&Part::UserAgent),
            cookie: parts.contains(&Part::Cookie),
            readable: *shown != Shown::Unreadable,
        })
    }
}
