//! App passwords, for clients that support nothing but a name and a password.
//!
//! They are generated, so that they are strong, and each client has its own, so that a lost phone
//! means deleting one row. They are accepted by the APIs for apps only: not by the sign-in page,
//! and not in exchange for a token. Because they are random, a plain hash is enough to store them.

use std::time::Duration;

use lede_model::app_password::{AppPassword, Scope};
use lede_model::ids::{AppPasswordId, UserId};
use lede_model::secret::Secret;
use lede_model::user::User;
use lede_store::app_passwords::{self, NewAppPassword, PresentedPassword};
use lede_store::{StoreError, StoreResult};
use md5::{Digest as _, Md5};

use super::random::hash;
use crate::{Lede, Registration};

/// App passwords per user.
const MOST: i64 = 50;
pub const MAX_NAME_CHARS: usize = 100;
/// Minimum time between updates of the last use, so that reading does not cause writes.
const TOUCH_EVERY: Duration = Duration::from_secs(3600);

/// Letters and digits that are not mistaken for one another: without i, l, o, 0 and 1.
const ALPHABET: &[u8; 31] = b"abcdefghjkmnpqrstuvwxyz23456789";
/// 28 characters out of 31 are 138 bits.
const GROUPS: usize = 7;
const GROUP: usize = 4;

/// Reasons why an app password cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// The name is empty or too long.
    #[error("must be 1 to {MAX_NAME_CHARS} characters")]
    Name,
    #[error("you have {MOST} app passwords, which is the limit")]
    LimitReached,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Returns the app passwords of `user`. The passwords themselves are not stored.
pub async fn list(lede: &Lede, user: UserId) -> StoreResult<Vec<AppPassword>> {
    lede.store
        .read(move |db| app_passwords::of_user(db, user))
        .await
}

/// Creates an app password for `user`. The secret is returned only here; its hash is stored.
pub async fn add(
    lede: &Lede,
    user: &User,
    name: &str,
    scope: Scope,
) -> Result<(AppPassword, Secret), AddError> {
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    let name = name.trim().to_owned();
    if !(1..=MAX_NAME_CHARS).contains(&name.chars().count()) {
        return Err(AddError::Name);
    }
    let password = Secret::new(generated());
    let new = NewAppPassword {
        name,
        scope,
        password_hash: hash(password.reveal()),
        fever_key_hash: hash(&fever_key(&user.email, password.reveal())),
    };
    let (id, now) = (user.id, lede.clock.now());
    let added = lede
        .store
        .write(move |db| app_passwords::add(db, id, &new, MOST, now))
        .await?;
    Ok((added.ok_or(AddError::LimitReached)?, password))
}

/// Deletes an app password. Returns `false` if it does not belong to `user`.
pub async fn remove(lede: &Lede, user: UserId, id: AppPasswordId) -> StoreResult<bool> {
    lede.store
        .write(move |db| app_passwords::remove(db, user, id))
        .await
}

/// Returns the user and scope of a name and password. A wrong name takes as long as a wrong
/// password. In single-user mode only the password is checked. Grouping and letter case are
/// ignored, because users type the password on phones.
pub async fn check(
    lede: &Lede,
    email: &str,
    password: &Secret,
) -> StoreResult<Option<(User, Scope)>> {
    let password_hash = hash(&grouped(password.reveal()));
    let login = email.trim().to_lowercase();
    let shown = lede
        .store
        .read(move |db| app_passwords::find(db, &password_hash))
        .await?;
    let is_single_user = lede.settings.registration == Registration::SingleUser;
    let shown = shown.filter(|shown| is_single_user || shown.user.email == login);
    used(lede, shown).await
}

/// Returns the user and scope of a Fever key: MD5 of name and password, all that Fever clients
/// send.
pub async fn check_fever_key(lede: &Lede, key: &str) -> StoreResult<Option<(User, Scope)>> {
    let key_hash = hash(&key.trim().to_ascii_lowercase());
    let shown = lede
        .store
        .read(move |db| app_passwords::find_by_fever_key(db, &key_hash))
        .await?;
    used(lede, shown).await
}

async fn used(lede: &Lede, shown: Option<PresentedPassword>) -> StoreResult<Option<(User, Scope)>> {
    let Some(shown) = shown else { return Ok(None) };
    let now = lede.clock.now();
    let is_noted = shown
        .used_at
        .is_some_and(|used_at| now.since(used_at) < TOUCH_EVERY);
    if !is_noted {
        lede.store
            .write(move |db| app_passwords::touch(db, shown.id, now))
            .await?;
    }
    Ok(Some((shown.user, shown.scope)))
}

fn generated() -> String {
    let mut characters = String::with_capacity(GROUPS * GROUP);
    while characters.len() < GROUPS * GROUP {
        let mut bytes = [0_u8; 64];
        getrandom::fill(&mut bytes).expect("the system gives random bytes");
        // 248 is the largest multiple of 31; bytes above it would make some letters more likely.
        let fair = bytes.iter().filter(|byte| **byte < 248);
        let missing = GROUPS * GROUP - characters.len();
        characters.extend(
            fair.take(missing)
                .map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()])),
        );
    }
    grouped(&characters)
}

/// Returns the password as it is displayed: `abcd-efgh-…`.
fn grouped(typed: &str) -> String {
    let mut out = String::new();
    let letters = typed.chars().filter(char::is_ascii_alphanumeric);
    // Longer input cannot be one of our passwords, so the rest is not read.
    for (place, letter) in letters.take(GROUPS * GROUP + 1).enumerate() {
        if place > 0 && place % GROUP == 0 {
            out.push('-');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

/// The key that a Fever client sends for this name and password.
pub fn fever_key(email: &str, password: &str) -> String {
    let digest = Md5::digest(format!("{email}:{password}"));
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_easy_to_type_and_never_the_same() {
        let (one, other) = (generated(), generated());
        assert_ne!(one, other);
        assert_eq!(one.len(), GROUPS * (GROUP + 1) - 1);
        for group in one.split('-') {
            assert_eq!(group.len(), GROUP);
            assert!(group.bytes().all(|byte| ALPHABET.contains(&byte)), "{one}");
        }
        let typed = one.to_uppercase().replace('-', " ");
        assert_eq!(grouped(&typed), one);
        assert_ne!(grouped(&format!("{one}x")), one);
    }

    #[test]
    fn a_fever_key_is_what_its_clients_make() {
        // Output of `printf 'ada@example.org:secret' | md5sum`.
        assert_eq!(
            fever_key("ada@example.org", "secret"),
            "6879bc653eb5c28be083ce4caa085e8c"
        );
    }
}
