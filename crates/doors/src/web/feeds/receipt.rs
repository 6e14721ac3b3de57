//! How a feed is doing, in words: what its server said last, when it is asked next and why then, and
//! what can be done.

use std::borrow::Cow;
use std::time::Duration;

use lede_model::feed::{FeedStatus, Subscription};
use lede_model::time::Timestamp;

use crate::web::page::Page;
use crate::web::words::Words;

/// A time as it is shown: for programs, for a glance, and in full.
pub(super) struct Moment {
    pub(super) iso: String,
    pub(super) words: String,
    pub(super) exact: String,
}

/// The story of a feed.
pub(super) struct Receipt {
    /// How it is, in a sentence.
    pub(super) headline: Cow<'static, str>,
    pub(super) is_trouble: bool,
    /// When it was asked last; nothing when it never was.
    pub(super) asked: Option<Moment>,
    /// What went wrong, in the server's words or ours, which are English.
    pub(super) error: Option<String>,
    pub(super) failing_since: Option<Moment>,
    pub(super) failures: i64,
    pub(super) next: Option<Moment>,
    /// Why then, or why not.
    pub(super) why: Option<Cow<'static, str>>,
    /// What can be done about it.
    pub(super) remedy: Option<Cow<'static, str>>,
    /// Whether it goes on only when somebody says so.
    pub(super) can_resume: bool,
}

impl Receipt {
    pub(super) fn of(page: &Page, feed: &Subscription, now: Timestamp) -> Self {
        let status = feed.feed.status;
        let is_trouble = status != FeedStatus::Active;
        let headline = match (feed.paused_at, status, feed.last_fetched_at) {
            (_, FeedStatus::Stopped, _) => page.say("feeds-health-stopped"),
            (Some(_), ..) => page.say("feeds-health-paused"),
            (None, FeedStatus::Error, _) => page.say("feeds-health-error"),
            (None, FeedStatus::Active, None) => page.say("feeds-health-waiting"),
            (None, FeedStatus::Active, Some(_)) => page.say("feeds-health-good"),
        };
        let remedy = is_trouble.then(|| match feed.last_fetch_status.as_deref() {
            Some("unauthorized") => page.say("feeds-remedy-refused"),
            Some("permanent_error") => page.say("feeds-remedy-gone"),
            _ => page.say("feeds-remedy-wait"),
        });
        let past = |at: Timestamp| Moment {
            iso: at.to_string(),
            words: page.age(at, now).into(),
            exact: page.exact(at).into(),
        };
        let next = feed.next_fetch_at.filter(|_| feed.paused_at.is_none());
        Self {
            headline,
            is_trouble,
            asked: feed.last_fetched_at.map(past),
            error: feed.last_error.clone(),
            failing_since: feed.failing_since.map(past),
            failures: feed.failures_in_a_row,
            next: next.map(|at| Moment {
                iso: at.to_string(),
                words: until(page.words(), at, now).into(),
                exact: page.exact(at).into(),
            }),
            why: feed
                .next_fetch_why
                .as_deref()
                .filter(|_| feed.paused_at.is_none())
                .map(|why| reason(page.words(), why)),
            remedy,
            can_resume: feed.is_disabled(),
        }
    }
}

/// How soon, short.
fn until(words: Words, at: Timestamp, now: Timestamp) -> Cow<'static, str> {
    const HOUR: Duration = Duration::from_secs(3600);
    let wait = at.since(now);
    match wait.as_secs() / 60 {
        0 => words.say("feeds-soon"),
        minutes if wait < HOUR => words.count("feeds-in-minutes", minutes),
        minutes => words.count("feeds-in-hours", (minutes + 30) / 60),
    }
}

/// The reason of the plan in the reader's language. Rows keep it in English (`model::schedule`); one
/// that is not known here is shown as it is.
fn reason(words: Words, why: &str) -> Cow<'static, str> {
    let number = |begin: &str, end: &str| -> Option<i64> {
        why.strip_prefix(begin)?.strip_suffix(end)?.parse().ok()
    };
    if let Some(minutes) = number("every ", " minutes") {
        return words.count("feeds-why-interval", minutes);
    }
    if let Some(failures) = number("failure ", " in a row") {
        return words.count("feeds-why-failure", failures);
    }
    if let Some(failures) = number("it failed ", " times in a row") {
        return words.count("feeds-why-given-up", failures);
    }
    let silence = why.strip_prefix("the feed says that nothing new comes before ");
    if let Some(time) = silence {
        return words.with("feeds-why-silence", "time", time);
    }
    words.say(match why {
        "the server asks not to come back sooner" => "feeds-why-server-asks",
        "the feed asks not to come back sooner" => "feeds-why-feed-asks",
        "at the times that are set for all feeds" => "feeds-why-timetable",
        "the feed says that nothing new comes for days; it is looked at once a day" => {
            "feeds-why-quiet-days"
        }
        "the server said when to come back" => "feeds-why-server-said",
        "the server asked for fewer requests" => "feeds-why-fewer",
        "its publisher says that it is gone for good" => "feeds-why-gone",
        "it failed" => "feeds-why-failed",
        "somebody follows it again" => "feeds-why-followed",
        "nobody follows it" => "feeds-why-nobody",
        "its earlier plan no longer holds" => "feeds-why-new-plan",
        other => return Cow::Owned(other.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use lede_model::preferences::Language;
    use lede_model::schedule::{
        Asked, Decision, FailureKind, FailurePolicy, Failures, Rhythm, Wishes, after_failure,
        after_success,
    };

    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_000_000_000);

    fn why(decision: Decision) -> String {
        match decision {
            Decision::FetchAt { why, .. } | Decision::Stop { why } => why,
        }
    }

    #[test]
    fn every_reason_of_the_schedule_is_told_in_every_language() {
        let hours = |hours: u64| Some(Duration::from_secs(hours * 3600));
        let good = |rhythm, by_server, by_feed| {
            why(after_success(
                NOW,
                rhythm,
                Asked { by_server, by_feed },
                0.0,
            ))
        };
        let bad = |kind, in_a_row, retry_after| {
            let before = Failures {
                in_a_row,
                since: None,
            };
            let policy = FailurePolicy::Patient;
            why(after_failure(NOW, policy, kind, before, retry_after, 0.0))
        };
        let hourly = Rhythm::EveryMinutes(60);
        let none = Wishes::default();
        let reasons = [
            good(hourly, None, none),
            good(hourly, hours(3), none),
            good(hourly, None, Wishes::new(Some(600), &[], &[])),
            good(hourly, None, Wishes::new(None, &[2, 3, 4], &[])),
            good(hourly, None, Wishes::new(None, &[], &[6, 0, 1, 2])),
            good(Rhythm::Timetable(NOW), None, none),
            bad(FailureKind::Temporary, 0, None),
            bad(FailureKind::Temporary, 0, hours(1)),
            bad(FailureKind::RateLimited, 0, None),
            bad(FailureKind::Gone, 0, None),
            bad(FailureKind::Refused, 9, None),
        ];
        for language in [Language::Japanese, Language::Portuguese] {
            for reason_given in &reasons {
                let told = reason(Words(language), reason_given);
                assert_ne!(told, reason_given.as_str(), "{language:?}");
            }
        }
    }
}
