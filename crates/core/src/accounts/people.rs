//! What administrators do with the accounts of others.

use lede_model::secret::Secret;
use lede_model::user::{Role, User};
use lede_store::users::{self, Listed};
use lede_store::{StoreError, StoreResult, settings};

use super::{LEAVING, PasswordError, RegisterError, after_every_token, checked, note_registered};
use crate::{Lede, Registration};

/// Why a role stays as it is.
#[derive(Debug, thiserror::Error)]
pub enum RoleError {
    /// There is no account of this number.
    #[error("there is no such account")]
    NoSuchAccount,
    /// Nobody would be left who can look after the instance.
    #[error("this is the only administrator")]
    LastAdmin,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Accounts in the order in which they were made, after the one with the number `after`.
pub async fn page(lede: &Lede, after: i64, limit: i64) -> StoreResult<Vec<Listed>> {
    lede.store
        .read(move |db| users::page(db, after, limit))
        .await
}

/// The account with this number.
pub async fn find(lede: &Lede, number: i64) -> StoreResult<Option<User>> {
    lede.store
        .read(move |db| users::find_numbered(db, number))
        .await
}

/// Makes an account for somebody, whether registration is open or not.
pub async fn add(
    lede: &Lede,
    email: &str,
    password: &Secret,
    role: Role,
) -> Result<User, RegisterError> {
    if lede.settings.registration == Registration::SingleUser {
        // Nobody but the owner could sign in.
        return Err(RegisterError::Closed);
    }
    let (email, hash) = checked(lede, email, password).await?;
    let now = lede.clock.now();
    let added = lede
        .store
        .write(move |db| {
            let added = users::add(db, email.as_str(), Some(&hash), role, now)?;
            note_registered(db, added, now)
        })
        .await?;
    added.ok_or(RegisterError::Taken)
}

/// Changes what an account may do; its sessions and tokens end when that is something else than before.
pub async fn set_role(lede: &Lede, number: i64, role: Role) -> Result<(), RoleError> {
    let now = lede.clock.now();
    lede.store
        .write(move |db| {
            let Some(user) = users::find_numbered(db, number)? else {
                return Ok(Err(RoleError::NoSuchAccount));
            };
            if user.role == Role::Admin && role != Role::Admin {
                settings::put_if_absent(db, LEAVING, "")?;
                let is_last = users::count_admins(db)? < 2;
                settings::remove(db, LEAVING)?;
                if is_last {
                    return Ok(Err(RoleError::LastAdmin));
                }
            }
            let from = after_every_token(db, user.id, now)?;
            users::set_role(db, user.id, role, from)?;
            Ok(Ok(()))
        })
        .await?
}

/// Gives an account another password, for somebody who forgot theirs; its sessions and tokens end.
pub async fn reset_password(
    lede: &Lede,
    number: i64,
    password: &Secret,
) -> Result<(), PasswordError> {
    let user = find(lede, number).await?;
    let user = user.ok_or(PasswordError::NoSuchAccount)?;
    super::set_password(lede, &user, password).await
}
