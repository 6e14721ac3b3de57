//! User accounts.

use lede_model::ids::UserId;
use lede_model::time::Timestamp;
use lede_model::user::{Role, User};

use crate::engine::Row;
use crate::{Db, StoreResult, params, sessions, settings, statements};

/// Set when the first account is created, so that two set-up pages cannot both create one.
const FIRST_ACCOUNT: &str = "first_account";

/// An account as admins see it.
#[derive(Debug, Clone)]
pub struct Listed {
    pub user: User,
    /// False if the account only signs in through a provider.
    pub has_password: bool,
    /// Number of subscriptions.
    pub feeds: i64,
    /// Last recorded use of a session.
    pub seen_at: Option<Timestamp>,
}

statements! {
    COUNT = "SELECT COUNT(*) FROM account";
    ALL = "SELECT id FROM account ORDER BY id";
    COUNT_ADMINS = "SELECT COUNT(*) FROM account WHERE role = 'admin'";
    FIND = "SELECT id, email, role, created_at FROM account WHERE id = $1";
    LISTED = "SELECT a.id, a.email, a.role, a.created_at, a.password_hash IS NOT NULL,
                (SELECT COUNT(*) FROM subscription s WHERE s.user_id = a.id),
                (SELECT MAX(s.used_at) FROM session s WHERE s.user_id = a.id)
            FROM account a WHERE a.id > $1 ORDER BY a.id LIMIT $2";
    FIND_BY_EMAIL = "SELECT id, email, role, created_at, password_hash FROM account WHERE email = $1";
    PASSWORD_HASH = "SELECT password_hash FROM account WHERE id = $1";
    ADD = "INSERT INTO account (email, password_hash, role, tokens_valid_from, created_at)
           VALUES ($1, $2, $3, $4, $4)
           ON CONFLICT (email) DO NOTHING
           RETURNING id, email, role, created_at";
    SET_PASSWORD = "UPDATE account SET password_hash = $1, tokens_valid_from = $2 WHERE id = $3";
    REHASH = "UPDATE account SET password_hash = $1 WHERE id = $2";
    SET_ROLE = "UPDATE account SET role = $1, tokens_valid_from = $2 WHERE id = $3 AND role <> $1";
    DELETE = "DELETE FROM account WHERE id = $1";
}

/// Reads an account from the first four columns: id, email, role, created_at.
pub(crate) fn from_row(row: &Row<'_>) -> StoreResult<User> {
    Ok(User {
        id: row.get(0)?,
        email: row.get(1)?,
        role: Role::from_word(&row.get::<String>(2)?),
        created_at: row.get(3)?,
    })
}

pub fn count(db: &mut Db<'_>) -> StoreResult<i64> {
    db.one(COUNT, &[], |row| row.get(0))
}

/// Returns the ids of all accounts.
pub fn all(db: &mut Db<'_>) -> StoreResult<Vec<UserId>> {
    db.query(ALL, &[], |row| row.get(0))
}

pub fn count_admins(db: &mut Db<'_>) -> StoreResult<i64> {
    db.one(COUNT_ADMINS, &[], |row| row.get(0))
}

/// Finds an account; `None` if it was deleted.
pub fn find(db: &mut Db<'_>, id: UserId) -> StoreResult<Option<User>> {
    db.find(FIND, params![id], from_row)
}

/// Finds an account by a number that an admin entered. Other callers have a `UserId` from a session
/// or a row, and use [`find`].
pub fn find_numbered(db: &mut Db<'_>, number: i64) -> StoreResult<Option<User>> {
    db.find(FIND, params![number], from_row)
}

/// Returns up to `limit` accounts with ids above `after`, oldest first.
pub fn page(db: &mut Db<'_>, after: i64, limit: i64) -> StoreResult<Vec<Listed>> {
    db.query(LISTED, params![after, limit], |row| {
        Ok(Listed {
            user: from_row(row)?,
            has_password: row.get(4)?,
            feeds: row.get(5)?,
            seen_at: row.get(6)?,
        })
    })
}

/// Finds an account by its address, together with its password hash.
pub fn find_by_email(db: &mut Db<'_>, email: &str) -> StoreResult<Option<(User, Option<String>)>> {
    db.find(FIND_BY_EMAIL, params![email], |row| {
        Ok((from_row(row)?, row.get(4)?))
    })
}

/// Returns the password hash of `id`; `None` if the account has no password.
pub fn password_hash(db: &mut Db<'_>, id: UserId) -> StoreResult<Option<String>> {
    Ok(db
        .find(PASSWORD_HASH, params![id], |row| {
            row.get::<Option<String>>(0)
        })?
        .flatten())
}

/// Creates an account. Returns `None` if the address is taken.
pub fn add(
    db: &mut Db<'_>,
    email: &str,
    password_hash: Option<&str>,
    role: Role,
    now: Timestamp,
) -> StoreResult<Option<User>> {
    let added = db.find(
        ADD,
        params![email, password_hash, role.as_str(), now],
        from_row,
    )?;
    if added.is_some() {
        settings::put_if_absent(db, FIRST_ACCOUNT, email)?;
    }
    Ok(added)
}

/// Creates the first account, an admin. Returns `None` if there is one already.
pub fn add_first(
    db: &mut Db<'_>,
    email: &str,
    password_hash: &str,
    now: Timestamp,
) -> StoreResult<Option<User>> {
    // The unique key makes a second set-up wait for the first and then find the setting.
    if settings::put_if_absent(db, FIRST_ACCOUNT, email)? {
        add(db, email, Some(password_hash), Role::Admin, now)
    } else {
        Ok(None)
    }
}

/// Changes the password and revokes all sessions and tokens.
pub fn set_password(
    db: &mut Db<'_>,
    id: UserId,
    password_hash: &str,
    now: Timestamp,
) -> StoreResult<()> {
    db.execute(SET_PASSWORD, params![password_hash, now, id])?;
    sessions::delete_all_of(db, id)
}

/// Stores a new hash of the same password with stronger parameters. Sessions stay valid.
pub fn rehash(db: &mut Db<'_>, id: UserId, password_hash: &str) -> StoreResult<()> {
    db.execute(REHASH, params![password_hash, id]).map(drop)
}

/// Changes the role. If it differs, all sessions and tokens are revoked.
pub fn set_role(db: &mut Db<'_>, id: UserId, role: Role, now: Timestamp) -> StoreResult<()> {
    if db.execute(SET_ROLE, params![role.as_str(), now, id])? > 0 {
        sessions::delete_all_of(db, id)?;
    }
    Ok(())
}

/// Removes the account with everything that belongs to it, including its private feeds. Other feeds
/// and items are shared and stay.
pub fn delete(db: &mut Db<'_>, id: UserId) -> StoreResult<()> {
    db.execute(DELETE, params![id])?;
    if count(db)? == 0 {
        // Without accounts, the set-up page may create a first one again.
        settings::remove(db, FIRST_ACCOUNT)?;
    }
    Ok(())
}
