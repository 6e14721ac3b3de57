//! Execution of rules on new items, in the transaction that stores them.
//!
//! One statement loads the rules of all subscribers when a feed has new items; if there are none,
//! that is all. `model::search` does the matching, and extracts the words of an item only once a
//! rule needs them. The results are written for all users and items at once.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lede_model::content::CleanHtml;
use lede_model::ids::{CategoryId, FeedId, ItemId, LabelId, RuleId, UserId};
use lede_model::label::MAX_ON_ITEM;
use lede_model::mark::MarkKind;
use lede_model::rule::RuleActions;
use lede_model::search::{FeedFacts, ItemFacts, ItemText, Query};
use lede_model::time::Timestamp;

use super::actions;
use crate::batch::{list, with_numbers};
use crate::engine::{Engine, Value};
use crate::ingest::NewItem;
use crate::notifications::{self, NewNotification};
use crate::pending_marks::MarkImport;
use crate::search::feeds::{Tree, host_of};
use crate::{Db, StoreResult, params, statements, unread};

/// Rows per statement.
const BATCH: usize = 100;

statements! {
    /// Also returns subscribers with notifications on for the whole feed, with or without a rule,
    /// and users who wait for imported marks.
    LISTENING = "SELECT s.user_id, s.notify, r.query, r.category_id,
                        COALESCE(r.mark_read, FALSE), COALESCE(r.star, FALSE), COALESCE(r.hide, FALSE),
                        COALESCE(r.notify, FALSE), COALESCE(s.title, f.title), f.url, s.category_id, r.label_id,
                        s.paused_at IS NOT NULL, w.id, w.exported_at, r.id
                 FROM subscription s
                 JOIN feed f ON f.id = s.feed_id
                 LEFT JOIN rule r ON r.user_id = s.user_id AND r.enabled
                     AND (r.feed_id IS NULL OR r.feed_id = s.feed_id)
                 LEFT JOIN mark_import w ON w.subscription_id = s.id
                 WHERE s.feed_id = $1
                     AND (s.paused_at IS NULL AND (s.notify OR r.id IS NOT NULL) OR w.id IS NOT NULL)";
    CATEGORIES = "SELECT c.user_id, c.id, c.name, c.parent_id FROM category c
                  WHERE c.user_id IN (SELECT s.user_id FROM subscription s
                                      WHERE s.feed_id = $1 AND s.category_id IS NOT NULL)";
}

/// A new item to match against rules.
pub(crate) struct Arrival<'a> {
    pub(crate) id: ItemId,
    pub(crate) sort_at: Timestamp,
    pub(crate) new: &'a NewItem,
    /// Users to whom the item is not new, because their import included it.
    pub(crate) known_to: Vec<UserId>,
}

/// The rules that apply to new items of one feed.
pub(crate) struct FeedRules {
    listening: Vec<Listening>,
    /// Users who wait for imported marks on items of the feed.
    pub(crate) mark_imports: Vec<MarkImport>,
}

/// One rule of one subscriber, or a subscription with notifications on for everything.
struct Listening {
    user: UserId,
    /// `None` for such a subscription.
    rule: Option<RuleId>,
    actions: RuleActions,
    label: Option<LabelId>,
    query: Query,
    /// The feed with the subscriber's title and categories.
    feed: FeedFacts,
}

/// Combined effect of the matching rules on an item for one user.
#[derive(Default)]
struct Hit {
    actions: RuleActions,
    labels: BTreeSet<LabelId>,
    /// The first rule that asks for a notification.
    notified_by: Option<RuleId>,
}

