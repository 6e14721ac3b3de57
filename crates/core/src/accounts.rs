//! Accounts: making them, signing in and out, and leaving.
//!
//! Somebody proves who they are once, by password or at an OpenID provider, and then holds a
//! session (a cookie) or a token (a JWT). Either is turned back into a [`SignedIn`] by one read
//! of the store, so that a changed role or an ended session counts at the next request.

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
use lede_store::events::{self, Event};
use lede_store::{Db, StoreError, StoreResult, settings, users};

pub(crate) use passwords::PasswordHasher;
pub use random::token as random_token;
pub use sessions::{
    NewSession, begin_session, end_other_sessions, end_session, end_session_of, session,
    session_stands, sessions_of, sweep,
};
pub(crate) use tokens::TokenKeys;
pub use tokens::{IssuedToken, TOKEN_LIFE, bearer, issue_token, revoke_token};

use crate::{Lede, Registration};

/// Somebody who proved who they are.
#[derive(Debug, Clone)]
pub struct SignedIn {
    /// Who.
    pub user: User,
    /// How.
    pub proof: Proof,
}

/// How somebody proved it on this request.
#[derive(Debug, Clone)]
pub enum Proof {
    /// A cookie session: state-changing requests must also show its CSRF token.
    Session {
        /// Names the session in the store.
        id_hash: [u8; 32],
        /// What forms and scripts must show.
        csrf_token: String,
    },
    /// A bearer token, which no browser sends by itself.
    Token {
        /// Its own id, by which it is revoked.
        jti: String,
        /// When it ends by itself.
        expires_at: Timestamp,
    },
    /// An app password, in the form that the app's API defines.
    AppPassword {
        /// The rights of the app.
        scope: Scope,
    },
}

/// Why there is no account to sign in to.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// The one answer to a wrong address and to a wrong password.
    #[error("Invalid email or password")]
    WrongCredentials,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why an account could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// The address is none.
    #[error(transparent)]
    Email(#[from] NotAnEmail),
    /// The password is too weak.
    #[error(transparent)]
    Password(#[from] WeakPassword),
    /// Somebody has it already.
    #[error("there is an account with this e-mail address already")]
    Taken,
    /// The instance does not take new accounts.
    #[error("this Lede does not take new accounts")]
    Closed,
    /// The set-up was done meanwhile.
    #[error("this Lede has been set up already")]
    AlreadySetUp,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a password was not changed.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The one of before was not shown.
    #[error("the current password is wrong")]
    WrongCurrent,
    /// The new one is too weak.
    #[error(transparent)]
    Weak(#[from] WeakPassword),
    /// In single-user mode the operator sets it.
    #[error("in single-user mode the password is the setting APP_PASSWORD")]
    Owner,
    /// There is no account of this number.
    #[error("there is no such account")]
    NoSuchAccount,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why an account was not deleted.
#[derive(Debug, thiserror::Error)]
pub enum LeaveError {
    /// Others would be left without anybody who can look after the instance.
    #[error("you are the only administrator and others have accounts here")]
    LastAdmin,
    /// In single-user mode the account comes back with the next start.
    #[error("in single-user mode the owner's account cannot be deleted")]
    Owner,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Whether nobody has an account yet, so that the first visitor sets the instance up.
pub async fn needs_set_up(lede: &Lede) -> Result<bool, StoreError> {
    Ok(lede.store.read(users::count).await? == 0)
}

/// Makes the first account, which looks after the instance.
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

/// Makes an account for anybody, where registration is open.
pub async fn register(lede: &Lede, email: &str, password: &Secret) -> Result<User, RegisterError> {
    if lede.settings.registration != Registration::Open {
        return Err(RegisterError::Closed);
    }
    if needs_set_up(lede).await? {
        // The first account is an administrator's, and only the set-up page knows who may have it.
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

/// Notes that somebody made the account, if one was made.
fn note_registered(
    db: &mut Db<'_>,
    added: Option<User>,
    now: Timestamp,
) -> StoreResult<Option<User>> {
    if let Some(user) = &added {
        events::add(db, user.id, Event::UserRegistered, now)?;
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

/// Finds the account of `email` if `password` is its password. Both failures take the same work
/// and give the same answer. In single-user mode only the password counts.
pub async fn sign_in(lede: &Lede, email: &str, password: &Secret) -> Result<User, SignInError> {
    let login = match lede.settings.registration {
        Registration::SingleUser => OWNER.to_owned(),
        // What is no address has no account; the look-up below finds nothing, at the same cost.
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

/// Whether `user` has a password, and does not sign in through a provider only.
pub async fn has_password(lede: &Lede, user: UserId) -> Result<bool, StoreError> {
    let hash = lede.store.read(move |db| users::password_hash(db, user));
    Ok(hash.await?.is_some())
}

/// Changes the password of somebody who shows the one of before. Every session and token ends, so
/// that whoever took one is out.
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

/// Makes sure at start-up that an account exists with this role and password, and changes them
/// where they differ. The caller has checked address and password.
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

/// The first moment that no token of `user` is from. Tokens count whole seconds, and one made right
/// after a change carries the next of them (`tokens::issue_token`): a second change within that
/// second must be later still.
fn after_every_token(db: &mut Db<'_>, user: UserId, now: Timestamp) -> StoreResult<Timestamp> {
    let newest = tokens::issued_at(now, lede_store::tokens::valid_from(db, user)?);
    Ok(now.max(newest + Duration::from_millis(1)))
}

/// There only within the transaction of an administrator who stops being one: PostgreSQL runs writers side
/// by side, and the unique key makes a second one wait until the first can be counted as gone.
const LEAVING: &str = "administrator_leaving";

/// Deletes an account with everything that is its own; feeds and items stay, they are shared, but for
/// those that only this person may follow.
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

/// The providers through which `user` can sign in.
pub async fn linked_providers(lede: &Lede, user: UserId) -> Result<Vec<String>, StoreError> {
    lede.store
        .read(move |db| lede_store::identities::providers_of(db, user))
        .await
}
