//! Filter rules of users for new items.
//!
//! [`apply`] executes rules, [`preview`] shows which items a rule would have matched.

pub(crate) mod apply;
pub(crate) mod preview;

use lede_model::ids::{CategoryId, FeedId, LabelId, RuleId, UserId};
use lede_model::rule::{Rule, RuleActions, RuleTerms};
use lede_model::time::Timestamp;

use crate::engine::{Row, Value};
use crate::{Db, StoreResult, params, statements};

pub use preview::{PreviewBatch, Terms, examine};

macro_rules! select {
    ($where:literal) => {
        concat!(
            "SELECT id, name, enabled, query, feed_id, category_id, mark_read, star, hide, notify,
                 (SELECT l.name FROM label l WHERE l.id = rule.label_id)
             FROM rule WHERE user_id = $1 ",
            $where
        )
    };
}

statements! {
    OF_USER = select!("ORDER BY id");
    FIND = select!("AND id = $2");
    COUNT = "SELECT COUNT(*) FROM rule WHERE user_id = $1";
    ADD = "INSERT INTO rule (name, enabled, query, feed_id, category_id, mark_read, star, hide, notify,
                             label_id, user_id, created_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING id";
    SET = "UPDATE rule SET name = $1, enabled = $2, query = $3, feed_id = $4, category_id = $5,
                           mark_read = $6, star = $7, hide = $8, notify = $9, label_id = $10
           WHERE user_id = $11 AND id = $12";
    REMOVE = "DELETE FROM rule WHERE user_id = $1 AND id = $2";
    FOLLOWS = "SELECT EXISTS (SELECT 1 FROM subscription WHERE user_id = $1 AND feed_id = $2)";
    HAS_CATEGORY = "SELECT EXISTS (SELECT 1 FROM category WHERE user_id = $1 AND id = $2)";
}

fn from_row(row: &Row<'_>) -> StoreResult<Rule> {
    Ok(Rule {
        id: row.get(0)?,
        terms: RuleTerms {
            name: row.get(1)?,
            enabled: row.get(2)?,
            query: row.get(3)?,
            feed: row.get(4)?,
            category: row.get(5)?,
            actions: actions(row, 6)?,
            label: row.get(10)?,
        },
    })
}

/// Reads the actions of a rule from four columns starting at `first`: mark_read, star, hide,
/// notify.
fn actions(row: &Row<'_>, first: usize) -> StoreResult<RuleActions> {
    Ok(RuleActions {
        mark_read: row.get(first)?,
        star: row.get(first + 1)?,
        hide: row.get(first + 2)?,
        notify: row.get(first + 3)?,
    })
}

fn values(terms: &RuleTerms, label: Option<LabelId>) -> Vec<Value<'_>> {
    let RuleActions {
        mark_read,
        star,
        hide,
        notify,
    } = terms.actions;
    params![
        &terms.name,
        terms.enabled,
        terms.query.as_deref(),
        terms.feed,
        terms.category,
        mark_read,
        star,
        hide,
        notify,
        label,
    ]
    .to_vec()
}

/// Returns the rules of `user`, oldest first.
pub fn of_user(db: &mut Db<'_>, user: UserId) -> StoreResult<Vec<Rule>> {
    db.query(OF_USER, params![user], from_row)
}

pub fn find(db: &mut Db<'_>, user: UserId, rule: RuleId) -> StoreResult<Option<Rule>> {
    db.find(FIND, params![user, rule], from_row)
}

pub fn count(db: &mut Db<'_>, user: UserId) -> StoreResult<i64> {
    db.one(COUNT, params![user], |row| row.get(0))
}

/// Adds a rule for `user`. `label` is the id of the label that `terms` names.
pub fn add(
    db: &mut Db<'_>,
    user: UserId,
    terms: &RuleTerms,
    label: Option<LabelId>,
    now: Timestamp,
) -> StoreResult<RuleId> {
    let mut values = values(terms, label);
    values.extend_from_slice(params![user, now]);
    db.one(ADD, &values, |row| row.get(0))
}

/// Changes a rule of `user`. Returns `false` if there is no such rule.
pub fn set(
    db: &mut Db<'_>,
    user: UserId,
    rule: RuleId,
    terms: &RuleTerms,
    label: Option<LabelId>,
) -> StoreResult<bool> {
    let mut values = values(terms, label);
    values.extend_from_slice(params![user, rule]);
    Ok(db.execute(SET, &values)? == 1)
}

/// Removes a rule of `user`, without reverting its effects. Returns `false` if there is no such
/// rule.
pub fn remove(db: &mut Db<'_>, user: UserId, rule: RuleId) -> StoreResult<bool> {
    Ok(db.execute(REMOVE, params![user, rule])? == 1)
}

pub fn follows(db: &mut Db<'_>, user: UserId, feed: FeedId) -> StoreResult<bool> {
    db.one(FOLLOWS, params![user, feed], |row| row.get(0))
}

pub fn has_category(db: &mut Db<'_>, user: UserId, category: CategoryId) -> StoreResult<bool> {
    db.one(HAS_CATEGORY, params![user, category], |row| row.get(0))
}
