//! The statement that selects the ids of a search, from constants and the parts of a plan only.

use lede_model::ids::{ItemId, UserId};
use lede_model::item::Position;
use lede_model::mark::MarkKind;

use super::{FEW_FEEDS, LOOKED_THROUGH, Plan, Source, padded};
use crate::engine::{Engine, Value};
use crate::items::saved_by;
use crate::unread;

/// Parameters that are numbered as they are added.
struct Values<'v>(Vec<Value<'v>>);

impl<'v> Values<'v> {
    fn name(&mut self, value: impl Into<Value<'v>>) -> String {
        self.0.push(value.into());
        format!("${}", self.0.len())
    }
}

/// Builds the statement and its parameters.
pub(super) fn ids_statement<'p>(
    engine: Engine,
    user: UserId,
    plan: &'p Plan,
    source: Source,
    part: ResultPart,
    limit: i64,
) -> (String, Vec<Value<'p>>) {
    let mut statement = IdsStatement::along(engine, user, plan, source);
    match part.order {
        ResultOrder::Date => statement.limit_position(part.after),
        ResultOrder::Arrival | ResultOrder::Relevance => {
            statement.limit_ids(part.arrived_before, limit);
            if part.after.is_some() {
                statement.limit_position(part.after);
            }
        }
    }
    statement.limit_dates();
    statement.limit_feeds();
    statement.limit_labels();
    statement.limit_marks();
    statement.exclude_words();
    statement.finish(part.order, limit)
}

/// A statement whose conditions are added one by one, because parameters are numbered in the order
/// in which they appear.
struct IdsStatement<'p> {
    engine: Engine,
    plan: &'p Plan,
    source: Source,
    values: Values<'p>,
    conditions: Vec<String>,
    /// Parameter of the user.
    user: String,
    walk: Walk,
}

/// The tables that a search walks, with the expressions for id, feed and date of an item.
struct Walk {
    from: String,
    id: &'static str,
    feed: &'static str,
    date: &'static str,
    /// The time when the feed delivered the item, which is not before its date. NULL if it is not
    /// known.
    arrival: &'static str,
}

/// Order of the ids.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultOrder {
    /// Latest arrivals first.
    Arrival,
    /// Newest first.
    Date,
    /// Best matches first; only for [`Source::Words`].
    Relevance,
}

/// The results that a statement returns.
#[derive(Clone, Copy)]
pub(super) struct ResultPart {
    pub(super) order: ResultOrder,
    /// Only items with lower ids.
    pub(super) arrived_before: Option<ItemId>,
    /// Only items after this position by date.
    pub(super) after: Option<Position>,
}

impl ResultPart {
    pub(super) const fn all(order: ResultOrder) -> Self {
        Self {
            order,
            arrived_before: None,
            after: None,
        }
    }
}

impl<'p> IdsStatement<'p> {
    /// Starts a statement that walks `source`.
    fn along(engine: Engine, user: UserId, plan: &'p Plan, source: Source) -> Self {
        let mut values = Values(Vec::new());
        let user = values.name(user);
        let (mut walk, condition) = walk(engine, &user, plan, source, &mut values);
        let feed = walk.feed;
        let follows = match engine {
            // `0 *` for the same reason as in `lists`.
            Engine::Sqlite => format!("s.user_id = {user} + 0 * {feed} AND s.feed_id = {feed}"),
            Engine::Postgres => format!("s.user_id = {user} AND s.feed_id = {feed}"),
        };
        // Only followed feeds have unread items, and only they are named by a search.
        let is_of_followed = source == Source::Unread || plan.feeds.is_some();
        let reachable = if is_of_followed {
            walk.from.push_str(" CROSS JOIN subscription s");
            follows
        } else {
            let left = format!(" LEFT JOIN subscription s ON {follows}");
            walk.from.push_str(&left);
            // The user is always the first parameter.
            concat!("(s.feed_id IS NOT NULL OR ", saved_by!("$1"), ")").to_owned()
        };
        Self {
            engine,
            plan,
            source,
            values,
            // The subscription first, because it uses the first parameter.
            conditions: [reachable].into_iter().chain(condition).collect(),
            user,
            walk,
        }
    }

    fn limit_ids(&mut self, before: Option<ItemId>, limit: i64) {
        let id = self.walk.id;
        let before = self.values.name(before.map_or(i64::MAX, ItemId::as_i64));
        let oldest = self.values.name(self.plan.oldest.map_or(0, ItemId::as_i64));
        self.conditions
            .push(format!("{id} < {before} AND {id} >= {oldest}"));
        if self.source == Source::NewestWords {
            self.conditions.push(format!(
                "{id} > (SELECT MAX(n.item_id) FROM item_search n WHERE n.item_id < {before}) - {}",
                self.values.name(limit * LOOKED_THROUGH)
            ));
        }
    }

