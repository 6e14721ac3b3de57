//! OPML imports and the result of each of their feeds.
//!
//! A list is stored in a few short writes and becomes valid with the last one. Only then is the
//! request answered, so that no accepted list is lost. Its feeds are then followed by the hundred
//! in short writes, so that other writers get their turn. A job stays in the queue until that is
//! done, in case the process that does it crashes. Processing a part twice has no effect.

use std::collections::HashMap;

use lede_model::address::WebUrl;
use lede_model::feed::{NewFeed, Validators};
use lede_model::feed_error::FeedError;
use lede_model::ids::{CategoryId, ImportId, UserId};
use lede_model::import::{
    ImportDetails, ImportEntry, ImportFetches, ImportProgress, ImportResult, Outcome, Settled,
    UnfetchedFeed,
};
use lede_model::job::JobKind;
use lede_model::time::Timestamp;

use crate::batch::{groups, list};
use crate::engine::{Sql, Value};
use crate::follow::{self, FollowOutcome, FollowRequest, Follower, SubscriptionSettings};
use crate::jobs::{self, NewJob};
use crate::{Db, StoreResult, messages, params, statements};

/// Feeds followed per write: few enough that the writer is free again soon, even if each exists and
/// has fifty items that become unread.
const AT_ONCE: usize = 100;
/// Rows per INSERT statement.
const BATCH: usize = 50;
/// Finished imports stored per user.
const REMEMBERED: i64 = 5;
/// Time that the process which started an import has before the job takes over.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);
/// Delay of the icon jobs of imported feeds: their sites are known after the first fetch.
pub const ICONS_AFTER: std::time::Duration = std::time::Duration::from_secs(600);

statements! {
    ADD = "INSERT INTO import (user_id, created_at, finished_at) VALUES ($1, $2, $2) RETURNING id";
    OPEN = "UPDATE import SET finished_at = NULL WHERE id = $1";
    /// Keeps imports that finished just now, because the client has not read the result yet.
    REMOVE_OLD = "DELETE FROM import WHERE user_id = $1 AND finished_at < $2
                  AND id NOT IN (SELECT id FROM import WHERE user_id = $1 ORDER BY id DESC LIMIT $3)";
    OWNER = "SELECT user_id FROM import WHERE id = $1 AND finished_at IS NULL";
    FINISH = "UPDATE import SET finished_at = $1 WHERE id = $2";
    PROGRESS = "SELECT i.id, i.finished_at IS NOT NULL, COUNT(e.place),
                       COUNT(CASE WHEN e.outcome = 'added' THEN 1 END),
                       COUNT(CASE WHEN e.outcome = 'existing' THEN 1 END),
                       COUNT(CASE WHEN e.outcome = 'failed' THEN 1 END)
                FROM import i LEFT JOIN import_entry e ON e.import_id = i.id
                WHERE i.user_id = $1 AND i.id = $2
                GROUP BY i.id, i.finished_at";
    RESULTS = "SELECT e.url, e.title, e.outcome, e.reason
               FROM import i JOIN import_entry e ON e.import_id = i.id
               WHERE i.user_id = $1 AND i.id = $2 AND e.place >= $3 ORDER BY e.place LIMIT $4";
    FAILED = "SELECT e.url, e.title, e.outcome, e.reason
              FROM import i JOIN import_entry e ON e.import_id = i.id
              WHERE i.user_id = $1 AND i.id = $2 AND e.outcome = 'failed' ORDER BY e.place LIMIT $3";
    // A feed that has moved since is not found by its address in the list; it was fetched.
    FETCHES = "SELECT COUNT(CASE WHEN s.id IS NULL OR f.last_fetch_status = 'success' THEN 1 END),
                      COUNT(CASE WHEN s.id IS NOT NULL AND f.last_fetch_status <> 'success' THEN 1 END),
                      COUNT(CASE WHEN s.paused_at IS NULL AND s.id IS NOT NULL AND f.last_fetch_status IS NULL THEN 1 END)
               FROM import i JOIN import_entry e ON e.import_id = i.id
               LEFT JOIN feed f ON f.url = e.url
               LEFT JOIN subscription s ON s.user_id = $1 AND s.feed_id = f.id
               WHERE i.user_id = $1 AND i.id = $2 AND e.outcome = 'added'";
    UNFETCHED = "SELECT f.id, COALESCE(s.title, f.title), f.url, f.last_error
                 FROM import i JOIN import_entry e ON e.import_id = i.id JOIN feed f ON f.url = e.url
                 JOIN subscription s ON s.user_id = $1 AND s.feed_id = f.id
                 WHERE i.user_id = $1 AND i.id = $2 AND e.outcome = 'added' AND f.last_fetch_status <> 'success'
                 ORDER BY e.place LIMIT $3";
    PENDING = "SELECT place, url, title, details FROM import_entry
               WHERE import_id = $1 AND place >= $2 AND outcome IS NULL ORDER BY place LIMIT $3";
    LAST_POSITIONS = "SELECT category_id, MAX(position) FROM subscription WHERE user_id = $1
                      GROUP BY category_id";
    SETTLE_REST = "UPDATE import_entry SET outcome = 'added'
                   WHERE import_id = $1 AND place >= $2 AND place <= $3 AND outcome IS NULL";
}

