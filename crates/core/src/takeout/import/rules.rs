//! Import of rules, if the feeds, categories and labels they refer to exist.

use lede_model::feed_error::EntryError;
use lede_model::ids::UserId;
use lede_store::takeout;

use super::ImportContext;
use super::categories::Path;
use super::checks::{feed_at, name_of, question};
use super::outcome::{ImportError, Imported};
use crate::Lede;
use crate::rules::MAX_RULES;
use crate::takeout::format::Rule;
use crate::takeout::read::Raw;

/// Adds the rules that do not exist yet.
pub(super) async fn import(
    lede: &Lede,
    user: UserId,
    raw: &[Raw],
    here: ImportContext<'_>,
    done: &mut Imported,
) -> Result<(), ImportError> {
    let rules = done.read("rules", raw, |rule: Rule| {
        // Without its feed or category a rule would match everywhere, so it is refused.
        let category = match rule.category.as_deref().map(Path::read).transpose()? {
            None => None,
            Some(path) => {
                let known = here.categories.get(&path.key());
                Some(*known.ok_or(EntryError::NoCategory)?)
            }
        };
        let query = rule.query.map(question).transpose()?;
        if query.is_none() && rule.feed_url.is_none() && category.is_none() {
            return Err(EntryError::NoCondition);
        }
        let label = match rule.label.as_deref() {
            None => None,
            Some(name) => {
                let known = here.label(name);
                Some(known.ok_or(EntryError::NoLabel)?)
            }
        };
        if !(rule.mark_read || rule.star || rule.hide || rule.notify || label.is_some()) {
            return Err(EntryError::NoAction);
        }
        let kept = takeout::Rule {
            name: name_of(&rule.name)?,
            enabled: rule.enabled,
            query,
            feed: rule
                .feed_url
                .map(|url| feed_at(here.feeds, &url).map(|(feed, _)| feed))
                .transpose()?,
            category,
            mark_read: rule.mark_read,
            star: rule.star,
            hide: rule.hide,
            notify: rule.notify,
            label: label.map(|label| label.name.clone()),
        };
        Ok((kept, label.map(|label| label.id)))
    });
    let now = lede.clock.now();
    let (added, refused) = lede
        .store
        .write(move |db| {
            let mut known = takeout::rules(db, user)?;
            let (mut added, mut refused) = (0, Vec::new());
            for (place, (rule, label)) in &rules {
                if known.contains(rule) {
                    continue;
                }
                if known.len() as i64 >= MAX_RULES {
                    refused.push(*place);
                    continue;
                }
                takeout::add_rule(db, user, rule, *label, now)?;
                known.push(rule.clone());
                added += 1;
            }
            Ok((added, refused))
        })
        .await?;
    done.rules_added = added;
    for place in refused {
        let reason = EntryError::ManyRules { most: MAX_RULES };
        done.refuse("rules", place, reason);
    }
    Ok(())
}
