//! Ingesting the items of a fetch, with few statements for all of them.

pub(crate) mod flood;
pub(crate) mod import_item;
pub(crate) mod keyed;
mod write;

use lede_model::address::WebUrl;
use lede_model::content::CleanHtml;
use lede_model::ids::{FeedId, ItemId};
use lede_model::item::{CleanItem, ItemDetails};
use lede_model::schedule::ARTICLE_PAUSE;
use lede_model::time::Timestamp;

use self::flood::{flood_before, is_older, know_by_title};
pub use self::import_item::import_item;
pub(crate) use self::import_item::own_key;
pub use self::keyed::are_known;
use self::keyed::{Keyed, keyed};
use self::write::{Written, sort_at, upsert, write_bodies};
use crate::pending_marks::{NewRow, PendingMarks};
use crate::rules::apply::{Arrival, FeedRules};
use crate::{Db, StoreResult, feeds, item_counts, jobs, search, unread};

/// Rows per statement: beyond about fifty, planning costs what the round trip saves.
const BATCH: usize = 50;

/// A cleaned item that is ready to be stored.
#[derive(Debug, Clone)]
pub struct NewItem {
    /// Content from the feed.
    pub item: CleanItem,
    /// One-line summary for lists.
    pub lede: String,
    /// `None` if there is no text.
    pub reading_minutes: Option<i64>,
    /// Two- or three-letter language tag.
    pub language: Option<String>,
    pub image_url: Option<WebUrl>,
    /// Metadata besides the text.
    pub details: ItemDetails,
    /// True if the feed has so little text that the article should be fetched from its page.
    pub wants_article: bool,
}

/// Properties of the sanitiser that the store depends on.
#[derive(Clone, Copy)]
pub struct Cleaning {
    /// Version of the rules by which the text was cleaned.
    pub policy_version: i64,
    /// Extracts plain text, for rules that match words.
    pub text_of: fn(&CleanHtml) -> String,
}

/// Numbers of items ingested from a fetch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ingested {
    /// Items that were not stored before.
    pub new: usize,
    /// Stored items whose content changed.
    pub updated: usize,
    /// New and updated items with enough text in the feed, so that no article is fetched.
    pub articles_not_needed: usize,
}

/// Ingests the items of one fetch.
///
/// New items become unread for every subscriber who has not paused the feed, and the rules of each
/// are applied. Subscribers with pending marks from an import get those instead. Changed items are
/// updated in place and keep their marks and position. Unchanged ones cost a look-up. Removed items
/// are not stored again.
pub fn ingest(
    db: &mut Db<'_>,
    feed: FeedId,
    items: &[NewItem],
    cleaning: Cleaning,
    now: Timestamp,
) -> StoreResult<Ingested> {
    feeds::lock(db, feed)?;
    let mut batches = keyed(db, feed, items, now)?;
    // Oldest first, so that ids grow in chronological order.
    batches.reverse();
    let before = flood_before(db, feed, &batches, items.len())?;
    if let Some(before) = before {
        know_by_title(db, feed, &batches, before)?;
    }
    let mut taken = Ingested::default();
    let mut rows = 0;
    let mut automation = Automation::new(feed, &batches, cleaning, now);
    let changed: Vec<&Keyed<'_>> = batches.iter().filter(|item| !item.is_unchanged).collect();
    for batch in changed.chunks(BATCH) {
        let written = upsert(db, feed, batch, now)?;
        write_bodies(db, &written, cleaning.policy_version)?;
        import_item::release_imported(db, &written)?;
        let ids = |wanted: &dyn Fn(&Written<'_>) -> bool| -> Vec<ItemId> {
            let wanted = written.iter().filter(|row| wanted(row));
            wanted.map(|row| row.id).collect()
        };
        let new = ids(&|row| row.is_new).len();
        // Old items of a flood are stored, but do not become unread.
        let is_news = |row: &Written<'_>| {
            row.is_new && !before.is_some_and(|before| is_older(row.new, before))
        };
        unread::add_new(db, feed, &ids(&is_news))?;
        if new > 0 {
            automation.apply(db, &written, is_news)?;
        }
        search::enqueue(db, &ids(&|_| true))?;
        let short = ids(&|row| row.new.wants_article);
        jobs::enqueue_articles(db, &short, now, now - ARTICLE_PAUSE)?;
        rows += written.iter().filter(|row| row.is_row_new()).count();
        taken.new += new;
        taken.updated += written.len() - new;
        taken.articles_not_needed += written.len() - short.len();
    }
    match before {
        None => item_counts::add(db, feed, rows)?,
        // An item that got its key here may be an imported one, which is then counted as a new row.
        Some(_) => item_counts::recount(db, feed)?,
    }
    Ok(taken)
}

/// The rules and pending marks of a feed's subscribers, which act on new items. Read with the first
/// batch that has any: most fetches have none.
struct Automation<'a> {
    feed: FeedId,
    /// All items of the fetch, by key.
    items: Vec<(&'a str, &'a NewItem)>,
    cleaning: Cleaning,
    now: Timestamp,
    loaded: Option<(FeedRules, PendingMarks)>,
}

impl<'a> Automation<'a> {
    fn new(feed: FeedId, items: &'a [Keyed<'a>], cleaning: Cleaning, now: Timestamp) -> Self {
        let items = items.iter().map(|item| (item.key.as_str(), item.new));
        Self {
            feed,
            items: items.collect(),
            cleaning,
            now,
            loaded: None,
        }
    }

    /// Applies pending marks to the new items of a batch, and rules to those that are news.
    fn apply(
        &mut self,
        db: &mut Db<'_>,
        written: &[Written<'_>],
        is_news: impl Fn(&Written<'_>) -> bool,
    ) -> StoreResult<()> {
        let (rules, pending) = match &mut self.loaded {
            Some(loaded) => loaded,
            none => {
                let mut rules = FeedRules::of(db, self.feed)?;
                let mark_imports = std::mem::take(&mut rules.mark_imports);
                let pending = PendingMarks::take(db, self.feed, mark_imports, &self.items)?;
                none.insert((rules, pending))
            }
        };
        let new_rows = written.iter().filter(|row| row.is_new);
        let new_rows: Vec<NewRow<'_>> = new_rows
            .map(|row| NewRow {
                id: row.id,
                key: row.key,
                sort_at: sort_at(row.new, self.now),
            })
            .collect();
        pending.mark(db, self.feed, &new_rows, self.now)?;
        let arrivals = written.iter().filter(|row| is_news(row)).map(|row| {
            let sort_at = sort_at(row.new, self.now);
            Arrival {
                id: row.id,
                sort_at,
                new: row.new,
                known_to: pending.not_new_to(row.key, sort_at),
            }
        });
        let arrivals: Vec<Arrival<'_>> = arrivals.collect();
        rules.apply(db, &arrivals, self.cleaning.text_of, self.now)
    }
}

/// Statements whose text depends on the number of rows, for the test that prepares all of them.
pub(crate) fn batch_statements() -> Vec<(&'static str, String)> {
    let fixed = [
        ("still_listed", keyed::still_listed_sql(2)),
        ("with_keys", keyed::with_keys_sql(2)),
        ("with_urls", keyed::with_urls_sql(2)),
        ("dated", flood::dated_sql(2)),
        ("upsert", write::upsert_sql(2)),
        ("bodies", write::bodies_sql(2)),
    ];
    fixed
        .into_iter()
        .chain(import_item::batch_statements())
        .collect()
}
