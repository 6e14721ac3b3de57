//! Messages in rows: a code and parameters as JSON (`lede_model::message`).

use lede_model::message::StoredMessage;

use crate::StoreResult;
use crate::engine::Row;

/// Returns the stored form of a message.
pub(crate) fn to_json(message: &impl StoredMessage) -> String {
    // Plain values, which JSON can always hold.
    serde_json::to_string(message).unwrap_or_default()
}

/// Returns the stored form of a list of messages.
pub(crate) fn list_to_json<M: StoredMessage>(messages: &[M]) -> String {
    serde_json::to_string(messages).unwrap_or_default()
}

/// Parses the stored form. A message of another version becomes [`StoredMessage::UNKNOWN`].
pub(crate) fn from_json<M: StoredMessage>(json: &str) -> M {
    serde_json::from_str(json).unwrap_or(M::UNKNOWN)
}

/// Parses a list of messages; see [`from_json`].
pub(crate) fn list_from_json<M: StoredMessage>(json: &str) -> Vec<M> {
    match serde_json::from_str::<Vec<serde_json::Value>>(json) {
        Ok(list) => list
            .into_iter()
            .map(|message| serde_json::from_value(message).unwrap_or(M::UNKNOWN))
            .collect(),
        Err(_) => vec![M::UNKNOWN],
    }
}

/// Reads a column that holds a message or is null.
pub(crate) fn column<M: StoredMessage>(row: &Row<'_>, column: usize) -> StoreResult<Option<M>> {
    let json: Option<String> = row.get(column)?;
    Ok(json.map(|json| from_json(&json)))
}

#[cfg(test)]
mod tests {
    use lede_model::feed_error::FeedError;
    use lede_model::schedule::ScheduleReason;
    use lede_model::warning::Warning;

    use super::*;

    #[test]
    fn a_message_of_another_version_is_unknown_and_spoils_no_other() {
        for json in [
            "",
            "it failed",
            r#"{"code":"from_the_future"}"#,
            r#"{"code":"closed_port","port":"x"}"#,
            r#"{"code":"bad_target","problem":{"code":"from_the_future"}}"#,
        ] {
            assert_eq!(from_json::<FeedError>(json), FeedError::Unknown, "{json}");
        }
        let json = r#"[{"code":"from_the_future","x":1},{"code":"stuck"}]"#;
        assert_eq!(
            list_from_json::<Warning>(json),
            [Warning::Unknown, Warning::Stuck]
        );
        assert_eq!(list_from_json::<Warning>("stuck"), [Warning::Unknown]);
        assert_eq!(list_from_json::<Warning>("[]"), []);
    }

    /// `feeds::schedule_now` compares the stored text.
    #[test]
    fn a_reason_without_parameters_is_stored_as_its_code_alone() {
        assert_eq!(
            to_json(&ScheduleReason::ServerAsks),
            r#"{"code":"server_asks"}"#
        );
    }
}
