//! Cookie sessions: beginning, finding and ending them.

use std::time::Duration;

use lede_model::ids::UserId;
use lede_store::audit_log::{self, AuditEvent};
use lede_store::sessions::Listed;
use lede_store::{StoreError, sessions, tokens};

use super::random::{hash, token};
use super::{Proof, SignedIn};
use crate::Lede;

/// Maximum age of a session, however much it is used.
const ABSOLUTE_LIFE: Duration = Duration::from_secs(90 * 24 * 3600);
/// Minimum time between updates of the last use, so that reading does not cause writes.
const TOUCH_EVERY: Duration = Duration::from_secs(3600);

/// A session that has just been created.
#[derive(Debug)]
pub struct NewSession {
    /// Value of the cookie; only its hash is stored.
    pub id: String,
    /// Must be sent with every form of this session.
    pub csrf_token: String,
}

/// Begins a session for a user who has just authenticated. The id is always new, which prevents
/// session fixation.
pub async fn begin_session(lede: &Lede, user: UserId) -> Result<NewSession, StoreError> {
    let session = NewSession {
        id: token(),
        csrf_token: token(),
    };
    let (id_hash, csrf_token, now) = (
        hash(&session.id),
        session.csrf_token.clone(),
        lede.clock.now(),
    );
    lede.store
        .write(move |db| {
            sessions::add(db, &id_hash, user, &csrf_token, now)?;
            audit_log::add(db, user, AuditEvent::UserLogin, now)
        })
        .await?;
    Ok(session)
}

/// Returns the user of the cookie `id` if its session is still valid.
pub async fn session(lede: &Lede, id: &str) -> Result<Option<SignedIn>, StoreError> {
    let (id_hash, now) = (hash(id), lede.clock.now());
    let (used_after, begun_after) = (now - lede.settings.session_idle, now - ABSOLUTE_LIFE);
    let found = lede
        .store
        .read_inline(move |db| sessions::find(db, &id_hash, used_after, begun_after))
        .await?;
    let Some(found) = found else { return Ok(None) };
    if now.since(found.used_at) >= TOUCH_EVERY {
        lede.store
            .write(move |db| sessions::touch(db, &id_hash, now))
            .await?;
    }
    Ok(Some(SignedIn {
        user: found.user,
        proof: Proof::Session {
            id_hash,
            csrf_token: found.csrf_token,
        },
    }))
}

/// Returns `true` if the session is still valid. This does not count as use: a page that is merely
/// open does not keep its user signed in.
pub async fn session_stands(lede: &Lede, id_hash: [u8; 32]) -> Result<bool, StoreError> {
    let now = lede.clock.now();
    let (used_after, begun_after) = (now - lede.settings.session_idle, now - ABSOLUTE_LIFE);
    lede.store
        .read(move |db| Ok(sessions::find(db, &id_hash, used_after, begun_after)?.is_some()))
        .await
}

pub async fn end_session(lede: &Lede, id_hash: [u8; 32]) -> Result<(), StoreError> {
    lede.store
        .write(move |db| sessions::delete(db, &id_hash))
        .await
}

/// The valid sessions of `user`, most recently used first.
pub async fn sessions_of(lede: &Lede, user: UserId) -> Result<Vec<Listed>, StoreError> {
    let now = lede.clock.now();
    let (used_after, begun_after) = (now - lede.settings.session_idle, now - ABSOLUTE_LIFE);
    lede.store
        .read(move |db| sessions::of_user(db, user, used_after, begun_after))
        .await
}

/// Ends one session of `user`. Returns `false` if it is not theirs.
pub async fn end_session_of(
    lede: &Lede,
    user: UserId,
    id_hash: [u8; 32],
) -> Result<bool, StoreError> {
    lede.store
        .write(move |db| sessions::delete_of(db, user, &id_hash))
        .await
}

/// Ends every session of `user` except `kept`. Returns their number.
pub async fn end_other_sessions(
    lede: &Lede,
    user: UserId,
    kept: [u8; 32],
) -> Result<u64, StoreError> {
    lede.store
        .write(move |db| sessions::delete_others_of(db, user, &kept))
        .await
}

/// Removes expired sessions and expired token revocations.
pub async fn remove_expired(lede: &Lede) -> Result<(), StoreError> {
    let now = lede.clock.now();
    let (used_after, begun_after) = (now - lede.settings.session_idle, now - ABSOLUTE_LIFE);
    lede.store
        .write(move |db| {
            sessions::delete_expired(db, used_after, begun_after)?;
            tokens::delete_expired(db, now)
        })
        .await
}
