//! What somebody wants done with new items.

use std::time::Duration;

use lede_model::ids::{LabelId, RuleId, UserId};
use lede_model::item::ItemSummary;
use lede_model::label::{LabelError, LabelName};
use lede_model::rule::{Rule, RuleTerms};
use lede_model::search::{Query, QueryError};
use lede_model::time::Timestamp;
use lede_store::search::{self, Search};
use lede_store::{Db, StoreError, StoreResult, labels, rules};

use crate::Lede;
use crate::labels::named;
use crate::searching::COUNT_LIMIT;

/// Rules that one person may have: each is asked about every new item.
pub const MAX_RULES: i64 = 100;
/// How far back a preview looks.
const PREVIEW_SPAN: Duration = Duration::from_secs(7 * 24 * 3600);
/// Items that a preview shows.
const PREVIEW_ITEMS: i64 = 50;

/// What is wrong with a rule.
#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    /// Its query does not say what to look for.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// It would be about every item.
    #[error("is missing: say which items the rule is about, by query, feed_id or category_id")]
    NoCondition,
    /// It would do nothing.
    #[error("must have at least one of mark_read, star, hide, notify and label")]
    NoAction,
    /// Its feed is not one of the person's.
    #[error("is not a feed that you follow")]
    UnknownFeed,
    /// Its category is not one of the person's.
    #[error("is not a category of yours")]
    UnknownCategory,
    /// Its label cannot be made.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// There are enough rules.
    #[error("you have {MAX_RULES} rules, which is the limit")]
    TooMany,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The rules of `user`, the oldest first.
pub async fn of_user(lede: &Lede, user: UserId) -> StoreResult<Vec<Rule>> {
    lede.store.read(move |db| rules::of_user(db, user)).await
}

/// One rule of `user`.
pub async fn find(lede: &Lede, user: UserId, rule: RuleId) -> StoreResult<Option<Rule>> {
    lede.store.read(move |db| rules::find(db, user, rule)).await
}

/// Makes a rule: from now on it acts on what is new.
pub async fn add(lede: &Lede, user: UserId, terms: RuleTerms) -> Result<Rule, RuleError> {
    let label = checked(&terms)?;
    let now = lede.clock.now();
    let added = lede.store.write(move |db| {
        if let Err(refused) = belongs_to(db, user, &terms)? {
            return Ok(Err(refused));
        }
        if rules::count(db, user)? >= MAX_RULES {
            return Ok(Err(RuleError::TooMany));
        }
        let label = match label_of(db, user, label.as_ref(), now)? {
            Ok(label) => label,
            Err(refused) => return Ok(Err(refused)),
        };
        let id = rules::add(db, user, &terms, label, now)?;
        rules::find(db, user, id)?
            .map(Ok)
            .ok_or(StoreError::Missing)
    });
    added.await?
}

/// Puts other terms in the place of a rule's; `None` when it is not `user`'s.
pub async fn change(
    lede: &Lede,
    user: UserId,
    rule: RuleId,
    terms: RuleTerms,
) -> Result<Option<Rule>, RuleError> {
    let label = checked(&terms)?;
    let now = lede.clock.now();
    let changed = lede.store.write(move |db| {
        // First whose it is: about others' rules nothing is said.
        if rules::find(db, user, rule)?.is_none() {
            return Ok(Ok(None));
        }
        if let Err(refused) = belongs_to(db, user, &terms)? {
            return Ok(Err(refused));
        }
        let label = match label_of(db, user, label.as_ref(), now)? {
            Ok(label) => label,
            Err(refused) => return Ok(Err(refused)),
        };
        rules::set(db, user, rule, &terms, label)?;
        rules::find(db, user, rule).map(Ok)
    });
    changed.await?
}

/// Removes a rule; `false` when it is not `user`'s. What it did stays.
pub async fn remove(lede: &Lede, user: UserId, rule: RuleId) -> StoreResult<bool> {
    lede.store
        .write(move |db| rules::remove(db, user, rule))
        .await
}

/// What a rule would have been about.
#[derive(Debug)]
pub struct Preview {
    /// How many items, [`COUNT_LIMIT`] at most.
    pub matched: i64,
    /// The newest of them.
    pub items: Vec<ItemSummary>,
}

/// What a rule with these terms would have been about, of the items of the last seven days.
pub async fn preview(lede: &Lede, user: UserId, terms: RuleTerms) -> Result<Preview, RuleError> {
    let query = condition(&terms)?;
    let from = lede.clock.now() - PREVIEW_SPAN;
    let found = lede.store.read(move |db| {
        if let Err(refused) = belongs_to(db, user, &terms)? {
            return Ok(Err(refused));
        }
        let Some(oldest) = search::oldest_since(db, from)? else {
            let items = Vec::new();
            return Ok(Ok(Preview { matched: 0, items }));
        };
        let search = Search {
            query: query.clone(),
            feed: terms.feed,
            category: terms.category,
            oldest: Some(oldest),
            from: Some(from),
            ..Search::default()
        };
        Ok(Ok(Preview {
            matched: search::count(db, user, &search, COUNT_LIMIT)?,
            items: search::page(db, user, &search, None, PREVIEW_ITEMS)?,
        }))
    });
    found.await?
}

/// The query of a rule that says which items it is about.
fn condition(terms: &RuleTerms) -> Result<Query, RuleError> {
    if !terms.has_condition() {
        return Err(RuleError::NoCondition);
    }
    let query = terms.query.as_deref();
    Ok(query.map_or(Ok(Query::default()), Query::parse)?)
}

/// The label that a rule gives, where it says which items get what.
fn checked(terms: &RuleTerms) -> Result<Option<LabelName>, RuleError> {
    condition(terms)?;
    if !terms.has_action() {
        return Err(RuleError::NoAction);
    }
    let label = terms.label.as_deref();
    Ok(label.map(LabelName::parse).transpose()?)
}

/// That label, which is made where it is missing.
fn label_of(
    db: &mut Db<'_>,
    user: UserId,
    name: Option<&LabelName>,
    now: Timestamp,
) -> StoreResult<Result<Option<LabelId>, RuleError>> {
    let Some(name) = name else {
        return Ok(Ok(None));
    };
    let mut own = labels::of_user_to_change(db, user)?;
    let found = named(db, user, &mut own, std::slice::from_ref(name), now)?;
    Ok(found
        .map(|found| found.first().map(|label| label.id))
        .map_err(RuleError::from))
}

/// Whether what the rule names is the person's own.
fn belongs_to(
    db: &mut Db<'_>,
    user: UserId,
    terms: &RuleTerms,
) -> StoreResult<Result<(), RuleError>> {
    if let Some(feed) = terms.feed
        && !rules::follows(db, user, feed)?
    {
        return Ok(Err(RuleError::UnknownFeed));
    }
    if let Some(category) = terms.category
        && !rules::has_category(db, user, category)?
    {
        return Ok(Err(RuleError::UnknownCategory));
    }
    Ok(Ok(()))
}
