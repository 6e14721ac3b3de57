//! Subscription lists that are taken in, and what became of each of their feeds.
//!
//! A list is kept in a few short writes, and what is kept of it counts only with the last one: whoever sends it
//! is answered then, so that nothing is lost whatever happens. Then its feeds are followed by the hundred, a short write each, beside whatever else goes on; a job stays in its queue
//! until that is done, for the case that whoever does it dies. Doing a part twice does nothing.

use std::collections::HashMap;

use lede_model::address::WebUrl;
use lede_model::category::CategoryTree;
use lede_model::ids::{CategoryId, FeedId, ImportId, UserId};
use lede_model::import::{
    ImportDetails, ImportEntry, ImportProgress, ImportResult, Outcome, Settled,
};
use lede_model::job::{JobKind, Priority};
use lede_model::schedule::FailurePolicy;
use lede_model::time::Timestamp;
use lede_model::trouble::Trouble;

use crate::batch::{groups, list};
use crate::engine::{Sql, Value};
use crate::jobs::{self, NewJob};
use crate::{Db, StoreResult, categories, events, feeds, items, params, statements};

/// Feeds that are followed in one write: few enough that the writer is free again soon, also where
/// each is known and has fifty items that become unread.
const AT_ONCE: usize = 100;
/// Rows in one statement.
const BATCH: usize = 50;
/// Lists of one person that are remembered after they were taken in.
const REMEMBERED: i64 = 5;
/// Whoever began to take in a list has this long before another tries.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);
/// Icons are looked for when the feeds have been fetched, which know their sites.
pub const ICONS_AFTER: std::time::Duration = std::time::Duration::from_secs(600);

statements! {
    ADD = "INSERT INTO import (user_id, created_at, finished_at) VALUES ($1, $2, $2) RETURNING id";
    OPEN = "UPDATE import SET finished_at = NULL WHERE id = $1";
    /// Not what was finished just now: whoever sent it has not heard of it yet.
    FORGET = "DELETE FROM import WHERE user_id = $1 AND finished_at < $2
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
    WAITING = "SELECT place, url, title, details FROM import_entry
               WHERE import_id = $1 AND place >= $2 AND outcome IS NULL ORDER BY place LIMIT $3";
    /// What a person has in each category, and the last place there.
    TAKEN_PLACES = "SELECT category_id, COUNT(*), MAX(position) FROM subscription WHERE user_id = $1
                    GROUP BY category_id";
    SETTLE_REST = "UPDATE import_entry SET outcome = 'added'
                   WHERE import_id = $1 AND place >= $2 AND place <= $3 AND outcome IS NULL";
}

/// PostgreSQL only (see [`Db::lock`]).
const LOCK: Sql = Sql::new("SELECT id FROM import WHERE id = $1 FOR UPDATE");

/// Entries that are kept in one write.
pub const KEPT_AT_ONCE: usize = 1000;

/// Begins to keep a list that `user` wants to take in. Until [`open`] it is like a finished one, which is what
/// it stays, and is forgotten as, if that never comes.
pub fn begin(db: &mut Db<'_>, user: UserId, now: Timestamp) -> StoreResult<ImportId> {
    db.execute(FORGET, params![user, now - PATIENCE, REMEMBERED])?;
    db.one(ADD, params![user, now], |row| row.get(0))
}

/// Keeps entries of a list, of which the first stands at `place`.
pub fn keep(
    db: &mut Db<'_>,
    import: ImportId,
    entries: &[ImportEntry],
    place: i64,
) -> StoreResult<()> {
    for (batch, first) in entries.chunks(BATCH).zip((place..).step_by(BATCH)) {
        // Plain values, which JSON can always hold.
        let details: Vec<String> = batch
            .iter()
            .map(|entry| serde_json::to_string(&entry.details).unwrap_or_default())
            .collect();
        let mut values: Vec<Value<'_>> = Vec::with_capacity(batch.len() * ENTRY_COLUMNS);
        for ((entry, details), place) in batch.iter().zip(&details).zip(first..) {
            let settled = entry.settled.as_ref();
            values.extend_from_slice(params![
                import,
                place,
                &entry.url,
                entry.title.as_deref(),
                details,
                settled.map(|settled| settled.outcome.as_str()),
                settled.and_then(|settled| settled.reason.as_deref()),
            ]);
        }
        db.execute_rows(&entries_sql(batch.len()), &values)?;
    }
    Ok(())
}

/// Lets a list be worked on that is kept as a whole.
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

