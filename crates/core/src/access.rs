//! Credentials for the servers of feeds: encrypted at rest, decrypted for the request that needs
//! them.
//!
//! The key is derived from the instance's secret. A sealed value is bound to its row and to the
//! origin it was entered for: if it is moved to another row, or its row gets another origin, it
//! cannot be decrypted, and neither can any value after the secret changes. The only consequence
//! is that the owner of the feed has to enter the credentials again.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lede_model::address::WebUrl;
use lede_model::credentials::{self, Access, AccessChange, OriginCredentials, Part, TypedError};
use lede_model::feed::{Feed, Subscription};
use lede_model::ids::{FeedId, SubscriptionId, UserId};
use lede_model::job::JobKind;
use lede_model::secret::Secret;
use lede_model::time::Timestamp;
use lede_model::user::User;
use lede_store::access::StoredCredentials;
use lede_store::subscriptions::{self, Change};
use lede_store::{Db, StoreResult, categories};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf;

use crate::Lede;
use crate::accounts::TokenKeys;
use crate::batched_writes::Steps;
use crate::crawl::CrawlError;
use crate::jobs::{self, Exhausted, JobDefinition, JobOutcome};
use crate::subscribe::SubscribeError;

/// Separates the parts of a sealed value. No part contains control characters.
const SEPARATOR: char = '\0';
/// Items deleted per write when a whole feed is removed.
const REMOVED_AT_ONCE: Steps = Steps::of(20, 500);

/// The use that a sealed value is bound to. It cannot be opened for another one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose<'a> {
    /// Stored with a feed.
    Feed(FeedId, &'a WebUrl),
    /// Sent to the user in a form and returned when it is submitted.
    Form(UserId, &'a WebUrl),
}

impl Purpose<'_> {
    fn bound(&self) -> String {
        let (kind, id, url) = match self {
            Self::Feed(id, url) => ("feed", id.as_i64(), url),
            Self::Form(id, url) => ("form", id.as_i64(), url),
        };
        let origin = url.as_url().origin().ascii_serialization();
        format!("{kind} {id} {origin}")
    }
}

/// Encrypts and decrypts credentials with AES-256-GCM.
pub(crate) struct Seal(LessSafeKey);

impl Seal {
    pub(crate) fn new(secret: &[u8]) -> Self {
        let salt = hkdf::Salt::new(hkdf::HKDF_SHA256, b"lede");
        let derived = salt.extract(secret);
        let info: [&[u8]; 1] = [b"what servers of feeds are shown"];
        // Fails only for a length that HKDF cannot produce; the key length of this algorithm is
        // fine.
        let key = derived.expand(&info, &AES_256_GCM);
        let key = key.expect("a key of this length can be derived");
        Self(LessSafeKey::new(UnboundKey::from(key)))
    }

    /// Returns a random nonce followed by the ciphertext. One key seals a few thousand values at
    /// most; random nonces collide after billions.
    pub(crate) fn seal(&self, access: &Access, purpose: Purpose<'_>) -> Vec<u8> {
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).expect("the system has randomness");
        let parts = Part::ALL.map(|part| access.part(part).map_or("", Secret::reveal));
        let mut text = parts.join(&SEPARATOR.to_string()).into_bytes();
        let bound = Aad::from(purpose.bound());
        let nonce_used = Nonce::assume_unique_for_key(nonce);
        self.0
            .seal_in_place_append_tag(nonce_used, bound, &mut text)
            .expect("so little can be sealed");
        [nonce.as_slice(), &text].concat()
    }

    /// Returns `None` if the value was sealed with another secret or for another purpose.
    pub(crate) fn open(&self, sealed: &[u8], purpose: Purpose<'_>) -> Option<Access> {
        let (nonce, text) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let mut text = text.to_vec();
        let bound = Aad::from(purpose.bound());
        let opened = self.0.open_in_place(nonce, bound, &mut text).ok()?;
        let mut values = std::str::from_utf8(opened).ok()?.split(SEPARATOR);
        let mut access = Access::default();
        for part in Part::ALL {
            access.set(part, &Secret::new(values.next()?)).ok()?;
        }
        Some(access)
    }
}

/// The address that a user entered, with its credentials.
#[derive(Debug)]
pub struct FeedInput {
    /// The address without user name and password.
    pub url: WebUrl,
    /// User name and password of the address, together with everything entered in other fields.
    pub access: Access,
}

impl FeedInput {
    /// Parses an address and adds the credentials in `beside`, which take precedence.
    pub fn read(text: &str, beside: &Access) -> Result<Self, SubscribeError> {
        let (url, access) = credentials::typed(text).map_err(|error| match error {
            TypedError::Address(error) => SubscribeError::Address(error),
            TypedError::Access(part, error) => SubscribeError::Access(part, error),
        })?;
        Ok(Self {
            access: access.with(beside),
            url,
        })
    }

