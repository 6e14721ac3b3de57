//! Categories: the tree of one user, and the rules for names, nesting and order.
//!
//! The tree is stored as a list in display order, with the depth of each category: the descendants
//! of a category are the deeper categories that follow it.

use std::collections::{HashMap, HashSet};

use crate::ids::CategoryId;
use crate::message::messages;
use crate::name::composed;

/// Maximum length of a category name, in characters.
pub const MAX_NAME_CHARS: usize = 100;
/// Maximum nesting depth; a top-level category has depth 1.
pub const MAX_DEPTH: usize = 10;
/// Maximum number of categories per user.
pub const MAX_CATEGORIES: usize = 1000;
/// Highest position that a category, feed or saved search may have among its siblings.
pub const MAX_POSITION: i64 = 1_000_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Category {
    pub id: CategoryId,
    /// Unique among its siblings, ignoring case.
    pub name: String,
    /// `None` for a top-level category.
    pub parent: Option<CategoryId>,
    /// Position among siblings; equal positions are ordered by name.
    pub position: i64,
}

messages! {
    /// Reason why a category cannot be created, renamed or moved.
    pub enum CategoryError("category-error") {
        /// The name is empty or too long.
        NameLength("name_length") => "must have 1 to {MAX_NAME_CHARS} characters",
        NameCharacter("name_character") => "must not contain control characters",
        /// A sibling has the same name.
        NameTaken("name_taken") => "there is a category of that name in the same place already",
        /// The category would become its own descendant.
        Cycle("cycle") => "a category cannot stand in itself or in one of its own sub-categories",
        /// The category or one of its descendants would exceed [`MAX_DEPTH`].
        TooDeep("too_deep") => "categories can stand at most {MAX_DEPTH} deep in each other",
        TooMany("too_many") { most: usize } => "you have {most} categories, which is the limit",
    }
}

/// A valid category name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryName(String);

impl CategoryName {
    /// Parses a typed name: trims it, folds white space and normalises it to NFC.
    pub fn parse(text: &str) -> Result<Self, CategoryError> {
        if text.chars().any(char::is_control) {
            return Err(CategoryError::NameCharacter);
        }
        // Before normalisation: the limit in the API description applies to the text as sent.
        if text.chars().count() > MAX_NAME_CHARS {
            return Err(CategoryError::NameLength);
        }
        let text = composed(text);
        let name = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match name.chars().count() {
            1..=MAX_NAME_CHARS => Ok(Self(name)),
            _ => Err(CategoryError::NameLength),
        }
    }

    /// Makes a valid name of one from another program; `None` if no visible character is left.
    pub fn cut(text: &str) -> Option<Self> {
        let text = composed(text);
        let shown = text.chars().filter(|c| !c.is_control());
        let cut: String = shown.take(MAX_NAME_CHARS).collect();
        Self::parse(&cut).ok()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns a key that is equal for names that differ only in case.
    pub fn key(&self) -> String {
        key(&self.0)
    }

    /// Appends ` (number)` and shortens the name to fit [`MAX_NAME_CHARS`].
    fn numbered(&self, number: usize) -> Self {
        let suffix = format!(" ({number})");
        let room = MAX_NAME_CHARS - suffix.chars().count();
        let cut: String = self.0.chars().take(room).collect();
        Self(cut.trim_end().to_owned() + &suffix)
    }
}

fn key(name: &str) -> String {
    name.to_lowercase()
}

/// The categories of one user, in display order.
#[derive(Debug, Clone, Default)]
pub struct CategoryTree {
    in_order: Vec<Category>,
    /// Depth of each category in `in_order`; 1 at the top level.
    depths: Vec<usize>,
    /// Index of each category in the two lists above.
    places: HashMap<CategoryId, usize>,
}

impl CategoryTree {
    /// Sorts the categories of one user into a tree. A category with an unknown parent becomes a
    /// top-level one.
    pub fn new(categories: Vec<Category>) -> Self {
        let known: HashSet<CategoryId> = categories.iter().map(|category| category.id).collect();
        let mut inside: HashMap<Option<CategoryId>, Vec<Category>> = HashMap::new();
        for category in categories {
            let parent = category.parent.filter(|parent| known.contains(parent));
            inside.entry(parent).or_default().push(category);
        }
        for siblings in inside.values_mut() {
            // In reverse, because the traversal below pops from the end.
            siblings.sort_by_cached_key(|category| {
                std::cmp::Reverse((category.position, key(&category.name), category.id))
            });
        }
        let mut tree = Self::default();
        let mut waiting: Vec<(Category, usize)> = Vec::new();
        let tops = inside.remove(&None).unwrap_or_default();
        waiting.extend(tops.into_iter().map(|category| (category, 1)));
        while let Some((category, depth)) = waiting.pop() {
            let children = inside.remove(&Some(category.id)).unwrap_or_default();
            waiting.extend(children.into_iter().map(|child| (child, depth + 1)));
            tree.places.insert(category.id, tree.in_order.len());
            tree.in_order.push(category);
            tree.depths.push(depth);
        }
        tree
    }