/// Whose list it is, while it is not finished.
pub fn owner(db: &mut Db<'_>, import: ImportId) -> StoreResult<Option<UserId>> {
    db.find(OWNER, params![import], |row| row.get(0))
}

/// How far a list of `user` is.
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

/// What became of the feeds of a list of `user`, from the one at `offset` on.
pub fn results(
    db: &mut Db<'_>,
    user: UserId,
    import: ImportId,
    offset: i64,
    limit: i64,
) -> StoreResult<Vec<ImportResult>> {
    db.query(RESULTS, params![user, import, offset, limit], result)
}

/// The first feeds of a list of `user` that failed.
pub fn failed(
    db: &mut Db<'_>,
    user: UserId,
    import: ImportId,
    limit: i64,
) -> StoreResult<Vec<ImportResult>> {
    db.query(FAILED, params![user, import, limit], result)
}

fn result(row: &crate::engine::Row<'_>) -> StoreResult<ImportResult> {
    Ok(ImportResult {
        url: row.get(0)?,
        title: row.get(1)?,
        outcome: row
            .get::<Option<String>>(2)?
            .and_then(|word| Outcome::from_word(&word)),
        reason: row.get(3)?,
    })
}

/// What a person may follow.
#[derive(Debug, Clone)]
pub struct Terms {
    /// Feeds in all.
    pub max_subscriptions: i64,
    /// Why there are no more, for people.
    pub when_full: String,
    /// Why feeds that are not known here are refused; nothing when they are not.
    pub when_unknown: Option<String>,
    /// How soon a new feed that fails is given up.
    pub policy: FailurePolicy,
}

/// Follows the next feeds of an unfinished list of `user`, from the one at `place` on. Gives the place
/// of the next; nothing when that was all.
pub fn work(
    db: &mut Db<'_>,
    user: UserId,
    import: ImportId,
    place: i64,
    terms: &Terms,
    now: Timestamp,
) -> StoreResult<Option<i64>> {
    db.lock(LOCK, params![import])?;
    let waiting = waiting(db, import, place)?;
    let last = waiting.last().map(|entry| entry.place);
    if let Some(last) = last {
        let settled = follow(db, user, &waiting, terms, now)?;
        for (settled, places) in &settled {
            settle(db, import, settled, places)?;
        }
        db.execute(SETTLE_REST, params![import, place, last])?;
    }
    if waiting.len() == AT_ONCE {
        return Ok(last.map(|last| last + 1));
    }
    db.execute(FINISH, params![now, import])?;
    jobs::remove(db, JobKind::Import, import.as_i64())?;
    Ok(None)
}

/// An entry that waits.
struct Waiting {
    place: i64,
    url: WebUrl,
    title: Option<String>,
    details: ImportDetails,
}

fn waiting(db: &mut Db<'_>, import: ImportId, place: i64) -> StoreResult<Vec<Waiting>> {
    let limit = i64::try_from(AT_ONCE).unwrap_or(i64::MAX);
    db.query(WAITING, params![import, place, limit], |row| {
        let url: String = row.get(1)?;
        Ok(Waiting {
            place: row.get(0)?,
            // Only what parsed waits.
            url: WebUrl::parse(&url).map_err(|error| crate::StoreError::Column {
                column: 1,
                reason: error.to_string(),
            })?,
            title: row.get(2)?,
            // Written by us; a row that somebody edited loses its details only.
            details: serde_json::from_str(&row.get::<String>(3)?).unwrap_or_default(),
        })
    })
}

/// A feed that is known here.
struct Known {
    id: FeedId,
    title: String,
    is_followed: bool,
    /// Somebody else's alone.
    is_kept: bool,
}

/// The places of the entries that are not simply added, by what became of them.
type SettledPlaces = HashMap<Settled, Vec<i64>>;

