//! Administration of the accounts of other users.

use lede_model::secret::Secret;
use lede_model::user::{Role, User};
use lede_store::users::{self, Listed};
use lede_store::{StoreError, StoreResult, settings};

use super::{LEAVING, PasswordError, RegisterError, after_every_token, checked, note_registered};
use crate::{Lede, Registration};

/// Reasons why a role cannot be changed.
#[derive(Debug, thiserror::Error)]
pub enum RoleError {
    #[error("there is no such account")]
    NoSuchAccount,
    /// The instance would be left without an administrator.
    #[error("this is the only administrator")]
    LastAdmin,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Returns accounts in the order of creation, starting after the one with the number `after`.
pub async fn page(lede: &Lede, after: i64, limit: i64) -> StoreResult<Vec<Listed>> {
    lede.store
        .read(move |db| users::page(db, after, limit))
        .await
}

/// Returns the account with this number.
pub async fn find(lede: &Lede, number: i64) -> StoreResult<Option<User>> {
    lede.store
        .read(move |db| users::find_numbered(db, number))
        .await
}

/// Creates an account, whether registration is open or not.
pub async fn add(
    lede: &Lede,
    email: &str,
    password: &Secret,
    role: Role,
) -> Result<User, RegisterError> {
    if lede.settings.registration == Registration::SingleUser {
        // Only the owner could sign in.
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

/// Changes the role of an account. Its sessions and tokens end if the role is a different one.
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

/// Sets another password for a user who forgot theirs. Sessions and tokens of the account end.
pub async fn reset_password(
    lede: &Lede,
    number: i64,
    password: &Secret,
) -> Result<(), PasswordError> {
    let user = find(lede, number).await?;
    let user = user.ok_or(PasswordError::NoSuchAccount)?;
    super::set_password(lede, &user, password).await
}
