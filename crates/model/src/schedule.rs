//! From how a fetch went to when a feed is next due, or why it is not (SPEC §2).
//!
//! Pure rules: the time, the counters and a random number come in, a decision goes out. Leases and
//! rows are `store`'s, loops are `core`'s.

mod wishes;

use std::time::Duration;

use crate::said::sentences;
use crate::time::Timestamp;

pub use wishes::Wishes;

/// The interval of a subscription that nobody set, in minutes.
pub const DEFAULT_INTERVAL_MINUTES: i64 = 60;
/// Bounds of what people may choose, in minutes.
pub const SHORTEST_INTERVAL_MINUTES: i64 = 30;
/// See [`SHORTEST_INTERVAL_MINUTES`].
pub const LONGEST_INTERVAL_MINUTES: i64 = 720;

/// Whether people may choose so many minutes: 30 to 720 in steps of 30, or 0, which adapts.
pub const fn is_interval(minutes: i64) -> bool {
    minutes == 0
        || (minutes % SHORTEST_INTERVAL_MINUTES == 0
            && minutes >= SHORTEST_INTERVAL_MINUTES
            && minutes <= LONGEST_INTERVAL_MINUTES)
}

/// An article that was looked for on its page is not looked for again sooner, whoever asks.
pub const ARTICLE_PAUSE: Duration = Duration::from_secs(DAY);

/// A feed that was fetched is not fetched again sooner because somebody asks for everything anew: nobody
/// publishes that often, and whoever presses again and again should cost the publishers nothing.
pub const REFRESH_PAUSE: Duration = Duration::from_secs(5 * MINUTE);

/// However long a server asks to be left alone, one wrong header must not freeze a feed.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * HOUR);
/// Part of a wait that is spread, so that feeds do not move in step; and its bound.
const JITTER_PART: f64 = 0.1;
const LONGEST_JITTER: Duration = Duration::from_secs(30 * MINUTE);

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Waits after the first, second … failure in a row; the last one repeats.
const FAILURE_WAITS: [Duration; 5] = [
    Duration::from_secs(5 * MINUTE),
    Duration::from_secs(15 * MINUTE),
    Duration::from_secs(HOUR),
    Duration::from_secs(6 * HOUR),
    Duration::from_secs(DAY),
];
/// A server that says "too many requests" and not for how long is left alone at least this long.
const RATE_LIMITED_WAIT: Duration = Duration::from_secs(HOUR);
/// Refusals in a row that the patient policy takes for "later": YouTube and Reddit mean that.
const PATIENT_REFUSALS: i64 = 7;
/// Failures in a row after which a feed stops that does not parse, or under the strict policy.
const MAX_FAILURES: i64 = 10;
/// A feed that cannot be reached stops only after this long as well.
const UNREACHABLE_FOR: Duration = Duration::from_secs(14 * DAY);

/// How soon a feed that fails is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailurePolicy {
    /// The default: most failures are temporary, whatever they say.
    #[default]
    Patient,
    /// Refusals are believed at once (Reader, Vibe).
    Strict,
    /// The first failure stops (Deframer).
    OneStrike,
}

impl FailurePolicy {
    /// Reads the word of rows and settings.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "patient" => Some(Self::Patient),
            "strict" => Some(Self::Strict),
            "one_strike" => Some(Self::OneStrike),
            _ => None,
        }
    }

    /// The word back.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Patient => "patient",
            Self::Strict => "strict",
            Self::OneStrike => "one_strike",
        }
    }
}

/// What kind of failure it was: a variant for each that is treated differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// 410: the publisher says for good.
    Gone,
    /// 401, 403.
    Unauthorised,
    /// 404, 400 and their like: refused, perhaps for now.
    Refused,
    /// Something came, and it is no feed.
    NotAFeed,
    /// A feed came, and it cannot be read.
    Unreadable,
    /// 429.
    RateLimited,
    /// Names, connections, time, 5xx: the weather.
    Temporary,
}

impl FailureKind {
    /// Vibe's word for `last_fetch_status`.
    pub const fn status_word(self) -> &'static str {
        match self {
            Self::Gone | Self::Refused | Self::NotAFeed | Self::Unreadable => "permanent_error",
            Self::Unauthorised => "unauthorized",
            Self::RateLimited | Self::Temporary => "temporary_error",
        }
    }
}

