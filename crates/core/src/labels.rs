//! Labels of a user, and the items that have them.

use std::collections::HashMap;

use lede_model::ids::{ItemId, LabelId, UserId};
use lede_model::label::{Label, LabelError, LabelName, MAX_LABELS, names_of_item};
use lede_model::time::Timestamp;
use lede_store::{Db, StoreError, StoreResult, labels};

use crate::Lede;

/// Reasons why labels cannot be changed.
#[derive(Debug, thiserror::Error)]
pub enum LabellingError {
    /// The name or the number of labels is invalid.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// The user has no such label, or no such item.
    #[error("there is no such label")]
    Absent,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A label with its unread count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelCount {
    pub label: Label,
    /// Unread items that have the label.
    pub unread: i64,
}

/// Adds the unread counts. That takes as long as there are labelled items, so it must not be part
/// of what every page waits for.
pub(crate) async fn counted(
    lede: &Lede,
    user: UserId,
    labels: Vec<Label>,
) -> StoreResult<Vec<LabelCount>> {
    let unread = match labels.is_empty() {
        true => HashMap::new(),
        false => lede.store.read(move |db| labels::unread(db, user)).await?,
    };
    let counted = labels.into_iter().map(|label| LabelCount {
        unread: unread.get(&label.id).copied().unwrap_or_default(),
        label,
    });
    Ok(counted.collect())
}

/// Returns the labels of `user` by name, with unread counts.
pub async fn of_user(lede: &Lede, user: UserId) -> StoreResult<Vec<LabelCount>> {
    let labels = lede.store.read(move |db| labels::of_user(db, user)).await?;
    counted(lede, user, labels).await
}

/// Returns one label with its unread count.
pub async fn find(lede: &Lede, user: UserId, label: LabelId) -> StoreResult<Option<LabelCount>> {
    let all = of_user(lede, user).await?;
    Ok(all.into_iter().find(|own| own.label.id == label))
}

/// Creates a label. Fails if the name is taken.
pub async fn add(lede: &Lede, user: UserId, name: &str) -> Result<Label, LabellingError> {
    let name = LabelName::parse(name)?;
    let now = lede.clock.now();
    let added = lede.store.write(move |db| {
        let mut own = labels::of_user_to_change(db, user)?;
        if called(&own, &name).is_some() {
            return Ok(Err(LabelError::NameTaken));
        }
        made(db, user, &mut own, &name, now)
    });
    let added = added.await??;
    lede.live_updates.marked(user);
    Ok(added)
}

/// Renames a label. Fails if another one has the name.
pub async fn rename(
    lede: &Lede,
    user: UserId,
    label: LabelId,
    name: &str,
) -> Result<LabelCount, LabellingError> {
    let name = LabelName::parse(name)?;
    let renamed = lede.store.write(move |db| {
        let own = labels::of_user_to_change(db, user)?;
        if own.iter().all(|own| own.id != label) {
            return Ok(Err(LabellingError::Absent));
        }
        if called(&own, &name).is_some_and(|other| other.id != label) {
            return Ok(Err(LabelError::NameTaken.into()));
        }
        labels::rename(db, user, label, &name)?;
        Ok(Ok(()))
    });
    renamed.await??;
    lede.live_updates.marked(user);
    find(lede, user, label).await?.ok_or(LabellingError::Absent)
}

/// Removes a label from all items, with the rules that do nothing but add it. Returns `false` if it
/// is not a label of `user`.
pub async fn remove(lede: &Lede, user: UserId, label: LabelId) -> StoreResult<bool> {
    let removed = lede.store.write(move |db| {
        labels::of_user_to_change(db, user)?;
        labels::remove(db, user, label)
    });
    let removed = removed.await?;
    lede.live_updates.marked(user);
    Ok(removed)
}

/// Sets the labels of an item to exactly these names and creates missing labels. Returns the names
/// as they are spelled in the store.
pub async fn set_of_item<T: AsRef<str>>(
    lede: &Lede,
    user: UserId,
    item: ItemId,
    names: &[T],
) -> Result<Vec<String>, LabellingError> {
    let names = names_of_item(names)?;
    let now = lede.clock.now();
    let set = lede.store.write(move |db| {
        let mut own = labels::of_user_to_change(db, user)?;
        let Some(before) = labels::on_item(db, user, item)? else {
            return Ok(Err(LabellingError::Absent));
        };
        let wanted = match named(db, user, &mut own, &names, now)? {
            Ok(wanted) => wanted,
            Err(refused) => return Ok(Err(refused.into())),
        };
        for label in before {
            if wanted.iter().all(|wanted| wanted.id != label) {
                labels::take_off(db, user, label, &[item])?;
            }
        }
        for label in &wanted {
            labels::put_on(db, user, label.id, &[item], now)?;
        }
        Ok(Ok(wanted))
    });
    let mut names: Vec<String> = set.await??.into_iter().map(|label| label.name).collect();
    names.sort_by_cached_key(|name| name.to_lowercase());
    lede.live_updates.marked(user);
    Ok(names)
}

/// Returns the labels of these names and creates missing ones. `own` are the existing labels,
/// locked against changes.
pub(crate) fn named(
    db: &mut Db<'_>,
    user: UserId,
    own: &mut Vec<Label>,
    names: &[LabelName],
    now: Timestamp,
) -> StoreResult<Result<Vec<Label>, LabelError>> {
    let missing = names.iter().filter(|name| called(own, name).is_none());
    if own.len() + missing.count() > MAX_LABELS {
        return Ok(Err(LabelError::TooMany { most: MAX_LABELS }));
    }
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        match called(own, name) {
            Some(label) => found.push(label.clone()),
            None => match made(db, user, own, name, now)? {
                Ok(label) => found.push(label),
                Err(refused) => return Ok(Err(refused)),
            },
        }
    }
    Ok(Ok(found))
}

/// Finds the label of this name, ignoring case.
fn called<'l>(own: &'l [Label], name: &LabelName) -> Option<&'l Label> {
    let key = name.key();
    own.iter().find(|label| label.name.to_lowercase() == key)
}

fn made(
    db: &mut Db<'_>,
    user: UserId,
    own: &mut Vec<Label>,
    name: &LabelName,
    now: Timestamp,
) -> StoreResult<Result<Label, LabelError>> {
    if own.len() >= MAX_LABELS {
        return Ok(Err(LabelError::TooMany { most: MAX_LABELS }));
    }
    let label = labels::add(db, user, name, now)?;
    own.push(label.clone());
    Ok(Ok(label))
}
