//! Fetch schedule: decides from the result of a fetch when a feed is next due, or why it is not.
//!
//! Pure rules: the time, the counters and a random number are arguments, the result is a decision.
//! Leases and rows are in `store`, the worker loops in `core`.

mod publisher_hints;

use std::time::Duration;

use crate::message::{Minutes, StoredMessage, messages};
use crate::time::Timestamp;

pub use publisher_hints::PublisherHints;

/// Interval of a subscription for which the user has set none, in minutes.
pub const DEFAULT_INTERVAL_MINUTES: i64 = 60;
/// Shortest interval that a user may choose, in minutes.
pub const SHORTEST_INTERVAL_MINUTES: i64 = 30;
/// Longest interval that a user may choose, in minutes.
pub const LONGEST_INTERVAL_MINUTES: i64 = 720;

/// Returns `true` if a user may choose this interval: 30 to 720 minutes in steps of 30, or 0, which
/// adapts to the feed.
pub const fn is_interval(minutes: i64) -> bool {
    minutes == 0
        || (minutes % SHORTEST_INTERVAL_MINUTES == 0
            && minutes >= SHORTEST_INTERVAL_MINUTES
            && minutes <= LONGEST_INTERVAL_MINUTES)
}

/// Minimum time between two attempts to fetch an article from its page, for all users together.
pub const ARTICLE_PAUSE: Duration = Duration::from_secs(DAY);

/// Minimum time since the last fetch for a manual refresh of all feeds. No publisher posts more
/// often, and a user who refreshes repeatedly must not cause load on the publishers' servers.
pub const REFRESH_PAUSE: Duration = Duration::from_secs(5 * MINUTE);

/// Limit for the delays that servers request: one wrong header must not freeze a feed.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * HOUR);
/// Share of a wait that is randomised, so that feeds do not become synchronised, and its upper bound.
const JITTER_PART: f64 = 0.1;
const LONGEST_JITTER: Duration = Duration::from_secs(30 * MINUTE);

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Waits after the first, second … consecutive failure; the last one repeats.
const FAILURE_WAITS: [Duration; 5] = [
    Duration::from_secs(5 * MINUTE),
    Duration::from_secs(15 * MINUTE),
    Duration::from_secs(HOUR),
    Duration::from_secs(6 * HOUR),
    Duration::from_secs(DAY),
];
/// Minimum wait after a 429 response without `Retry-After`.
const RATE_LIMITED_WAIT: Duration = Duration::from_secs(HOUR);
/// Consecutive refusals after which the patient policy stops a feed. Fewer are taken as temporary:
/// YouTube and Reddit send such responses temporarily.
const PATIENT_REFUSALS: i64 = 7;
/// Consecutive failures after which a feed stops if it cannot be parsed, or under the strict policy.
const MAX_FAILURES: i64 = 10;
/// Minimum time for which a feed must be unreachable before it stops.
const UNREACHABLE_FOR: Duration = Duration::from_secs(14 * DAY);

/// Policy for stopping feeds that fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailurePolicy {
    /// The default: most failures are temporary, even if the response claims otherwise.
    #[default]
    Patient,
    /// Refusals stop the feed at once.
    Strict,
    /// Any failure stops the feed at once.
    OneStrike,
}

impl FailurePolicy {
    /// Parses the name used in rows and settings.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "patient" => Some(Self::Patient),
            "strict" => Some(Self::Strict),
            "one_strike" => Some(Self::OneStrike),
            _ => None,
        }
    }

    /// Returns the name used in rows and settings.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Patient => "patient",
            Self::Strict => "strict",
            Self::OneStrike => "one_strike",
        }
    }
}

/// Kinds of failures that the schedule treats differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// HTTP status 410: the publisher has removed the feed permanently.
    Gone,
    /// HTTP status 401 or 403.
    Unauthorised,
    /// HTTP status 404, 400 and similar: refused, perhaps temporarily.
    Refused,
    /// The response is not a feed.
    NotAFeed,
    /// The response is a feed that cannot be parsed.
    Unreadable,
    /// HTTP status 429, too many requests.
    RateLimited,
    /// DNS errors, connection errors, timeouts and 5xx.
    Temporary,
}

impl FailureKind {
    /// Returns the code stored in `last_fetch_status`.
    pub const fn status_word(self) -> &'static str {
        match self {
            Self::Gone | Self::Refused | Self::NotAFeed | Self::Unreadable => "permanent_error",
            Self::Unauthorised => "unauthorized",
            Self::RateLimited | Self::Temporary => "temporary_error",
        }
    }
}