impl FeedRules {
    /// Loads the rules of all subscribers of `feed`.
    pub(crate) fn of(db: &mut Db<'_>, feed: FeedId) -> StoreResult<Self> {
        let (mut listening, mut mark_imports) = (Vec::new(), Vec::<MarkImport>::new());
        // The subscription's category, and the category required by the rule.
        let mut categories: Vec<(Option<CategoryId>, Option<CategoryId>)> = Vec::new();
        db.query(LISTENING, params![feed], |row| {
            let user = row.get(0)?;
            if let Some(id) = row.get(13)? {
                let waits = MarkImport {
                    id,
                    user,
                    exported_at: row.get(14)?,
                };
                if !mark_imports.contains(&waits) {
                    mark_imports.push(waits);
                }
            }
            if row.get(12)? {
                return Ok(());
            }
            let feed = FeedFacts {
                id: feed,
                title: row.get(8)?,
                host: host_of(&row.get::<String>(9)?),
                categories: Vec::new(),
            };
            let query: Option<String> = row.get(2)?;
            // A query that no longer parses disables only its own rule.
            let query = query.as_deref().map_or(Ok(Query::default()), Query::parse);
            let mut actions = actions(row, 4)?;
            let mut label: Option<LabelId> = row.get(11)?;
            if query.is_err() {
                (actions, label) = (RuleActions::default(), None);
            }
            let tells_all: bool = row.get(1)?;
            if tells_all {
                listening.push(Listening {
                    user,
                    rule: None,
                    actions: RuleActions {
                        notify: true,
                        ..RuleActions::default()
                    },
                    label: None,
                    query: Query::default(),
                    feed: feed.clone(),
                });
                categories.push((None, None));
            }
            let is_idle = actions.is_empty() && label.is_none();
            if let (false, Ok(query)) = (is_idle, query) {
                listening.push(Listening {
                    user,
                    rule: row.get(15)?,
                    actions,
                    label,
                    query,
                    feed,
                });
                categories.push((row.get(10)?, row.get(3)?));
            }
            Ok(())
        })?;
        let asks_category = listening
            .iter()
            .zip(&categories)
            .any(|(rule, (_, wanted))| {
                wanted.is_some() || rule.query.filters().has_feed_condition()
            });
        if asks_category {
            let trees = trees(db, feed)?;
            for (rule, (own, _)) in listening.iter_mut().zip(&categories) {
                if let Some(tree) = trees.get(&rule.user) {
                    rule.feed.categories = tree.around(*own);
                }
            }
        }
        let mut wanted = categories.into_iter().map(|(_, wanted)| wanted);
        listening.retain(|rule| {
            let is_inside = |wanted| rule.feed.categories.iter().any(|(id, _)| *id == wanted);
            wanted.next().flatten().is_none_or(is_inside)
        });
        Ok(Self {
            listening,
            mark_imports,
        })
    }

