//! Bringing a take-out in: what is missing is added, what is there stays, and doing it twice is the
//! same as doing it once.

use std::collections::HashMap;
use std::fs::File;
use std::sync::Arc;

use lede_ai::embedded;
use lede_feed::clean;
use lede_model::address::WebUrl;
use lede_model::category::{
    CategoryError, CategoryName, MAX_CATEGORIES, MAX_DEPTH, MAX_NAME_CHARS, MAX_POSITION,
};
use lede_model::content::CleanHtml;
use lede_model::feed::{NewFeed, Validators, own_title};
use lede_model::ids::{CategoryId, FeedId, LabelId, UserId};
use lede_model::label::{LabelName, MAX_LABELS};
use lede_model::preferences::Preferences;
use lede_model::schedule::{LONGEST_INTERVAL_MINUTES, SHORTEST_INTERVAL_MINUTES};
use lede_model::search::Query;
use lede_model::service::{self, Service};
use lede_model::style_sheet::StyleSheet;
use lede_model::time::Timestamp;
use lede_model::trouble::{EntryTrouble, Trouble};
use lede_model::user::User;
use lede_store::articles::{self, Article};
use lede_store::intake::{self, NewItem};
use lede_store::takeout::{self, Choices, ItemMarks};
use lede_store::{Db, StoreError, StoreResult, feeds, items, labels, preferences, subscriptions};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::sync::{Semaphore, mpsc};

use super::export::paths;
use super::format::{Category, FeedMarks, KeptItem, Label, Rule, SavedSearch, Subscription};
use super::read::{self, List, Raw, Short};
use crate::bounded::bounded;
use crate::crawl::entry::{bounded_details, escaped};
use crate::labels::named;
use crate::rules::MAX_RULES;
use crate::searching::MAX_SAVED;
use crate::{Lede, icons};

/// Take-outs that come in at a time: each is a lot of writing, and others read meanwhile.
static TURNS: Semaphore = Semaphore::const_new(2);

/// Entries written in one transaction: the writer must be free again soon.
const SUBSCRIPTIONS_AT_ONCE: usize = 50;
const KEPT_AT_ONCE: usize = 20;
const MARKS_AT_ONCE: usize = 500;
/// Entries between the reader and the writer.
const ON_THE_WAY: usize = 4;
/// An item's key is an id, an address or both, with a letter before them.
const MAX_KEY_BYTES: usize = 2 * 2048 + 16;
/// What went wrong is told of so many entries.
const MAX_ERRORS: usize = 100;

/// What bringing a take-out in came to.
#[derive(Debug, Default)]
pub struct Imported {
    /// Whether the reader looks and behaves as in the take-out now.
    pub preferences_set: bool,
    /// Categories that were not there.
    pub categories_added: usize,
    /// Feeds that are followed from now on.
    pub subscriptions_added: usize,
    /// Feeds that were followed already; what was chosen about them is as in the take-out now.
    pub subscriptions_existing: usize,
    /// Labels that were not there.
    pub labels_added: usize,
    /// Searches that were not there.
    pub saved_searches_added: usize,
    /// Rules that were not there.
    pub rules_added: usize,
    /// Items of the take-out that are starred now, with those that were.
    pub starred: usize,
    /// Items of the take-out that were not starred and have their labels now.
    pub labelled: usize,
    /// Those of both that were not here before.
    pub items_added: usize,
    /// Items that are read or unread as in the take-out now.
    pub marked: usize,
    /// What could not be brought in, and why: the first hundred.
    pub errors: Vec<EntryError>,
    /// How many more there were.
    pub errors_left_out: usize,
}

/// An entry that could not be brought in.
#[derive(Debug)]
pub struct EntryError {
    /// The list it stands in.
    pub list: &'static str,
    /// Its place there, from one.
    pub entry: usize,
    /// Why, for people.
    pub reason: String,
}