    /// Returns the credentials to send with requests, if there are any.
    pub(crate) fn pass(&self) -> Option<OriginCredentials> {
        (!self.access.is_empty()).then(|| OriginCredentials::new(&self.url, self.access.clone()))
    }

    /// Returns the credentials sealed for a hidden field in a form of `user`, or `None` if there
    /// are none.
    pub fn in_form(&self, lede: &Lede, user: UserId) -> Option<String> {
        if self.access.is_empty() {
            return None;
        }
        let purpose = Purpose::Form(user, &self.url);
        let sealed = lede.token_keys.seal.seal(&self.access, purpose);
        Some(URL_SAFE_NO_PAD.encode(sealed))
    }

    /// Reads a submitted form of `user`: the address `text` and the sealed credentials. A feed on
    /// another origin than the entered address was found without the credentials, so it is followed
    /// without them: they cannot be opened for that origin.
    pub fn of_form(
        lede: &Lede,
        user: UserId,
        text: &str,
        sealed: &str,
    ) -> Result<Self, SubscribeError> {
        let typed = Self::read(text, &Access::default())?;
        let opened = URL_SAFE_NO_PAD.decode(sealed).ok().and_then(|sealed| {
            let purpose = Purpose::Form(user, &typed.url);
            lede.token_keys.seal.open(&sealed, purpose)
        });
        Ok(Self {
            access: typed.access.with(&opened.unwrap_or_default()),
            url: typed.url,
        })
    }
}

/// Opens the stored credentials of a feed for a request.
pub(crate) fn pass(
    lede: &Lede,
    feed: FeedId,
    kept: &StoredCredentials,
) -> Result<Option<OriginCredentials>, CrawlError> {
    let Some(sealed) = &kept.sealed else {
        return Ok(None);
    };
    let purpose = Purpose::Feed(feed, &kept.url);
    let opened = lede.token_keys.seal.open(sealed, purpose);
    let access = opened.ok_or(CrawlError::AccessUnreadable)?;
    Ok(Some(OriginCredentials::new(&kept.url, access)))
}

/// The stored credentials of a feed, as far as they may be shown: names of parts, no values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VisibleCredentials {
    Nothing,
    Parts(Vec<Part>),
    /// The stored value cannot be decrypted; the owner has to enter the credentials again.
    Unreadable,
}

/// Returns which credentials are stored for a feed of `user`.
pub async fn shown(lede: &Lede, user: UserId, feed: FeedId) -> StoreResult<VisibleCredentials> {
    let kept = lede
        .store
        .read(move |db| lede_store::access::find(db, user, feed))
        .await?;
    let Some(StoredCredentials {
        url,
        sealed: Some(sealed),
    }) = kept
    else {
        return Ok(VisibleCredentials::Nothing);
    };
    let opened = lede
        .token_keys
        .seal
        .open(&sealed, Purpose::Feed(feed, &url));
    Ok(match opened {
        Some(access) => {
            let parts = Part::ALL.into_iter();
            VisibleCredentials::Parts(parts.filter(|part| access.part(*part).is_some()).collect())
        }
        None => VisibleCredentials::Unreadable,
    })
}

/// Changes the credentials of a feed that `user` follows and schedules a fetch. Returns `false` if
/// `user` does not follow the feed.
pub async fn change(
    lede: &Lede,
    user: &User,
    feed: FeedId,
    change: AccessChange,
) -> Result<bool, SubscribeError> {
    let editor = CredentialsEditor::of(lede, user);
    let changed = lede.store.write(move |db| {
        let Some(subscription) = subscriptions::find(db, editor.user, feed)? else {
            return Ok(Ok(false));
        };
        let changed = editor.change(db, &subscription.feed, &change)?;
        Ok(changed.map(|()| true))
    });
    changed.await?
}

/// Changes a subscription and the credentials of its feed, all or nothing. Returns `None` if `user`
/// has no such subscription.
pub async fn change_subscription(
    lede: &Lede,
    user: &User,
    id: SubscriptionId,
    change: Change,
    access: AccessChange,
) -> Result<Option<Subscription>, SubscribeError> {
    let editor = CredentialsEditor::of(lede, user);
    let changed = lede.store.write(move |db| {
        let user = editor.user;
        let Some(subscription) = subscriptions::find_by_id(db, user, id)? else {
            return Ok(Ok(None));
        };
        // Everything that may be refused is checked before anything is written.
        if let Some(Some(category)) = change.category
            && !categories::exists(db, user, category)?
        {
            return Ok(Err(SubscribeError::NoSuchCategory));
        }
        if !access.is_empty()
            && let Err(refused) = editor.change(db, &subscription.feed, &access)?
        {
            return Ok(Err(refused));
        }
        subscriptions::set(db, user, id, &change, editor.now).map(Ok)
    });
    changed.await?
}

