//! Preferences of a user.

use lede_model::ids::UserId;
use lede_model::preferences::Preferences;
use lede_store::{StoreResult, preferences};

use crate::Lede;

/// Returns the preferences of `user`.
pub async fn of_user(lede: &Lede, user: UserId) -> StoreResult<Preferences> {
    let chosen = lede
        .store
        .read_inline(move |db| preferences::of_user(db, user));
    chosen.await
}

/// Applies `change` to the preferences of `user` and returns all of them. If `change` fails,
/// nothing is stored. Read and written in one transaction, so that two tabs changing different
/// preferences lose neither change.
pub async fn change<E: Send + 'static>(
    lede: &Lede,
    user: UserId,
    change: impl Fn(&mut Preferences) -> Result<(), E> + Send + 'static,
) -> StoreResult<Result<Preferences, E>> {
    let write = lede.store.write(move |db| {
        let mut chosen = preferences::of_user(db, user)?;
        if let Err(refused) = change(&mut chosen) {
            return Ok(Err(refused));
        }
        preferences::set(db, user, &chosen)?;
        Ok(Ok(chosen))
    });
    write.await
}