    /// Returns all categories depth first: siblings by position, then by name, each followed by its
    /// descendants.
    pub fn in_order(&self) -> &[Category] {
        &self.in_order
    }

    /// Returns all categories with their depths; 1 at the top level.
    pub fn with_depths(&self) -> impl Iterator<Item = (&Category, usize)> {
        self.in_order.iter().zip(self.depths.iter().copied())
    }

    /// Returns the index of a category in [`Self::in_order`].
    pub fn place(&self, id: CategoryId) -> Option<usize> {
        self.places.get(&id).copied()
    }

    pub fn find(&self, id: CategoryId) -> Option<&Category> {
        self.place(id).map(|place| &self.in_order[place])
    }

    /// Returns the depth of a category; 0 for `None`, the level above the top.
    pub fn depth(&self, id: Option<CategoryId>) -> usize {
        id.and_then(|id| self.place(id))
            .map_or(0, |place| self.depths[place])
    }

    /// Returns a category followed by its descendants; an empty slice if the id is unknown.
    pub fn with_inner(&self, id: CategoryId) -> &[Category] {
        let Some(place) = self.place(id) else {
            return &[];
        };
        &self.in_order[place..self.end(place)]
    }

    /// Returns the index after the last descendant of the category at `place`.
    fn end(&self, place: usize) -> usize {
        let inner = self.depths[place + 1..]
            .iter()
            .take_while(|depth| **depth > self.depths[place]);
        place + 1 + inner.count()
    }

    fn siblings(&self, parent: Option<CategoryId>) -> impl Iterator<Item = &Category> {
        let all = self.in_order.iter();
        all.filter(move |category| category.parent == parent)
    }

    /// Finds a child of `parent` by name, ignoring case.
    pub fn find_by_name(
        &self,
        parent: Option<CategoryId>,
        name: &CategoryName,
    ) -> Option<&Category> {
        let wanted = name.key();
        self.siblings(parent)
            .find(|category| key(&category.name) == wanted)
    }

    /// Returns the position for a new category in `parent`; see [`next_position`].
    pub fn next_position(&self, parent: Option<CategoryId>) -> i64 {
        next_position(self.siblings(parent).map(|category| category.position))
    }

    /// Checks if a category called `name` can be added to `parent`.
    pub fn may_add(
        &self,
        name: &CategoryName,
        parent: Option<CategoryId>,
    ) -> Result<(), CategoryError> {
        if self.in_order.len() >= MAX_CATEGORIES {
            return Err(CategoryError::TooMany {
                most: MAX_CATEGORIES,
            });
        }
        if self.depth(parent) >= MAX_DEPTH {
            return Err(CategoryError::TooDeep);
        }
        match self.find_by_name(parent, name) {
            Some(_) => Err(CategoryError::NameTaken),
            None => Ok(()),
        }
    }

