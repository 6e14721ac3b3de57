//! Rate limits on requests, by user or by client address.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use lede_core::metrics::Metrics;
use lede_model::budget::{Budget, Limit, Verdict};
use lede_model::user::{Role, User};

use super::{Caller, Client};
use crate::AppState;
use crate::error::ApiError;
use crate::policy::RateLimit;

const BEFORE_SIGN_IN: Limit = Limit::per_minute(100);
const MEMBER: Limit = Limit::per_minute(120);
const ADMIN: Limit = Limit::per_minute(200);
const SIGN_IN: Limit = Limit::per_minute(5);
const FEED_WORK: Limit = Limit::per_minute(10);
const SEARCH: Limit = Limit::per_minute(100);
const PICTURES: Limit = Limit::per_minute(600);

/// Limit on the number of counters; the least active are dropped first.
const MAX_KEYS: usize = 10_000;

/// Key of a counter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Address(IpAddr),
    User(i64),
    SignInFrom(IpAddr),
    SignInAs(String),
    FeedWork(i64),
    Search(i64),
    Pictures(i64),
}

/// Counters of this process. They are not shared between processes.
pub(crate) struct Limits {
    budget: Mutex<Budget<Key>>,
}

impl Limits {
    pub(crate) fn new() -> Self {
        Self {
            budget: Mutex::new(Budget::new(MAX_KEYS)),
        }
    }

    fn take(
        &self,
        app: &AppState,
        name: &'static str,
        key: Key,
        limit: Limit,
    ) -> Result<Verdict, ApiError> {
        let now = app.lede.clock.now();
        let verdict = self
            .budget
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take(key, limit, now);
        if verdict.allowed {
            return Ok(verdict);
        }
        Metrics::count(&app.lede.metrics.http.rate_limited, name);
        Err(ApiError::too_many_requests(verdict))
    }

    /// Counts a request: by user if signed in, otherwise by address. Returns `None` if no limit
    /// applies.
    pub(super) fn general(
        &self,
        app: &AppState,
        client: &Client,
        caller: &Caller,
        class: RateLimit,
    ) -> Result<Option<Verdict>, ApiError> {
        if !app.settings.rate_limit_enabled || class == RateLimit::Unlimited {
            return Ok(None);
        }
        let (name, key, limit) = match caller.user() {
            None => ("address", Key::Address(client.limit_key()), BEFORE_SIGN_IN),
            Some(user) if class == RateLimit::Pictures => {
                ("pictures", Key::Pictures(user.id.as_i64()), PICTURES)
            }
            Some(user) => {
                let limit = if user.role == Role::Admin {
                    ADMIN
                } else {
                    MEMBER
                };
                ("user", Key::User(user.id.as_i64()), limit)
            }
        };
        self.take(app, name, key, limit).map(Some)
    }

    /// Counts a password check, by address and by account. Applies even if other limits are
    /// switched off.
    pub(crate) fn sign_in(
        &self,
        app: &AppState,
        client: &Client,
        account: &str,
    ) -> Result<(), ApiError> {
        self.take(app, "sign_in", Key::SignInFrom(client.limit_key()), SIGN_IN)?;
        let account: String = account.trim().to_lowercase().chars().take(254).collect();
        self.take(app, "sign_in", Key::SignInAs(account), SIGN_IN)
            .map(drop)
    }

    /// Counts adding or refreshing a feed: each one makes Lede send a request.
    pub(crate) fn feed_work(&self, app: &AppState, user: &User) -> Result<(), ApiError> {
        if !app.settings.rate_limit_enabled {
            return Ok(());
        }
        self.take(app, "feed_work", Key::FeedWork(user.id.as_i64()), FEED_WORK)
            .map(drop)
    }

    /// Counts a full-text search.
    pub(crate) fn search(&self, app: &AppState, user: &User) -> Result<(), ApiError> {
        if !app.settings.rate_limit_enabled {
            return Ok(());
        }
        self.take(app, "search", Key::Search(user.id.as_i64()), SEARCH)
            .map(drop)
    }
}

/// Writes the rate-limit headers of the response.
pub(super) fn write_headers(verdict: &Verdict, headers: &mut HeaderMap) {
    let numbers = [
        ("x-ratelimit-limit", i64::from(verdict.limit)),
        ("x-ratelimit-remaining", i64::from(verdict.remaining)),
        ("x-ratelimit-reset", verdict.resets_at.as_seconds()),
    ];
    for (name, number) in numbers {
        headers.insert(HeaderName::from_static(name), HeaderValue::from(number));
    }
}
