//! What people did, for whoever runs the instance. Written with what happened.

use lede_model::ids::{FeedId, UserId};
use lede_model::time::Timestamp;

use crate::{Db, StoreResult, params, statements};

/// Something that somebody did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Made an account.
    UserRegistered,
    /// Signed in.
    UserLogin,
    /// Began to follow a feed.
    FeedAdded(FeedId),
}

impl Event {
    const fn as_str(self) -> &'static str {
        match self {
            Self::UserRegistered => "user_registered",
            Self::UserLogin => "user_login",
            Self::FeedAdded(_) => "feed_added",
        }
    }

    /// What there is to say besides, as JSON.
    fn metadata(self) -> Option<String> {
        match self {
            Self::FeedAdded(feed) => Some(format!("{{\"feed_id\": {feed}}}")),
            Self::UserRegistered | Self::UserLogin => None,
        }
    }
}

/// Something that somebody did, as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noted {
    /// Who.
    pub email: String,
    /// The event's word.
    pub kind: String,
    /// When.
    pub at: Timestamp,
}

statements! {
    NEWEST = "SELECT a.email, e.event_type, e.created_at
              FROM event e JOIN account a ON a.id = e.user_id ORDER BY e.id DESC LIMIT $1";
    ADD = "INSERT INTO event (user_id, event_type, metadata, created_at) VALUES ($1, $2, $3, $4)";
}

/// Notes what `user` did; part of the transaction that does it.
pub fn add(db: &mut Db<'_>, user: UserId, event: Event, now: Timestamp) -> StoreResult<()> {
    let metadata = event.metadata();
    let values = params![user, event.as_str(), metadata.as_deref(), now];
    db.execute(ADD, values).map(drop)
}

/// What was done last, the newest first.
pub fn newest(db: &mut Db<'_>, limit: i64) -> StoreResult<Vec<Noted>> {
    db.query(NEWEST, params![limit], |row| {
        Ok(Noted {
            email: row.get(0)?,
            kind: row.get(1)?,
            at: row.get(2)?,
        })
    })
}