/// Why nothing was brought in.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The document is no take-out, or not whole.
    #[error("this is not a take-out that can be read: {0}")]
    Document(String),
    /// The store failed; what was brought in until then stays, and doing it again is harmless.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Imported {
    fn refuse(&mut self, list: &'static str, entry: usize, reason: impl Into<String>) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(EntryError {
                list,
                entry: entry + 1,
                reason: reason.into(),
            });
        } else {
            self.errors_left_out += 1;
        }
    }

    /// The entries of a list that can be understood, with their places.
    fn read<T: DeserializeOwned, U>(
        &mut self,
        list: &'static str,
        raw: &[Raw],
        check: impl Fn(T) -> Result<U, String>,
    ) -> Vec<(usize, U)> {
        let mut good = Vec::with_capacity(raw.len());
        for (place, raw) in raw.iter().enumerate() {
            match parsed(raw).and_then(&check) {
                Ok(entry) => good.push((place, entry)),
                Err(reason) => self.refuse(list, place, reason),
            }
        }
        good
    }
}

fn parsed<T: DeserializeOwned>(raw: &Raw) -> Result<T, String> {
    serde_json::from_str(raw.get()).map_err(|error| error.to_string())
}

/// Brings the take-out in `file` in for `user`.
pub async fn import(lede: &Lede, user: &User, file: File) -> Result<Imported, ImportError> {
    // Never closed, so there is always a turn.
    let _turn = TURNS.acquire().await.ok();
    let file = Arc::new(file);
    let first = Arc::clone(&file);
    let short = on_a_thread(move || read::short(&first)).await?;
    let mut done = Imported::default();
    bring_preferences(lede, user.id, short.preferences.as_ref(), &mut done).await?;
    let categories = bring_categories(lede, user.id, &short, &mut done).await?;
    bring_subscriptions(lede, user, &short.subscriptions, &categories, &mut done).await?;
    let id = user.id;
    let followed = lede
        .store
        .read(move |db| takeout::followings(db, id))
        .await?;
    let feeds: HashMap<String, FeedId> = followed
        .into_iter()
        .map(|following| (following.feed_url, following.feed))
        .collect();
    let labels = bring_labels(lede, user.id, &short.labels, &mut done).await?;
    bring_searches(lede, user.id, &short.saved_searches, &mut done).await?;
    let known = Known {
        feeds: &feeds,
        categories: &categories,
        labels: &labels,
    };
    bring_rules(lede, user.id, &short.rules, known, &mut done).await?;

    let mut long = LongLists {
        lede,
        user,
        known,
        done: &mut done,
        ready: Vec::new(),
    };
    // Marks afterwards: they may be about items that were just brought.
    for list in [List::Starred, List::Labelled, List::Marks] {
        let (sender, entries) = mpsc::channel(ON_THE_WAY);
        let file = Arc::clone(&file);
        let reading = on_a_thread(move || {
            read::long(&file, list, |entry| {
                let sent = sender.blocking_send(entry);
                sent.map_err(|_| "nobody reads it any more".to_owned())
            })
        });
        let (read, written) = tokio::join!(reading, long.take_in(list, entries));
        written?;
        read?;
    }
    tracing::info!(
        user.id = user.id.as_i64(),
        subscriptions = done.subscriptions_added,
        starred = done.starred,
        labelled = done.labelled,
        "a take-out was brought in"
    );
    Ok(done)
}

/// Sets what the document says about the reader; what it does not say stays as it is.
async fn bring_preferences(
    lede: &Lede,
    user: UserId,
    raw: Option<&Raw>,
    done: &mut Imported,
) -> Result<(), ImportError> {
    let Some(raw) = raw else { return Ok(()) };
    let brought = match parsed::<Map<String, Value>>(raw) {
        Ok(brought) => brought,
        Err(reason) => {
            done.refuse("preferences", 0, reason);
            return Ok(());
        }
    };
    let set = lede.store.write(move |db| {
        let chosen = preferences::of_user(db, user)?;
        match overlaid(&chosen, &brought) {
            Ok(chosen) => preferences::set(db, user, &chosen).map(Ok),
            Err(reason) => Ok(Err(reason)),
        }
    });
    match set.await? {
        Ok(()) => done.preferences_set = true,
        Err(reason) => done.refuse("preferences", 0, reason),
    }
    Ok(())
}

