//! Instance-wide views for the admin: all feeds, counts and queues.

use lede_model::feed::Feed;
use lede_model::feed_error::FeedError;
use lede_model::ids::FeedId;
use lede_model::schedule::ScheduleReason;
use lede_model::time::Timestamp;

use crate::engine::Row;
use crate::{Db, StoreResult, feeds, messages, params, statements};

const DAY_MS: i64 = 24 * 3600 * 1000;

/// A feed with its last fetch result and its number of subscribers.
#[derive(Debug, Clone)]
pub struct ListedFeed {
    pub feed: Feed,
    /// False if the operator disabled fetching.
    pub enabled: bool,
    /// Number of subscribers, including paused ones.
    pub followers: i64,
    pub last_fetched_at: Option<Timestamp>,
    /// The last failure; `None` after a success.
    pub last_error: Option<FeedError>,
    /// `None` if no fetch is planned.
    pub next_fetch_at: Option<Timestamp>,
    /// Reason for `next_fetch_at`, or for its absence.
    pub next_fetch_why: Option<ScheduleReason>,
}

/// Filter of the feed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FeedFilter {
    #[default]
    All,
    /// Enabled feeds whose last fetch succeeded.
    Active,
    /// Enabled feeds whose last fetch failed, including stopped ones.
    FeedError,
    /// Enabled feeds that are no longer retried.
    Stopped,
    /// Feeds that the operator disabled.
    Disabled,
}

impl FeedFilter {
    /// All filters, in the order in which the page offers them.
    pub const ALL: [Self; 5] = [
        Self::All,
        Self::Active,
        Self::FeedError,
        Self::Stopped,
        Self::Disabled,
    ];

    /// The word used in statements and URLs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Active => "active",
            Self::FeedError => "trouble",
            Self::Stopped => "stopped",
            Self::Disabled => "disabled",
        }
    }

    /// Parses the word returned by `as_str`.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|filter| filter.as_str() == word)
    }
}

/// Instance-wide totals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    pub accounts: i64,
    pub subscriptions: i64,
    pub feeds: i64,
    /// Feeds whose last fetch failed and that are retried.
    pub failing: i64,
    /// Feeds that are no longer retried.
    pub stopped: i64,
    /// Feeds that the operator disabled.
    pub disabled: i64,
    /// Feeds whose next fetch is due.
    pub due: i64,
    /// Items whose text is not in the search index yet.
    pub unindexed: i64,
}

macro_rules! select_feed {
    ($where:literal) => {
        concat!(
            "SELECT f.id, f.url, f.site_url, f.title, f.status, f.owner_id, f.enabled,
                    (SELECT COUNT(*) FROM subscription s WHERE s.feed_id = f.id),
                    f.last_fetched_at, f.last_error, f.next_fetch_at, f.next_fetch_why
             FROM feed f WHERE ",
            $where
        )
    };
}

statements! {
    FEED = select_feed!("f.id = $1");
    FEEDS = select_feed!(
        "f.id < $1
         AND CASE CAST($2 AS TEXT)
             WHEN 'all' THEN TRUE
             WHEN 'disabled' THEN NOT f.enabled
             WHEN 'trouble' THEN f.enabled AND f.status <> 'active'
             ELSE f.enabled AND f.status = $2 END
         AND (LOWER(f.title) LIKE $3 ESCAPE '\\' OR f.url LIKE $3 ESCAPE '\\' OR f.title LIKE $4 ESCAPE '\\')
         ORDER BY f.id DESC LIMIT $5"
    );
    SET_ENABLED = "UPDATE feed SET enabled = $1 WHERE id = $2";
    COUNTS = "SELECT (SELECT COUNT(*) FROM account), (SELECT COUNT(*) FROM subscription), COUNT(*),
                  COUNT(CASE WHEN enabled AND status = 'error' THEN 1 END),
                  COUNT(CASE WHEN enabled AND status = 'stopped' THEN 1 END),
                  COUNT(CASE WHEN NOT enabled THEN 1 END),
                  COUNT(CASE WHEN enabled AND next_fetch_at <= $1 THEN 1 END),
                  (SELECT COUNT(*) FROM search_queue)
              FROM feed";
    UNINDEXED = "SELECT COUNT(*) FROM search_queue";
    /// Along the index of dates: only the items of these days are counted.
    ITEMS_BY_DAY = "SELECT sort_at / 86400000, COUNT(*) FROM item WHERE sort_at >= $1 AND sort_at < $2
                    GROUP BY sort_at / 86400000 ORDER BY 1";
}

