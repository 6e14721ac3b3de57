//! Import of the long lists, entry by entry: starred and labelled items, and marks.

use std::collections::HashMap;

use lede_ai::embedded;
use lede_feed::clean;
use lede_model::address::WebUrl;
use lede_model::content::CleanHtml;
use lede_model::feed_error::EntryError;
use lede_model::ids::{FeedId, LabelId};
use lede_model::time::Timestamp;
use lede_model::user::User;
use lede_store::articles::{self, Article};
use lede_store::ingest::{self, NewItem};
use lede_store::takeout::{self, ItemMarks};
use lede_store::{Db, StoreResult, pending_marks};
use tokio::sync::mpsc;

use super::ImportContext;
use super::checks::{feed_at, line};
use super::outcome::{Imported, parsed};
use crate::Lede;
use crate::articles::replaces;
use crate::cpu_pool::bounded;
use crate::crawl::entry::{bounded_details, escaped};
use crate::subscribe::{check_registrable, unfetched};
use crate::takeout::format::{FeedMarks, SavedItem};
use crate::takeout::read::{List, Raw};

/// Entries per transaction: the writer must soon be free again.
const ITEMS_AT_ONCE: usize = 20;
const MARKS_AT_ONCE: usize = 500;

/// Pending marks of all feeds: more than a user reads in years, and some twenty megabytes.
const MAX_PENDING: usize = 200_000;

/// Feeds that are registered for saved items alone. They are never fetched, but each is a row.
const MAX_UNFOLLOWED: usize = 1000;

/// An item's key is an id, an address or both, with a prefix.
const MAX_KEY_BYTES: usize = 2 * 2048 + 16;

/// True for keys in the format of `model::identity`.
fn is_key(key: &str) -> bool {
    ["g:", "h:", "u:", "c:"]
        .iter()
        .any(|kind| key.starts_with(kind))
        && key.len() <= MAX_KEY_BYTES
        && !key.contains('\0')
}

/// A starred or labelled item, cleaned and ready to be stored.
pub(super) struct Ready {
    place: usize,
    feed: FeedId,
    key: String,
    new: NewItem,
    full_html: Option<CleanHtml>,
    first_seen_at: Timestamp,
    /// `None` if the item is not starred.
    starred_at: Option<Timestamp>,
    labels: Vec<LabelId>,
}

/// Applies the cleaning for feed content to an imported item.
fn cleaned(
    place: usize,
    entry: SavedItem,
    feed: FeedId,
    feed_url: &WebUrl,
    now: Timestamp,
) -> Ready {
    let raw = clean::RawItem {
        guid: None,
        url: entry.url.as_deref(),
        title: &escaped(&entry.title),
        author: &escaped(entry.author.as_deref().unwrap_or_default()),
        html: &entry.html,
        is_html: true,
        base: None,
        published_at: entry.published_at,
        media: &[],
    };
    let item = clean::item(raw, feed_url, now);
    let full_html = entry
        .full_html
        .map(|html| clean::html(&html, item.url.as_ref()))
        .filter(|html| !html.is_empty());
    let is_language = |tag: &String| {
        (2..=3).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    Ready {
        place,
        feed,
        key: entry.key,
        new: NewItem {
            lede: embedded::lede(&item.title, &item.excerpt),
            reading_minutes: item.html.reading_minutes(),
            language: entry.language.filter(is_language),
            image_url: entry.image_url.and_then(|url| WebUrl::parse(&url).ok()),
            details: bounded_details(entry.details),
            wants_article: false,
            item,
        },
        full_html,
        first_seen_at: entry.first_seen_at.unwrap_or(now).min(now),
        starred_at: None,
        labels: Vec::new(),
    }
}

/// The import of lists that are processed entry by entry.
pub(super) struct LongLists<'a> {
    pub(super) lede: &'a Lede,
    pub(super) user: &'a User,
    pub(super) known: ImportContext<'a>,
    /// Date of the document.
    pub(super) exported_at: Timestamp,
    /// Number of pending marks by feed.
    pub(super) pending: HashMap<FeedId, usize>,
    /// Feeds of saved items that the user does not follow, by their addresses.
    pub(super) unfollowed: HashMap<String, FeedId>,
    pub(super) done: &'a mut Imported,
    /// Buffered, to be written together.
    pub(super) ready: Vec<Ready>,
}

