//! Import of the category tree.

use std::collections::HashMap;

use lede_model::category::{CategoryError, CategoryName, MAX_CATEGORIES, MAX_DEPTH};
use lede_model::feed_error::EntryError;
use lede_model::ids::{CategoryId, UserId};
use lede_store::takeout;

use super::checks::{line, place};
use super::outcome::{ImportError, Imported, parsed};
use crate::Lede;
use crate::takeout::export::paths;
use crate::takeout::format::{Category, Subscription};
use crate::takeout::read::Short;

/// The names from the top level down to a category. Paths are compared without case.
#[derive(Clone)]
pub(super) struct Path(Vec<CategoryName>);

impl Path {
    pub(super) fn read(names: &[String]) -> Result<Self, EntryError> {
        if names.is_empty() || names.len() > MAX_DEPTH {
            return Err(EntryError::BadDepth { most: MAX_DEPTH });
        }
        let names = names.iter().map(|name| CategoryName::parse(&line(name)));
        let names: Result<_, CategoryError> = names.collect();
        names
            .map(Self)
            .map_err(|problem| EntryError::BadCategoryName { problem })
    }

    pub(super) fn key(&self) -> Key {
        self.0.iter().map(CategoryName::key).collect()
    }
}

/// Lower-cased path, equal for paths that differ only in case.
pub(super) type Key = Vec<String>;

/// Creates missing categories and returns the ids of all categories by path.
pub(super) async fn import(
    lede: &Lede,
    user: UserId,
    short: &Short,
    done: &mut Imported,
) -> Result<HashMap<Key, CategoryId>, ImportError> {
    let listed = done.read("categories", &short.categories, |category: Category| {
        Ok((Path::read(&category.path)?, place(category.position)))
    });
    let listed = listed
        .into_iter()
        .map(|(place, (path, position))| (Some(place), path, position));
    // Documents written by other programs may mention categories only in their subscriptions.
    let implied = short.subscriptions.iter().filter_map(|raw| {
        let category = parsed::<Subscription>(raw).ok()?.category?;
        Some((None, Path::read(&category).ok()?, 0))
    });
    let mut wanted: Vec<(Option<usize>, Path, i64)> = listed.chain(implied).collect();
    // Shorter paths first, so that a category exists before those inside it.
    wanted.sort_by_key(|(_, path, _)| path.0.len());
    let now = lede.clock.now();
    let (tree, added, refused) = lede
        .store
        .write(move |db| {
            let known = takeout::categories(db, user)?;
            let mut tree: HashMap<Key, CategoryId> = HashMap::new();
            for (id, path) in paths(&known) {
                // Of two categories with the same path the older one is used.
                let key = path.iter().map(|name| name.to_lowercase()).collect();
                let kept = tree.entry(key).or_insert(id);
                *kept = (*kept).min(id);
            }
            let (mut added, mut refused) = (0, Vec::new());
            for (place, path, position) in &wanted {
                let mut parent = None;
                let key = path.key();
                for depth in 1..=key.len() {
                    let here = &key[..depth];
                    parent = match tree.get(here) {
                        Some(known) => Some(*known),
                        None if tree.len() >= MAX_CATEGORIES => {
                            refused.push(*place);
                            break;
                        }
                        None => {
                            let name = path.0[depth - 1].as_str();
                            let id = takeout::add_category(db, user, name, parent, *position, now)?;
                            tree.insert(here.to_vec(), id);
                            added += 1;
                            Some(id)
                        }
                    };
                }
            }
            Ok((tree, added, refused))
        })
        .await?;
    done.categories_added = added;
    for place in refused.into_iter().flatten() {
        let most = MAX_CATEGORIES;
        let reason = EntryError::ManyCategories { most };
        done.refuse("categories", place, reason);
    }
    Ok(tree)
}