fn follow(
    db: &mut Db<'_>,
    user: UserId,
    waiting: &[Waiting],
    terms: &Terms,
    now: Timestamp,
) -> StoreResult<SettledPlaces> {
    let mut shelves = Shelves::of(db, user)?;
    let before = known(db, user, waiting)?;
    let mut settled = SettledPlaces::new();
    let mut wanted = Vec::new();
    for entry in waiting {
        let feed = before.get(entry.url.as_str());
        let (outcome, reason) = if feed.is_some_and(|feed| feed.is_followed) {
            (Outcome::Existing, None)
        } else if feed.is_some_and(|feed| feed.is_kept) {
            let places = settled.entry(when_kept()).or_default();
            places.push(entry.place);
            continue;
        } else if shelves.count >= terms.max_subscriptions {
            (Outcome::Failed, Some(terms.when_full.clone()))
        } else if let (None, Some(reason)) = (feed, &terms.when_unknown) {
            (Outcome::Failed, Some(reason.clone()))
        } else {
            shelves.count += 1;
            wanted.push(entry);
            continue;
        };
        let places = settled.entry(Settled { outcome, reason }).or_default();
        places.push(entry.place);
    }
    let new: Vec<&Waiting> = wanted
        .iter()
        .copied()
        .filter(|entry| !before.contains_key(entry.url.as_str()))
        .collect();
    add_feeds(db, &new, terms.policy, now)?;
    // Once more, because new ones have their numbers now, from us or from whoever was faster.
    let feeds = known(db, user, waiting)?;
    let ids = |of: &[&Waiting]| -> Vec<FeedId> {
        let found = of.iter().filter_map(|entry| feeds.get(entry.url.as_str()));
        found.map(|feed| feed.id).collect()
    };
    feeds::lock_all(db, &ids(&wanted))?;
    // And a third time: one may have become somebody's alone until now, but cannot any more.
    let feeds = known(db, user, waiting)?;
    let is_kept = |entry: &&Waiting| {
        let feed = feeds.get(entry.url.as_str());
        feed.is_some_and(|feed| feed.is_kept)
    };
    let (kept, wanted): (Vec<&Waiting>, Vec<&Waiting>) = wanted.into_iter().partition(is_kept);
    if !kept.is_empty() {
        let places = settled.entry(when_kept()).or_default();
        places.extend(kept.iter().map(|entry| entry.place));
    }
    let mut added = Vec::new();
    for batch in wanted.chunks(BATCH) {
        let some = add_subscriptions(db, user, batch, &before, &feeds, &mut shelves, now)?;
        added.extend(some);
    }
    events::add_feeds(db, user, &added, now)?;
    let wanted = ids(&wanted);
    items::fan_out_on_follow_all(db, user, &wanted)?;
    feeds::wake_all(db, &wanted, now)?;
    let icons = ids(&new).into_iter().map(FeedId::as_i64);
    let run_after = now + ICONS_AFTER;
    jobs::enqueue_all(db, JobKind::Icon, icons, Priority::Low, run_after, now)?;
    Ok(settled)
}

/// What becomes of a feed that is somebody else's alone.
fn when_kept() -> Settled {
    Settled {
        outcome: Outcome::Failed,
        reason: Some(Trouble::KeptByOther.to_string()),
    }
}

fn known(
    db: &mut Db<'_>,
    user: UserId,
    waiting: &[Waiting],
) -> StoreResult<HashMap<String, Known>> {
    let mut values: Vec<Value<'_>> = vec![user.into()];
    values.extend(waiting.iter().map(|entry| Value::from(entry.url.as_str())));
    let found = db.query_rows(&known_sql(waiting.len()), &values, |row| {
        let known = Known {
            id: row.get(0)?,
            title: row.get(2)?,
            is_followed: row.get(3)?,
            is_kept: row.get(4)?,
        };
        Ok((row.get(1)?, known))
    })?;
    Ok(found.into_iter().collect())
}

fn known_sql(urls: usize) -> String {
    format!(
        "SELECT f.id, f.url, f.title,
                EXISTS (SELECT 1 FROM subscription s WHERE s.user_id = $1 AND s.feed_id = f.id),
                COALESCE(f.keeper_id, $1) <> $1
         FROM feed f WHERE f.url IN ({})",
        list(2, urls)
    )
}

/// Makes the rows of feeds that nobody here followed, due at once unless they are paused.
fn add_feeds(
    db: &mut Db<'_>,
    new: &[&Waiting],
    policy: FailurePolicy,
    now: Timestamp,
) -> StoreResult<()> {
    let mut new = new.to_vec();
    // Always in the same order, so that two lists with the same feeds do not wait for each other.
    new.sort_by_key(|entry| entry.url.as_str());
    for batch in new.chunks(BATCH) {
        let mut values: Vec<Value<'_>> = Vec::with_capacity(batch.len() * FEED_COLUMNS);
        for entry in batch {
            let is_due = !entry.details.paused;
            // A name that the person may have given it is theirs; everybody else sees this one.
            let title = entry.title.as_deref();
            let title = title.filter(|_| entry.details.is_publishers_title);
            values.extend_from_slice(params![
                entry.url.as_str(),
                entry.details.site_url.as_ref().map(WebUrl::as_str),
                title.unwrap_or_else(|| entry.url.host()),
                entry.url.root_domain(),
                "active",
                policy.as_str(),
                is_due.then_some(now),
                is_due.then_some("it is new here"),
                now,
            ]);
        }
        db.execute_rows(&feeds_sql(batch.len()), &values)?;
    }
    Ok(())
}