impl LongLists<'_> {
    /// Imports one list. An early return also ends the reader, because the channel is closed.
    pub(super) async fn ingest(
        &mut self,
        list: List,
        mut entries: mpsc::Receiver<Raw>,
    ) -> StoreResult<()> {
        let mut place = 0;
        while let Some(raw) = entries.recv().await {
            if list != List::Marks {
                match self.clean(list, place, &raw).await? {
                    Ok(ready) => self.ready.push(ready),
                    Err(reason) => self.done.refuse(name_of_list(list), place, reason),
                }
                if self.ready.len() >= ITEMS_AT_ONCE {
                    self.write_saved(list).await?;
                }
            } else if let Err(reason) = self.write_marks(&raw).await? {
                self.done.refuse("marks", place, reason);
            }
            place += 1;
        }
        self.write_saved(list).await
    }

    /// Returns the feed of a saved item: one that the user follows, or one that is registered for the
    /// item, which was saved before the user unsubscribed.
    async fn feed_of(
        &mut self,
        entry: &SavedItem,
    ) -> StoreResult<Result<(FeedId, WebUrl), EntryError>> {
        let url = match feed_at(self.known.feeds, &entry.feed_url) {
            Err(EntryError::NotFollowed) => match WebUrl::parse(&entry.feed_url) {
                Ok(url) => url,
                Err(problem) => return Ok(Err(EntryError::BadAddress { problem })),
            },
            followed => return Ok(followed),
        };
        if let Some(feed) = self.unfollowed.get(url.as_str()) {
            return Ok(Ok((*feed, url)));
        }
        if !self.user.role.may_add_new_feeds()
            || self.unfollowed.len() >= MAX_UNFOLLOWED
            || check_registrable(&self.lede.net, &url).is_err()
        {
            return Ok(Err(EntryError::NotFollowed));
        }
        let mut new = unfetched(&url);
        if let Some(title) = &entry.feed_title {
            new.title = line(title);
        }
        let (user, policy) = (self.user.id, self.lede.settings.failure_policy);
        let now = self.lede.clock.now();
        let registered = self
            .lede
            .store
            .write(move |db| takeout::feed_of_saved(db, user, &new, policy, now))
            .await?;
        Ok(match registered {
            Some(feed) => {
                self.unfollowed.insert(url.as_str().to_owned(), feed);
                Ok((feed, url))
            }
            None => Err(EntryError::NotFollowed),
        })
    }

    async fn clean(
        &mut self,
        list: List,
        place: usize,
        raw: &Raw,
    ) -> StoreResult<Result<Ready, EntryError>> {
        let entry: SavedItem = match parsed(raw) {
            Ok(entry) => entry,
            Err(reason) => return Ok(Err(reason)),
        };
        Ok(match self.feed_of(&entry).await? {
            Ok(feed) => self.clean_entry(list, place, entry, feed).await,
            Err(reason) => Err(reason),
        })
    }

    async fn clean_entry(
        &self,
        list: List,
        place: usize,
        entry: SavedItem,
        (feed, feed_url): (FeedId, WebUrl),
    ) -> Result<Ready, EntryError> {
        if !is_key(&entry.key) {
            return Err(EntryError::BadKey);
        }
        let now = self.lede.clock.now();
        let starred_at = (list == List::Starred).then(|| entry.starred_at.unwrap_or(now).min(now));
        // A label that could not be imported is left out.
        let labels = entry.labels.iter();
        let labels = labels.filter_map(|name| self.known.label(name).map(|label| label.id));
        let labels: Vec<LabelId> = labels.collect();
        let ready = bounded(move || cleaned(place, entry, feed, &feed_url, now)).await;
        let ready = ready.map_err(|_| EntryError::BadText)?;
        Ok(Ready {
            starred_at,
            labels,
            ..ready
        })
    }

    async fn write_saved(&mut self, list: List) -> StoreResult<()> {
        let batch = std::mem::take(&mut self.ready);
        if batch.is_empty() {
            return Ok(());
        }
        let (user, now) = (self.user.clone(), self.lede.clock.now());
        let outcomes = self
            .lede
            .store
            .write(move |db| {
                let outcomes = batch
                    .iter()
                    .map(|ready| Ok((ready.place, save(db, &user, ready, now)?)));
                outcomes.collect::<StoreResult<Vec<_>>>()
            })
            .await?;
        for (place, outcome) in outcomes {
            match outcome {
                ImportedItem::Existing => {}
                ImportedItem::Added => self.done.items_added += 1,
                ImportedItem::NotAllowed => {
                    let reason = EntryError::NotAllowed;
                    self.done.refuse(name_of_list(list), place, reason);
                    continue;
                }
            }
            match list {
                List::Starred => self.done.starred += 1,
                _ => self.done.labelled += 1,
            }
        }
        Ok(())
    }

    /// Returns how many more marks of a feed can be stored as pending.
    fn room_to_wait(&self, of_feed: usize) -> usize {
        let of_feed = pending_marks::MOST_OF_A_FEED.saturating_sub(of_feed);
        of_feed.min(MAX_PENDING.saturating_sub(self.done.pending))
    }

    async fn write_marks(&mut self, raw: &Raw) -> StoreResult<Result<(), EntryError>> {
        let entry: FeedMarks = match parsed(raw) {
            Ok(entry) => entry,
            Err(reason) => return Ok(Err(reason)),
        };
        let feed = match feed_at(self.known.feeds, &entry.feed_url) {
            Ok((feed, _)) => feed,
            Err(reason) => return Ok(Err(reason)),
        };
        let (user, now) = (self.user.id, self.lede.clock.now());
        let good = entry.items.into_iter().filter(|marks| is_key(&marks.key));
        let good: Vec<ItemMarks> = good
            .map(|marks| ItemMarks {
                key: marks.key,
                is_read: marks.read,
                read_at: marks.read_at,
                is_hidden: marks.hidden,
            })
            .collect();
        for batch in good.chunks(MARKS_AT_ONCE) {
            let batch = batch.to_vec();
            let (exported_at, before) = (self.exported_at, self.pending.get(&feed).copied());
            let room = self.room_to_wait(before.unwrap_or_default());
            let written = self.lede.store.write(move |db| {
                let (marked, mut missing) = takeout::set_marks(db, user, feed, &batch, now)?;
                missing.truncate(room);
                if before.is_none() && !missing.is_empty() {
                    pending_marks::begin(db, user, feed, exported_at, now)?;
                }
                pending_marks::add(db, user, feed, &missing)?;
                Ok((marked, missing.len()))
            });
            let (marked, saved) = written.await?;
            self.done.marked += marked;
            self.done.pending += saved;
            if saved > 0 {
                *self.pending.entry(feed).or_default() += saved;
            }
        }
        Ok(Ok(()))
    }
}