/// Failures of a feed before the present one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Failures {
    /// Number of consecutive failures, without the present one.
    pub in_a_row: i64,
    /// Time of the first of them.
    pub since: Option<Timestamp>,
}

/// Decision about the next fetch of a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Fetch the feed again at a given time.
    FetchAt {
        at: Timestamp,
        /// Stored with the feed and shown to its subscribers.
        why: ScheduleReason,
    },
    /// Do not fetch the feed until a user resumes it.
    Stop {
        /// Stored with the feed and shown to its subscribers.
        why: ScheduleReason,
    },
}

messages! {
    /// Reason for the time of the next fetch, or for its absence.
    pub enum ScheduleReason("schedule-reason") {
        /// The interval that the subscribers chose.
        EveryMinutes("every_minutes") { minutes: Minutes } => "every {minutes} minutes",
        /// The operator has configured a timetable for all feeds.
        Timetable("timetable") => "at the times that are set for all feeds",
        /// `Cache-Control` or `Expires` of a successful response.
        ServerAsks("server_asks") => "the server asks not to come back sooner",
        /// The feed's own refresh interval, as in `<ttl>`.
        FeedAsks("feed_asks") => "the feed asks not to come back sooner",
        /// The feed lists hours without updates.
        QuietUntil("quiet_until") { time: String } => "the feed says that nothing new comes before {time}",
        /// The feed lists days without updates, more than the schedule waits for.
        QuietForDays("quiet_for_days") => "the feed says that nothing new comes for days; it is looked at once a day",
        /// `Retry-After` of a failed request.
        ServerSaid("server_said") => "the server said when to come back",
        /// HTTP status 429 without `Retry-After`.
        FewerRequests("fewer_requests") => "the server asked for fewer requests",
        /// The last fetch failed; retries become less frequent.
        Failure("failure") { number: i64 } => "failure {number} in a row",
        /// Stopped after HTTP status 410.
        Gone("gone") => "its publisher says that it is gone for good",
        /// Stopped after the first failure.
        Failed("failed") => "it failed",
        /// Stopped after several failures.
        FailedTimes("failed_times") { times: i64 } => "it failed {times} times in a row",
        /// The feed has never been fetched.
        New("new") => "it is new here",
        /// A user has subscribed to or resumed a feed that had no active subscriber.
        FollowedAgain("followed_again") => "somebody follows it again",
        /// All subscribers have left or paused the feed.
        NobodyFollows("nobody_follows") => "nobody follows it",
        /// The planned time was later than [`latest_plan`] allows.
        NewPlan("new_plan") => "its earlier plan no longer holds",
        /// The feed got the subscribers of another feed.
        MovedHere("moved_here") => "another feed moved here",
        /// The credentials have changed.
        NewAccess("new_access") => "what its server is shown has changed",
        /// A user has requested a refresh.
        Asked("asked") => "somebody asked for it now",
        /// Stored by another version.
        Unknown("unknown") => "a reason that this version of Lede does not know",
    }
}

impl StoredMessage for ScheduleReason {
    const UNKNOWN: Self = Self::Unknown;
}

impl ScheduleReason {
    /// Reasons given by the server. A manual refresh does not override them. (The feed's own hints
    /// only estimate when something new appears.)
    pub const OF_SERVER: [Self; 3] = [Self::ServerAsks, Self::ServerSaid, Self::FewerRequests];
}

/// Delays requested by the server and by the feed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RequestedDelays {
    /// The longest of `Cache-Control`, `Expires` and `Retry-After`.
    pub by_server: Option<Duration>,
    /// The publisher's hints in the feed.
    pub by_feed: PublisherHints,
}

/// Regular schedule of a feed that is fetched successfully.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cadence {
    /// At an interval in minutes, as the subscribers chose.
    EveryMinutes(i64),
    /// At the times that the operator configured for all feeds; this is the next one.
    Timetable(Timestamp),
}

/// Returns the latest time for which a fetch may be planned. Later ones come from a timetable that
/// was changed since, or from a wrong clock. `timetable` is the next time of the present timetable.
pub fn latest_plan(now: Timestamp, timetable: Option<Timestamp>) -> Timestamp {
    let latest = now + LONGEST_WAIT + LONGEST_JITTER;
    timetable.map_or(latest, |next| next.max(latest))
}

/// Returns the next fetch after a successful one. `chance` is a random number from 0 to 1.
pub fn after_success(
    now: Timestamp,
    rhythm: Cadence,
    asked: RequestedDelays,
    chance: f64,
) -> Decision {
    match rhythm {
        Cadence::EveryMinutes(minutes) => by_interval(now, minutes, asked, chance),
        Cadence::Timetable(next) => by_timetable(now, next, asked),
    }
}

