//! Activity log for the operator.
//!
//! Events are written in the transaction of the action that they describe.

use lede_model::ids::{FeedId, UserId};
use lede_model::job::JobKind;
use lede_model::time::Timestamp;

use crate::batch::groups;
use crate::engine::Value;
use crate::{Db, StoreResult, params, statements};

/// Rows per INSERT statement.
const BATCH: usize = 50;

/// A user action that is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditEvent {
    UserRegistered,
    UserLogin,
    /// The user subscribed to a feed.
    FeedAdded(FeedId),
    /// Made failed jobs due again.
    JobsRetried {
        kind: JobKind,
        jobs: u64,
    },
    /// Deleted failed jobs.
    JobsDropped {
        kind: JobKind,
        jobs: u64,
    },
}

impl AuditEvent {
    const fn as_str(self) -> &'static str {
        match self {
            Self::UserRegistered => "user_registered",
            Self::UserLogin => "user_login",
            Self::FeedAdded(_) => "feed_added",
            Self::JobsRetried { .. } => "jobs_retried",
            Self::JobsDropped { .. } => "jobs_dropped",
        }
    }

    /// Additional data as JSON.
    fn metadata(self) -> Option<String> {
        match self {
            Self::FeedAdded(feed) => Some(format!("{{\"feed_id\": {feed}}}")),
            Self::JobsRetried { kind, jobs } | Self::JobsDropped { kind, jobs } => {
                let kind = kind.as_str();
                Some(format!("{{\"kind\": \"{kind}\", \"jobs\": {jobs}}}"))
            }
            Self::UserRegistered | Self::UserLogin => None,
        }
    }
}

/// A log entry as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Address of the user who acted.
    pub email: String,
    /// `as_str` of the [`AuditEvent`].
    pub kind: String,
    pub at: Timestamp,
}

statements! {
    NEWEST = "SELECT a.email, e.event_type, e.created_at
              FROM event e JOIN account a ON a.id = e.user_id ORDER BY e.id DESC LIMIT $1";
    ADD = "INSERT INTO event (user_id, event_type, metadata, created_at) VALUES ($1, $2, $3, $4)";
}

/// Logs an action of `user`. Call it in the transaction of the action.
pub fn add(db: &mut Db<'_>, user: UserId, event: AuditEvent, now: Timestamp) -> StoreResult<()> {
    let metadata = event.metadata();
    let values = params![user, event.as_str(), metadata.as_deref(), now];
    db.execute(ADD, values).map(drop)
}

/// Logs one [`AuditEvent::FeedAdded`] per feed.
pub fn add_feeds(
    db: &mut Db<'_>,
    user: UserId,
    feeds: &[FeedId],
    now: Timestamp,
) -> StoreResult<()> {
    for batch in feeds.chunks(BATCH) {
        let events = batch.iter().map(|feed| AuditEvent::FeedAdded(*feed));
        let events: Vec<(&str, Option<String>)> = events
            .map(|event| (event.as_str(), event.metadata()))
            .collect();
        let mut values: Vec<Value<'_>> = Vec::with_capacity(events.len() * COLUMNS);
        for (word, metadata) in &events {
            values.extend_from_slice(params![user, *word, metadata.as_deref(), now]);
        }
        db.execute_rows(&add_feeds_sql(batch.len()), &values)?;
    }
    Ok(())
}

const COLUMNS: usize = 4;

fn add_feeds_sql(rows: usize) -> String {
    format!(
        "INSERT INTO event (user_id, event_type, metadata, created_at) VALUES {}",
        groups(rows, COLUMNS)
    )
}

/// Statements whose text depends on the number of rows, for the test of all statements.
pub(crate) fn batch_statements() -> [(&'static str, String); 1] {
    [("add_feed_events", add_feeds_sql(2))]
}

/// Returns the last `limit` entries, newest first.
pub fn newest(db: &mut Db<'_>, limit: i64) -> StoreResult<Vec<AuditEntry>> {
    db.query(NEWEST, params![limit], |row| {
        Ok(AuditEntry {
            email: row.get(0)?,
            kind: row.get(1)?,
            at: row.get(2)?,
        })
    })
}
