//! Rules of a user, which act on new items.

use std::time::Duration;

use lede_feed::clean;
use lede_model::ids::{LabelId, RuleId, UserId};
use lede_model::input::InputError;
use lede_model::item::ItemSummary;
use lede_model::label::{LabelError, LabelName};
use lede_model::rule::{Rule, RuleTerms};
use lede_model::search::{Query, QueryError};
use lede_model::time::Timestamp;
use lede_store::rules::Terms;
use lede_store::{Db, StoreError, StoreResult, labels, rules, search};

use crate::Lede;
use crate::labels::named;
use crate::search::COUNT_LIMIT;

/// Rules per user: each is evaluated for every new item.
pub const MAX_RULES: i64 = 100;
/// Age of the oldest items in a preview.
const PREVIEW_SPAN: Duration = Duration::from_secs(7 * 24 * 3600);
/// Items shown in a preview.
const PREVIEW_ITEMS: usize = 50;
/// Candidates examined per read, with their texts; other reads run in between.
const LOOKED_AT_ONCE: i64 = 200;
/// Candidates examined per preview: the text of each has to be analysed.
const LOOKED_AT: i64 = 5000;

/// Reasons why a rule is invalid.
#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The rule would match every item.
    #[error("{}", InputError::NoCondition)]
    NoCondition,
    /// The rule has no action.
    #[error("{}", InputError::NoAction)]
    NoAction,
    /// The user does not follow its feed.
    #[error("is not a feed that you follow")]
    UnknownFeed,
    /// Its category is not one of the user's.
    #[error("is not a category of yours")]
    UnknownCategory,
    /// Its label cannot be created.
    #[error(transparent)]
    Label(#[from] LabelError),
    #[error("you have {MAX_RULES} rules, which is the limit")]
    TooMany,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Returns the rules of `user`, oldest first.
pub async fn of_user(lede: &Lede, user: UserId) -> StoreResult<Vec<Rule>> {
    lede.store.read(move |db| rules::of_user(db, user)).await
}

/// Returns one rule of `user`.
pub async fn find(lede: &Lede, user: UserId, rule: RuleId) -> StoreResult<Option<Rule>> {
    lede.store.read(move |db| rules::find(db, user, rule)).await
}

/// Creates a rule. It applies to items that arrive from now on.
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

/// Replaces the terms of a rule. Returns `None` if it is not one of `user`.
pub async fn change(
    lede: &Lede,
    user: UserId,
    rule: RuleId,
    terms: RuleTerms,
) -> Result<Option<Rule>, RuleError> {
    let label = checked(&terms)?;
    let now = lede.clock.now();
    let changed = lede.store.write(move |db| {
        // Ownership first: nothing is disclosed about rules of other users.
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

/// Removes a rule. Returns `false` if it is not one of `user`. Its effects on items stay.
pub async fn remove(lede: &Lede, user: UserId, rule: RuleId) -> StoreResult<bool> {
    lede.store
        .write(move |db| rules::remove(db, user, rule))
        .await
}

/// Items that a rule would have matched.
#[derive(Debug)]
pub struct Preview {
    /// Number of items, [`COUNT_LIMIT`] at most.
    pub matched: i64,
    /// The newest matching items.
    pub items: Vec<ItemSummary>,
}

/// Returns the items of the last seven days that a rule with these terms would have matched when
/// they arrived.
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
            let looked = lede.store.read(move |db| {
                rules::examine(db, user, &terms, next, LOOKED_AT_ONCE, clean::text)
            });
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

/// Parses the query of a rule. Fails if the rule has no condition.
fn condition(terms: &RuleTerms) -> Result<Query, RuleError> {
    if !terms.has_condition() {
        return Err(RuleError::NoCondition);
    }
    let query = terms.query.as_deref();
    Ok(query.map_or(Ok(Query::default()), Query::parse)?)
}

/// Validates a rule and returns the name of its label, if it has one.
fn checked(terms: &RuleTerms) -> Result<Option<LabelName>, RuleError> {
    condition(terms)?;
    if !terms.has_action() {
        return Err(RuleError::NoAction);
    }
    let label = terms.label.as_deref();
    Ok(label.map(LabelName::parse).transpose()?)
}

/// Returns the label of a rule and creates it if it is missing.
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

/// Checks that the feed and the category of the rule belong to the user.
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
