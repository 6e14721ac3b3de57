//! Health of a feed in words: its last fetch result, the next fetch and its reason, and remedies.

use std::borrow::Cow;
use std::time::Duration;

use lede_model::feed::{FeedStatus, Subscription};
use lede_model::feed_error::FeedError;
use lede_model::time::Timestamp;

use crate::web::i18n::{Translator, sentence};
use crate::web::page::Page;

/// A time in three forms: ISO 8601, relative, and in full.
pub(in crate::web) struct Moment {
    pub(in crate::web) iso: String,
    pub(in crate::web) words: String,
    pub(in crate::web) exact: String,
}

/// Last fetch result and next fetch of a feed.
pub(in crate::web) struct FetchStatus {
    /// Status in one sentence.
    pub(in crate::web) headline: Cow<'static, str>,
    pub(in crate::web) is_trouble: bool,
    /// Time of the last fetch; `None` if there was none.
    pub(in crate::web) asked: Option<Moment>,
    /// Description of the error.
    pub(in crate::web) error: Option<String>,
    pub(in crate::web) failing_since: Option<Moment>,
    pub(in crate::web) failures: i64,
    pub(in crate::web) next: Option<Moment>,
    /// Reason for the time of the next fetch, or for its absence.
    pub(in crate::web) why: Option<Cow<'static, str>>,
    pub(in crate::web) remedy: Option<Cow<'static, str>>,
    /// True if the server requires a user name and a password, or the stored ones can no longer be
    /// read.
    pub(in crate::web) wants_access: bool,
    /// True if the feed is not fetched until it is resumed.
    pub(in crate::web) can_resume: bool,
}

impl FetchStatus {
    pub(in crate::web) fn of(page: &Page, feed: &Subscription, now: Timestamp) -> Self {
        let status = feed.feed.status;
        let is_trouble = status != FeedStatus::Active;
        let headline = match (feed.paused_at, status, feed.last_fetched_at) {
            (_, FeedStatus::Stopped, _) => page.t("feeds-health-stopped"),
            (Some(_), ..) => page.t("feeds-health-paused"),
            (None, FeedStatus::Error, _) => page.t("feeds-health-error"),
            (None, FeedStatus::Active, None) => page.t("feeds-health-waiting"),
            (None, FeedStatus::Active, Some(_)) => page.t("feeds-health-good"),
        };
        let wants_access = is_trouble
            && match &feed.last_error {
                Some(FeedError::Answered { status }) => status.starts_with("401"),
                Some(FeedError::AccessUnreadable) => true,
                _ => false,
            };
        let remedy = is_trouble.then(|| match feed.last_fetch_status.as_deref() {
            _ if wants_access => page.t("feeds-remedy-access"),
            Some("unauthorized") => page.t("feeds-remedy-refused"),
            Some("permanent_error") => page.t("feeds-remedy-gone"),
            _ => page.t("feeds-remedy-wait"),
        });
        let past = |at: Timestamp| Moment {
            iso: at.to_string(),
            words: page.ago(at, now).into(),
            exact: page.exact(at).into(),
        };
        let next = feed.next_fetch_at.filter(|_| feed.paused_at.is_none());
        Self {
            headline,
            is_trouble,
            asked: feed.last_fetched_at.map(past),
            error: feed
                .last_error
                .as_ref()
                .map(|error| sentence(&page.translate(error))),
            failing_since: feed.failing_since.map(past),
            failures: feed.failures_in_a_row,
            next: next.map(|at| Moment {
                iso: at.to_string(),
                words: until(page.words(), at, now).into(),
                exact: page.exact(at).into(),
            }),
            why: feed
                .next_fetch_why
                .as_ref()
                .filter(|_| feed.paused_at.is_none())
                .map(|why| page.translate(why)),
            remedy,
            wants_access,
            can_resume: feed.is_disabled(),
        }
    }
}

/// Formats the time until `at` in short form.
fn until(words: Translator, at: Timestamp, now: Timestamp) -> Cow<'static, str> {
    const HOUR: Duration = Duration::from_secs(3600);
    let wait = at.since(now);
    match wait.as_secs() / 60 {
        0 => words.t("feeds-soon"),
        minutes if wait < HOUR => words.count("feeds-in-minutes", minutes),
        minutes => words.count("feeds-in-hours", (minutes + 30) / 60),
    }
}
