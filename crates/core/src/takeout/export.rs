//! Export: writes the document one piece at a time.

use std::collections::{HashMap, VecDeque};

use lede_model::ids::{CategoryId, FeedId, LabelId};
use lede_model::item::Position;
use lede_model::user::User;
use lede_store::{StoreError, StoreResult, labels, preferences, takeout};
use serde::Serialize;

use super::format::{
    Account, AppPassword, Category, FORMAT, FeedMarks, ItemMarks, Label, Rule, SavedItem,
    SavedSearch, Subscription, VERSION,
};
use crate::Lede;

/// Starred or labelled items per piece: each may have two texts of two megabytes.
const ITEMS_AT_ONCE: i64 = 10;
/// Marks per piece.
const MARKS_AT_ONCE: i64 = 500;
/// Maximum depth of the category tree. Guards against a cycle, which the store does not allow.
const DEEPEST: usize = 64;

/// An export in progress.
pub struct Export {
    lede: Lede,
    user: User,
    step: Step,
    /// Feeds whose marks are still to be written, with their addresses.
    feeds: VecDeque<(FeedId, String)>,
    /// Labels whose items are still to be written.
    labels: VecDeque<LabelId>,
    /// True if the current list already has an entry.
    has_entries: bool,
}

enum Step {
    Head,
    Starred(Option<Position>),
    Labelled(Option<Position>),
    Marks(Option<Position>),
    Done,
}

impl Export {
    /// Starts an export of everything that belongs to `user`.
    pub fn of(lede: &Lede, user: User) -> Self {
        Self {
            lede: lede.clone(),
            user,
            step: Step::Head,
            feeds: VecDeque::new(),
            labels: VecDeque::new(),
            has_entries: false,
        }
    }

    /// Returns the next piece of the document, or `None` at the end.
    pub async fn next(&mut self) -> StoreResult<Option<String>> {
        match self.step {
            Step::Head => self.head().await.map(Some),
            Step::Starred(after) => self.starred(after).await.map(Some),
            Step::Labelled(after) => self.labelled(after).await.map(Some),
            Step::Marks(after) => self.marks(after).await.map(Some),
            Step::Done => Ok(None),
        }
    }

    async fn head(&mut self) -> StoreResult<String> {
        let user = self.user.id;
        let (chosen, categories, followings, labels, searches, rules, app_passwords) = self
            .lede
            .store
            .read(move |db| {
                Ok((
                    preferences::of_user(db, user)?,
                    takeout::categories(db, user)?,
                    takeout::subscriptions(db, user)?,
                    labels::of_user(db, user)?,
                    takeout::saved_searches(db, user)?,
                    takeout::rules(db, user)?,
                    takeout::app_passwords(db, user)?,
                ))
            })
            .await?;
        let paths = paths(&categories);
        let path = |category: Option<CategoryId>| paths.get(&category?).cloned();
        let urls: HashMap<FeedId, &str> = followings
            .iter()
            .map(|following| (following.feed, following.feed_url.as_str()))
            .collect();
        let account = Account {
            email: &self.user.email,
            role: self.user.role,
            created_at: self.user.created_at,
        };
        let mut out = format!(
            "{{\"format\":\"{FORMAT}\",\"version\":{VERSION},\"exported_at\":\"{}\",\n\"account\":{},\n\"preferences\":{}",
            self.lede.clock.now(),
            json(&account)?,
            json(&chosen)?
        );
        let list_of_categories = categories.iter().filter_map(|category| {
            Some(Category {
                path: path(Some(category.id))?,
                position: category.position,
            })
        });
        section(&mut out, "categories", list_of_categories)?;
        let list_of_followings = followings
            .iter()
            .map(|following| subscription(following, path(following.settings.category)));
        section(&mut out, "subscriptions", list_of_followings)?;
        self.labels = labels.iter().map(|label| label.id).collect();
        // In order of creation, which decides under which label an item is written.
        self.labels.make_contiguous().sort_unstable();
        let labels = labels.into_iter().map(|label| Label { name: label.name });
        section(&mut out, "labels", labels)?;
        let searches = searches.into_iter().map(|search| SavedSearch {
            name: search.name,
            query: search.query,
            position: search.position,
        });
        section(&mut out, "saved_searches", searches)?;
        let rules = rules.into_iter().map(|rule| {
            let feed_url = rule.feed.and_then(|feed| urls.get(&feed));
            let (feed_url, category) = (feed_url.map(|url| (*url).to_owned()), path(rule.category));
            exported_rule(rule, feed_url, category)
        });
        section(&mut out, "rules", rules)?;
        let app_passwords = app_passwords
            .into_iter()
            .map(|(name, scope)| AppPassword { name, scope });
        section(&mut out, "app_passwords", app_passwords)?;
        out.push_str(",\n\"starred\":[");
        self.feeds = followings
            .into_iter()
            .map(|following| (following.feed, following.feed_url))
            .collect();
        self.step = Step::Starred(None);
        Ok(out)
    }

    async fn starred(&mut self, after: Option<Position>) -> StoreResult<String> {
        let user = self.user.id;
        let page = self
            .lede
            .store
            .read(move |db| takeout::starred(db, user, after, ITEMS_AT_ONCE))
            .await?;
        let mut out = String::new();
        let last = page.last().map(|item| item.position);
        for item in page {
            let starred_at = Some(item.saved_at);
            self.entry(
                &mut out,
                &SavedItem {
                    starred_at,
                    ..saved(item)
                },
            )?;
        }
        if last.is_some() {
            self.step = Step::Starred(last);
        } else {
            out.push_str("],\n\"labelled\":[");
            self.has_entries = false;
            self.step = Step::Labelled(None);
        }
        Ok(out)
    }