/// What is chosen, with what the document says instead of it.
fn overlaid(chosen: &Preferences, brought: &Map<String, Value>) -> Result<Preferences, String> {
    let words = |error: serde_json::Error| error.to_string();
    let mut all = serde_json::to_value(chosen).map_err(words)?;
    for (name, value) in brought {
        all[name.as_str()] = value.clone();
    }
    // What is kept is read with a blind eye for what cannot be used; what is brought is not.
    if let Some(services) = brought.get("send_to") {
        let services: Vec<Service> = serde_json::from_value(services.clone()).map_err(words)?;
        service::check_number(&services).map_err(|error| error.to_string())?;
    }
    if let Some(text) = brought.get("style_sheet").and_then(Value::as_str) {
        StyleSheet::new(text).map_err(|error| error.to_string())?;
    }
    let all: Preferences = serde_json::from_value(all).map_err(words)?;
    match all.can_be_chosen() {
        true => Ok(all),
        false => Err(EntryTrouble::UnknownLook.to_string()),
    }
}

/// Reading a file is no work for the async threads.
async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, ImportError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err("reading it failed".to_owned()))
        .map_err(ImportError::Document)
}

/// A text as one line.
fn line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// The name of a search or a rule as it is kept: one line, not empty, not too long.
fn name_of(text: &str) -> Result<String, String> {
    let text = line(text);
    let text = text.trim();
    match text.chars().count() {
        0 => Err(EntryTrouble::NoName.to_string()),
        1..=MAX_NAME_CHARS => Ok(text.to_owned()),
        _ => Err(EntryTrouble::LongName {
            most: MAX_NAME_CHARS,
        }
        .to_string()),
    }
}

/// A question that can be asked here.
fn question(text: String) -> Result<String, String> {
    match Query::parse(&text) {
        Ok(_) => Ok(text),
        Err(error) => {
            let problem = error.to_string();
            Err(EntryTrouble::BadQuery { problem }.to_string())
        }
    }
}

/// A place among others, the nearest where it is beyond the first or the last.
fn place(position: i64) -> i64 {
    position.clamp(0, MAX_POSITION)
}

/// The names from the top down to a category, which differ by more than their case.
#[derive(Clone)]
struct Path(Vec<CategoryName>);

impl Path {
    fn read(names: &[String]) -> Result<Self, String> {
        if names.is_empty() || names.len() > MAX_DEPTH {
            return Err(EntryTrouble::BadDepth { most: MAX_DEPTH }.to_string());
        }
        let names = names.iter().map(|name| CategoryName::parse(&line(name)));
        let names: Result<_, CategoryError> = names.collect();
        names.map(Self).map_err(|error| {
            let problem = error.to_string();
            EntryTrouble::BadCategoryName { problem }.to_string()
        })
    }

    fn key(&self) -> Key {
        self.0.iter().map(CategoryName::key).collect()
    }
}

/// What is the same for paths that only differ in case.
type Key = Vec<String>;

/// Makes the tree and gives the number of every category in it.
async fn bring_categories(
    lede: &Lede,
    user: UserId,
    short: &Short,
    done: &mut Imported,
) -> Result<HashMap<Key, CategoryId>, ImportError> {
    let listed = done.read("categories", &short.categories, |category: Category| {
        Ok((Path::read(&category.path)?, place(category.position)))
    });
    let listed = listed
        .into_iter()
        .map(|(place, (path, position))| (Some(place), path, position));
    // Of a document that somebody else wrote, which names them only where feeds stand in them.
    let implied = short.subscriptions.iter().filter_map(|raw| {
        let category = parsed::<Subscription>(raw).ok()?.category?;
        Some((None, Path::read(&category).ok()?, 0))
    });
    let mut wanted: Vec<(Option<usize>, Path, i64)> = listed.chain(implied).collect();
    // Shorter paths first: a category is there before what stands in it.
    wanted.sort_by_key(|(_, path, _)| path.0.len());
    let now = lede.clock.now();
    let (tree, added, refused) = lede
        .store
        .write(move |db| {
            let known = takeout::categories(db, user)?;
            let mut tree: HashMap<Key, CategoryId> = HashMap::new();
            for (id, path) in paths(&known) {
                // Of two with the same names the older one is meant.
                let key = path.iter().map(|name| name.to_lowercase()).collect();
                let kept = tree.entry(key).or_insert(id);
                *kept = (*kept).min(id);
            }
            let (mut added, mut refused) = (0, Vec::new());
            for (place, path, position) in &wanted {
                let mut parent = None;
                let key = path.key();
                for depth in 1..=key.len() {
                    let here = &key[..depth];
                    parent = match tree.get(here) {
                        Some(known) => Some(*known),
                        None if tree.len() >= MAX_CATEGORIES => {
                            refused.push(*place);
                            break;
                        }
                        None => {
                            let name = path.0[depth - 1].as_str();
                            let id = takeout::add_category(db, user, name, parent, *position, now)?;
                            tree.insert(here.to_vec(), id);
                            added += 1;
                            Some(id)
                        }
                    };
                }
            }
            Ok((tree, added, refused))
        })
        .await?;
    done.categories_added = added;
    for place in refused.into_iter().flatten() {
        let most = MAX_CATEGORIES;
        let reason = EntryTrouble::ManyCategories { most }.to_string();
        done.refuse("categories", place, reason);
    }
    Ok(tree)
}

