//! Read and starred marks of users on items.

use lede_model::ids::{FeedId, ItemId, UserId};
use lede_model::mark::{MarkChange, MarkKind, Marks};
use lede_model::time::Timestamp;

use crate::items::{saved_by, visible_to};
use crate::unread::{self, unread_of};
use crate::{Db, StoreResult, params, statements};

/// The number of a [`MarkKind`] in rows, as a literal for statements with a fixed kind: partial
/// indexes are used only if the statement has a literal.
macro_rules! mark_kind {
    (starred) => {
        "1"
    };
    (read) => {
        "2"
    };
    (hidden) => {
        "3"
    };
}
pub(crate) use mark_kind;

statements! {
    PLACE = concat!(
        "SELECT i.feed_id, i.sort_at, s.id IS NOT NULL FROM item i
         LEFT JOIN subscription s ON s.user_id = $1 AND s.feed_id = i.feed_id
         WHERE i.id = $2 AND (s.id IS NOT NULL OR ", saved_by!("$1"), ") AND ", visible_to!("$1")
    );
    ADD = "INSERT INTO mark (user_id, kind, sort_at, item_id, at) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT DO NOTHING";
    REMOVE = "DELETE FROM mark WHERE user_id = $1 AND kind = $2 AND sort_at = $3 AND item_id = $4";
    CURRENT = concat!(
        "SELECT EXISTS (SELECT 1 FROM unread u WHERE ", unread_of!("u", "$1"),
        "                   AND u.feed_id = $2 AND u.sort_at = $3 AND u.item_id = $4),
                EXISTS (SELECT 1 FROM mark WHERE user_id = $1 AND kind = $5
                            AND sort_at = $3 AND item_id = $4)"
    );
}

/// Changes the marks of `user` on `item` and returns the resulting marks. `None` if the item is in
/// no feed that `user` follows and not saved. A saved item of another feed is always read.
/// Idempotent.
pub fn set(
    db: &mut Db<'_>,
    user: UserId,
    item: ItemId,
    change: MarkChange,
    now: Timestamp,
) -> StoreResult<Option<Marks>> {
    let place = db.find(PLACE, params![user, item], |row| {
        Ok((
            row.get::<FeedId>(0)?,
            row.get::<Timestamp>(1)?,
            row.get::<bool>(2)?,
        ))
    })?;
    let Some((feed, sort_at, is_followed)) = place else {
        return Ok(None);
    };
    match change.read.filter(|_| is_followed) {
        Some(true) => {
            unread::remove(db, user, feed, sort_at, item)?;
            db.execute(ADD, params![user, MarkKind::Read, sort_at, item, now])?;
        }
        Some(false) => {
            unread::add(db, user, feed, sort_at, item)?;
            db.execute(REMOVE, params![user, MarkKind::Read, sort_at, item])?;
            // A user who marks a hidden item as unread wants to see it again.
            db.execute(REMOVE, params![user, MarkKind::Hidden, sort_at, item])?;
        }
        None => {}
    }
    match change.starred {
        Some(true) => db.execute(ADD, params![user, MarkKind::Starred, sort_at, item, now])?,
        Some(false) => db.execute(REMOVE, params![user, MarkKind::Starred, sort_at, item])?,
        None => 0,
    };
    db.find(
        CURRENT,
        params![user, feed, sort_at, item, MarkKind::Starred],
        |row| {
            Ok(Marks {
                read: !row.get::<bool>(0)?,
                starred: row.get(1)?,
            })
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_of_mark_kinds_are_those_of_the_model() {
        for (kind, literal) in [
            (MarkKind::Starred, mark_kind!(starred)),
            (MarkKind::Read, mark_kind!(read)),
            (MarkKind::Hidden, mark_kind!(hidden)),
        ] {
            assert_eq!(kind.as_i64().to_string(), literal, "{kind:?}");
        }
    }
}