    /// Checks if the category `id` can be renamed to `name` and moved to `parent`.
    pub fn may_become(
        &self,
        id: CategoryId,
        name: &CategoryName,
        parent: Option<CategoryId>,
    ) -> Result<(), CategoryError> {
        let moved = self.with_inner(id);
        if moved.iter().any(|inner| Some(inner.id) == parent) {
            return Err(CategoryError::Cycle);
        }
        let deepest = moved.iter().map(|inner| self.depth(Some(inner.id))).max();
        let height = deepest.unwrap_or(1) - self.depth(Some(id)) + 1;
        if self.depth(parent) + height > MAX_DEPTH {
            return Err(CategoryError::TooDeep);
        }
        match self.find_by_name(parent, name) {
            Some(other) if other.id != id => Err(CategoryError::NameTaken),
            _ => Ok(()),
        }
    }

    /// Returns the children of `id` as they are once `id` is deleted: moved to its parent, after
    /// its siblings, in the same order. If a name is taken there, a number is appended, so that no
    /// category is lost.
    pub fn moved_up(&self, id: CategoryId) -> Vec<Category> {
        let Some(gone) = self.find(id) else {
            return Vec::new();
        };
        let (parent, first) = (gone.parent, self.next_position(gone.parent));
        let others = self.siblings(parent).filter(|other| other.id != id);
        let mut taken: HashSet<String> = others.map(|other| key(&other.name)).collect();
        let mut moved = Vec::new();
        for (child, position) in self.siblings(Some(id)).zip(first..) {
            let own = CategoryName(child.name.clone());
            let numbers = (2..).map(|number| own.numbered(number));
            let mut names = std::iter::once(own.clone()).chain(numbers);
            let name = names.find(|name| taken.insert(name.key()));
            moved.push(Category {
                name: name.unwrap_or(own).0,
                parent,
                position,
                ..child.clone()
            });
        }
        moved
    }