const FEED_COLUMNS: usize = 9;

fn feeds_sql(rows: usize) -> String {
    format!(
        "INSERT INTO feed (url, site_url, title, root_domain, status, failure_policy, next_fetch_at,
                           next_fetch_why, created_at)
         VALUES {} ON CONFLICT (url) DO NOTHING",
        groups(rows, FEED_COLUMNS)
    )
}

/// Where a person's feeds stand.
struct Shelves {
    categories: CategoryTree,
    /// The next place in each category, and outside all.
    next: HashMap<Option<CategoryId>, i64>,
    /// Feeds in all.
    count: i64,
}

impl Shelves {
    fn of(db: &mut Db<'_>, user: UserId) -> StoreResult<Self> {
        let places = db.query(TAKEN_PLACES, params![user], |row| {
            Ok((row.get(0)?, row.get::<i64>(1)?, row.get::<i64>(2)?))
        })?;
        Ok(Self {
            categories: categories::of_user(db, user)?,
            count: places.iter().map(|(_, count, _)| count).sum(),
            next: places
                .into_iter()
                .map(|(category, _, last)| (category, last + 1))
                .collect(),
        })
    }

    /// Where a feed goes: to its category, if that is still there, behind what is there.
    fn place(&mut self, details: &ImportDetails) -> (Option<CategoryId>, i64) {
        let category = details
            .category
            .filter(|category| self.categories.find(*category).is_some());
        let next = self.next.entry(category).or_default();
        let position = *next;
        *next += 1;
        (category, position)
    }
}

/// Follows feeds; those that were not followed until then.
fn add_subscriptions(
    db: &mut Db<'_>,
    user: UserId,
    batch: &[&Waiting],
    before: &HashMap<String, Known>,
    feeds: &HashMap<String, Known>,
    shelves: &mut Shelves,
    now: Timestamp,
) -> StoreResult<Vec<FeedId>> {
    let mut values: Vec<Value<'_>> = Vec::with_capacity(batch.len() * SUBSCRIPTION_COLUMNS);
    for entry in batch {
        let url = entry.url.as_str();
        let Some(feed) = feeds.get(url) else {
            continue;
        };
        let details = &entry.details;
        // What the list calls it may be a name that the person gave it, and is kept as one, unless the
        // publisher is known to call it that.
        let is_publishers = |title: &str| {
            details.is_publishers_title || before.get(url).is_some_and(|feed| feed.title == title)
        };
        let title = entry.title.as_deref().filter(|title| !is_publishers(title));
        let (category, position) = shelves.place(details);
        values.extend_from_slice(params![
            user,
            feed.id,
            title,
            category,
            position,
            details.interval_minutes,
            details.full_text.unwrap_or(true),
            details.notify,
            details.paused.then_some(now),
            now,
        ]);
    }
    match values.len() / SUBSCRIPTION_COLUMNS {
        0 => Ok(Vec::new()),
        rows => db.query_rows(&subscriptions_sql(rows), &values, |row| row.get(0)),
    }
}

const SUBSCRIPTION_COLUMNS: usize = 10;

fn subscriptions_sql(rows: usize) -> String {
    format!(
        "INSERT INTO subscription (user_id, feed_id, title, category_id, position, interval_minutes,
                                   full_text, notify, paused_at, created_at)
         VALUES {} ON CONFLICT (user_id, feed_id) DO NOTHING RETURNING feed_id",
        groups(rows, SUBSCRIPTION_COLUMNS)
    )
}

fn settle(db: &mut Db<'_>, import: ImportId, settled: &Settled, places: &[i64]) -> StoreResult<()> {
    let mut values = params![settled.outcome.as_str(), settled.reason.as_deref(), import].to_vec();
    values.extend(places.iter().map(|place| Value::from(*place)));
    db.execute_rows(&settle_sql(places.len()), &values)
}

fn settle_sql(places: usize) -> String {
    format!(
        "UPDATE import_entry SET outcome = $1, reason = $2 WHERE import_id = $3 AND place IN ({})",
        list(4, places)
    )
}

/// The statements that are made for a number of rows, for the test of all statements.
pub(crate) fn batch_statements() -> [(&'static str, String); 5] {
    [
        ("import_entries", entries_sql(2)),
        ("import_known", known_sql(2)),
        ("import_feeds", feeds_sql(2)),
        ("import_subscriptions", subscriptions_sql(2)),
        ("import_settle", settle_sql(2)),
    ]
}
