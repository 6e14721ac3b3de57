//! The daily clean-up: removes data past its retention and makes the database fit its size limit.
//!
//! It runs once a day in the first worker that claims the day; if the hour was missed, at the next
//! start. It works in small committed steps, so an interrupted clean-up continues the next time.
//! Writes of users take precedence: the writer processes requests in order and is left idle for a
//! moment after each batch.

use std::time::{Duration, Instant};

use lede_model::ids::{FeedId, ItemId};
use lede_model::message::english;
use lede_model::notification::MAX_PER_USER;
use lede_model::retention::CleanupReport;
use lede_model::time::Timestamp;
use lede_model::warning::{CleanupNote, MaintenanceError, Warning};
use lede_store::cleanup::{self, ExpiringRows, Rule, Slice, WHENEVER};
use lede_store::{
    Db, Engine, StoreResult, identities, item_counts, maintenance, notifications, search, settings,
    unread, users,
};

use super::disk::{self, size};
use super::health::SIZE_WARNING;
use super::megabytes;
use crate::batched_writes::Steps;
use crate::metrics::Metrics;
use crate::{Lede, accounts};

/// Interval between checks for a due clean-up.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// Rows examined per read.
const SLICE: i64 = 1000;
/// Items removed, or articles cleared, per transaction, at first and at most. An item of some six
/// kilobytes takes 0.1 to 0.2 ms on SQLite and 0.4 ms on PostgreSQL.
const ITEMS: Steps = Steps::of(16, 64);
/// Other rows removed per transaction.
const ROWS: i64 = 500;
/// Feeds whose items are counted per read.
const FEEDS: i64 = 50;
/// Rows of unread state per transaction; they are small.
const UNREAD_ROWS: Steps = Steps::of(500, 4_000);
/// Pages of the search index rewritten per transaction.
const SEARCH_PAGES: Steps = Steps::of(4, 16);
/// Percentage of removed entries from which a part of the search index is rewritten: a tenth at the
/// end of a clean-up, half while one is in progress (`search::merge_segments` explains why).
const WORTH_MERGING: i64 = 10;
const HALF: i64 = 50;
/// Imported subscription lists removed per transaction: each may have a thousand entries.
const IMPORTS: i64 = 5;
/// Feeds with pending marks removed per transaction: each may have a thousand marks.
const MARK_IMPORTS: i64 = 5;
/// Idle time of the writer after each batch.
const BREATH: Duration = Duration::from_millis(10);

