//! Import of the labels of a user.

use std::collections::HashMap;

use lede_model::feed_error::EntryError;
use lede_model::ids::UserId;
use lede_model::label::{LabelName, MAX_LABELS};
use lede_store::labels;

use super::checks::line;
use super::outcome::{ImportError, Imported};
use crate::Lede;
use crate::labels::named;
use crate::takeout::format::Label;
use crate::takeout::read::Raw;

/// The labels of a user by the keys of their names.
pub(super) type Labels = HashMap<String, lede_model::label::Label>;

/// Creates missing labels and returns all labels of the user.
pub(super) async fn import(
    lede: &Lede,
    user: UserId,
    raw: &[Raw],
    done: &mut Imported,
) -> Result<Labels, ImportError> {
    let wanted = done.read("labels", raw, |label: Label| {
        LabelName::parse(&line(&label.name)).map_err(|problem| EntryError::BadLabelName { problem })
    });
    let now = lede.clock.now();
    let written = lede.store.write(move |db| {
        let mut own = labels::of_user_to_change(db, user)?;
        let before = own.len();
        let mut refused = Vec::new();
        for (place, name) in &wanted {
            let name = std::slice::from_ref(name);
            if named(db, user, &mut own, name, now)?.is_err() {
                refused.push(*place);
            }
        }
        Ok((own.len() - before, own, refused))
    });
    let (added, own, refused) = written.await?;
    done.labels_added = added;
    for place in refused {
        let reason = EntryError::ManyLabels { most: MAX_LABELS };
        done.refuse("labels", place, reason);
    }
    let own = own
        .into_iter()
        .map(|label| (label.name.to_lowercase(), label));
    Ok(own.collect())
}