    /// Adds up the counts in `own` along the tree. Returns for each category, in display order, its
    /// own count plus those of its descendants.
    pub fn totals(&self, own: &HashMap<CategoryId, i64>) -> Vec<i64> {
        let of = |category: &Category| own.get(&category.id).copied().unwrap_or(0);
        let mut totals: Vec<i64> = self.in_order.iter().map(of).collect();
        for (place, category) in self.in_order.iter().enumerate().rev() {
            if let Some(parent) = category.parent.and_then(|parent| self.place(parent)) {
                totals[parent] += totals[place];
            }
        }
        totals
    }
}

/// Returns the position of a new sibling: after the last one if the siblings have been ordered by
/// hand, else 0 as all of them, so that they are ordered by name.
pub fn next_position(positions: impl Iterator<Item = i64>) -> i64 {
    match positions.max() {
        Some(last) if last > 0 => last + 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn category(id: i64, name: &str, parent: Option<i64>, position: i64) -> Category {
        Category {
            id: CategoryId::from(id),
            name: name.to_owned(),
            parent: parent.map(CategoryId::from),
            position,
        }
    }

    fn name(text: &str) -> CategoryName {
        CategoryName::parse(text).unwrap()
    }

    fn id(number: i64) -> CategoryId {
        CategoryId::from(number)
    }

    /// Technology (contains go and Rust, which contains Crates) and News.
    fn tree() -> CategoryTree {
        CategoryTree::new(vec![
            category(4, "Crates", Some(3), 0),
            category(5, "go", Some(1), 0),
            category(3, "Rust", Some(1), 0),
            category(2, "News", None, 1),
            category(1, "Technology", None, 0),
        ])
    }

    fn names(tree: &CategoryTree) -> Vec<&str> {
        let all = tree.in_order().iter();
        all.map(|category| category.name.as_str()).collect()
    }

    #[test]
    fn a_name_is_one_line_of_up_to_a_hundred_characters() {
        assert_eq!(name("  a   b ").as_str(), "a b");
        assert_eq!(name(&"世".repeat(100)).as_str().chars().count(), 100);
        for (text, error) in [
            ("", CategoryError::NameLength),
            (" \u{3000} ", CategoryError::NameLength),
            (&"x".repeat(101), CategoryError::NameLength),
            ("a\nb", CategoryError::NameCharacter),
            ("a\u{7}", CategoryError::NameCharacter),
        ] {
            assert_eq!(CategoryName::parse(text), Err(error), "{text:?}");
        }
        assert_eq!(
            CategoryName::cut(&"x".repeat(500)),
            Some(name(&"x".repeat(100)))
        );
        assert_eq!(CategoryName::cut("\u{7} "), None);
    }

    #[test]
    fn the_order_is_by_position_then_by_name_and_what_is_inside_follows() {
        assert_eq!(
            names(&tree()),
            ["Technology", "go", "Rust", "Crates", "News"]
        );
        let depths: Vec<usize> = tree().with_depths().map(|(_, depth)| depth).collect();
        assert_eq!(depths, [1, 2, 2, 3, 1]);
        // An unknown parent: the category moves to the top level.
        let lost = CategoryTree::new(vec![category(1, "Lost", Some(9), 0)]);
        assert_eq!(names(&lost), ["Lost"]);
    }

    #[test]
    fn counts_are_added_up_the_tree() {
        let own = HashMap::from([(id(1), 1), (id(4), 10), (id(5), 100), (id(2), 1000)]);
        assert_eq!(tree().totals(&own), [111, 100, 10, 10, 1000]);
    }

    #[test]
    fn what_may_stand_where() {
        let tree = tree();
        let inner: Vec<_> = tree
            .with_inner(id(1))
            .iter()
            .map(|inner| inner.id)
            .collect();
        assert_eq!(inner, [id(1), id(5), id(3), id(4)]);
        assert_eq!(tree.may_add(&name("rust"), None), Ok(()));
        assert_eq!(
            tree.may_add(&name("rUST"), Some(id(1))),
            Err(CategoryError::NameTaken)
        );
        assert_eq!(tree.may_become(id(3), &name("RUST"), Some(id(1))), Ok(()));
        assert_eq!(
            tree.may_become(id(3), &name("Go"), Some(id(1))),
            Err(CategoryError::NameTaken)
        );
        for parent in [1, 3, 4] {
            let moved = tree.may_become(id(1), &name("T"), Some(id(parent)));
            assert_eq!(moved, Err(CategoryError::Cycle), "{parent}");
        }
        assert_eq!(tree.may_become(id(3), &name("Rust"), Some(id(2))), Ok(()));
    }

    #[test]
    fn ten_deep_is_enough_and_a_thousand_are() {
        let deep = |from: i64, count: i64| {
            (from..from + count).map(move |number| {
                let parent = (number > from).then_some(number - 1);
                category(number, "x", parent, 0)
            })
        };
        let tree = CategoryTree::new(deep(1, 10).chain(deep(11, 3)).collect());
        assert_eq!(tree.may_add(&name("y"), Some(id(9))), Ok(()));
        assert_eq!(
            tree.may_add(&name("y"), Some(id(10))),
            Err(CategoryError::TooDeep)
        );
        assert_eq!(tree.may_become(id(11), &name("y"), Some(id(7))), Ok(()));
        assert_eq!(
            tree.may_become(id(11), &name("y"), Some(id(8))),
            Err(CategoryError::TooDeep)
        );
        let many = (1..=1000).map(|number| category(number, &number.to_string(), None, 0));
        let full = CategoryTree::new(many.collect());
        let most = MAX_CATEGORIES;
        assert_eq!(
            full.may_add(&name("y"), None),
            Err(CategoryError::TooMany { most })
        );
    }

    #[test]
    fn what_stood_in_a_removed_one_moves_up_and_keeps_its_order_and_its_name_if_it_can() {
        let tree = CategoryTree::new(vec![
            category(1, "Gone", None, 0),
            category(2, "news", None, 1),
            category(3, "News", Some(1), 1),
            category(4, "Z", Some(1), 0),
            category(5, "gone", Some(1), 2),
        ]);
        assert_eq!(
            tree.moved_up(id(1)),
            [
                category(4, "Z", None, 2),
                category(3, "News (2)", None, 3),
                category(5, "gone", None, 4),
            ]
        );
        assert_eq!(
            name(&"x".repeat(100)).numbered(2).as_str().chars().count(),
            100
        );
    }

    #[test]
    fn a_new_one_comes_last_only_where_there_is_an_order() {
        for (positions, expected) in [(&[][..], 0), (&[0, 0], 0), (&[0, 1, 2], 3)] {
            assert_eq!(next_position(positions.iter().copied()), expected);
        }
    }
}
