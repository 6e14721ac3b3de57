//! Telling `null` from what is not there, which serde does not by itself.

use serde::{Deserialize, Deserializer};

/// For a field that may be `null`, with `#[serde(default, deserialize_with = "present")]`: `None` when
/// it is absent, `Some(None)` when it is `null`.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Some)
}