/// A feed to follow, checked.
struct Wish {
    feed: NewFeed,
    choices: Choices,
}

fn wish(entry: Subscription, categories: &HashMap<Key, CategoryId>) -> Result<Wish, String> {
    let url = WebUrl::parse(&entry.feed_url).map_err(|error| error.to_string())?;
    let title = clean::plain(&escaped(&entry.feed_title));
    let title = title[..title.floor_char_boundary(1024)].trim_end();
    let category = entry.category.as_deref().map(Path::read).transpose()?;
    let is_interval = |minutes: &i64| {
        *minutes == 0
            || ((SHORTEST_INTERVAL_MINUTES..=LONGEST_INTERVAL_MINUTES).contains(minutes)
                && minutes % SHORTEST_INTERVAL_MINUTES == 0)
    };
    Ok(Wish {
        choices: Choices {
            title: match entry.title {
                Some(title) => own_title(&line(&title)).map_err(|error| {
                    let problem = error.to_string();
                    EntryTrouble::BadTitle { problem }.to_string()
                })?,
                None => None,
            },
            category: category.and_then(|path| categories.get(&path.key()).copied()),
            position: place(entry.position),
            interval_minutes: entry.interval_minutes.filter(is_interval),
            full_text: entry.full_text,
            notify: entry.notify,
            paused_at: entry.paused_at,
        },
        feed: NewFeed {
            title: if title.is_empty() {
                url.host().to_owned()
            } else {
                title.to_owned()
            },
            site_url: entry.site_url.and_then(|site| WebUrl::parse(&site).ok()),
            url,
            validators: Validators::default(),
        },
    })
}

enum Followed {
    Added,
    Existing,
    Refused(String),
}

async fn bring_subscriptions(
    lede: &Lede,
    user: &User,
    raw: &[Raw],
    categories: &HashMap<Key, CategoryId>,
    done: &mut Imported,
) -> Result<(), ImportError> {
    let mut wishes = done.read("subscriptions", raw, |entry| wish(entry, categories));
    while !wishes.is_empty() {
        let rest = wishes.split_off(wishes.len().min(SUBSCRIPTIONS_AT_ONCE));
        let batch = std::mem::replace(&mut wishes, rest);
        let (lede_, user) = (lede.clone(), user.clone());
        let outcomes = lede
            .store
            .write(move |db| {
                let outcomes = batch
                    .iter()
                    .map(|(place, wish)| Ok((*place, follow(db, &lede_, &user, wish)?)));
                outcomes.collect::<StoreResult<Vec<_>>>()
            })
            .await?;
        for (place, outcome) in outcomes {
            match outcome {
                Followed::Added => done.subscriptions_added += 1,
                Followed::Existing => done.subscriptions_existing += 1,
                Followed::Refused(reason) => done.refuse("subscriptions", place, reason),
            }
        }
    }
    Ok(())
}