    /// Limits the results to those after a position by date. Without one, the condition makes the
    /// engines walk the index that has this order.
    fn limit_position(&mut self, after: Option<Position>) {
        let Walk { id, date, .. } = self.walk;
        let (sort_at, last) = after.map_or((i64::MAX, i64::MAX), |after| {
            (after.sort_at.as_ms(), after.id.as_i64())
        });
        let (sort_at, last) = (self.values.name(sort_at), self.values.name(last));
        self.conditions
            .push(format!("({date}, {id}) < ({sort_at}, {last})"));
        if let Some(oldest) = self.plan.oldest {
            let oldest = self.values.name(oldest);
            self.conditions.push(format!("0 + {id} >= {oldest}"));
        }
    }

    fn limit_dates(&mut self) {
        let date = self.walk.date;
        if let Some(from) = self.plan.from {
            let from = self.values.name(from);
            self.conditions.push(format!("{date} >= {from}"));
        }
        if let Some(until) = self.plan.until {
            let until = self.values.name(until);
            self.conditions.push(format!("{date} < {until}"));
        }
    }

    fn limit_feeds(&mut self) {
        let Some(feeds) = &self.plan.feeds else {
            return;
        };
        let Walk { id, feed, .. } = self.walk;
        let names: Vec<String> = padded(feeds).map(|feed| self.values.name(*feed)).collect();
        let names = names.join(", ");
        if (self.engine, self.source) == (Engine::Sqlite, Source::Words) && feeds.len() <= FEW_FEEDS
        {
            // The unary plus makes SQLite look each id up in that list, instead of querying the
            // index for each id in it.
            self.conditions.push(format!(
                "+{id} IN (SELECT n.id FROM item n WHERE n.feed_id IN ({names}))"
            ));
        }
        self.conditions.push(format!("{feed} IN ({names})"));
    }

    fn limit_labels(&mut self) {
        let (id, user) = (self.walk.id, &self.user);
        let required = match self.source {
            Source::Labelled => &self.plan.labelled[1..],
            _ => &self.plan.labelled,
        };
        for (exists, labels) in [
            ("EXISTS", required),
            ("NOT EXISTS", &self.plan.unlabelled[..]),
        ] {
            for label in labels {
                self.conditions.push(format!(
                    "{exists} (SELECT 1 FROM item_label l
                               WHERE l.item_id = {id} AND l.user_id = {user} AND l.label_id = {})",
                    self.values.name(*label)
                ));
            }
        }
    }

    /// Limits the results to read or unread and to starred or unstarred items, and excludes hidden
    /// ones.
    fn limit_marks(&mut self) {
        let (id, user) = (self.walk.id, &self.user);
        let exists = |is_wanted| if is_wanted { "EXISTS" } else { "NOT EXISTS" };
        if let Some(unread) = self.plan.unread.filter(|_| self.source != Source::Unread) {
            self.conditions.push(format!(
                "{} (SELECT 1 FROM unread u WHERE u.item_id = {id} AND {})",
                exists(unread),
                unread::of_user("u", user)
            ));
        }
        let marked = |exists: &str, kind: &str| {
            format!(
                "{exists} (SELECT 1 FROM mark m
                           WHERE m.item_id = {id} AND m.user_id = {user} AND m.kind = {kind})"
            )
        };
        if let Some(starred) = self.plan.starred.filter(|_| self.source != Source::Starred) {
            let kind = self.values.name(MarkKind::Starred);
            self.conditions.push(marked(exists(starred), &kind));
        }
        // Most users have nothing hidden, and that is checked once instead of per item.
        let kind = self.values.name(MarkKind::Hidden);
        self.conditions.push(format!(
            "(NOT EXISTS (SELECT 1 FROM mark WHERE user_id = {user} AND kind = {kind}) OR {})",
            marked("NOT EXISTS", &kind)
        ));
    }

    fn exclude_words(&mut self) {
        let Some(unwanted) = &self.plan.unwanted else {
            return;
        };
        let column = match self.engine {
            Engine::Sqlite => "rowid",
            Engine::Postgres => "item_id",
        };
        let text = self.values.name(unwanted);
        self.conditions.push(format!(
            "{} NOT IN (SELECT {column} FROM item_search WHERE {})",
            self.walk.id,
            matches(self.engine, &text)
        ));
    }

    fn finish(mut self, order: ResultOrder, limit: i64) -> (String, Vec<Value<'p>>) {
        let order = match (order, self.engine) {
            (ResultOrder::Arrival, _) => format!("{} DESC", self.walk.id),
            (ResultOrder::Date, _) => format!("{} DESC, {} DESC", self.walk.date, self.walk.id),
            // Words of the title count more than those of the author and of the text.
            (ResultOrder::Relevance, Engine::Sqlite) => {
                format!("bm25(item_search, 10, 5, 1), {} DESC", self.walk.id)
            }
            (ResultOrder::Relevance, Engine::Postgres) => {
                let words = self.values.name(self.plan.wanted.as_ref());
                format!(
                    "ts_rank((SELECT r.words FROM item_search r WHERE r.item_id = d.item_id), {}) DESC, {} DESC",
                    tsquery(&words),
                    self.walk.id
                )
            }
        };
        let limit = self.values.name(limit);
        let Walk {
            from,
            id,
            date,
            arrival,
            ..
        } = self.walk;
        let sql = format!(
            "SELECT {id}, {date}, {arrival} FROM {from} WHERE {} ORDER BY {order} LIMIT {limit}",
            self.conditions.join(" AND ")
        );
        (sql, self.values.0)
    }
}

