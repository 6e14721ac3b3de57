//! Categories of a user, and the settings of each subscription.

use std::collections::HashMap;

use lede_model::category::{Category, CategoryError, CategoryName, CategoryTree};
use lede_model::feed::Subscription;
use lede_model::ids::{CategoryId, FeedId, ItemId, SubscriptionId, UserId};
use lede_model::search::SavedSearch;
use lede_store::categories::NewCategory;
use lede_store::subscriptions::{self, Change};
use lede_store::{Db, StoreError, StoreResult, bulk_marks, categories, labels, saved_searches};

use crate::Lede;
use crate::labels::LabelCount;

/// Reasons why categories or subscriptions cannot be changed.
#[derive(Debug, thiserror::Error)]
pub enum OrganiseError {
    /// Name, depth or number of categories is invalid.
    #[error(transparent)]
    Category(#[from] CategoryError),
    #[error("there is no such category")]
    NoSuchCategory,
    #[error("there is no such subscription")]
    NoSuchSubscription,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A category with its unread count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryCount {
    pub category: Category,
    /// Counts the feeds of the category and of all categories inside it.
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

/// Everything that a user follows, for the sidebar of every page.
#[derive(Debug)]
pub struct Sidebar {
    /// In the user's order.
    pub subscriptions: Vec<Subscription>,
    /// In the order of the tree.
    pub categories: Vec<CategoryCount>,
    /// In the user's order.
    pub searches: Vec<SavedSearch>,
    pub labels: Vec<LabelCount>,
    /// Newest item of the instance at the time of the read: the viewer has not seen later ones.
    pub newest_item: ItemId,
}

/// Collects everything that `user` follows.
pub async fn followed(lede: &Lede, user: UserId) -> StoreResult<Sidebar> {
    let followed = lede.store.read_inline(move |db| {
        let subscriptions = subscriptions::of_user(db, user)?;
        let tree = categories::of_user(db, user)?;
        let mut unread: HashMap<CategoryId, i64> = HashMap::new();
        for subscription in &subscriptions {
            if let Some(category) = subscription.category {
                *unread.entry(category).or_default() += subscription.unread;
            }
        }
        let followed = Sidebar {
            categories: counted(&tree, &unread),
            searches: saved_searches::of_user(db, user)?,
            labels: Vec::new(),
            newest_item: bulk_marks::newest_item(db)?,
            subscriptions,
        };
        Ok((followed, labels::of_user(db, user)?))
    });
    let (followed, labels) = followed.await?;
    Ok(Sidebar {
        labels: crate::labels::counted(lede, user, labels).await?,
        ..followed
    })
}

/// Returns the categories of `user` in tree order.
pub async fn categories(lede: &Lede, user: UserId) -> StoreResult<Vec<CategoryCount>> {
    lede.store.read(move |db| counts(db, user)).await
}

/// Creates a category of `user`, in `parent` or at the top level.
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

/// Renames or moves a category of `user`. `None` leaves a property unchanged; the parent
/// `Some(None)` is the top level.
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

/// Returns the category `id` with the changes applied, or the reason why they are not allowed.
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

/// Removes a category of `user`; its feeds and inner categories move up one level. Returns `false`
/// if there is no such category.
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

/// Sets the positions of categories among their siblings. Returns `false`, and changes nothing, if
/// one of them does not belong to `user`.
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

/// Moves a category of `user` into `parent`, or to the top level, behind the first `at` others.
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

/// Moves a feed that `user` follows into a category, or into none, behind the first `at` others.
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

/// Moves feeds to the end of a category, or of none. Feeds that `user` does not follow are skipped.
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

/// Returns the positions of all ids with `one` inserted behind the first `at` others.
pub(crate) fn with_one_at<Id>(
    others: impl Iterator<Item = Id>,
    one: Id,
    at: usize,
) -> Vec<(Id, i64)> {
    let mut order: Vec<Id> = others.collect();
    order.insert(at.min(order.len()), one);
    order.into_iter().zip(0..).collect()
}

/// Changes the settings of a subscription of `user`.
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

/// Changes a subscription like [`change_subscription`], found by the id of its feed.
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