/// Plans a fetch at the operator's time. If the server requests a later time, that time is used as
/// it is and not the next one of the timetable: with a delay of a day and a daily timetable, the
/// feed would be fetched every other day.
fn by_timetable(now: Timestamp, next: Timestamp, asked: RequestedDelays) -> Decision {
    let earliest = now + asked.by_server.unwrap_or_default().min(LONGEST_WAIT);
    let (at, why) = if earliest > next {
        (earliest, ScheduleReason::ServerAsks)
    } else {
        (next, ScheduleReason::Timetable)
    };
    Decision::FetchAt { at, why }
}

/// Plans a fetch after an interval, at most a day ahead.
fn by_interval(
    now: Timestamp,
    interval_minutes: i64,
    asked: RequestedDelays,
    chance: f64,
) -> Decision {
    let minutes = interval_minutes.clamp(SHORTEST_INTERVAL_MINUTES, LONGEST_INTERVAL_MINUTES);
    let chosen = Duration::from_secs(minutes.unsigned_abs() * MINUTE);
    let capped = |wait: Option<Duration>| wait.unwrap_or_default().min(LONGEST_WAIT);
    let (wait, why) = [
        (capped(asked.by_server), ScheduleReason::ServerAsks),
        (capped(asked.by_feed.wait()), ScheduleReason::FeedAsks),
    ]
    .into_iter()
    // The first of equals wins: the user's own choice is preferred as the reason.
    .fold(
        (
            chosen,
            ScheduleReason::EveryMinutes {
                minutes: Minutes(minutes),
            },
        ),
        |best, next| {
            if next.0 > best.0 { next } else { best }
        },
    );
    let latest = now + LONGEST_WAIT;
    let at = (now + wait + jitter(wait, chance)).min(latest);
    match asked.by_feed.end_of_silence(at, latest) {
        None => Decision::FetchAt { at, why },
        Some(end) if end >= latest => Decision::FetchAt {
            at: latest,
            why: ScheduleReason::QuietForDays,
        },
        // Many feeds end their silence at the same hour; the jitter spreads them within that hour.
        Some(end) => Decision::FetchAt {
            at: (end + jitter(end.since(now), chance)).min(latest),
            why: ScheduleReason::QuietUntil {
                time: end.to_jiff().strftime("%H:%M UTC").to_string(),
            },
        },
    }
}

/// Returns the next attempt after a failed fetch, or the decision to stop.
pub fn after_failure(
    now: Timestamp,
    policy: FailurePolicy,
    kind: FailureKind,
    before: Failures,
    retry_after: Option<Duration>,
    chance: f64,
) -> Decision {
    let in_a_row = before.in_a_row + 1;
    let failing_for = now.since(before.since.unwrap_or(now));
    if let Some(why) = reason_to_stop(policy, kind, in_a_row, failing_for) {
        return Decision::Stop { why };
    }
    let step = usize::try_from(in_a_row - 1)
        .unwrap_or(0)
        .min(FAILURE_WAITS.len() - 1);
    let (wait, why) = match retry_after {
        Some(wait) => (wait.min(LONGEST_WAIT), ScheduleReason::ServerSaid),
        None if kind == FailureKind::RateLimited => (
            FAILURE_WAITS[step].max(RATE_LIMITED_WAIT),
            ScheduleReason::FewerRequests,
        ),
        None => (
            FAILURE_WAITS[step],
            ScheduleReason::Failure { number: in_a_row },
        ),
    };
    Decision::FetchAt {
        at: now + wait + jitter(wait, chance),
        why,
    }
}

fn reason_to_stop(
    policy: FailurePolicy,
    kind: FailureKind,
    in_a_row: i64,
    failing_for: Duration,
) -> Option<ScheduleReason> {
    let stops = match (policy, kind) {
        (FailurePolicy::OneStrike, _) | (_, FailureKind::Gone) => true,
        (
            FailurePolicy::Strict,
            FailureKind::Refused | FailureKind::NotAFeed | FailureKind::Unauthorised,
        ) => true,
        (FailurePolicy::Strict, _) => in_a_row >= MAX_FAILURES,
        (
            FailurePolicy::Patient,
            FailureKind::Refused | FailureKind::Unauthorised | FailureKind::NotAFeed,
        ) => in_a_row >= PATIENT_REFUSALS,
        (FailurePolicy::Patient, FailureKind::Unreadable) => in_a_row >= MAX_FAILURES,
        (FailurePolicy::Patient, FailureKind::RateLimited | FailureKind::Temporary) => {
            in_a_row >= MAX_FAILURES && failing_for >= UNREACHABLE_FOR
        }
    };
    stops.then_some(match (kind, in_a_row) {
        (FailureKind::Gone, _) => ScheduleReason::Gone,
        (_, 1) => ScheduleReason::Failed,
        (_, times) => ScheduleReason::FailedTimes { times },
    })
}

