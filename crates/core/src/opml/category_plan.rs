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
struct PlannedCategory {
    /// Index of the parent.
    parent: Option<usize>,
    /// Nesting depth, 1 at the top level.
    depth: usize,
    /// Position among its siblings.
    position: i64,
    state: State,
}

enum State {
    Existing(CategoryId),
    New(CategoryName),
}

/// All categories of the user, existing and new. Each is identified by its index in `categories`.
pub(super) struct CategoryPlan {
    categories: Vec<PlannedCategory>,
    /// Index by parent and lower-case name.
    by_name: HashMap<(Option<usize>, String), usize>,
    /// Next free position in each category.
    next: HashMap<Option<usize>, i64>,
}

impl CategoryPlan {
    /// Starts with the existing categories of a user.
    pub(super) fn new(tree: &CategoryTree) -> Self {
        let mut plan = Self {
            categories: Vec::new(),
            by_name: HashMap::new(),
            next: HashMap::new(),
        };
        for (category, depth) in tree.with_depths() {
            let parent = category.parent.and_then(|parent| tree.place(parent));
            let planned = PlannedCategory {
                parent,
                depth,
                position: category.position,
                state: State::Existing(category.id),
            };
            plan.add(category.name.to_lowercase(), planned);
        }
        plan
    }

    fn add(&mut self, key: String, category: PlannedCategory) -> usize {
        let number = self.categories.len();
        let next = self.next.entry(category.parent).or_default();
        *next = (*next).max(category.position + 1);
        self.by_name.insert((category.parent, key), number);
        self.categories.push(category);
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
                    let inside = self.category(&folder.name, around);
                    self.take_into(&folder.outlines, inside, feeds);
                }
            }
        }
    }

    /// Returns the category called `name` in `around`, or `around` itself if it cannot be created.
    fn category(&mut self, name: &str, around: Option<usize>) -> Option<usize> {
        let Some(name) = CategoryName::cut(name) else {
            return around;
        };
        let key = (around, name.key());
        if let Some(known) = self.by_name.get(&key) {
            return Some(*known);
        }
        let depth = around.map_or(0, |around| self.categories[around].depth) + 1;
        if depth > MAX_DEPTH || self.categories.len() >= MAX_CATEGORIES {
            return around;
        }
        let planned = PlannedCategory {
            parent: around,
            depth,
            position: self.next.get(&around).copied().unwrap_or(0),
            state: State::New(name),
        };
        Some(self.add(key.1, planned))
    }

    /// Creates the new categories and returns the id of each, by index.
    pub(super) fn build(
        self,
        db: &mut Db<'_>,
        user: UserId,
        now: Timestamp,
    ) -> StoreResult<Vec<Option<CategoryId>>> {
        let existing = |category: &PlannedCategory| match category.state {
            State::Existing(id) => Some(id),
            State::New(_) => None,
        };
        let mut ids: Vec<Option<CategoryId>> = self.categories.iter().map(existing).collect();
        // Level by level, because a category needs the id of its parent.
        for depth in 1..=MAX_DEPTH {
            let level: Vec<NewCategory> = self
                .categories
                .iter()
                .filter(|category| category.depth == depth)
                .filter_map(|category| match &category.state {
                    State::Existing(_) => None,
                    State::New(name) => Some(NewCategory {
                        name: name.clone(),
                        parent: category.parent.and_then(|parent| ids[parent]),
                        position: category.position,
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
