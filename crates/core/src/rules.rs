//! What somebody wants done with new items.

use std::time::Duration;

use lede_feed::clean;
use lede_model::ids::{LabelId, RuleId, UserId};
use lede_model::item::ItemSummary;
use lede_model::label::{LabelError, LabelName};
use lede_model::rule::{Rule, RuleTerms};
use lede_model::search::{Query, QueryError};
use lede_model::time::Timestamp;
use lede_store::rules::Terms;
use lede_store::{Db, StoreError, StoreResult, labels, rules, search};

use crate::Lede;
use crate::labels::named;
use crate::searching::COUNT_LIMIT;

/// Rules that one person may have: each is asked about every new item.
pub const MAX_RULES: i64 = 100;
/// How far back a preview looks.
const PREVIEW_SPAN: Duration = Duration::from_secs(7 * 24 * 3600);
/// Items that a preview shows.
const PREVIEW_ITEMS: usize = 50;
/// Items that may be meant and are looked at in one read, with their texts: others read in between.
const LOOKED_AT_ONCE: i64 = 200;
/// Items that are looked at for one preview, and no more: each has a text to be taken apart.
const LOOKED_AT: i64 = 5000;

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

/// What a rule with these terms would have been about, of the items of the last seven days: what it would have seen of them
/// when they came.
pub async fn preview(lede: &Lede, user: UserId, terms: RuleTerms) -> Result<Preview, RuleError> {
    let query = condition(&terms)?;
    let (feed, category) = (terms.feed, terms.category);
    let from = lede.clock.now() - PREVIEW_SPAN;
    let found = lede.store.read(move |db| {
        if let Err(refused) = belongs_to(db, user, &terms)? {
            return Ok(Err(refused));
        }
        Ok(Ok(search::oldest_since(db, from)?))
    });
    let (mut matched, mut next) = (Vec::new(), None);
    if let Some(oldest) = found.await?? {
        let terms = Terms {
            query,
            feed,
            category,
            from,
            oldest,
        };
        for _ in 0..LOOKED_AT / LOOKED_AT_ONCE {
            let terms = terms.clone();
            let looked = lede
                .store
                .read(move |db| rules::look(db, user, &terms, next, LOOKED_AT_ONCE, clean::text));
            let looked = looked.await?;
            matched.extend(looked.about);
            next = looked.next;
            if next.is_none() || matched.len() as i64 >= COUNT_LIMIT {
                break;
            }
        }
    }
    let count = (matched.len() as i64).min(COUNT_LIMIT);
    matched.truncate(PREVIEW_ITEMS);
    let items = lede
        .store
        .read(move |db| search::summaries(db, user, &matched));
    Ok(Preview {
        matched: count,
        items: items.await?,
    })
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