/// The name of a list in the document.
fn name_of_list(list: List) -> &'static str {
    match list {
        List::Starred => "starred",
        _ => "labelled",
    }
}

enum ImportedItem {
    Existing,
    Added,
    NotAllowed,
}

/// Stars and labels an item. An existing item is not changed, whatever the document contains,
/// because all subscribers share it. A missing item is stored for the importing user only.
fn save(db: &mut Db<'_>, user: &User, ready: &Ready, now: Timestamp) -> StoreResult<ImportedItem> {
    let url_key = ready.new.item.url.as_ref().map(WebUrl::identity_key);
    let known = takeout::find_item(db, user.id, ready.feed, &ready.key, url_key.as_deref())?;
    let (item, saved) = match known {
        Some(item) => (item, ImportedItem::Existing),
        None if !user.role.may_add_new_feeds() => return Ok(ImportedItem::NotAllowed),
        None => {
            let policy = clean::POLICY_VERSION;
            let item = ingest::import_item(
                db,
                user.id,
                ready.feed,
                &ready.key,
                &ready.new,
                ready.first_seen_at,
                policy,
            )?;
            if let Some(html) = &ready.full_html {
                let article = Article {
                    is_default: replaces(html, &ready.new.item.html, &ready.new.details),
                    html: html.clone(),
                    reading_minutes: html.reading_minutes(),
                    excerpt: None,
                    lede: None,
                };
                articles::set(db, item, &article)?;
            }
            (item, ImportedItem::Added)
        }
    };
    if let Some(starred_at) = ready.starred_at {
        takeout::star(db, user.id, item, starred_at)?;
    }
    for label in &ready.labels {
        takeout::label(db, user.id, item, *label, now)?;
    }
    Ok(saved)
}