/// Returns the interval of a feed in adaptive mode: half the mean gap between its posts of the last
/// week, within the bounds that apply to users' choices.
pub fn adaptive_interval_minutes(posts_last_week: i64) -> i64 {
    const WEEK_MINUTES: i64 = 7 * 24 * 60;
    let half_gap = WEEK_MINUTES / (2 * posts_last_week.max(1));
    half_gap.clamp(SHORTEST_INTERVAL_MINUTES, LONGEST_INTERVAL_MINUTES)
}

fn jitter(wait: Duration, chance: f64) -> Duration {
    wait.mul_f64(JITTER_PART * chance.clamp(0.0, 1.0))
        .min(LONGEST_JITTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_000_000_000);

    fn minutes(decision: &Decision) -> u64 {
        match decision {
            Decision::FetchAt { at, .. } => at.since(NOW).as_secs() / 60,
            Decision::Stop { why } => panic!("stopped: {why}"),
        }
    }

    #[test]
    fn a_good_fetch_is_repeated_as_chosen_but_not_before_the_server_and_the_feed_allow() {
        let hours = |hours: u64| Some(Duration::from_secs(hours * HOUR));
        let wish = |hours: i64| PublisherHints::new(Some(hours * 60), &[], &[]);
        let none = PublisherHints::default();
        for (interval, by_server, by_feed, expected) in [
            (60, None, none, 60),
            (1, None, none, 30),
            (100_000, None, none, 720),
            (-5, None, none, 30),
            (60, hours(3), none, 180),
            (60, hours(3), wish(5), 300),
            (60, hours(1000), none, 24 * 60),
            (60, None, wish(1000), 24 * 60),
            (720, hours(1), wish(2), 720),
        ] {
            let decision = after_success(
                NOW,
                Cadence::EveryMinutes(interval),
                RequestedDelays { by_server, by_feed },
                0.0,
            );
            assert_eq!(
                minutes(&decision),
                expected,
                "{interval} {by_server:?} {by_feed:?}"
            );
        }
    }

    #[test]
    fn jitter_is_a_tenth_and_never_more_than_half_an_hour() {
        let at = |interval, chance| {
            minutes(&after_success(
                NOW,
                Cadence::EveryMinutes(interval),
                RequestedDelays::default(),
                chance,
            ))
        };
        assert_eq!(at(60, 1.0), 66);
        assert_eq!(at(60, 0.5), 63);
        assert_eq!(at(720, 1.0), 750);
        assert_eq!(at(60, 7.0), 66, "a chance beyond one is one");
    }

    #[test]
    fn a_fetch_is_not_planned_into_the_hours_in_which_the_feed_is_silent() {
        // `NOW` is Sunday 01:46:40.
        for (hours, days, chance, expected, why) in [
            (&[][..], &[][..], 0.0, 60, "every 60 minutes"),
            (&[3], &[], 0.0, 60, "every 60 minutes"),
            (
                &[2, 3],
                &[],
                0.0,
                133,
                "the feed says that nothing new comes before 04:00 UTC",
            ),
            (
                &[2, 3],
                &[],
                1.0,
                146,
                "the feed says that nothing new comes before 04:00 UTC",
            ),
            (
                &[],
                &[6],
                0.0,
                22 * 60 + 13,
                "the feed says that nothing new comes before 00:00 UTC",
            ),
            (
                &[],
                &[6, 0],
                1.0,
                24 * 60,
                "the feed says that nothing new comes for days; it is looked at once a day",
            ),
        ] {
            let asked = RequestedDelays {
                by_server: None,
                by_feed: PublisherHints::new(None, hours, days),
            };
            let decision = after_success(NOW, Cadence::EveryMinutes(60), asked, chance);
            assert_eq!(minutes(&decision), expected, "{hours:?} {days:?}");
            assert!(
                matches!(decision, Decision::FetchAt { why: said, .. } if said.to_string() == why)
            );
        }
    }

    #[test]
    fn no_good_fetch_is_more_than_a_day_before_the_next() {
        let asked = RequestedDelays {
            by_server: Some(Duration::from_secs(30 * DAY)),
            by_feed: PublisherHints::new(Some(1440), &[0, 1, 2], &[0]),
        };
        assert_eq!(
            minutes(&after_success(NOW, Cadence::EveryMinutes(720), asked, 1.0)),
            24 * 60
        );
    }

    #[test]
    fn a_timetable_decides_unless_the_server_asks_for_more_patience() {
        for (next, by_server, expected, why) in [
            (40, None, 40, "at the times that are set for all feeds"),
            (40, Some(10), 40, "at the times that are set for all feeds"),
            (40, Some(90), 90, "the server asks not to come back sooner"),
            (
                40,
                Some(100_000),
                1440,
                "the server asks not to come back sooner",
            ),
            // A timetable may have gaps of more than a day.
            (9000, None, 9000, "at the times that are set for all feeds"),
        ] {
            let span = |minutes| Duration::from_secs(minutes * MINUTE);
            let asked = RequestedDelays {
                by_server: by_server.map(span),
                by_feed: PublisherHints::new(Some(1440), &[0, 1, 2, 3, 4, 5], &[]),
            };
            let decision = after_success(NOW, Cadence::Timetable(NOW + span(next)), asked, 0.5);
            assert_eq!(minutes(&decision), expected);
            assert!(
                matches!(decision, Decision::FetchAt { why: said, .. } if said.to_string() == why)
            );
        }
    }

    #[test]
    fn failures_wait_longer_and_longer() {
        for (before, expected) in [(0, 5), (1, 15), (2, 60), (3, 360), (4, 1440), (5, 1440)] {
            let failures = Failures {
                in_a_row: before,
                since: Some(NOW),
            };
            let decision = after_failure(
                NOW,
                FailurePolicy::Patient,
                FailureKind::Temporary,
                failures,
                None,
                0.0,
            );
            assert_eq!(minutes(&decision), expected);
        }
    }

    #[test]
    fn what_the_server_says_about_when_wins() {
        let decide = |kind, retry_after| {
            minutes(&after_failure(
                NOW,
                FailurePolicy::Patient,
                kind,
                Failures::default(),
                retry_after,
                0.0,
            ))
        };
        assert_eq!(
            decide(FailureKind::Temporary, Some(Duration::from_secs(2 * HOUR))),
            120
        );
        assert_eq!(
            decide(
                FailureKind::RateLimited,
                Some(Duration::from_secs(10 * MINUTE))
            ),
            10
        );
        assert_eq!(
            decide(FailureKind::RateLimited, None),
            60,
            "at least an hour"
        );
        assert_eq!(
            decide(FailureKind::Temporary, Some(Duration::from_secs(100 * DAY))),
            24 * 60
        );
    }

    #[test]
    fn a_feed_stops_when_its_policy_says_so() {
        use FailureKind::{
            Gone, NotAFeed, RateLimited, Refused, Temporary, Unauthorised, Unreadable,
        };
        use FailurePolicy::{OneStrike, Patient, Strict};
        for (policy, kind, before, days, stops) in [
            (Patient, Gone, 0, 0, true),
            (Patient, Refused, 5, 30, false),
            (Patient, Refused, 6, 0, true),
            (Patient, Unauthorised, 6, 0, true),
            (Patient, NotAFeed, 5, 0, false),
            (Patient, Unreadable, 8, 0, false),
            (Patient, Unreadable, 9, 0, true),
            (Patient, Temporary, 100, 13, false),
            (Patient, Temporary, 8, 15, false),
            (Patient, Temporary, 9, 14, true),
            (Patient, RateLimited, 9, 14, true),
            (Strict, Refused, 0, 0, true),
            (Strict, NotAFeed, 0, 0, true),
            (Strict, Unauthorised, 0, 0, true),
            (Strict, Temporary, 8, 0, false),
            (Strict, Temporary, 9, 0, true),
            (OneStrike, Temporary, 0, 0, true),
        ] {
            let before = Failures {
                in_a_row: before,
                since: Some(NOW - Duration::from_secs(days * DAY)),
            };
            let decision = after_failure(NOW, policy, kind, before, None, 0.0);
            let stopped = matches!(decision, Decision::Stop { .. });
            assert_eq!(stopped, stops, "{policy:?} {kind:?} {before:?}");
        }
    }

    #[test]
    fn a_busy_feed_is_looked_at_more_often() {
        for (posts, minutes) in [(0, 720), (7, 720), (14, 360), (84, 60), (1000, 30)] {
            assert_eq!(adaptive_interval_minutes(posts), minutes);
        }
    }
}