/// PostgreSQL only (see [`Db::lock`]).
const LOCK: Sql = Sql::new("SELECT id FROM import WHERE id = $1 FOR UPDATE");

/// Entries stored per write.
pub const ENTRIES_AT_ONCE: usize = 1000;

/// Creates an import for `user`. Until [`open`] it counts as finished, so that an import that is
/// never opened is cleaned up like a finished one.
pub fn begin(db: &mut Db<'_>, user: UserId, now: Timestamp) -> StoreResult<ImportId> {
    db.execute(REMOVE_OLD, params![user, now - PATIENCE, REMEMBERED])?;
    db.one(ADD, params![user, now], |row| row.get(0))
}

/// Stores entries of a list, the first of them at `place`.
pub fn add_entries(
    db: &mut Db<'_>,
    import: ImportId,
    entries: &[ImportEntry],
    place: i64,
) -> StoreResult<()> {
    for (batch, first) in entries.chunks(BATCH).zip((place..).step_by(BATCH)) {
        // Plain values, which JSON can always represent.
        let details: Vec<String> = batch
            .iter()
            .map(|entry| serde_json::to_string(&entry.details).unwrap_or_default())
            .collect();
        let reasons: Vec<Option<String>> = batch
            .iter()
            .map(|entry| {
                entry
                    .settled
                    .as_ref()?
                    .reason
                    .as_ref()
                    .map(messages::to_json)
            })
            .collect();
        let mut values: Vec<Value<'_>> = Vec::with_capacity(batch.len() * ENTRY_COLUMNS);
        let rows = batch.iter().zip(&details).zip(&reasons);
        for (((entry, details), reason), place) in rows.zip(first..) {
            let settled = entry.settled.as_ref();
            values.extend_from_slice(params![
                import,
                place,
                &entry.url,
                entry.title.as_deref(),
                details,
                settled.map(|settled| settled.outcome.as_str()),
                reason.as_deref(),
            ]);
        }
        db.execute_rows(&entries_sql(batch.len()), &values)?;
    }
    Ok(())
}

/// Marks a completely stored list as ready to be processed.
pub fn open(db: &mut Db<'_>, import: ImportId, now: Timestamp) -> StoreResult<()> {
    db.execute(OPEN, params![import])?;
    let job = NewJob::new(JobKind::Import, import.as_i64(), now + PATIENCE);
    jobs::enqueue(db, &job, now)
}

const ENTRY_COLUMNS: usize = 7;

fn entries_sql(rows: usize) -> String {
    format!(
        "INSERT INTO import_entry (import_id, place, url, title, details, outcome, reason) VALUES {}",
        groups(rows, ENTRY_COLUMNS)
    )
}

/// Returns the owner of an unfinished import.
pub fn owner(db: &mut Db<'_>, import: ImportId) -> StoreResult<Option<UserId>> {
    db.find(OWNER, params![import], |row| row.get(0))
}

/// Returns the progress of an import of `user`.
pub fn progress(
    db: &mut Db<'_>,
    user: UserId,
    import: ImportId,
) -> StoreResult<Option<ImportProgress>> {
    db.find(PROGRESS, params![user, import], |row| {
        Ok(ImportProgress {
            id: row.get(0)?,
            is_finished: row.get(1)?,
            total: row.get(2)?,
            added: row.get(3)?,
            existing: row.get(4)?,
            failed: row.get(5)?,
        })
    })
}