/// Follows a feed without fetching it: that is planned, because nobody waits for it here.
fn follow(db: &mut Db<'_>, lede: &Lede, user: &User, wish: &Wish) -> StoreResult<Followed> {
    let now = lede.clock.now();
    let known = feeds::find_by_url(db, &wish.feed.url)?;
    if known
        .as_ref()
        .is_some_and(|feed| feed.is_kept_from(user.id))
    {
        return Ok(Followed::Refused(Trouble::KeptByOther.to_string()));
    }
    if let Some(feed) = &known
        && takeout::choose(db, user.id, feed.id, &wish.choices)?.is_some()
    {
        return Ok(Followed::Existing);
    }
    let limit = lede.settings.max_subscriptions;
    if subscriptions::count(db, user.id)? >= limit {
        let reason = Trouble::ListFull { most: limit };
        return Ok(Followed::Refused(reason.to_string()));
    }
    let feed = match known {
        Some(feed) => feed,
        None if !user.role.may_add_new_feeds() => {
            return Ok(Followed::Refused(Trouble::NotAllowed.to_string()));
        }
        None => {
            let feed = feeds::add(db, &wish.feed, lede.settings.failure_policy, now)?;
            icons::enqueue(db, feed.id, now)?;
            feed
        }
    };
    subscriptions::add(db, user.id, feed.id, now)?;
    // Before anything becomes unread, because nothing does in a feed that is paused.
    takeout::choose(db, user.id, feed.id, &wish.choices)?;
    items::fan_out_on_follow(db, user.id, feed.id)?;
    feeds::wake(db, feed.id, now)?;
    Ok(Followed::Added)
}

/// The labels of a person by the keys of their names.
type Labels = HashMap<String, lede_model::label::Label>;

/// What there is by then, that other entries name.
#[derive(Clone, Copy)]
struct Known<'a> {
    feeds: &'a HashMap<String, FeedId>,
    categories: &'a HashMap<Key, CategoryId>,
    labels: &'a Labels,
}

impl Known<'_> {
    /// The label of this name, where it is here.
    fn label(&self, name: &str) -> Option<&lede_model::label::Label> {
        let name = LabelName::parse(&line(name)).ok()?;
        self.labels.get(&name.key())
    }
}

/// Makes the labels and gives all that there are.
async fn bring_labels(
    lede: &Lede,
    user: UserId,
    raw: &[Raw],
    done: &mut Imported,
) -> Result<Labels, ImportError> {
    let wanted = done.read("labels", raw, |label: Label| {
        LabelName::parse(&line(&label.name)).map_err(|error| {
            let problem = error.to_string();
            EntryTrouble::BadLabelName { problem }.to_string()
        })
    });
    let now = lede.clock.now();
    let brought = lede.store.write(move |db| {
        let mut own = labels::of_user_to_change(db, user)?;
        let before = own.len();
        let mut refused = Vec::new();
        for (place, name) in &wanted {
            let name = std::slice::from_ref(name);
            if named(db, user, &mut own, name, now)?.is_err() {
                refused.push(*place);
            }
        }
        Ok((own.len() - before, own, refused))
    });
    let (added, own, refused) = brought.await?;
    done.labels_added = added;
    for place in refused {
        let reason = EntryTrouble::ManyLabels { most: MAX_LABELS }.to_string();
        done.refuse("labels", place, reason);
    }
    let own = own
        .into_iter()
        .map(|label| (label.name.to_lowercase(), label));
    Ok(own.collect())
}

async fn bring_searches(
    lede: &Lede,
    user: UserId,
    raw: &[Raw],
    done: &mut Imported,
) -> Result<(), ImportError> {
    let searches = done.read("saved_searches", raw, |search: SavedSearch| {
        Ok(takeout::SavedSearch {
            name: name_of(&search.name)?,
            query: question(search.query)?,
            position: place(search.position),
        })
    });
    let now = lede.clock.now();
    let (added, refused) = lede
        .store
        .write(move |db| {
            let mut known = takeout::saved_searches(db, user)?;
            let (mut added, mut refused) = (0, Vec::new());
            for (place, search) in &searches {
                let is_known = |other: &takeout::SavedSearch| {
                    other.name == search.name && other.query == search.query
                };
                if known.iter().any(is_known) {
                    continue;
                }
                if known.len() as i64 >= MAX_SAVED {
                    refused.push(*place);
                    continue;
                }
                takeout::add_saved_search(db, user, search, now)?;
                known.push(search.clone());
                added += 1;
            }
            Ok((added, refused))
        })
        .await?;
    done.saved_searches_added = added;
    for place in refused {
        let reason = EntryTrouble::ManySearches { most: MAX_SAVED }.to_string();
        done.refuse("saved_searches", place, reason);
    }
    Ok(())
}

