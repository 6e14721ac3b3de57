//! Maps the folders of an imported list to categories of the user.
//!
//! Folders of the same name in the same place are merged, with each other and with existing
//! categories. A folder beyond the depth or number limit is dissolved into the one around it.

use std::collections::HashMap;

use lede_feed::opml::{Feed, Outline};
use lede_model::category::{CategoryName, CategoryTree, MAX_CATEGORIES, MAX_DEPTH};
use lede_model::ids::{CategoryId, UserId};
use lede_model::time::Timestamp;
use lede_store::categories::{self, NewCategory};
use lede_store::{Db, StoreResult};

/// A category that exists or will be created.
struct Shelf {
    /// Index of the parent.
    parent: Option<usize>,
    /// Nesting depth, 1 at the top level.
    depth: usize,
    /// Position among its siblings.
    position: i64,
    state: State,
}

enum State {
    Made(CategoryId),
    New(CategoryName),
}

/// All categories of the user, existing and new. Each is identified by its index in `shelves`.
pub(super) struct Shelves {
    shelves: Vec<Shelf>,
    /// Index by parent and lower-case name.
    by_name: HashMap<(Option<usize>, String), usize>,
    /// Next free position in each category.
    next: HashMap<Option<usize>, i64>,
}

impl Shelves {
    /// Starts with the existing categories of a user.
    pub(super) fn new(tree: &CategoryTree) -> Self {
        let mut shelves = Self {
            shelves: Vec::new(),
            by_name: HashMap::new(),
            next: HashMap::new(),
        };
        for (category, depth) in tree.with_depths() {
            let parent = category.parent.and_then(|parent| tree.place(parent));
            let shelf = Shelf {
                parent,
                depth,
                position: category.position,
                state: State::Made(category.id),
            };
            shelves.add(category.name.to_lowercase(), shelf);
        }
        shelves
    }

    fn add(&mut self, key: String, shelf: Shelf) -> usize {
        let number = self.shelves.len();
        let next = self.next.entry(shelf.parent).or_default();
        *next = (*next).max(shelf.position + 1);
        self.by_name.insert((shelf.parent, key), number);
        self.shelves.push(shelf);
        number
    }

    /// Assigns a category to every folder and returns the feeds with theirs, in the order of the
    /// list.
    pub(super) fn take<'l>(&mut self, list: &'l [Outline]) -> Vec<(&'l Feed, Option<usize>)> {
        let mut feeds = Vec::new();
        self.take_into(list, None, &mut feeds);
        feeds
    }

    fn take_into<'l>(
        &mut self,
        list: &'l [Outline],
        around: Option<usize>,
        feeds: &mut Vec<(&'l Feed, Option<usize>)>,
    ) {
        for outline in list {
            match outline {
                Outline::Feed(feed) => feeds.push((feed, around)),
                Outline::Folder(folder) => {
                    let inside = self.shelf(&folder.name, around);
                    self.take_into(&folder.outlines, inside, feeds);
                }
            }
        }
    }

    /// Returns the category called `name` in `around`, or `around` itself if it cannot be created.
    fn shelf(&mut self, name: &str, around: Option<usize>) -> Option<usize> {
        let Some(name) = CategoryName::cut(name) else {
            return around;
        };
        let key = (around, name.key());
        if let Some(known) = self.by_name.get(&key) {
            return Some(*known);
        }
        let depth = around.map_or(0, |around| self.shelves[around].depth) + 1;
        if depth > MAX_DEPTH || self.shelves.len() >= MAX_CATEGORIES {
            return around;
        }
        let shelf = Shelf {
            parent: around,
            depth,
            position: self.next.get(&around).copied().unwrap_or(0),
            state: State::New(name),
        };
        Some(self.add(key.1, shelf))
    }

    /// Creates the new categories and returns the id of each, by index.
    pub(super) fn build(
        self,
        db: &mut Db<'_>,
        user: UserId,
        now: Timestamp,
    ) -> StoreResult<Vec<Option<CategoryId>>> {
        let made = |shelf: &Shelf| match shelf.state {
            State::Made(id) => Some(id),
            State::New(_) => None,
        };
        let mut ids: Vec<Option<CategoryId>> = self.shelves.iter().map(made).collect();
        // Level by level, because a category needs the id of its parent.
        for depth in 1..=MAX_DEPTH {
            let level: Vec<NewCategory> = self
                .shelves
                .iter()
                .filter(|shelf| shelf.depth == depth)
                .filter_map(|shelf| match &shelf.state {
                    State::Made(_) => None,
                    State::New(name) => Some(NewCategory {
                        name: name.clone(),
                        parent: shelf.parent.and_then(|parent| ids[parent]),
                        position: shelf.position,
                    }),
                })
                .collect();
            let places: HashMap<CategoryId, usize> = ids
                .iter()
                .enumerate()
                .filter_map(|(number, id)| Some(((*id)?, number)))
                .collect();
            for category in categories::add(db, user, &level, now)? {
                let parent = category.parent.and_then(|id| places.get(&id).copied());
                let key = (parent, category.name.to_lowercase());
                if let Some(number) = self.by_name.get(&key) {
                    ids[*number] = Some(category.id);
                }
            }
        }
        Ok(ids)
    }
}