/// Returns the results of an import of `user`, beginning with the feed at `offset`.
pub fn results(
    db: &mut Db<'_>,
    user: UserId,
    import: ImportId,
    offset: i64,
    limit: i64,
) -> StoreResult<Vec<ImportResult>> {
    db.query(RESULTS, params![user, import, offset, limit], result)
}

/// Returns the first failed feeds of an import of `user`.
pub fn failed(
    db: &mut Db<'_>,
    user: UserId,
    import: ImportId,
    limit: i64,
) -> StoreResult<Vec<ImportResult>> {
    db.query(FAILED, params![user, import, limit], result)
}

/// Counts the first fetches of the feeds that an import added.
pub fn fetches(db: &mut Db<'_>, user: UserId, import: ImportId) -> StoreResult<ImportFetches> {
    db.one(FETCHES, params![user, import], |row| {
        Ok(ImportFetches {
            fetched: row.get(0)?,
            failed: row.get(1)?,
            waiting: row.get(2)?,
        })
    })
}

/// Returns the feeds that an import added and that could not be fetched.
pub fn unfetched(
    db: &mut Db<'_>,
    user: UserId,
    import: ImportId,
    limit: i64,
) -> StoreResult<Vec<UnfetchedFeed>> {
    db.query(UNFETCHED, params![user, import, limit], |row| {
        Ok(UnfetchedFeed {
            id: row.get(0)?,
            title: row.get(1)?,
            url: row.get(2)?,
            reason: messages::column(row, 3)?,
        })
    })
}

fn result(row: &crate::engine::Row<'_>) -> StoreResult<ImportResult> {
    Ok(ImportResult {
        url: row.get(0)?,
        title: row.get(1)?,
        outcome: row
            .get::<Option<String>>(2)?
            .and_then(|word| Outcome::from_word(&word)),
        reason: messages::column(row, 3)?,
    })
}

/// Follows the next feeds of an unfinished import, beginning at `place`. Returns the place of the
/// next one, or `None` when the import is finished.
pub fn process_next(
    db: &mut Db<'_>,
    follower: Follower,
    import: ImportId,
    place: i64,
    now: Timestamp,
) -> StoreResult<Option<i64>> {
    db.lock(LOCK, params![import])?;
    let pending = pending(db, import, place)?;
    let last = pending.last().map(|entry| entry.place);
    let is_full = pending.len() == AT_ONCE;
    if let Some(last) = last {
        let settled = follow_entries(db, follower, pending, now)?;
        for (settled, places) in &settled {
            settle(db, import, settled, places)?;
        }
        db.execute(SETTLE_REST, params![import, place, last])?;
    }
    if is_full {
        return Ok(last.map(|last| last + 1));
    }
    db.execute(FINISH, params![now, import])?;
    jobs::remove(db, JobKind::Import, import.as_i64())?;
    Ok(None)
}

/// An entry that was not processed yet.
struct PendingEntry {
    place: i64,
    url: WebUrl,
    title: Option<String>,
    details: ImportDetails,
}

fn pending(db: &mut Db<'_>, import: ImportId, place: i64) -> StoreResult<Vec<PendingEntry>> {
    let limit = i64::try_from(AT_ONCE).unwrap_or(i64::MAX);
    db.query(PENDING, params![import, place, limit], |row| {
        let url: String = row.get(1)?;
        Ok(PendingEntry {
            place: row.get(0)?,
            // Entries whose address does not parse are settled when they are stored.
            url: WebUrl::parse(&url).map_err(|error| crate::StoreError::Column {
                column: 1,
                reason: error.to_string(),
            })?,
            title: row.get(2)?,
            // Written by Lede; a row edited by hand loses only its details.
            details: serde_json::from_str(&row.get::<String>(3)?).unwrap_or_default(),
        })
    })
}

/// Places of the entries with a result other than "added", by result.
type SettledPlaces = HashMap<Settled, Vec<i64>>;