    async fn labelled(&mut self, after: Option<Position>) -> StoreResult<String> {
        let Some(label) = self.labels.front().copied() else {
            self.has_entries = false;
            self.step = Step::Marks(None);
            return Ok("],\n\"marks\":[".to_owned());
        };
        let user = self.user.id;
        let page = self
            .lede
            .store
            .read(move |db| takeout::labelled(db, user, label, after, ITEMS_AT_ONCE))
            .await?;
        let mut out = String::new();
        self.step = Step::Labelled(page.last().map(|item| item.position));
        if page.is_empty() {
            self.labels.pop_front();
        }
        for item in page {
            self.entry(&mut out, &saved(item))?;
        }
        Ok(out)
    }

    async fn marks(&mut self, after: Option<Position>) -> StoreResult<String> {
        let Some((feed, feed_url)) = self.feeds.front().cloned() else {
            self.step = Step::Done;
            return Ok("]}\n".to_owned());
        };
        let user = self.user.id;
        let page = self
            .lede
            .store
            .read(move |db| takeout::marks_of_feed(db, user, feed, after, MARKS_AT_ONCE))
            .await?;
        let mut out = String::new();
        self.step = Step::Marks(page.last().map(|(position, _)| *position));
        if page.is_empty() {
            self.feeds.pop_front();
            return Ok(out);
        }
        let items = page.into_iter().map(|(_, marks)| ItemMarks {
            key: marks.key,
            read: marks.is_read,
            read_at: marks.read_at,
            hidden: marks.is_hidden,
        });
        let items = items.collect();
        self.entry(&mut out, &FeedMarks { feed_url, items })?;
        Ok(out)
    }

    /// Writes one entry of the current list, on its own line.
    fn entry(&mut self, out: &mut String, entry: &impl Serialize) -> StoreResult<()> {
        out.push_str(if self.has_entries { ",\n" } else { "\n" });
        self.has_entries = true;
        out.push_str(&json(entry)?);
        Ok(())
    }
}

fn subscription(following: &takeout::Following, category: Option<Vec<String>>) -> Subscription {
    let settings = following.settings.clone();
    Subscription {
        feed_url: following.feed_url.clone(),
        feed_title: following.feed_title.clone(),
        site_url: following.site_url.clone(),
        title: settings.title,
        category,
        position: settings.position.unwrap_or_default(),
        interval_minutes: settings.interval_minutes,
        full_text: settings.full_text,
        notify: settings.notify,
        paused_at: settings.paused_at,
        created_at: Some(following.created_at),
    }
}

fn exported_rule(
    rule: takeout::Rule,
    feed_url: Option<String>,
    category: Option<Vec<String>>,
) -> Rule {
    Rule {
        name: rule.name,
        enabled: rule.enabled,
        query: rule.query,
        feed_url,
        category,
        mark_read: rule.mark_read,
        star: rule.star,
        hide: rule.hide,
        notify: rule.notify,
        label: rule.label,
    }
}

fn saved(item: takeout::SavedItem) -> SavedItem {
    SavedItem {
        feed_url: item.feed_url,
        feed_title: Some(item.feed_title),
        key: item.key,
        url: item.url,
        title: item.title,
        author: item.author,
        language: item.language,
        image_url: item.image_url,
        published_at: item.published_at,
        first_seen_at: Some(item.first_seen_at),
        starred_at: None,
        labels: item.labels.into_iter().map(|label| label.name).collect(),
        html: item.html,
        full_html: item.full_html,
        // Written by us. If a row was edited by hand, the item loses only its details.
        details: item
            .details
            .and_then(|details| serde_json::from_str(&details).ok())
            .unwrap_or_default(),
    }
}

/// Writes a whole list that is short enough for one piece.
fn section<T: Serialize>(
    out: &mut String,
    name: &str,
    entries: impl Iterator<Item = T>,
) -> StoreResult<()> {
    out.push_str(&format!(",\n\"{name}\":["));
    for (place, entry) in entries.enumerate() {
        out.push_str(if place > 0 { ",\n" } else { "\n" });
        out.push_str(&json(&entry)?);
    }
    out.push(']');
    Ok(())
}

fn json(value: &impl Serialize) -> StoreResult<String> {
    // Fails only for maps with keys that are not text; the format has none.
    serde_json::to_string(value).map_err(|error| StoreError::Panicked(error.to_string()))
}

/// Returns the path of names to each category.
pub(super) fn paths(categories: &[takeout::Category]) -> HashMap<CategoryId, Vec<String>> {
    let by_id: HashMap<CategoryId, &takeout::Category> = categories
        .iter()
        .map(|category| (category.id, category))
        .collect();
    let path = |category: &takeout::Category| {
        let mut path = vec![category.name.clone()];
        let mut above = category.parent;
        while let Some(parent) = above.and_then(|parent| by_id.get(&parent))
            && path.len() < DEEPEST
        {
            path.push(parent.name.clone());
            above = parent.parent;
        }
        path.reverse();
        path
    };
    categories
        .iter()
        .map(|category| (category.id, path(category)))
        .collect()
}
