//! Properties of feeds that queries can filter by: title, host and categories, as one user sees
//! them.

use std::collections::HashMap;

use lede_model::address::WebUrl;
use lede_model::ids::{CategoryId, UserId};
use lede_model::search::FeedFacts;

use crate::{Db, StoreResult, params, statements};

statements! {
    FOLLOWED = "SELECT s.feed_id, COALESCE(s.title, f.title), f.url, s.category_id
                FROM subscription s JOIN feed f ON f.id = s.feed_id WHERE s.user_id = $1";
    CATEGORIES = "SELECT id, name, parent_id FROM category WHERE user_id = $1";
}

/// The categories of a user.
#[derive(Default)]
pub(crate) struct Tree(HashMap<CategoryId, (String, Option<CategoryId>)>);

impl Tree {
    pub(crate) fn add(&mut self, id: CategoryId, name: String, parent: Option<CategoryId>) {
        self.0.insert(id, (name, parent));
    }

    /// Returns `category` and its ancestors, innermost first.
    pub(crate) fn around(&self, category: Option<CategoryId>) -> Vec<(CategoryId, String)> {
        let mut found = Vec::new();
        let mut next = category;
        // Bounded by the size of the tree, in case the rows contain a cycle.
        while let Some(id) = next.filter(|_| found.len() < self.0.len()) {
            let Some((name, parent)) = self.0.get(&id) else {
                break;
            };
            found.push((id, name.clone()));
            next = *parent;
        }
        found
    }
}

/// Returns the host that the feed filter of a query also matches; empty if `url` does not parse.
pub(crate) fn host_of(url: &str) -> String {
    WebUrl::parse(url).map_or_else(|_| String::new(), |url| url.host().to_owned())
}

/// Returns all feeds that `user` follows.
pub(crate) fn followed(db: &mut Db<'_>, user: UserId) -> StoreResult<Vec<FeedFacts>> {
    let mut tree = Tree::default();
    db.query(CATEGORIES, params![user], |row| {
        tree.add(row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(())
    })?;
    db.query(FOLLOWED, params![user], |row| {
        Ok(FeedFacts {
            id: row.get(0)?,
            title: row.get(1)?,
            host: host_of(&row.get::<String>(2)?),
            categories: tree.around(row.get(3)?),
        })
    })
}
