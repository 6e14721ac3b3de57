//! Notifications: delivery from the outbox, and the list in the bell of the web app.

use lede_model::ids::{NotificationId, UserId};
use lede_model::job::JobKind;
use lede_model::notification::Channel;
use lede_store::StoreResult;
use lede_store::notifications::{self, NotificationFilter};

use crate::Lede;
use crate::jobs::{self, Exhausted, JobDefinition, JobOutcome};

pub use lede_store::notifications::Notification;

/// Notifications delivered per transaction.
const AT_ONCE: i64 = 200;

/// Delivers pending notifications. A job that has failed is visible to administrators, and the next
/// notification of its user revives it; until then its notifications stay pending.
pub(crate) const JOB: JobDefinition = JobDefinition {
    kind: JobKind::Notification,
    concurrency: |_| 2,
    lease: jobs::STANDARD_LEASE,
    retries: &jobs::STANDARD_RETRIES,
    exhausted: Exhausted::Keep,
    is_paused: jobs::disk_is_low,
    handler: |lede, job| {
        Box::pin(async move {
            deliver(&lede, job.key).await?;
            Ok(JobOutcome::Done)
        })
    },
};

/// Delivers the pending notifications of the job's user and channel. A page that misses them, because
/// the process ends before it has sent them, finds them in the list when it connects again.
async fn deliver(lede: &Lede, job_key: i64) -> StoreResult<()> {
    loop {
        let (now, live_updates) = (lede.clock.now(), lede.live_updates.clone());
        let delivered = lede.store.write(move |db| {
            let Some((user, channel)) = notifications::find_recipient(db, job_key)? else {
                return Ok(None);
            };
            let delivered = notifications::deliver(db, user, channel, AT_ONCE, now)?;
            match channel {
                Channel::Web => live_updates.announce_notifications(db, user, &delivered)?,
            }
            Ok(Some((user, delivered)))
        });
        let Some((user, delivered)) = delivered.await? else {
            return Ok(());
        };
        if delivered.is_empty() {
            return Ok(());
        }
        lede.live_updates.notified(user, &delivered);
    }
}

/// A page of the list, with the number of unread notifications.
#[derive(Debug)]
pub struct NotificationPage {
    /// Newest first.
    pub notifications: Vec<Notification>,
    /// Cursor for the next page; `None` at the end.
    pub next: Option<NotificationId>,
    /// Unread notifications in all pages, at most [`notifications::COUNTED`].
    pub unread: i64,
}

/// Returns up to `limit` notifications of `user` that are older than `before`.
pub async fn page(
    lede: &Lede,
    user: UserId,
    filter: NotificationFilter,
    before: Option<NotificationId>,
    limit: i64,
) -> StoreResult<NotificationPage> {
    let page = lede.store.read(move |db| {
        let mut page = notifications::page(db, user, filter, before, limit + 1)?;
        let has_more = page.len() as i64 > limit;
        page.truncate(usize::try_from(limit).unwrap_or_default());
        Ok(NotificationPage {
            next: page.last().filter(|_| has_more).map(|last| last.id),
            notifications: page,
            unread: notifications::count_unread(db, user)?,
        })
    });
    page.await
}

/// Marks a notification as read. Returns `false` if `user` has no such notification.
pub async fn mark_read(lede: &Lede, user: UserId, id: NotificationId) -> StoreResult<bool> {
    let now = lede.clock.now();
    let marked = lede
        .store
        .write(move |db| notifications::mark_read(db, user, id, now))
        .await?;
    lede.live_updates.marked(user);
    Ok(marked)
}

/// Marks all notifications of `user` as read.
pub async fn mark_all_read(lede: &Lede, user: UserId) -> StoreResult<()> {
    let now = lede.clock.now();
    lede.store
        .write(move |db| notifications::mark_all_read(db, user, now))
        .await?;
    lede.live_updates.marked(user);
    Ok(())
}