async fn bring_rules(
    lede: &Lede,
    user: UserId,
    raw: &[Raw],
    here: Known<'_>,
    done: &mut Imported,
) -> Result<(), ImportError> {
    let rules = done.read("rules", raw, |rule: Rule| {
        // A rule whose place is not here would hold everywhere: it is left out instead.
        let category = match rule.category.as_deref().map(Path::read).transpose()? {
            None => None,
            Some(path) => {
                let known = here.categories.get(&path.key());
                Some(*known.ok_or_else(|| EntryTrouble::NoCategory.to_string())?)
            }
        };
        let query = rule.query.map(question).transpose()?;
        if query.is_none() && rule.feed_url.is_none() && category.is_none() {
            return Err(EntryTrouble::NoCondition.to_string());
        }
        let label = match rule.label.as_deref() {
            None => None,
            Some(name) => {
                let known = here.label(name);
                Some(known.ok_or_else(|| EntryTrouble::NoLabel.to_string())?)
            }
        };
        if !(rule.mark_read || rule.star || rule.hide || rule.notify || label.is_some()) {
            return Err(EntryTrouble::NoAction.to_string());
        }
        let kept = takeout::Rule {
            name: name_of(&rule.name)?,
            enabled: rule.enabled,
            query,
            feed: rule
                .feed_url
                .map(|url| feed_at(here.feeds, &url).map(|(feed, _)| feed))
                .transpose()?,
            category,
            mark_read: rule.mark_read,
            star: rule.star,
            hide: rule.hide,
            notify: rule.notify,
            label: label.map(|label| label.name.clone()),
        };
        Ok((kept, label.map(|label| label.id)))
    });
    let now = lede.clock.now();
    let (added, refused) = lede
        .store
        .write(move |db| {
            let mut known = takeout::rules(db, user)?;
            let (mut added, mut refused) = (0, Vec::new());
            for (place, (rule, label)) in &rules {
                if known.contains(rule) {
                    continue;
                }
                if known.len() as i64 >= MAX_RULES {
                    refused.push(*place);
                    continue;
                }
                takeout::add_rule(db, user, rule, *label, now)?;
                known.push(rule.clone());
                added += 1;
            }
            Ok((added, refused))
        })
        .await?;
    done.rules_added = added;
    for place in refused {
        let reason = EntryTrouble::ManyRules { most: MAX_RULES }.to_string();
        done.refuse("rules", place, reason);
    }
    Ok(())
}

/// The feed at an address, if the person follows it.
fn feed_at(feeds: &HashMap<String, FeedId>, url: &str) -> Result<(FeedId, WebUrl), String> {
    let url = WebUrl::parse(url).map_err(|error| error.to_string())?;
    match feeds.get(url.as_str()) {
        Some(feed) => Ok((*feed, url)),
        None => Err(EntryTrouble::NotFollowed.to_string()),
    }
}

/// A key as `model::identity` makes them.
fn is_key(key: &str) -> bool {
    ["g:", "h:", "u:", "c:"]
        .iter()
        .any(|kind| key.starts_with(kind))
        && key.len() <= MAX_KEY_BYTES
        && !key.contains('\0')
}

/// A starred or labelled item, cleaned and ready to be kept.
struct Ready {
    place: usize,
    feed: FeedId,
    key: String,
    new: NewItem,
    full_html: Option<CleanHtml>,
    first_seen_at: Timestamp,
    /// Nothing where it is not starred.
    starred_at: Option<Timestamp>,
    labels: Vec<LabelId>,
}

/// What an item that somebody brings says, after the same cleaning as what a feed says.
fn cleaned(
    place: usize,
    entry: KeptItem,
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

/// The lists that come entry by entry.
struct LongLists<'a> {
    lede: &'a Lede,
    user: &'a User,
    known: Known<'a>,
    done: &'a mut Imported,
    /// Waiting to be written together.
    ready: Vec<Ready>,
}