    /// Applies the rules to new items; `text_of` extracts the text from HTML.
    pub(crate) fn apply(
        &self,
        db: &mut Db<'_>,
        arrivals: &[Arrival<'_>],
        text_of: fn(&CleanHtml) -> String,
        now: Timestamp,
    ) -> StoreResult<()> {
        if self.listening.is_empty() {
            return Ok(());
        }
        let mut hits: BTreeMap<(UserId, ItemId), Hit> = BTreeMap::new();
        for arrival in arrivals {
            let item = &arrival.new.item;
            let author = item.author.as_deref().unwrap_or_default();
            let text = ItemText::new(&item.title, author, || text_of(&item.html));
            let known_to = |rule: &&Listening| arrival.known_to.contains(&rule.user);
            for rule in self.listening.iter().filter(|rule| !known_to(rule)) {
                if is_about(&rule.query, &text, &rule.feed, arrival.sort_at) {
                    let done = hits.entry((rule.user, arrival.id)).or_default();
                    done.actions = done.actions.or(rule.actions);
                    done.labels.extend(rule.label);
                    if rule.actions.notify {
                        done.notified_by = done.notified_by.or(rule.rule);
                    }
                }
            }
        }
        write(db, &hits, now)
    }
}

/// Returns `true` if the query matches an item on arrival, when it is unread and has no stars or
/// labels.
pub(super) fn is_about(
    query: &Query,
    text: &ItemText<'_>,
    feed: &FeedFacts,
    sort_at: Timestamp,
) -> bool {
    let facts = ItemFacts {
        feed,
        sort_at,
        is_unread: true,
        is_starred: false,
        labels: &[],
    };
    query.matches(text, &facts)
}

/// Returns the category trees of the subscribers of `feed`.
fn trees(db: &mut Db<'_>, feed: FeedId) -> StoreResult<HashMap<UserId, Tree>> {
    let mut trees: HashMap<UserId, Tree> = HashMap::new();
    db.query(CATEGORIES, params![feed], |row| {
        let tree = trees.entry(row.get(0)?).or_default();
        tree.add(row.get(1)?, row.get(2)?, row.get(3)?);
        Ok(())
    })?;
    Ok(trees)
}

fn write(
    db: &mut Db<'_>,
    hits: &BTreeMap<(UserId, ItemId), Hit>,
    now: Timestamp,
) -> StoreResult<()> {
    let (mut read, mut marks, mut notified) = (Vec::new(), Vec::new(), Vec::new());
    let mut labelled: Vec<[Value<'_>; 2]> = Vec::new();
    for (&(user, item), hit) in hits {
        let actions = hit.actions;
        // A new item has no other labels.
        let labels = hit.labels.iter().take(MAX_ON_ITEM);
        labelled.extend(labels.map(|label| [(*label).into(), item.into()]));
        if actions.mark_read || actions.hide {
            read.push((user, item));
        }
        // A hidden item is in no list, so there is nothing to notify about.
        if actions.notify && !actions.hide {
            notified.push(NewNotification {
                user,
                item,
                rule: hit.notified_by,
                is_item_unread: !actions.mark_read,
            });
        }
        // No read mark: it records when a user read the item, and no user did.
        for (is_marked, kind) in [
            (actions.star, MarkKind::Starred),
            (actions.hide, MarkKind::Hidden),
        ] {
            if is_marked {
                marks.push([user.into(), kind.into(), item.into()]);
            }
        }
    }
    unread::remove_pairs(db, &read)?;
    in_batches(db, &marks, now, add_marks_sql)?;
    notifications::add(db, &notified, now)?;
    let labels: BTreeSet<LabelId> = hits.values().flat_map(|hit| hit.labels.clone()).collect();
    if !labels.is_empty() {
        // Keeps the labels from being removed before the rows that reference them are inserted.
        let values: Vec<Value<'_>> = labels.into_iter().map(Value::from).collect();
        db.lock_rows(&lock_labels_sql(values.len()), &values)?;
    }
    in_batches(db, &labelled, now, add_labels_sql)
}

/// PostgreSQL only (see [`Db::lock`]).
fn lock_labels_sql(labels: usize) -> String {
    format!(
        "SELECT id FROM label WHERE id IN ({}) ORDER BY id FOR KEY SHARE",
        list(1, labels)
    )
}

/// Runs a statement in batches of rows; the time is the last parameter.
fn in_batches<const COLUMNS: usize>(
    db: &mut Db<'_>,
    rows: &[[Value<'_>; COLUMNS]],
    now: Timestamp,
    sql: fn(usize) -> String,
) -> StoreResult<()> {
    for batch in rows.chunks(BATCH) {
        let mut values = batch.concat();
        values.push(now.into());
        db.execute_rows(&sql(batch.len()), &values)?;
    }
    Ok(())
}

fn add_marks_sql(rows: usize) -> String {
    format!(
        "{} INSERT INTO mark (user_id, kind, sort_at, item_id, at)
            SELECT hit.user_id, hit.kind, i.sort_at, i.id, CAST(${} AS BIGINT)
            FROM hit JOIN item i ON i.id = hit.item_id WHERE TRUE
            ON CONFLICT DO NOTHING",
        with_numbers("hit", &["user_id", "kind", "item_id"], rows),
        3 * rows + 1
    )
}

/// Labels that were removed meanwhile are skipped.
fn add_labels_sql(rows: usize) -> String {
    format!(
        "{} INSERT INTO item_label (label_id, sort_at, item_id, user_id, at)
            SELECT l.id, i.sort_at, i.id, l.user_id, CAST(${} AS BIGINT)
            FROM hit JOIN label l ON l.id = hit.label_id JOIN item i ON i.id = hit.item_id WHERE TRUE
            ON CONFLICT DO NOTHING",
        with_numbers("hit", &["label_id", "item_id"], rows),
        2 * rows + 1
    )
}

/// Statements whose text depends on the number of rows or the engine, for the test of all
/// statements.
pub(crate) fn batch_statements(engine: Engine) -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("rules_add_marks", add_marks_sql(2)),
        ("rules_add_labels", add_labels_sql(2)),
    ];
    if engine == Engine::Postgres {
        all.push(("rules_lock_labels", lock_labels_sql(2)));
    }
    all
}
