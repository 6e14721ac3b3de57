//! Organising: a person's categories, and how each feed is followed.

use std::collections::HashMap;

use lede_model::category::{Category, CategoryError, CategoryName, CategoryTree};
use lede_model::feed::Subscription;
use lede_model::ids::{CategoryId, FeedId, ItemId, SubscriptionId, UserId};
use lede_model::search::SavedSearch;
use lede_store::categories::NewCategory;
use lede_store::subscriptions::{self, Change};
use lede_store::{Db, StoreError, StoreResult, categories, labels, saved_searches, sweeps};

use crate::Lede;
use crate::labels::LabelCount;

/// Why something is not organised as somebody wants it.
#[derive(Debug, thiserror::Error)]
pub enum OrganiseError {
    /// A rule of categories.
    #[error(transparent)]
    Category(#[from] CategoryError),
    /// The person has no such category.
    #[error("there is no such category")]
    NoSuchCategory,
    /// The person has no such subscription.
    #[error("there is no such subscription")]
    NoSuchSubscription,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A category with what is unread in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryCount {
    /// The category.
    pub category: Category,
    /// In its feeds and in those of the categories that stand in it.
    pub unread: i64,
}

fn counted(tree: &CategoryTree, unread: &HashMap<CategoryId, i64>) -> Vec<CategoryCount> {
    let categories = tree.in_order().iter().cloned();
    categories
        .zip(tree.totals(unread))
        .map(|(category, unread)| CategoryCount { category, unread })
        .collect()
}

fn counts(db: &mut Db<'_>, user: UserId) -> StoreResult<Vec<CategoryCount>> {
    let tree = categories::of_user(db, user)?;
    let unread = categories::unread(db, user)?;
    Ok(counted(&tree, &unread))
}

/// Everything that a person follows, for the side of every page.
#[derive(Debug)]
pub struct Followed {
    /// In the order of the person.
    pub subscriptions: Vec<Subscription>,
    /// In the order of the tree.
    pub categories: Vec<CategoryCount>,
    /// In the order of the person.
    pub searches: Vec<SavedSearch>,
    /// By name.
    pub labels: Vec<LabelCount>,
    /// The newest item of the house: what came later was not seen by whoever is shown this.
    pub newest_item: ItemId,
}

/// What `user` follows.
pub async fn followed(lede: &Lede, user: UserId) -> StoreResult<Followed> {
    let followed = lede.store.glance(move |db| {
        let subscriptions = subscriptions::of_user(db, user)?;
        let tree = categories::of_user(db, user)?;
        let mut unread: HashMap<CategoryId, i64> = HashMap::new();
        for subscription in &subscriptions {
            if let Some(category) = subscription.category {
                *unread.entry(category).or_default() += subscription.unread;
            }
        }
        let followed = Followed {
            categories: counted(&tree, &unread),
            searches: saved_searches::of_user(db, user)?,
            labels: Vec::new(),
            newest_item: sweeps::newest_item(db)?,
            subscriptions,
        };
        Ok((followed, labels::of_user(db, user)?))
    });
    let (followed, labels) = followed.await?;
    Ok(Followed {
        labels: crate::labels::counted(lede, user, labels).await?,
        ..followed
    })
}

/// The categories of `user`, in the order of the tree.
pub async fn categories(lede: &Lede, user: UserId) -> StoreResult<Vec<CategoryCount>> {
    lede.store.read(move |db| counts(db, user)).await
}

/// Makes a category of `user`, in `parent` or at the top.
pub async fn add_category(
    lede: &Lede,
    user: UserId,
    name: &str,
    parent: Option<CategoryId>,
) -> Result<Category, OrganiseError> {
    let name = CategoryName::parse(name)?;
    let now = lede.clock.now();
    lede.store
        .write(move |db| {
            let tree = categories::of_user_to_change(db, user)?;
            if parent.is_some_and(|parent| tree.find(parent).is_none()) {
                return Ok(Err(OrganiseError::NoSuchCategory));
            }
            if let Err(error) = tree.may_add(&name, parent) {
                return Ok(Err(error.into()));
            }
            let new = NewCategory {
                name: name.clone(),
                parent,
                position: tree.next_position(parent),
            };
            let added = categories::add(db, user, &[new], now)?.pop();
            added.map(Ok).ok_or(StoreError::Missing)
        })
        .await?
}

/// Renames a category of `user` or moves it; what is absent stays. `Some(None)` is the top.
pub async fn change_category(
    lede: &Lede,
    user: UserId,
    id: CategoryId,
    name: Option<&str>,
    parent: Option<Option<CategoryId>>,
) -> Result<CategoryCount, OrganiseError> {
    let name = name.map(CategoryName::parse).transpose()?;
    lede.store
        .write(move |db| {
            let tree = categories::of_user_to_change(db, user)?;
            let changed = match changed(&tree, id, name.as_ref(), parent) {
                Ok(changed) => changed,
                Err(error) => return Ok(Err(error)),
            };
            categories::set(db, user, &changed)?;
            let all = counts(db, user)?;
            let found = all.into_iter().find(|count| count.category.id == id);
            Ok(found.ok_or(OrganiseError::NoSuchCategory))
        })
        .await?
}

/// The category `id` as it is to be, if it may.
fn changed(
    tree: &CategoryTree,
    id: CategoryId,
    name: Option<&CategoryName>,
    parent: Option<Option<CategoryId>>,
) -> Result<Category, OrganiseError> {
    let before = tree.find(id).ok_or(OrganiseError::NoSuchCategory)?;
    let parent = parent.unwrap_or(before.parent);
    if parent.is_some_and(|parent| tree.find(parent).is_none()) {
        return Err(OrganiseError::NoSuchCategory);
    }
    let name = match name {
        Some(name) => name.clone(),
        None => CategoryName::parse(&before.name)?,
    };
    tree.may_become(id, &name, parent)?;
    let position = if parent == before.parent {
        before.position
    } else {
        tree.next_position(parent)
    };
    Ok(Category {
        id,
        name: name.as_str().to_owned(),
        parent,
        position,
    })
}

/// Removes a category of `user`; its feeds and the categories in it move up. `false` when there is
/// none of this number.
pub async fn remove_category(lede: &Lede, user: UserId, id: CategoryId) -> StoreResult<bool> {
    lede.store
        .write(move |db| {
            let tree = categories::of_user_to_change(db, user)?;
            let Some(gone) = tree.find(id) else {
                return Ok(false);
            };
            for moved in tree.moved_up(id) {
                categories::set(db, user, &moved)?;
            }
            categories::remove(db, user, gone)?;
            Ok(true)
        })
        .await
}

/// Gives categories of `user` their places among their siblings. `false`, and nothing is changed, when
/// one of them is not theirs.
pub async fn reorder_categories(
    lede: &Lede,
    user: UserId,
    positions: Vec<(CategoryId, i64)>,
) -> StoreResult<bool> {
    lede.store
        .write(move |db| {
            let tree = categories::of_user_to_change(db, user)?;
            if positions.iter().any(|(id, _)| tree.find(*id).is_none()) {
                return Ok(false);
            }
            categories::reorder(db, user, &positions)?;
            Ok(true)
        })
        .await
}

/// Puts a category of `user` into `parent`, or at the top, behind the first `at` of the others there.
pub async fn place_category(
    lede: &Lede,
    user: UserId,
    id: CategoryId,
    parent: Option<CategoryId>,
    at: usize,
) -> Result<(), OrganiseError> {
    lede.store
        .write(move |db| {
            let tree = categories::of_user_to_change(db, user)?;
            let placed = match changed(&tree, id, None, Some(parent)) {
                Ok(placed) => placed,
                Err(error) => return Ok(Err(error)),
            };
            let others = tree.in_order().iter();
            let others = others.filter(|other| other.parent == parent && other.id != id);
            let order = with_one_at(others.map(|other| other.id), id, at);
            categories::set(db, user, &placed)?;
            categories::reorder(db, user, &order)?;
            Ok(Ok(()))
        })
        .await?
}

/// Puts a feed that `user` follows into a category, or into none, behind the first `at` of the others
/// there.
pub async fn place_feed(
    lede: &Lede,
    user: UserId,
    feed: FeedId,
    category: Option<CategoryId>,
    at: usize,
) -> Result<(), OrganiseError> {
    let now = lede.clock.now();
    lede.store
        .write(move |db| {
            let tree = categories::of_user_to_change(db, user)?;
            if category.is_some_and(|category| tree.find(category).is_none()) {
                return Ok(Err(OrganiseError::NoSuchCategory));
            }
            let all = subscriptions::of_user(db, user)?;
            let Some(placed) = all.iter().find(|followed| followed.feed.id == feed) else {
                return Ok(Err(OrganiseError::NoSuchSubscription));
            };
            let others = all.iter();
            let others = others.filter(|other| other.category == category && other.id != placed.id);
            let order = with_one_at(others.map(|other| other.id), placed.id, at);
            let change = Change {
                category: Some(category),
                ..Change::default()
            };
            subscriptions::set(db, user, placed.id, &change, now)?;
            subscriptions::reorder(db, user, &order)?;
            Ok(Ok(()))
        })
        .await?
}

/// Puts feeds that `user` follows into a category, or into none, at its end; what is not theirs is passed
/// over.
pub async fn move_feeds(
    lede: &Lede,
    user: UserId,
    feeds: Vec<FeedId>,
    category: Option<CategoryId>,
) -> Result<(), OrganiseError> {
    lede.store
        .write(move |db| {
            let tree = categories::of_user_to_change(db, user)?;
            if category.is_some_and(|category| tree.find(category).is_none()) {
                return Ok(Err(OrganiseError::NoSuchCategory));
            }
            subscriptions::move_all(db, user, &feeds, category)?;
            Ok(Ok(()))
        })
        .await?
}

/// The places of all, when `one` stands behind the first `at` of the others.
pub(crate) fn with_one_at<Id>(
    others: impl Iterator<Item = Id>,
    one: Id,
    at: usize,
) -> Vec<(Id, i64)> {
    let mut order: Vec<Id> = others.collect();
    order.insert(at.min(order.len()), one);
    order.into_iter().zip(0..).collect()
}

/// Changes how `user` follows a feed.
pub async fn change_subscription(
    lede: &Lede,
    user: UserId,
    subscription: SubscriptionId,
    change: Change,
) -> Result<Subscription, OrganiseError> {
    let now = lede.clock.now();
    lede.store
        .write(move |db| {
            if let Some(Some(category)) = change.category
                && !categories::exists(db, user, category)?
            {
                return Ok(Err(OrganiseError::NoSuchCategory));
            }
            let changed = subscriptions::set(db, user, subscription, &change, now)?;
            Ok(changed.ok_or(OrganiseError::NoSuchSubscription))
        })
        .await?
}

/// The same, of a feed that is named by its own number.
pub async fn change_feed(
    lede: &Lede,
    user: UserId,
    feed: FeedId,
    change: Change,
) -> Result<Subscription, OrganiseError> {
    let subscription = lede
        .store
        .read(move |db| subscriptions::find(db, user, feed))
        .await?
        .ok_or(OrganiseError::NoSuchSubscription)?;
    change_subscription(lede, user, subscription.id, change).await
}