/// An imported item has the time of another instance.
const ARRIVAL: &str = "CASE WHEN i.owner_id IS NULL THEN i.first_seen_at END";

/// Returns the tables to walk, without the subscription, and the conditions that join them. SQLite keeps the order of a CROSS
/// JOIN (see `lists`).
fn walk<'p>(
    engine: Engine,
    user: &str,
    plan: &'p Plan,
    source: Source,
    values: &mut Values<'p>,
) -> (Walk, Option<String>) {
    // Tables with an item each, joined with it for its feed and date.
    let joined = |from: &str, date, condition| {
        let walk = Walk {
            from: format!("{from} CROSS JOIN item i"),
            id: "d.item_id",
            feed: "i.feed_id",
            date,
            arrival: ARRIVAL,
        };
        (walk, Some(condition))
    };
    // The items themselves.
    let items = |id| {
        let walk = Walk {
            from: "item i".to_owned(),
            id,
            feed: "i.feed_id",
            date: "i.sort_at",
            arrival: ARRIVAL,
        };
        (walk, None)
    };
    match source {
        Source::Words => {
            let has_words = matches(engine, &values.name(plan.wanted.as_ref()));
            match engine {
                Engine::Sqlite => {
                    let id = "item_search.rowid";
                    let condition = format!("{has_words} AND i.id = {id}");
                    let (walk, condition) = joined("item_search", "i.sort_at", condition);
                    (Walk { id, ..walk }, condition)
                }
                // Sorted before anything is joined, so that the walk ends with the page however
                // many match. Adding 0 keeps the planner from walking the ids instead and reading
                // every text.
                Engine::Postgres => {
                    let ordered = format!(
                        "(SELECT item_id + 0 AS item_id FROM item_search WHERE {has_words} ORDER BY 1 DESC) d"
                    );
                    joined(&ordered, "i.sort_at", "i.id = d.item_id".to_owned())
                }
            }
        }
        Source::NewestWords => {
            // The function instead of the operator, which would use the index.
            let condition = format!(
                "ts_match_vq(d.words, {}) AND i.id = d.item_id",
                tsquery(&values.name(plan.wanted.as_ref()))
            );
            joined("item_search d", "i.sort_at", condition)
        }
        Source::Starred => {
            let kind = values.name(MarkKind::Starred);
            let condition = format!("d.user_id = {user} AND d.kind = {kind} AND i.id = d.item_id");
            joined("mark d", "d.sort_at", condition)
        }
        Source::Labelled => {
            let label = values.name(plan.labelled[0]);
            let condition =
                format!("d.user_id = {user} AND d.label_id = {label} AND i.id = d.item_id");
            joined("item_label d", "d.sort_at", condition)
        }
        Source::Unread => {
            let walk = Walk {
                from: "unread d".to_owned(),
                id: "d.item_id",
                feed: "d.feed_id",
                date: "d.sort_at",
                arrival: "NULL",
            };
            (walk, Some(unread::of_user("d", user)))
        }
        // The unary plus keeps SQLite from walking all ids instead of those of the feeds.
        Source::Feeds => items("+i.id"),
        Source::Everything => items("i.id"),
    }
}

fn matches(engine: Engine, text: &str) -> String {
    match engine {
        Engine::Sqlite => format!("item_search MATCH {text}"),
        // The planner does not know the cost of decompressing a text. It prefers a sequential scan
        // over the index once it knows that a word is frequent, or that the index has pending rows.
        // The sub-select hides the words from it. The second condition never reaches its expensive
        // half, because ids start at 1, but its cost is added for each row of a sequential scan.
        Engine::Postgres => format!(
            "words @@ (SELECT {}) AND (item_id > 0 OR to_tsvector(CAST(item_id AS TEXT)) IS NULL)",
            tsquery(text)
        ),
    }
}

/// Cast in two steps; otherwise the driver would have to encode the binary format.
fn tsquery(text: &str) -> String {
    format!("CAST(CAST({text} AS TEXT) AS TSQUERY)")
}
