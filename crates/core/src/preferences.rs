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

/// Changes what `user` chose and gives all of it. Read and written in one go: two tabs that change
/// different things lose neither.
pub async fn change(
    lede: &Lede,
    user: UserId,
    change: impl Fn(&mut Preferences) + Send + 'static,
) -> StoreResult<Preferences> {
    let write = lede.store.write(move |db| {
        let mut chosen = preferences::of_user(db, user)?;
        change(&mut chosen);
        preferences::set(db, user, &chosen)?;
        Ok(chosen)
    });
    write.await
}