/// Cleans up once a day until `stop` is ready. An interrupted clean-up continues the next time.
pub(crate) async fn run(lede: &Lede, stop: impl Future<Output = ()>) {
    let keeping = async {
        let mut seen = None;
        loop {
            let today = lede.settings.retention.nightly.day(lede.clock.now());
            if seen.as_ref() != Some(&today) {
                match clean_up_when_due(lede).await {
                    Ok(_) => seen = Some(today),
                    Err(error) => tracing::error!(%error, "the clean-up failed"),
                }
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    tokio::select! {
        () = stop => {}
        () = keeping => {}
    }
}

/// Cleans up unless that was done since the hour at which it is due.
pub async fn clean_up_when_due(lede: &Lede) -> StoreResult<Option<CleanupReport>> {
    let day = lede.settings.retention.nightly.day(lede.clock.now());
    let is_ours = lede
        .store
        .write(move |db| cleanup::claim_day(db, &day))
        .await?;
    if is_ours {
        clean_up(lede).await.map(Some)
    } else {
        Ok(None)
    }
}

/// Cleans up now: removes data past its retention and makes the database fit its size limit.
pub async fn clean_up(lede: &Lede) -> StoreResult<CleanupReport> {
    let outcome = cleaned_up(lede).await;
    let word = if outcome.is_ok() {
        "success"
    } else {
        "failure"
    };
    Metrics::count(&lede.metrics.cleanups.outcomes, word);
    outcome
}

async fn cleaned_up(lede: &Lede) -> StoreResult<CleanupReport> {
    let began = Instant::now();
    let before = size(lede).await?;
    let now = lede.clock.now();
    let kept = &lede.settings.retention;

    let mut posts_removed = 0;
    if let Some(before) = kept.read_before(now) {
        posts_removed += remove_older(lede, Rule::Read, before, "age").await?;
    }
    if let Some(most) = kept.most_of_a_feed() {
        posts_removed += trim_feeds(lede, most).await?;
    }
    let full_content_cleared = clear_articles(lede, kept.articles_before(now)).await?;
    let mut unread_removed = 0;
    if let Some(before) = kept.unread_before(now) {
        unread_removed = remove_older(lede, Rule::Unread, before, "unread").await?;
    }
    merge_search_segments(lede, WORTH_MERGING).await?;
    delete_expired_rows(lede, now).await?;
    // By then bulk marks that can no longer be undone are removed, which leaves their rows over.
    clean_unread(lede).await?;
    count_items(lede).await?;

    let mut notes = Vec::new();
    posts_removed += make_it_fit(lede, now, &mut notes).await?;
    maintenance::optimise(&lede.store).await?;
    let after = size(lede).await?;
    let report = CleanupReport {
        executed_at: lede.clock.now(),
        posts_removed,
        full_content_cleared,
        unread_removed,
        bytes_freed: (before.used - after.used).max(0),
        duration: began.elapsed(),
        notes,
    };
    let entry = report.clone();
    lede.store
        .write(move |db| cleanup::add_to_log(db, &entry))
        .await?;
    tracing::info!(
        posts_removed,
        full_content_cleared,
        unread_removed,
        bytes_freed = report.bytes_freed,
        duration_ms = report.duration.as_secs_f64() * 1000.0,
        notes = english(&report.notes),
        "cleaned up"
    );
    Ok(report)
}

/// Removes items that `rule` allows to remove, older than `before`. Returns their number.
async fn remove_older(
    lede: &Lede,
    rule: Rule,
    before: Timestamp,
    why: &'static str,
) -> StoreResult<i64> {
    let (mut removed, mut after, mut steps) = (0, None, ITEMS);
    loop {
        let walk = move |db: &mut Db<'_>| cleanup::walk(db, rule, before, after, SLICE);
        let Slice { found, next } = lede.store.read(walk).await?;
        removed += remove(lede, rule, before, found, why, &mut steps).await?;
        if next.is_none() {
            return Ok(removed);
        }
        after = next;
    }
}

/// Removes the oldest items of every feed that has more than `most`. Returns their number.
async fn trim_feeds(lede: &Lede, most: i64) -> StoreResult<i64> {
    let (mut removed, mut after, mut steps) = (0, None, ITEMS);
    loop {
        let walk = move |db: &mut Db<'_>| cleanup::overfull_feeds(db, most, after, SLICE);
        let (overfull, next) = lede.store.read(walk).await?;
        for overfull in overfull {
            let mut after = None;
            loop {
                let walk = move |db: &mut Db<'_>| cleanup::walk_feed(db, overfull, after, SLICE);
                let Slice { found, next } = lede.store.read(walk).await?;
                removed += remove(lede, Rule::Read, WHENEVER, found, "number", &mut steps).await?;
                if next.is_none() {
                    break;
                }
                after = next;
            }
        }
        if next.is_none() {
            return Ok(removed);
        }
        after = next;
    }
}

async fn remove(
    lede: &Lede,
    rule: Rule,
    before: Timestamp,
    found: Vec<ItemId>,
    why: &'static str,
    steps: &mut Steps,
) -> StoreResult<i64> {
    let now = lede.clock.now();
    let remove =
        move |db: &mut Db<'_>, batch: &[ItemId]| cleanup::remove(db, rule, before, batch, now);
    let removed = in_batches(lede, found, steps, remove).await?;
    lede.metrics.removed(why, removed as u64);
    if removed > 0 {
        merge_search_segments(lede, HALF).await?;
    }
    Ok(removed as i64)
}

/// Passes all of `found` to `work` in batches. Returns the sum of its results.
async fn in_batches(
    lede: &Lede,
    mut found: Vec<ItemId>,
    steps: &mut Steps,
    work: impl FnMut(&mut Db<'_>, &[ItemId]) -> StoreResult<usize> + Clone + Send + 'static,
) -> StoreResult<usize> {
    let mut done = 0;
    while !found.is_empty() {
        let rest = found.split_off(found.len().min(steps.rows()));
        let batch = std::mem::replace(&mut found, rest);
        let mut work = work.clone();
        let step = move |db: &mut Db<'_>, _: usize| Ok((work(db, &batch)?, batch.len()));
        done += steps.step(&lede.store, step).await?;
        tokio::time::sleep(BREATH).await;
    }
    Ok(done)
}

/// Clears the articles of items that were read before `before`. Returns their number.
async fn clear_articles(lede: &Lede, before: Timestamp) -> StoreResult<i64> {
    let (mut cleared, mut after, mut steps) = (0, None, ITEMS);
    loop {
        let walk = move |db: &mut Db<'_>| cleanup::walk_articles(db, before, after, SLICE);
        let Slice { found, next } = lede.store.read(walk).await?;
        let clear =
            move |db: &mut Db<'_>, batch: &[ItemId]| cleanup::clear_articles(db, before, batch);
        let done = in_batches(lede, found, &mut steps, clear).await?;
        lede.metrics.cleanups.articles_cleared.inc_by(done as u64);
        cleared += done as i64;
        if next.is_none() {
            return Ok(cleared);
        }
        after = next;
    }
}

/// Rewrites the parts of the search index of which at least `percent` percent were removed.
async fn merge_search_segments(lede: &Lede, percent: i64) -> StoreResult<()> {
    let mut steps = SEARCH_PAGES;
    let merge = move |db: &mut Db<'_>, pages: usize| {
        Ok((search::merge_segments(db, percent, pages as i64)?, pages))
    };
    while steps.step(&lede.store, merge).await? {
        tokio::time::sleep(BREATH).await;
    }
    Ok(())
}

/// Removes leftover rows of bulk marks and recounts the unread items of each user.
async fn clean_unread(lede: &Lede) -> StoreResult<()> {
    for user in lede.store.read(users::all).await? {
        let mut steps = UNREAD_ROWS;
        let remove = move |db: &mut Db<'_>, rows: usize| {
            let removed = unread::remove_left_over(db, user, rows as i64)? as usize;
            Ok((removed, removed))
        };
        while steps.step(&lede.store, remove).await? > 0 {
            tokio::time::sleep(BREATH).await;
        }
        let count = move |db: &mut Db<'_>| unread::recount_of_user(db, user);
        let wrong = lede.store.write(count).await?;
        if wrong > 0 {
            tracing::error!(
                user.id = user.as_i64(),
                feeds = wrong,
                "wrong unread counts were corrected"
            );
        }
        tokio::time::sleep(BREATH).await;
    }
    Ok(())
}

/// Corrects wrong item counts of feeds. They are detected in reads, which leave the writer free.
async fn count_items(lede: &Lede) -> StoreResult<()> {
    let mut after = FeedId::from(0);
    loop {
        let looked = lede
            .store
            .read(move |db| item_counts::check_next(db, after, FEEDS));
        let looked = looked.await?;
        for (feed, _) in looked.iter().copied().filter(|(_, is_wrong)| *is_wrong) {
            let recount = move |db: &mut Db<'_>| item_counts::recount(db, feed);
            lede.store.write(recount).await?;
            tracing::error!(feed.id = feed.as_i64(), "wrong item counts were corrected");
        }
        match looked.last() {
            Some((last, _)) => after = *last,
            None => return Ok(()),
        }
    }
}

/// Removes everything that is not an item: old log lines, ended sessions and tokens, bulk marks
/// that can no longer be undone, and stale imports and events.
async fn delete_expired_rows(lede: &Lede, now: Timestamp) -> StoreResult<()> {
    let kept = &lede.settings.retention;
    for (what, before, at_once) in [
        (ExpiringRows::Log, kept.log_before(now), ROWS),
        (ExpiringRows::BulkMarks, kept.bulk_marks_before(now), ROWS),
        (ExpiringRows::Imports, kept.imports_before(now), IMPORTS),
        (
            ExpiringRows::PendingMarks,
            kept.pending_marks_before(now),
            MARK_IMPORTS,
        ),
        (
            ExpiringRows::Notifications,
            kept.notifications_before(now),
            ROWS,
        ),
        (ExpiringRows::Events, kept.events_before(now), ROWS),
    ] {
        let forget = move |db: &mut Db<'_>| cleanup::delete_expired(db, what, before, at_once);
        while lede.store.write(forget).await? > 0 {
            tokio::time::sleep(BREATH).await;
        }
    }
    limit_notifications(lede).await?;
    accounts::remove_expired(lede).await?;
    lede.store
        .write(move |db| identities::delete_expired_attempts(db, now))
        .await?;
    remove_tombstones(lede, kept.tombstones_before(now)).await
}

/// Removes the oldest notifications of users who have more than the limit.
async fn limit_notifications(lede: &Lede) -> StoreResult<()> {
    let mut after = None;
    loop {
        let next = move |db: &mut Db<'_>| notifications::find_overfull(db, MAX_PER_USER, after);
        let Some(user) = lede.store.read(next).await? else {
            return Ok(());
        };
        let remove =
            move |db: &mut Db<'_>| notifications::remove_oldest(db, user, MAX_PER_USER, ROWS);
        while lede.store.write(remove).await? > 0 {
            tokio::time::sleep(BREATH).await;
        }
        after = Some(user);
    }
}

/// Removes tombstones of deleted items that their feeds no longer list.
async fn remove_tombstones(lede: &Lede, before: Timestamp) -> StoreResult<()> {
    let mut after = (FeedId::from(i64::MIN), String::new());
    loop {
        let from = after.clone();
        let walk = move |db: &mut Db<'_>| cleanup::walk_tombstones(db, before, &from, ROWS);
        let Some((last, is_any_old)) = lede.store.read(walk).await? else {
            return Ok(());
        };
        if is_any_old {
            let (from, to) = (after, last.clone());
            lede.store
                .write(move |db| cleanup::remove_tombstones(db, &from, &to, before))
                .await?;
            tokio::time::sleep(BREATH).await;
        }
        after = last;
    }
}

/// Makes the database fit its size limit: vacuums it, then shortens the retention of read items
/// step by step. Returns the number of removed items. If it still does not fit, a warning is
/// stored.
async fn make_it_fit(
    lede: &Lede,
    now: Timestamp,
    notes: &mut Vec<CleanupNote>,
) -> StoreResult<i64> {
    let most = lede.settings.retention.most_bytes();
    let is_over = |bytes: i64| most.is_some_and(|most| bytes > most);
    let mut removed = 0;
    if is_over(size(lede).await?.total) {
        give_back_room(lede, notes).await;
        removed = remove_until_it_fits(lede, now, &is_over, notes).await?;
    }
    let size = size(lede).await?.total;
    if is_over(size) {
        tracing::error!(
            size_mb = megabytes(size),
            limit_mb = lede.settings.retention.max_db_size_mb,
            "the database is larger than MAX_DB_SIZE_MB, and nothing more may be removed"
        );
        notes.push(CleanupNote::StillTooLarge);
        lede.store
            .write(|db| settings::put_messages(db, SIZE_WARNING, &[Warning::StillTooLarge]))
            .await?;
    } else {
        lede.store
            .write(|db| settings::remove(db, SIZE_WARNING))
            .await?;
    }
    Ok(removed)
}

async fn remove_until_it_fits(
    lede: &Lede,
    now: Timestamp,
    is_over: &impl Fn(i64) -> bool,
    notes: &mut Vec<CleanupNote>,
) -> StoreResult<i64> {
    let mut removed = 0;
    let mut used = size(lede).await?.used;
    for (days, before) in lede.settings.retention.read_before_to_fit(now) {
        if !is_over(used) {
            break;
        }
        let gone = remove_older(lede, Rule::Read, before, "room").await?;
        if gone == 0 {
            continue;
        }
        removed += gone;
        notes.push(CleanupNote::RemovedForRoom { items: gone, days });
        merge_search_segments(lede, WORTH_MERGING).await?;
        if lede.store.engine() == Engine::Postgres {
            give_back_room(lede, notes).await;
        }
        let now_used = size(lede).await?.used;
        if lede.store.engine() == Engine::Postgres && now_used >= used {
            // Removing more would not help either, and would cost users their items.
            notes.push(CleanupNote::KeptByPostgres);
            break;
        }
        used = now_used;
    }
    if removed > 0 && lede.store.engine() == Engine::Sqlite {
        give_back_room(lede, notes).await;
    }
    Ok(removed)
}

/// Vacuums the database. If that is not possible, the log and the notes say why.
async fn give_back_room(lede: &Lede, notes: &mut Vec<CleanupNote>) {
    if let Err(error) = disk::vacuum(lede).await {
        tracing::warn!(%error, "the database was not made smaller");
        let error = MaintenanceError::from(&error);
        let note = CleanupNote::NotSmaller { error };
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
}
