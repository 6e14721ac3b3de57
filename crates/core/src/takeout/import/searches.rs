//! Import of saved searches.

use lede_model::feed_error::EntryError;
use lede_model::ids::UserId;
use lede_store::takeout;

use super::checks::{name_of, place, question};
use super::outcome::{ImportError, Imported};
use crate::Lede;
use crate::search::MAX_SAVED;
use crate::takeout::format::SavedSearch;
use crate::takeout::read::Raw;

/// Adds the saved searches that do not exist yet.
pub(super) async fn import(
    lede: &Lede,
    user: UserId,
    raw: &[Raw],
    done: &mut Imported,
) -> Result<(), ImportError> {
    let searches = done.read("saved_searches", raw, |search: SavedSearch| {
        Ok(takeout::SavedSearch {
            name: name_of(&search.name)?,
            query: question(search.query)?,
            position: place(search.position),
        })
    });
    let now = lede.clock.now();
    let (added, refused) = lede
        .store
        .write(move |db| {
            let mut known = takeout::saved_searches(db, user)?;
            let (mut added, mut refused) = (0, Vec::new());
            for (place, search) in &searches {
                let is_known = |other: &takeout::SavedSearch| {
                    other.name == search.name && other.query == search.query
                };
                if known.iter().any(is_known) {
                    continue;
                }
                if known.len() as i64 >= MAX_SAVED {
                    refused.push(*place);
                    continue;
                }
                takeout::add_saved_search(db, user, search, now)?;
                known.push(search.clone());
                added += 1;
            }
            Ok((added, refused))
        })
        .await?;
    done.saved_searches_added = added;
    for place in refused {
        let reason = EntryError::ManySearches { most: MAX_SAVED };
        done.refuse("saved_searches", place, reason);
    }
    Ok(())
}