/// What is known about a feed's failures before the one at hand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Failures {
    /// In a row, not counting this one.
    pub in_a_row: i64,
    /// When the first of them happened.
    pub since: Option<Timestamp>,
}

/// What to do with a feed now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Fetch it again then.
    FetchAt {
        /// When.
        at: Timestamp,
        /// Why then.
        why: Why,
    },
    /// Leave it until somebody resumes it.
    Stop {
        /// Why.
        why: Why,
    },
}

sentences! {
    /// Why a feed is fetched when it is, or why it is not.
    pub enum Why {
        /// Its followers chose so.
        EveryMinutes { minutes: i64 } = "every {minutes} minutes",
        /// The operator chose so for all feeds.
        Timetable = "at the times that are set for all feeds",
        /// `Cache-Control` or `Expires` of a good answer.
        ServerAsks = "the server asks not to come back sooner",
        /// What the feed says about itself.
        FeedAsks = "the feed asks not to come back sooner",
        /// The feed names hours at which nothing comes.
        QuietUntil { time: String } = "the feed says that nothing new comes before {time}",
        /// The feed names days, too many to wait for.
        QuietForDays = "the feed says that nothing new comes for days; it is looked at once a day",
        /// `Retry-After` of a failure.
        ServerSaid = "the server said when to come back",
        /// 429 without a time.
        FewerRequests = "the server asked for fewer requests",
        /// It failed, and is tried less and less often.
        Failure { number: i64 } = "failure {number} in a row",
        /// It is given up: 410.
        Gone = "its publisher says that it is gone for good",
        /// It is given up at the first failure.
        Failed = "it failed",
        /// It is given up after several.
        FailedTimes { times: i64 } = "it failed {times} times in a row",
        /// It was never fetched.
        New = "it is new here",
        /// Somebody follows it who did not, or paused it.
        FollowedAgain = "somebody follows it again",
        /// Everybody left it, or paused it.
        NobodyFollows = "nobody follows it",
        /// It was planned for a time that is too late now.
        NewPlan = "its earlier plan no longer holds",
        /// It got the followers of another feed.
        MovedHere = "another feed moved here",
        /// It has another password.
        NewAccess = "what its server is shown has changed",
        /// Somebody wants everything that is new at once.
        Asked = "somebody asked for it now",
    }
}

impl Why {
    /// Reasons of a server's: what it asks for holds whoever is impatient. (A feed's own wishes are no
    /// more than a guess at when something comes.)
    pub const OF_SERVER: [Self; 3] = [Self::ServerAsks, Self::ServerSaid, Self::FewerRequests];
}

/// How long a server or feed asks to be left alone, from all it said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked {
    /// The longest of `Cache-Control`, `Expires` and `Retry-After`.
    pub by_server: Option<Duration>,
    /// What the feed says about itself.
    pub by_feed: Wishes,
}

/// What decides when a feed is fetched in good times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rhythm {
    /// Again and again after so many minutes, as its followers chose.
    EveryMinutes(i64),
    /// At the times that the operator set for all feeds; this is the next one.
    Timetable(Timestamp),
}

/// The latest time for which a feed may be planned: later ones come from a timetable that has been
/// changed since, or from a clock that was wrong. `timetable` is the next time of the one in force.
pub fn latest_plan(now: Timestamp, timetable: Option<Timestamp>) -> Timestamp {
    let latest = now + LONGEST_WAIT + LONGEST_JITTER;
    timetable.map_or(latest, |next| next.max(latest))
}

/// When a feed that was fetched well is fetched again. `chance` is a random number from 0 to 1.
pub fn after_success(now: Timestamp, rhythm: Rhythm, asked: Asked, chance: f64) -> Decision {
    match rhythm {
        Rhythm::EveryMinutes(minutes) => by_interval(now, minutes, asked, chance),
        Rhythm::Timetable(next) => by_timetable(now, next, asked),
    }
}

