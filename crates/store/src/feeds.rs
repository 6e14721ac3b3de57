//! Feeds: one row per address, shared by everybody who follows it.

use lede_model::address::WebUrl;
use lede_model::feed::{Feed, FeedStatus, NewFeed, Validators};
use lede_model::ids::FeedId;
use lede_model::time::Timestamp;

use crate::engine::{Row, Sql};
use crate::{Db, StoreError, StoreResult, params, statements};

statements! {
    FIND_BY_URL = "SELECT id, url, site_url, title, status FROM feed WHERE url = $1";
    ADD = "INSERT INTO feed (url, site_url, title, root_domain, status, created_at)
           VALUES ($1, $2, $3, $4, 'active', $5)
           ON CONFLICT (url) DO NOTHING
           RETURNING id, url, site_url, title, status";
    RECORD_SUCCESS = "UPDATE feed SET status = 'active', last_error = NULL, etag = $1, last_modified = $2,
                          last_fetched_at = $3, next_fetch_at = $4
                      WHERE id = $5";
}

/// PostgreSQL only (see [`Db::lock`]).
const LOCK: Sql = Sql::new("SELECT id FROM feed WHERE id = $1 FOR NO KEY UPDATE");

/// Reads a feed from five columns, beginning at `first`: id, url, site_url, title, status.
pub(crate) fn from_row(row: &Row<'_>, first: usize) -> StoreResult<Feed> {
    let url = |column: usize, text: String| {
        WebUrl::parse(&text).map_err(|error| StoreError::Column {
            column,
            reason: error.to_string(),
        })
    };
    Ok(Feed {
        id: row.get(first)?,
        url: url(first + 1, row.get(first + 1)?)?,
        site_url: row
            .get::<Option<String>>(first + 2)?
            .map(|text| url(first + 2, text))
            .transpose()?,
        title: row.get(first + 3)?,
        status: FeedStatus::from_word(&row.get::<String>(first + 4)?),
    })
}

/// The feed that is fetched from `url`.
pub fn find_by_url(db: &mut Db<'_>, url: &WebUrl) -> StoreResult<Option<Feed>> {
    db.find(FIND_BY_URL, params![url.as_str()], |row| from_row(row, 0))
}

/// Adds a feed, or gives the one that somebody added meanwhile.
pub fn add(db: &mut Db<'_>, feed: &NewFeed, now: Timestamp) -> StoreResult<Feed> {
    let site_url = feed.site_url.as_ref().map(WebUrl::as_str);
    let added = db.find(
        ADD,
        params![
            feed.url.as_str(),
            site_url,
            &feed.title,
            feed.url.root_domain(),
            now
        ],
        |row| from_row(row, 0),
    )?;
    match added {
        Some(feed) => Ok(feed),
        None => find_by_url(db, &feed.url)?.ok_or(StoreError::Missing),
    }
}

/// Keeps others from following `feed` and from taking in its items until the transaction ends.
/// Without it, of two that meet, the one would not see the new item and the other not the new
/// follower, and the item would never be unread for that person.
pub(crate) fn lock(db: &mut Db<'_>, feed: FeedId) -> StoreResult<()> {
    db.lock(LOCK, params![feed])
}

/// Notes a fetch that worked and when the next one is due.
pub fn record_success(
    db: &mut Db<'_>,
    feed: FeedId,
    validators: &Validators,
    fetched_at: Timestamp,
    next_fetch_at: Timestamp,
) -> StoreResult<()> {
    let (etag, last_modified) = (
        validators.etag.as_deref(),
        validators.last_modified.as_deref(),
    );
    db.execute(
        RECORD_SUCCESS,
        params![etag, last_modified, fetched_at, next_fetch_at, feed],
    )
    .map(drop)
}
