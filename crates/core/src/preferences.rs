//! How a person likes the reader.

use lede_model::ids::UserId;
use lede_model::preferences::Preferences;
use lede_store::{StoreResult, preferences};

use crate::Lede;

/// What `user` chose.
pub async fn of_user(lede: &Lede, user: UserId) -> StoreResult<Preferences> {
    let chosen = lede.store.glance(move |db| preferences::of_user(db, user));
    chosen.await
}

/// Changes what `user` chose and gives all of it; what `change` refuses leaves everything as it is. Read
/// and written in one go: two tabs that change different things lose neither.
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
