//! Writing items and their texts, many rows per statement.

use std::collections::HashMap;

use lede_model::address::WebUrl;
use lede_model::ids::{FeedId, ItemId};
use lede_model::time::Timestamp;

use super::NewItem;
use super::keyed::Keyed;
use crate::batch::groups;
use crate::engine::Value;
use crate::{Db, StoreError, StoreResult, params};

/// A row that an upsert wrote, with its source.
pub(super) struct Written<'a> {
    pub(super) id: ItemId,
    pub(super) is_new: bool,
    /// True if the row existed because a user had imported the item.
    pub(super) was_imported: bool,
    pub(super) key: &'a str,
    pub(super) new: &'a NewItem,
    pub(super) details: Option<&'a str>,
}

impl Written<'_> {
    pub(super) fn is_row_new(&self) -> bool {
        self.is_new && !self.was_imported
    }
}

pub(super) fn upsert<'a>(
    db: &mut Db<'_>,
    feed: FeedId,
    batch: &[&'a Keyed<'a>],
    now: Timestamp,
) -> StoreResult<Vec<Written<'a>>> {
    let mut values: Vec<Value<'_>> = Vec::with_capacity(batch.len() * UPSERT_COLUMNS);
    for keyed in batch {
        let NewItem { item, lede, .. } = keyed.new;
        values.extend_from_slice(params![
            feed,
            &keyed.key,
            keyed.url_key.as_deref(),
            item.url.as_ref().map(WebUrl::as_str),
            &item.title,
            item.author.as_deref(),
            &item.excerpt,
            lede,
            keyed.new.language.as_deref(),
            keyed.new.image_url.as_ref().map(WebUrl::as_str),
            item.published_at,
            now,
            sort_at(keyed.new, now),
            keyed.hash.as_bytes(),
            keyed.new.reading_minutes,
        ]);
    }
    let by_key: HashMap<&str, &'a Keyed<'a>> = batch
        .iter()
        .map(|keyed| (keyed.key.as_str(), *keyed))
        .collect();
    db.query_rows(&upsert_sql(batch.len()), &values, |row| {
        let keyed = by_key
            .get(row.get::<String>(1)?.as_str())
            .ok_or(StoreError::Missing)?;
        let is_new = row.get(2)?;
        Ok(Written {
            id: row.get(0)?,
            is_new,
            was_imported: is_new && keyed.is_known,
            key: &keyed.key,
            new: keyed.new,
            details: keyed.details.as_deref(),
        })
    })
}

/// Returns the earlier of publication and first sight, so that an item dated in the future does not
/// stay on top.
pub(super) fn sort_at(new: &NewItem, now: Timestamp) -> Timestamp {
    let published = new.item.published_at;
    published.map_or(now, |published| published.min(now))
}

const UPSERT_COLUMNS: usize = 15;

/// Turns an imported row into one of the feed in every respect; it counts as new. The reading time
/// of a fetched article is not changed by the text of the feed.
pub(super) fn upsert_sql(rows: usize) -> String {
    let kept_or_told = |column: &str| {
        format!(
            "{column} = CASE WHEN item.owner_id IS NULL THEN item.{column} ELSE excluded.{column} END"
        )
    };
    format!(
        "INSERT INTO item (feed_id, identity_key, url_key, url, title, author, excerpt, lede, language,
                           image_url, published_at, first_seen_at, sort_at, content_hash, reading_minutes)
         VALUES {}
         ON CONFLICT (feed_id, identity_key) DO UPDATE SET
             url_key = excluded.url_key, url = excluded.url, title = excluded.title, author = excluded.author,
             excerpt = excluded.excerpt, lede = excluded.lede, language = excluded.language,
             image_url = excluded.image_url, content_hash = excluded.content_hash, origin = excluded.origin,
             owner_id = NULL, {}, {}, {},
             reading_minutes = CASE
                 WHEN item.owner_id IS NULL AND EXISTS (
                     SELECT 1 FROM item_body b WHERE b.item_id = item.id AND b.full_html IS NOT NULL AND b.full_is_default)
                 THEN item.reading_minutes ELSE excluded.reading_minutes END,
             updated_at = CASE WHEN item.owner_id IS NULL THEN excluded.first_seen_at END
         WHERE item.content_hash <> excluded.content_hash OR item.owner_id IS NOT NULL
         RETURNING id, identity_key, updated_at IS NULL",
        groups(rows, UPSERT_COLUMNS),
        kept_or_told("published_at"),
        kept_or_told("first_seen_at"),
        kept_or_told("sort_at")
    )
}

pub(super) fn write_bodies(
    db: &mut Db<'_>,
    written: &[Written<'_>],
    policy_version: i64,
) -> StoreResult<()> {
    if written.is_empty() {
        return Ok(());
    }
    let mut values: Vec<Value<'_>> = Vec::with_capacity(written.len() * BODY_COLUMNS);
    for row in written {
        values.extend_from_slice(params![
            row.id,
            row.new.item.html.as_str(),
            row.details,
            policy_version
        ]);
    }
    db.execute_rows(&bodies_sql(written.len()), &values)
}

const BODY_COLUMNS: usize = 4;

pub(super) fn bodies_sql(rows: usize) -> String {
    format!(
        "INSERT INTO item_body (item_id, html, details, policy_version) VALUES {}
         ON CONFLICT (item_id) DO UPDATE SET html = excluded.html, details = excluded.details,
             policy_version = excluded.policy_version",
        groups(rows, BODY_COLUMNS)
    )
}
