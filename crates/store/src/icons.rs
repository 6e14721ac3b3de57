//! Stored icons of sites, one per feed.

use lede_model::ids::{FeedId, UserId};

use crate::access::StoredCredentials;
use crate::{Db, StoreResult, feeds, params, statements};

/// An image that was fetched and validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Icon {
    /// Media type, detected from the content.
    pub content_type: String,
    pub bytes: Vec<u8>,
}

statements! {
    SET = "INSERT INTO icon (feed_id, content_type, bytes) VALUES ($1, $2, $3)
           ON CONFLICT (feed_id) DO UPDATE SET content_type = excluded.content_type, bytes = excluded.bytes
           WHERE icon.bytes <> excluded.bytes";
    FIND = "SELECT i.content_type, i.bytes FROM icon i
            JOIN subscription s ON s.user_id = $1 AND s.feed_id = i.feed_id
            WHERE i.feed_id = $2";
    SITE = "SELECT url, access, site_url FROM feed WHERE id = $1";
}

/// Stores the icon of `feed`, replacing an earlier one.
pub fn set(db: &mut Db<'_>, feed: FeedId, icon: &Icon) -> StoreResult<()> {
    db.execute(
        SET,
        params![feed, &icon.content_type, icon.bytes.as_slice()],
    )
    .map(drop)
}

/// Returns the icon of a feed that `user` follows.
pub fn find(db: &mut Db<'_>, user: UserId, feed: FeedId) -> StoreResult<Option<Icon>> {
    db.find(FIND, params![user, feed], |row| {
        Ok(Icon {
            content_type: row.get(0)?,
            bytes: row.get(1)?,
        })
    })
}

/// Returns the addresses needed to find the icon of a feed: that of the feed, with its credentials,
/// and that of its site.
pub fn site(
    db: &mut Db<'_>,
    feed: FeedId,
) -> StoreResult<Option<(StoredCredentials, Option<String>)>> {
    db.find(SITE, params![feed], |row| {
        let kept = StoredCredentials {
            url: feeds::url_of(0, &row.get::<String>(0)?)?,
            sealed: row.get(1)?,
        };
        Ok((kept, row.get(2)?))
    })
}
