//! The instance as a whole, for whoever runs it: every feed, and what there is of everything.

use lede_model::feed::Feed;
use lede_model::ids::FeedId;
use lede_model::time::Timestamp;

use crate::engine::Row;
use crate::{Db, StoreResult, feeds, params, statements};

/// Milliseconds of a day.
const DAY_MS: i64 = 24 * 3600 * 1000;

/// A feed with its receipt and how many follow it.
#[derive(Debug, Clone)]
pub struct ListedFeed {
    /// The feed.
    pub feed: Feed,
    /// Whether it is fetched at all.
    pub enabled: bool,
    /// People who follow it.
    pub followers: i64,
    /// When it was last fetched.
    pub last_fetched_at: Option<Timestamp>,
    /// What went wrong last, in words for people.
    pub last_error: Option<String>,
    /// When it will be fetched again.
    pub next_fetch_at: Option<Timestamp>,
    /// Why then, or why not.
    pub next_fetch_why: Option<String>,
}

/// Which feeds are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FeedFilter {
    /// Every one.
    #[default]
    All,
    /// Those that go well.
    Active,
    /// Those whose last fetch failed, tried again or not.
    Trouble,
    /// Those that were given up.
    Stopped,
    /// Those that the operator switched off.
    Disabled,
}

impl FeedFilter {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 5] = [
        Self::All,
        Self::Active,
        Self::Trouble,
        Self::Stopped,
        Self::Disabled,
    ];

    /// The word in statements and addresses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Active => "active",
            Self::Trouble => "trouble",
            Self::Stopped => "stopped",
            Self::Disabled => "disabled",
        }
    }

    /// Reads the word back.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|filter| filter.as_str() == word)
    }
}

/// How many there are of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// People.
    pub accounts: i64,
    /// Followings of feeds by people.
    pub subscriptions: i64,
    /// Feeds.
    pub feeds: i64,
    /// Those whose last fetch failed and which are tried again.
    pub failing: i64,
    /// Those that were given up.
    pub stopped: i64,
    /// Those that the operator switched off.
    pub disabled: i64,
    /// Those that are due.
    pub due: i64,
    /// Items whose text the search index does not have yet.
    pub unindexed: i64,
}

macro_rules! select_feed {
    ($where:literal) => {
        concat!(
            "SELECT f.id, f.url, f.site_url, f.title, f.status, f.keeper_id, f.enabled,
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
        last_error: row.get(9)?,
        next_fetch_at: row.get(10)?,
        next_fetch_why: row.get(11)?,
    })
}

/// One feed, whoever follows it.
pub fn feed(db: &mut Db<'_>, feed: FeedId) -> StoreResult<Option<ListedFeed>> {
    db.find(FEED, params![feed], from_row)
}

/// Feeds whose title or address has `words` in it, the newest first, before the feed `before`.
pub fn feeds(
    db: &mut Db<'_>,
    filter: FeedFilter,
    words: &str,
    before: Option<FeedId>,
    limit: i64,
) -> StoreResult<Vec<ListedFeed>> {
    let before = before.map_or(i64::MAX, FeedId::as_i64);
    // SQLite makes only ASCII letters small, so that the words are also looked for as they are.
    let (typed, small) = (containing(words), containing(&words.to_lowercase()));
    let values = params![before, filter.as_str(), &small, &typed, limit];
    db.query(FEEDS, values, from_row)
}

/// The pattern of texts that contain `words`.
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

/// Lets a feed be fetched, or not; `false` when there is none of this number.
pub fn set_enabled(db: &mut Db<'_>, feed: FeedId, enabled: bool) -> StoreResult<bool> {
    Ok(db.execute(SET_ENABLED, params![enabled, feed])? > 0)
}

/// How many there are of what.
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

/// How many items are dated on each of the `days` days (UTC) up to today: when each began, the oldest
/// first, with a zero where there is none.
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