/// A user who changes the credentials of a feed.
struct CredentialsEditor {
    user: UserId,
    may_store: bool,
    keys: Arc<TokenKeys>,
    now: Timestamp,
}

impl CredentialsEditor {
    fn of(lede: &Lede, user: &User) -> Self {
        Self {
            user: user.id,
            may_store: user.role.may_add_new_feeds(),
            keys: Arc::clone(&lede.token_keys),
            now: lede.clock.now(),
        }
    }

    /// Changes the credentials of `feed`, which the user follows. Nothing is written if the change
    /// is refused.
    fn change(
        &self,
        db: &mut Db<'_>,
        feed: &Feed,
        change: &AccessChange,
    ) -> StoreResult<Result<(), SubscribeError>> {
        let purpose = Purpose::Feed(feed.id, &feed.url);
        let sealed = lede_store::access::find(db, self.user, feed.id)?.and_then(|kept| kept.sealed);
        let before = sealed.as_ref().map(|sealed| {
            // A value that cannot be opened is replaced as a whole.
            self.keys.seal.open(sealed, purpose).unwrap_or_default()
        });
        let after = change.applied_to(before.unwrap_or_default());
        if after.is_empty() && sealed.is_none() {
            return Ok(Ok(()));
        }
        if !self.may_store && !after.is_empty() {
            return Ok(Err(SubscribeError::NotAllowed));
        }
        let after = (!after.is_empty()).then(|| self.keys.seal.seal(&after, purpose));
        if !lede_store::access::set_credentials(db, self.user, feed.id, after.as_deref())? {
            return Ok(Err(SubscribeError::FollowedByOthers));
        }
        lede_store::access::fetch_now(db, feed.id, self.now)?;
        Ok(Ok(()))
    }
}

/// Removes a private feed that its user unsubscribed from. One at a time: removals share one writer.
pub(crate) const JOB: JobDefinition = JobDefinition {
    kind: JobKind::Removal,
    concurrency: |_| 1,
    lease: jobs::STANDARD_LEASE,
    retries: &jobs::STANDARD_RETRIES,
    exhausted: Exhausted::Keep,
    is_paused: jobs::disk_is_low,
    handler: |lede, job| {
        Box::pin(async move {
            remove_unfollowed(&lede, FeedId::from(job.key)).await?;
            Ok(JobOutcome::Done)
        })
    },
};

/// Removes a feed that its owner no longer follows, in steps. Does nothing if the feed is followed.
async fn remove_unfollowed(lede: &Lede, feed: FeedId) -> StoreResult<()> {
    let mut steps = REMOVED_AT_ONCE;
    loop {
        let now = lede.clock.now();
        let removed = steps.step(&lede.store, move |db, most| {
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            lede_store::access::remove_some(db, feed, most, now)
        });
        if !removed.await? {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> FeedInput {
        FeedInput::read(text, &Access::default()).unwrap()
    }

    #[test]
    fn what_is_sealed_opens_for_its_own_row_and_origin_and_with_its_own_secret() {
        let seal = Seal::new(b"one secret of enough length");
        let FeedInput { url, access } = typed("https://ada:s3cret@news.example/feed");
        let feed = FeedId::from(7);
        let sealed = seal.seal(&access, Purpose::Feed(feed, &url));
        let text = String::from_utf8_lossy(&sealed);
        assert!(!text.contains("ada") && !text.contains("s3cret"));
        assert_ne!(sealed, seal.seal(&access, Purpose::Feed(feed, &url)));

        let elsewhere = WebUrl::parse("https://evil.example/feed").unwrap();
        let moved = WebUrl::parse("https://news.example/other").unwrap();
        let opened = |seal: &Seal, purpose| seal.open(&sealed, purpose);
        assert_eq!(
            opened(&seal, Purpose::Feed(feed, &url)),
            Some(access.clone())
        );
        assert_eq!(opened(&seal, Purpose::Feed(feed, &moved)), Some(access));
        for other in [
            Purpose::Feed(FeedId::from(8), &url),
            Purpose::Feed(feed, &elsewhere),
        ] {
            assert_eq!(opened(&seal, other), None, "{other:?}");
        }
        let another = Seal::new(b"another secret of enough length");
        assert_eq!(opened(&another, Purpose::Feed(feed, &url)), None);
        for damaged in [&sealed[..sealed.len() - 1], &sealed[..5], &[]] {
            assert_eq!(seal.open(damaged, Purpose::Feed(feed, &url)), None);
        }
    }

    #[test]
    fn what_is_entered_beside_an_address_counts_before_what_stands_in_it() {
        let mut beside = Access::default();
        beside.set(Part::Password, &Secret::new("new")).unwrap();
        let typed = FeedInput::read("https://ada:old@news.example/", &beside).unwrap();
        let part = |part| typed.access.part(part).map(Secret::reveal);
        assert_eq!(part(Part::Username), Some("ada"));
        assert_eq!(part(Part::Password), Some("new"));
    }
}