fn follow_entries(
    db: &mut Db<'_>,
    follower: Follower,
    pending: Vec<PendingEntry>,
    now: Timestamp,
) -> StoreResult<SettledPlaces> {
    let mut positions = Positions::of(db, follower.user)?;
    let places: Vec<i64> = pending.iter().map(|entry| entry.place).collect();
    let requests = pending.into_iter();
    let requests: Vec<FollowRequest> = requests
        .map(|entry| follow_request(entry.url, entry.title, &entry.details, now))
        .map(|mut request| {
            request.settings.position = Some(positions.next(request.settings.category));
            request
        })
        .collect();
    let outcomes = follow::follow(db, follower, &requests, now)?;
    let mut settled = SettledPlaces::new();
    for (place, outcome) in places.into_iter().zip(outcomes) {
        let outcome = settled_by(&outcome, follower);
        if outcome.outcome != Outcome::Added {
            settled.entry(outcome).or_default().push(place);
        }
    }
    Ok(settled)
}

/// Converts an entry of a list to a request.
pub fn follow_request(
    url: WebUrl,
    title: Option<String>,
    details: &ImportDetails,
    now: Timestamp,
) -> FollowRequest {
    // A title that the user may have chosen is theirs alone; other users see the publisher's.
    let (publishers, own) = match details.is_publishers_title {
        true => (title, None),
        false => (None, title),
    };
    FollowRequest {
        feed: NewFeed {
            title: publishers.unwrap_or_else(|| url.host().to_owned()),
            site_url: details.site_url.clone(),
            url,
            validators: Validators::default(),
        },
        settings: SubscriptionSettings {
            title: own,
            category: details.category,
            position: None,
            interval_minutes: details.interval_minutes,
            full_text: details.full_text.unwrap_or(true),
            notify: details.notify,
            paused_at: details.paused.then_some(now),
        },
        replaces: None,
        credentials: None,
    }
}

/// Returns the result of an entry, as shown to its user.
pub fn settled_by(outcome: &FollowOutcome, follower: Follower) -> Settled {
    let (outcome, reason) = match outcome {
        FollowOutcome::Followed(_) => (Outcome::Added, None),
        FollowOutcome::AlreadyFollowing(_) => (Outcome::Existing, None),
        FollowOutcome::LimitReached => {
            let most = follower.max_subscriptions;
            (Outcome::Failed, Some(FeedError::ListFull { most }))
        }
        FollowOutcome::NotAllowed => (Outcome::Failed, Some(FeedError::NotAllowed)),
        FollowOutcome::PrivateToOther => (Outcome::Failed, Some(FeedError::PrivateToOther)),
        FollowOutcome::FollowedByOthers => (Outcome::Failed, Some(FeedError::FollowedByOthers)),
    };
    Settled { outcome, reason }
}

/// Next free position in each category of a user.
struct Positions(HashMap<Option<CategoryId>, i64>);

impl Positions {
    fn of(db: &mut Db<'_>, user: UserId) -> StoreResult<Self> {
        let last = db.query(LAST_POSITIONS, params![user], |row| {
            Ok((row.get(0)?, row.get::<i64>(1)? + 1))
        })?;
        Ok(Self(last.into_iter().collect()))
    }

    fn next(&mut self, category: Option<CategoryId>) -> i64 {
        let next = self.0.entry(category).or_default();
        *next += 1;
        *next - 1
    }
}

fn settle(db: &mut Db<'_>, import: ImportId, settled: &Settled, places: &[i64]) -> StoreResult<()> {
    let reason = settled.reason.as_ref().map(messages::to_json);
    let mut values = params![settled.outcome.as_str(), reason.as_deref(), import].to_vec();
    values.extend(places.iter().map(|place| Value::from(*place)));
    db.execute_rows(&settle_sql(places.len()), &values)
}

fn settle_sql(places: usize) -> String {
    format!(
        "UPDATE import_entry SET outcome = $1, reason = $2 WHERE import_id = $3 AND place IN ({})",
        list(4, places)
    )
}

/// Statements whose text depends on the number of rows, for the test of all statements.
pub(crate) fn batch_statements() -> [(&'static str, String); 2] {
    [
        ("import_entries", entries_sql(2)),
        ("import_settle", settle_sql(2)),
    ]
}