impl LongLists<'_> {
    /// Whatever ends this early also ends the reading, because nobody receives any more.
    async fn take_in(&mut self, list: List, mut entries: mpsc::Receiver<Raw>) -> StoreResult<()> {
        let mut place = 0;
        while let Some(raw) = entries.recv().await {
            if list != List::Marks {
                match self.clean(list, place, &raw).await {
                    Ok(ready) => self.ready.push(ready),
                    Err(reason) => self.done.refuse(name_of_list(list), place, reason),
                }
                if self.ready.len() >= KEPT_AT_ONCE {
                    self.write_kept(list).await?;
                }
            } else if let Err(reason) = self.write_marks(&raw).await? {
                self.done.refuse("marks", place, reason);
            }
            place += 1;
        }
        self.write_kept(list).await
    }

    async fn clean(&self, list: List, place: usize, raw: &Raw) -> Result<Ready, String> {
        let entry: KeptItem = parsed(raw)?;
        let (feed, feed_url) = feed_at(self.known.feeds, &entry.feed_url)?;
        if !is_key(&entry.key) {
            return Err(EntryTrouble::BadKey.to_string());
        }
        let now = self.lede.clock.now();
        let starred_at = (list == List::Starred).then(|| entry.starred_at.unwrap_or(now).min(now));
        // One that could not be brought in is on nothing.
        let labels = entry.labels.iter();
        let labels = labels.filter_map(|name| self.known.label(name).map(|label| label.id));
        let labels: Vec<LabelId> = labels.collect();
        let ready = bounded(move || cleaned(place, entry, feed, &feed_url, now)).await;
        let ready = ready.map_err(|_| EntryTrouble::BadText.to_string())?;
        Ok(Ready {
            starred_at,
            labels,
            ..ready
        })
    }

    async fn write_kept(&mut self, list: List) -> StoreResult<()> {
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
                    .map(|ready| Ok((ready.place, keep(db, &user, ready, now)?)));
                outcomes.collect::<StoreResult<Vec<_>>>()
            })
            .await?;
        for (place, outcome) in outcomes {
            match outcome {
                Kept::Known => {}
                Kept::Brought => self.done.items_added += 1,
                Kept::NotAllowed => {
                    let reason = EntryTrouble::NotAllowed.to_string();
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

    async fn write_marks(&mut self, raw: &Raw) -> StoreResult<Result<(), String>> {
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
            let marked = self
                .lede
                .store
                .write(move |db| takeout::set_marks(db, user, feed, &batch, now));
            self.done.marked += marked.await?;
        }
        Ok(Ok(()))
    }
}

/// What the document calls a list of kept items.
fn name_of_list(list: List) -> &'static str {
    match list {
        List::Starred => "starred",
        _ => "labelled",
    }
}

enum Kept {
    Known,
    Brought,
    NotAllowed,
}

/// Stars an item and labels it. One that is here stays as it is, whatever the take-out says of it: everybody reads
/// it. One that is not is kept for whoever brings it.
fn keep(db: &mut Db<'_>, user: &User, ready: &Ready, now: Timestamp) -> StoreResult<Kept> {
    let url_key = ready.new.item.url.as_ref().map(WebUrl::identity_key);
    let known = takeout::find_item(db, ready.feed, &ready.key, url_key.as_deref())?;
    let (item, kept) = match known {
        Some(item) => (item, Kept::Known),
        None if !user.role.may_add_new_feeds() => return Ok(Kept::NotAllowed),
        None => {
            let policy = clean::POLICY_VERSION;
            let brought = intake::bring(
                db,
                ready.feed,
                &ready.key,
                &ready.new,
                ready.first_seen_at,
                policy,
            )?;
            let item = brought.ok_or(StoreError::Missing)?;
            takeout::hide_from_others(db, user.id, item, now)?;
            if let Some(html) = &ready.full_html {
                let article = Article {
                    html: html.clone(),
                    reading_minutes: html.reading_minutes(),
                    excerpt: None,
                    lede: None,
                };
                articles::keep(db, item, &article)?;
            }
            (item, Kept::Brought)
        }
    };
    if let Some(starred_at) = ready.starred_at {
        takeout::star(db, user.id, item, starred_at)?;
    }
    for label in &ready.labels {
        labels::put_on(db, user.id, *label, &[item], now)?;
    }
    Ok(kept)
}
