//! Accounts: registration, sign-in and sign-out, deletion.
//!
//! A user authenticates once, by password or at an OpenID provider, and then holds a session (a
//! cookie) or a token (a JWT). Either is resolved to a [`SignedIn`] by one read of the store, so
//! that a changed role or an ended session takes effect with the next request.

pub mod app_passwords;
pub mod oidc;
mod passwords;
pub mod people;
mod random;
mod sessions;
mod tokens;

use std::time::Duration;

use lede_model::app_password::Scope;
use lede_model::ids::UserId;
use lede_model::password::{self, WeakPassword};
use lede_model::secret::Secret;
use lede_model::time::Timestamp;
use lede_model::user::{EmailAddress, NotAnEmail, OWNER, Role, User};
use lede_store::audit_log::{self, AuditEvent};
use lede_store::{Db, StoreError, StoreResult, settings, users};

pub(crate) use passwords::PasswordHasher;
pub use random::token as random_token;
pub use sessions::{
    NewSession, begin_session, end_other_sessions, end_session, end_session_of, remove_expired,
    session, session_stands, sessions_of,
};
pub(crate) use tokens::TokenKeys;
pub use tokens::{IssuedToken, TOKEN_LIFE, bearer, issue_token, revoke_token};

use crate::{Lede, Registration};

/// An authenticated user, with the credential of the request.
#[derive(Debug, Clone)]
pub struct SignedIn {
    pub user: User,
    pub proof: Proof,
}

/// The kind of credential that authenticated this request.
#[derive(Debug, Clone)]
pub enum Proof {
    /// A cookie session. State-changing requests must also present its CSRF token.
    Session {
        /// Hash of the cookie's value; the key of the session in the store.
        id_hash: [u8; 32],
        /// Must be sent by forms and scripts.
        csrf_token: String,
    },
    /// A bearer token, which browsers never send on their own.
    Token {
        /// The id by which the token is revoked.
        jti: String,
        expires_at: Timestamp,
    },
    /// An app password, in the form that the app's API defines.
    AppPassword {
        /// The rights of the app.
        scope: Scope,
    },
}