/// At the operator's time. A server that asks for more patience gets it, to the minute and not until
/// the time after that: with a day of patience and a daily time, that would be every other day.
fn by_timetable(now: Timestamp, next: Timestamp, asked: Asked) -> Decision {
    let earliest = now + asked.by_server.unwrap_or_default().min(LONGEST_WAIT);
    let (at, why) = if earliest > next {
        (earliest, Why::ServerAsks)
    } else {
        (next, Why::Timetable)
    };
    Decision::FetchAt { at, why }
}

/// At the latest after a day.
fn by_interval(now: Timestamp, interval_minutes: i64, asked: Asked, chance: f64) -> Decision {
    let minutes = interval_minutes.clamp(SHORTEST_INTERVAL_MINUTES, LONGEST_INTERVAL_MINUTES);
    let chosen = Duration::from_secs(minutes.unsigned_abs() * MINUTE);
    let capped = |wait: Option<Duration>| wait.unwrap_or_default().min(LONGEST_WAIT);
    let (wait, why) = [
        (capped(asked.by_server), Why::ServerAsks),
        (capped(asked.by_feed.wait()), Why::FeedAsks),
    ]
    .into_iter()
    // The first of equals: the person's own choice needs no excuse.
    .fold((chosen, Why::EveryMinutes { minutes }), |best, next| {
        if next.0 > best.0 { next } else { best }
    });
    let latest = now + LONGEST_WAIT;
    let at = (now + wait + jitter(wait, chance)).min(latest);
    match asked.by_feed.end_of_silence(at, latest) {
        None => Decision::FetchAt { at, why },
        Some(end) if end >= latest => Decision::FetchAt {
            at: latest,
            why: Why::QuietForDays,
        },
        // Many feeds are silent until the same hour; spread, they stay within that hour.
        Some(end) => Decision::FetchAt {
            at: (end + jitter(end.since(now), chance)).min(latest),
            why: Why::QuietUntil {
                time: end.to_jiff().strftime("%H:%M UTC").to_string(),
            },
        },
    }
}

/// Whether and when a feed that failed is tried again.
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
        Some(wait) => (wait.min(LONGEST_WAIT), Why::ServerSaid),
        None if kind == FailureKind::RateLimited => (
            FAILURE_WAITS[step].max(RATE_LIMITED_WAIT),
            Why::FewerRequests,
        ),
        None => (FAILURE_WAITS[step], Why::Failure { number: in_a_row }),
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
) -> Option<Why> {
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
        (FailureKind::Gone, _) => Why::Gone,
        (_, 1) => Why::Failed,
        (_, times) => Why::FailedTimes { times },
    })
}

/// The interval of a feed whose followers leave it to Lede: half the mean gap between its posts
/// of the last week, within the bounds that people have too.
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
        let wish = |hours: i64| Wishes::new(Some(hours * 60), &[], &[]);
        let none = Wishes::default();
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
                Rhythm::EveryMinutes(interval),
                Asked { by_server, by_feed },
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
                Rhythm::EveryMinutes(interval),
                Asked::default(),
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
            let asked = Asked {
                by_server: None,
                by_feed: Wishes::new(None, hours, days),
            };
            let decision = after_success(NOW, Rhythm::EveryMinutes(60), asked, chance);
            assert_eq!(minutes(&decision), expected, "{hours:?} {days:?}");
            assert!(
                matches!(decision, Decision::FetchAt { why: said, .. } if said.to_string() == why)
            );
        }
    }

    #[test]
    fn no_good_fetch_is_more_than_a_day_before_the_next() {
        let asked = Asked {
            by_server: Some(Duration::from_secs(30 * DAY)),
            by_feed: Wishes::new(Some(1440), &[0, 1, 2], &[0]),
        };
        assert_eq!(
            minutes(&after_success(NOW, Rhythm::EveryMinutes(720), asked, 1.0)),
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
            // A timetable may be rarer than daily.
            (9000, None, 9000, "at the times that are set for all feeds"),
        ] {
            let span = |minutes| Duration::from_secs(minutes * MINUTE);
            let asked = Asked {
                by_server: by_server.map(span),
                by_feed: Wishes::new(Some(1440), &[0, 1, 2, 3, 4, 5], &[]),
            };
            let decision = after_success(NOW, Rhythm::Timetable(NOW + span(next)), asked, 0.5);
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