fn from_row(row: &Row<'_>) -> StoreResult<ListedFeed> {
    Ok(ListedFeed {
        feed: feeds::from_row(row, 0)?,
        enabled: row.get(6)?,
        followers: row.get(7)?,
        last_fetched_at: row.get(8)?,
        last_error: messages::column(row, 9)?,
        next_fetch_at: row.get(10)?,
        next_fetch_why: messages::column(row, 11)?,
    })
}

/// Returns a feed regardless of its subscribers.
pub fn feed(db: &mut Db<'_>, feed: FeedId) -> StoreResult<Option<ListedFeed>> {
    db.find(FEED, params![feed], from_row)
}

/// Returns up to `limit` feeds with ids below `before` whose title or URL contains `words`, newest
/// first.
pub fn feeds(
    db: &mut Db<'_>,
    filter: FeedFilter,
    words: &str,
    before: Option<FeedId>,
    limit: i64,
) -> StoreResult<Vec<ListedFeed>> {
    let before = before.map_or(i64::MAX, FeedId::as_i64);
    // SQLite's LOWER only handles ASCII letters, so the words are also matched as typed.
    let (typed, small) = (containing(words), containing(&words.to_lowercase()));
    let values = params![before, filter.as_str(), &small, &typed, limit];
    db.query(FEEDS, values, from_row)
}

/// Returns a LIKE pattern for texts that contain `words`.
fn containing(words: &str) -> String {
    let mut pattern = String::from("%");
    for letter in words.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

/// Enables or disables fetching of a feed. Returns `false` if there is no such feed.
pub fn set_enabled(db: &mut Db<'_>, feed: FeedId, enabled: bool) -> StoreResult<bool> {
    Ok(db.execute(SET_ENABLED, params![enabled, feed])? > 0)
}

pub fn counts(db: &mut Db<'_>, now: Timestamp) -> StoreResult<Counts> {
    db.one(COUNTS, params![now], |row| {
        Ok(Counts {
            accounts: row.get(0)?,
            subscriptions: row.get(1)?,
            feeds: row.get(2)?,
            failing: row.get(3)?,
            stopped: row.get(4)?,
            disabled: row.get(5)?,
            due: row.get(6)?,
            unindexed: row.get(7)?,
        })
    })
}

/// Items whose text the search index does not have yet.
pub fn unindexed(db: &mut Db<'_>) -> StoreResult<i64> {
    db.one(UNINDEXED, params![], |row| row.get(0))
}

/// Returns the number of items dated on each of the last `days` days (UTC, including today), oldest
/// first, with the start of each day. Days without items are included.
pub fn items_by_day(
    db: &mut Db<'_>,
    now: Timestamp,
    days: i64,
) -> StoreResult<Vec<(Timestamp, i64)>> {
    let today = now.as_ms() / DAY_MS;
    let first = today - days + 1;
    let (from, until) = (first * DAY_MS, (today + 1) * DAY_MS);
    let counted: Vec<(i64, i64)> = db.query(ITEMS_BY_DAY, params![from, until], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    let items = |day: i64| {
        let found = counted.iter().find(|(counted, _)| *counted == day);
        found.map_or(0, |(_, items)| *items)
    };
    Ok((first..=today)
        .map(|day| (Timestamp::from_ms(day * DAY_MS), items(day)))
        .collect())
}