/// Errors returned by [`sign_in`].
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// Unknown address or wrong password: the answer does not tell which.
    #[error("Invalid email or password")]
    WrongCredentials,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reasons why an account cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// The e-mail address is malformed.
    #[error(transparent)]
    Email(#[from] NotAnEmail),
    #[error(transparent)]
    Password(#[from] WeakPassword),
    /// The address belongs to an existing account.
    #[error("there is an account with this e-mail address already")]
    Taken,
    #[error("this server does not take new accounts")]
    Closed,
    /// Another request created the first account in the meantime.
    #[error("this server has been set up already")]
    AlreadySetUp,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reasons why a password cannot be changed.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The current password was not given or is wrong.
    #[error("the current password is wrong")]
    WrongCurrent,
    #[error(transparent)]
    Weak(#[from] WeakPassword),
    /// In single-user mode the password is a setting of the operator.
    #[error("in single-user mode the password is the setting APP_PASSWORD")]
    Owner,
    #[error("there is no such account")]
    NoSuchAccount,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reasons why an account cannot be deleted.
#[derive(Debug, thiserror::Error)]
pub enum LeaveError {
    /// Other users would be left without an administrator.
    #[error("you are the only administrator and others have accounts here")]
    LastAdmin,
    /// In single-user mode the next start would create the account again.
    #[error("in single-user mode the owner's account cannot be deleted")]
    Owner,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Returns `true` if there is no account yet, so that the first visitor sets the instance up.
pub async fn needs_set_up(lede: &Lede) -> Result<bool, StoreError> {
    Ok(lede.store.read(users::count).await? == 0)
}

/// Creates the first account, which is an administrator.
pub async fn set_up(lede: &Lede, email: &str, password: &Secret) -> Result<User, RegisterError> {
    let (email, hash) = checked(lede, email, password).await?;
    let now = lede.clock.now();
    let added = lede
        .store
        .write(move |db| {
            let added = users::add_first(db, email.as_str(), &hash, now)?;
            note_registered(db, added, now)
        })
        .await?;
    added.ok_or(RegisterError::AlreadySetUp)
}

/// Creates an account if registration is open.
pub async fn register(lede: &Lede, email: &str, password: &Secret) -> Result<User, RegisterError> {
    if lede.settings.registration != Registration::Open {
        return Err(RegisterError::Closed);
    }
    if needs_set_up(lede).await? {
        // The first account is an administrator, and only the set-up page checks who may create it.
        return Err(RegisterError::Closed);
    }
    let (email, hash) = checked(lede, email, password).await?;
    let now = lede.clock.now();
    let added = lede
        .store
        .write(move |db| {
            let added = users::add(db, email.as_str(), Some(&hash), Role::Member, now)?;
            note_registered(db, added, now)
        })
        .await?;
    added.ok_or(RegisterError::Taken)
}

/// Records the registration in the event log, if an account was created.
fn note_registered(
    db: &mut Db<'_>,
    added: Option<User>,
    now: Timestamp,
) -> StoreResult<Option<User>> {
    if let Some(user) = &added {
        audit_log::add(db, user.id, AuditEvent::UserRegistered, now)?;
    }
    Ok(added)
}

async fn checked(
    lede: &Lede,
    email: &str,
    secret: &Secret,
) -> Result<(EmailAddress, String), RegisterError> {
    let email = EmailAddress::parse(email)?;
    password::check(secret.reveal(), email.as_str())?;
    Ok((email, lede.passwords.hash(secret).await))
}

/// Returns the account of `email` if `password` is its password. Both failures take the same time
/// and return the same error. In single-user mode only the password is checked.
pub async fn sign_in(lede: &Lede, email: &str, password: &Secret) -> Result<User, SignInError> {
    let login = match lede.settings.registration {
        Registration::SingleUser => OWNER.to_owned(),
        // A malformed address has no account; the look-up below finds nothing, at the same cost.
        Registration::Open | Registration::Closed => email.trim().to_lowercase(),
    };
    let found = lede
        .store
        .read(move |db| users::find_by_email(db, &login))
        .await?;
    let (user, hash) = match found {
        Some((user, Some(hash))) => (Some(user), Some(hash)),
        Some((_, None)) | None => (None, None),
    };
    let verified = lede.passwords.verify(hash, password).await;
    let (Some(user), true) = (user, verified.is_right) else {
        return Err(SignInError::WrongCredentials);
    };
    if verified.wants_rehash {
        let (id, hash) = (user.id, lede.passwords.hash(password).await);
        lede.store
            .write(move |db| users::rehash(db, id, &hash))
            .await?;
    }
    Ok(user)
}

/// Returns `false` if `user` signs in through a provider only.
pub async fn has_password(lede: &Lede, user: UserId) -> Result<bool, StoreError> {
    let hash = lede.store.read(move |db| users::password_hash(db, user));
    Ok(hash.await?.is_some())
}

/// Changes the password of a user who knows the current one. Ends every session and token, in case
/// one of them was stolen.
pub async fn change_password(
    lede: &Lede,
    user: &User,
    current: &Secret,
    new: &Secret,
) -> Result<(), PasswordError> {
    let id = user.id;
    let hash = lede.store.read(move |db| users::password_hash(db, id));
    if !lede.passwords.verify(hash.await?, current).await.is_right {
        return Err(PasswordError::WrongCurrent);
    }
    set_password(lede, user, new).await
}

async fn set_password(lede: &Lede, user: &User, new: &Secret) -> Result<(), PasswordError> {
    if lede.settings.registration == Registration::SingleUser {
        return Err(PasswordError::Owner);
    }
    password::check(new.reveal(), &user.email)?;
    let (id, now) = (user.id, lede.clock.now());
    let hash = lede.passwords.hash(new).await;
    lede.store
        .write(move |db| {
            let from = after_every_token(db, id, now)?;
            users::set_password(db, id, &hash, from)
        })
        .await?;
    Ok(())
}

/// Ensures at start-up that an account exists with this role and password, and updates them if
/// they differ. The caller has validated address and password.
pub async fn ensure_account(
    lede: &Lede,
    login: &str,
    password: &Secret,
    role: Role,
) -> Result<(), StoreError> {
    let email = login.to_owned();
    let found = lede
        .store
        .read(move |db| users::find_by_email(db, &email))
        .await?;
    let now = lede.clock.now();
    match found {
        None => {
            let (email, hash) = (login.to_owned(), lede.passwords.hash(password).await);
            lede.store
                .write(move |db| users::add(db, &email, Some(&hash), role, now))
                .await?;
        }
        Some((user, hash)) => {
            lede.store
                .write(move |db| {
                    let from = after_every_token(db, user.id, now)?;
                    users::set_role(db, user.id, role, from)
                })
                .await?;
            if !lede.passwords.verify(hash, password).await.is_right {
                let hash = lede.passwords.hash(password).await;
                lede.store
                    .write(move |db| {
                        let from = after_every_token(db, user.id, now)?;
                        users::set_password(db, user.id, &hash, from)
                    })
                    .await?;
            }
        }
    }
    Ok(())
}

/// Returns an instant later than the issue time of every token of `user`. Tokens carry whole
/// seconds, and one issued right after a change carries the next second (`tokens::issue_token`); a
/// second change within that second has to be later still.
fn after_every_token(db: &mut Db<'_>, user: UserId, now: Timestamp) -> StoreResult<Timestamp> {
    let newest = tokens::issued_at(now, lede_store::tokens::valid_from(db, user)?);
    Ok(now.max(newest + Duration::from_millis(1)))
}

/// Exists only within the transaction in which an administrator stops being one. PostgreSQL runs
/// writers concurrently; the unique key makes a second one wait until the first is no longer
/// counted.
const LEAVING: &str = "administrator_leaving";

/// Deletes an account with everything that belongs to it. Feeds and items are shared and stay,
/// except for private feeds of this user.
pub async fn leave(lede: &Lede, user: &User) -> Result<(), LeaveError> {
    if lede.settings.registration == Registration::SingleUser {
        return Err(LeaveError::Owner);
    }
    let (id, is_admin) = (user.id, user.role == Role::Admin);
    let gone = lede
        .store
        .write(move |db| {
            if is_admin {
                settings::put_if_absent(db, LEAVING, "")?;
            }
            let may_leave = !is_admin || users::count_admins(db)? > 1 || users::count(db)? == 1;
            if may_leave {
                users::delete(db, id)?;
            }
            settings::remove(db, LEAVING)?;
            Ok(may_leave)
        })
        .await?;
    if gone {
        Ok(())
    } else {
        Err(LeaveError::LastAdmin)
    }
}

/// Names of the providers through which `user` can sign in.
pub async fn linked_providers(lede: &Lede, user: UserId) -> Result<Vec<String>, StoreError> {
    lede.store
        .read(move |db| lede_store::identities::providers_of(db, user))
        .await
}
