//! Announcements of new items and notifications between processes, and unread counts for open
//! pages.
//!
//! On PostgreSQL the worker may be another process, so it announces new rows inside the transaction
//! that stores them: a process that receives the announcement can read them. SQLite has one server,
//! which needs no announcement.

use lede_model::ids::{FeedId, NotificationId, UserId};
use tokio::sync::mpsc;

use crate::engine::{Engine, Sql, Value};
use crate::{Db, Store, StoreResult, params};

/// Users per statement.
const BATCH: usize = 100;

/// PostgreSQL only. One database may hold several instances, each in its schema, and channels
/// belong to the database.
const CHANNEL: &str = "SELECT 'lede_' || md5(current_schema())";
const ANNOUNCE: Sql = Sql::new("SELECT pg_notify('lede_' || md5(current_schema()), $1)");

/// News of another process for open pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// Name of the process that stored them.
    pub from: String,
    pub news: News,
}

/// Rows that a transaction stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    Items {
        feed: FeedId,
        /// Number of new items.
        new: i64,
    },
    /// Delivered notifications. Only a few: a payload has at most 8000 bytes.
    Notifications {
        user: UserId,
        ids: Vec<NotificationId>,
    },
}

impl Announcement {
    fn to_text(&self) -> String {
        let from = &self.from;
        match &self.news {
            News::Items { feed, new } => format!("{from} items {feed} {new}"),
            News::Notifications { user, ids } => {
                let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
                format!("{from} notifications {user} {}", ids.join(","))
            }
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the user is one of a row that another process of this instance has written"
    )]
    fn from_text(text: &str) -> Option<Self> {
        let mut parts = text.split(' ');
        let (from, kind) = (parts.next()?, parts.next()?);
        let (id, rest) = (parts.next()?.parse().ok()?, parts.next()?);
        let news = match kind {
            "items" => News::Items {
                feed: FeedId::from(id),
                new: rest.parse().ok()?,
            },
            "notifications" => {
                let ids = rest.split(',').map(|id| id.parse().map(i64::into));
                News::Notifications {
                    user: UserId::from_row(id),
                    ids: ids.collect::<Result<_, _>>().ok()?,
                }
            }
            _ => return None,
        };
        Some(Self {
            from: from.to_owned(),
            news,
        })
    }
}

/// Notifies other processes when the transaction is committed.
pub fn announce(db: &mut Db<'_>, announcement: &Announcement) -> StoreResult<()> {
    match db.engine() {
        Engine::Sqlite => Ok(()),
        Engine::Postgres => db
            .execute(ANNOUNCE, params![announcement.to_text().as_str()])
            .map(drop),
    }
}

/// Stream of announcements from all processes, including this one. Never yields on SQLite.
pub struct Announcements(Option<mpsc::Receiver<String>>);

impl Announcements {
    /// Subscribes to the announcements in the store.
    pub fn of(store: &Store) -> Self {
        Self(store.listen(CHANNEL))
    }

    /// Returns the next announcement; waits forever if there are none.
    pub async fn next(&mut self) -> Announcement {
        while let Some(receiver) = &mut self.0 {
            match receiver.recv().await {
                Some(text) => {
                    if let Some(announcement) = Announcement::from_text(&text) {
                        return announcement;
                    }
                }
                None => self.0 = None,
            }
        }
        std::future::pending().await
    }
}

/// Unread counts of one user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unread {
    pub user: UserId,
    /// Unread items in the requested feed.
    pub in_feed: i64,
    /// Unread items in all feeds.
    pub total: i64,
}

/// Returns the unread counts of those of `people` who follow `feed`.
pub fn unread_of_followers(
    db: &mut Db<'_>,
    feed: FeedId,
    people: &[UserId],
) -> StoreResult<Vec<Unread>> {
    let mut found = Vec::new();
    for people in people.chunks(BATCH) {
        let mut values: Vec<Value<'_>> = vec![feed.into()];
        values.extend(people.iter().map(|user| Value::from(*user)));
        found.extend(db.query_rows(&unread_sql(people.len()), &values, |row| {
            Ok(Unread {
                user: row.get(0)?,
                in_feed: row.get(1)?,
                total: row.get(2)?,
            })
        })?);
    }
    Ok(found)
}

fn unread_sql(people: usize) -> String {
    let ids = (0..people)
        .map(|index| format!("${}", index + 2))
        .collect::<Vec<_>>()
        .join(", ");
    format!(
        "SELECT s.user_id, s.unread,
                (SELECT CAST(SUM(own.unread) AS BIGINT) FROM subscription own WHERE own.user_id = s.user_id)
         FROM subscription s WHERE s.feed_id = $1 AND s.paused_at IS NULL AND s.user_id IN ({ids})"
    )
}

/// Statements whose text depends on the engine or the number of rows, for the test of all
/// statements.
pub(crate) fn engine_statements(engine: Engine) -> Vec<(&'static str, String)> {
    let mut statements = vec![("unread_of_followers", unread_sql(2))];
    if engine == Engine::Postgres {
        statements.push(("announce", ANNOUNCE.as_str().to_owned()));
    }
    statements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the ids of a test")]
    fn an_announcement_is_read_as_it_was_written_and_nonsense_is_none() {
        let news = [
            News::Items {
                feed: FeedId::from(7),
                new: 3,
            },
            News::Notifications {
                user: UserId::from_row(7),
                ids: vec![1.into(), 12.into()],
            },
        ];
        for news in news {
            let from = "process".to_owned();
            let announcement = Announcement { from, news };
            let text = announcement.to_text();
            assert_eq!(Announcement::from_text(&text), Some(announcement));
        }
        for text in [
            "",
            "p",
            "p items 7",
            "p items x 3",
            "p notifications 7 1,x",
            "p other 7 3",
        ] {
            assert_eq!(Announcement::from_text(text), None, "{text:?}");
        }
    }
}
