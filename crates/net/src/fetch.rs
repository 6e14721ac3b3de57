//! The conditional GET with limits on size and time.
//!
//! Redirects are followed by hand, because every hop must pass every rule again: URL, port,
//! addresses, pace. Most fetches carry no credentials and no cookies, so that a hop from https to
//! http reveals only that the page is being read; a fetch with a [`OriginCredentials`] does not follow such a
//! hop. The credentials of a pass are sent to its own origin only, at every hop; the validators of
//! a request likewise. The body of a redirect and the `Refresh` header are ignored.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderName, HeaderValue,
    IF_MODIFIED_SINCE, IF_NONE_MATCH, LOCATION, USER_AGENT,
};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use lede_model::address::WebUrl;
use lede_model::credentials::{Access, OriginCredentials, Part};
use lede_model::secret::Secret;
use tokio::time::Instant;

use crate::Net;
use crate::body::{self, ACCEPTED_CODINGS, BodyLimits};
use crate::cache_headers::{self, CacheHints, Conditions};
use crate::error::{FetchError, Phase};
use crate::http_exchange::{Answer, bot_wall, uri};
use crate::pace::{Receiving, Turn};
use crate::settings::{
    HEADERS_LIMIT, LOOK_EVERY, Limits, MIN_BYTES_PER_LOOK, MIN_BYTES_PER_WINDOW, Purpose,
};

/// Result of a successful fetch.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// URL of the response, after all redirects.
    pub url: WebUrl,
    /// Set if there were redirects and all of them were permanent: the URL to use in future, once
    /// the caller has seen it often enough.
    pub moved_permanently_to: Option<WebUrl>,
    pub outcome: Outcome,
    /// `Content-Type` as it was sent; often wrong.
    pub content_type: Option<String>,
    /// Validator to send in [`Conditions`] the next time. If a "not modified" response has none,
    /// the one that was sent (RFC 9111 §4.3.4).
    pub etag: Option<String>,
    /// Like `etag`, for `If-Modified-Since`.
    pub last_modified: Option<String>,
    /// Time for which the server asks not to be polled again.
    pub cache: CacheHints,
    /// Time from the first connection to the last byte, excluding the wait for a turn.
    pub elapsed: Duration,
    /// Blocks a receiving slot as long as it lives. A caller that goes on working with the body
    /// after this value is dropped takes it along, so that no more bodies are in memory than may be
    /// received at a time.
    pub memory_permit: Option<MemoryPermit>,
}

/// Slot of a body among those that are being received or processed.
#[derive(Debug, Clone)]
pub struct MemoryPermit {
    _receiving: Arc<Receiving>,
}

/// Body of a fetch, or the fact that it has not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The resource has not changed, according to the validators that were sent.
    NotModified,
    /// Complete body, decompressed.
    Body(Bytes),
}

impl Fetched {
    /// Returns the body, or `None` if it was not modified.
    pub fn body(&self) -> Option<&Bytes> {
        match &self.outcome {
            Outcome::NotModified => None,
            Outcome::Body(body) => Some(body),
        }
    }
}

/// Parameters that are the same for all hops.
struct Plan<'a> {
    purpose: Purpose,
    conditions: &'a Conditions,
    first: &'a WebUrl,
    user_agent: HeaderValue,
    pass: Option<&'a OriginCredentials>,
}

/// Outcome of one hop.
enum Step {
    Moved {
        to: WebUrl,
        permanently: bool,
    },
    Arrived(Arrival),
    /// Response of which only the headers have been read.
    Answered(Answer),
}

/// Response at the end of the redirect chain.
struct Arrival {
    outcome: Outcome,
    content_type: Option<String>,
    validators: Conditions,
    cache: CacheHints,
    receiving: Option<Receiving>,
}

/// Deadline over all hops. It does not run during the wait for a turn, since that delay is our own.
struct Deadline {
    limit: Duration,
    elapsed: Duration,
}

impl Deadline {
    async fn bound<T>(
        &mut self,
        work: impl Future<Output = Result<T, FetchError>>,
    ) -> Result<T, FetchError> {
        let began = Instant::now();
        let left = self.limit.saturating_sub(self.elapsed);
        let outcome = tokio::time::timeout(left, work).await;
        self.elapsed += began.elapsed();
        outcome.unwrap_or(Err(FetchError::Timeout {
            phase: Phase::Total,
            limit: self.limit,
        }))
    }
}

impl Net {
    /// Fetches `url` within the limits of `purpose`.
    pub async fn fetch(
        &self,
        url: &WebUrl,
        purpose: Purpose,
        conditions: &Conditions,
    ) -> Result<Fetched, FetchError> {
        self.fetch_with(url, purpose, conditions, None).await
    }

    /// Like [`fetch`](Self::fetch), with the credentials of `pass` for its own origin.
    pub async fn fetch_with(
        &self,
        url: &WebUrl,
        purpose: Purpose,
        conditions: &Conditions,
        pass: Option<&OriginCredentials>,
    ) -> Result<Fetched, FetchError> {
        let user_agent = self.settings().user_agent.clone();
        self.follow(url, purpose, conditions, &user_agent, pass)
            .await
    }

    /// Fetches a feed and reports the number of its subscribers to the publisher in `User-Agent`.
    pub async fn fetch_feed(
        &self,
        url: &WebUrl,
        conditions: &Conditions,
        subscribers: u64,
        pass: Option<&OriginCredentials>,
    ) -> Result<Fetched, FetchError> {
        let user_agent = with_subscribers(&self.settings().user_agent, subscribers);
        self.follow(url, Purpose::Feed, conditions, &user_agent, pass)
            .await
    }

    async fn follow(
        &self,
        url: &WebUrl,
        purpose: Purpose,
        conditions: &Conditions,
        user_agent: &str,
        pass: Option<&OriginCredentials>,
    ) -> Result<Fetched, FetchError> {
        let limits = Limits::of(purpose, self.settings());
        let plan = Plan {
            purpose,
            conditions,
            first: url,
            user_agent: HeaderValue::from_str(user_agent).map_err(|_| FetchError::Protocol)?,
            pass,
        };
        let mut here = url.clone();
        let mut hops = 0;
        let mut all_permanent = true;
        let mut deadline = Deadline {
            limit: limits.deadline,
            elapsed: Duration::ZERO,
        };
        let mut codings = ACCEPTED_CODINGS;
        let mut turn = None;
        loop {
            self.exchange(purpose).screen(&here)?;
            // A turn is held within one site and released before waiting for a turn of the next
            // site, so that no two fetches ever wait for each other.
            if !turn.as_ref().is_some_and(|turn: &Turn| turn.covers(&here)) {
                drop(turn.take());
                turn = Some(self.pace(purpose).turn(&here).await?);
            }
            let arrival = match deadline.bound(self.ask(&plan, &here, codings)).await? {
                Step::Moved { to, permanently } => {
                    hops += 1;
                    if hops > limits.redirects {
                        return Err(FetchError::TooManyRedirects(limits.redirects));
                    }
                    let shows_pass = pass.is_some_and(|pass| pass.at(&here).is_some());
                    if shows_pass && here.is_https() && !to.is_https() {
                        return Err(FetchError::Downgrade);
                    }
                    all_permanent &= permanently;
                    here = to;
                    codings = ACCEPTED_CODINGS;
                    continue;
                }
                Step::Arrived(arrival) => arrival,
                Step::Answered(answer) => {
                    let is_last = turn.as_ref().is_some_and(Turn::is_alone);
                    let received = self.receive(purpose, answer, is_last, limits, &mut deadline);
                    match received.await {
                        // If the compression is broken, retry once without it.
                        Err(FetchError::Decoding | FetchError::UnknownCoding(_))
                            if codings == ACCEPTED_CODINGS =>
                        {
                            codings = "identity";
                            continue;
                        }
                        received => received?,
                    }
                }
            };
            return Ok(Fetched {
                moved_permanently_to: (hops > 0 && all_permanent).then(|| here.clone()),
                url: here,
                outcome: arrival.outcome,
                content_type: arrival.content_type,
                etag: arrival.validators.etag,
                last_modified: arrival.validators.last_modified,
                cache: arrival.cache,
                elapsed: deadline.elapsed,
                memory_permit: arrival.receiving.map(|receiving| MemoryPermit {
                    _receiving: Arc::new(receiving),
                }),
            });
        }
    }

    /// Reads the body of a response. `is_last` says that no other fetch waits for the site.
    async fn receive(
        &self,
        purpose: Purpose,
        answer: Answer,
        is_last: bool,
        limits: Limits,
        deadline: &mut Deadline,
    ) -> Result<Arrival, FetchError> {
        // Feeds of one site are fetched together or hours apart: a connection without further
        // requests would only hold its buffers.
        if purpose == Purpose::Feed && is_last {
            answer.close_after();
        }
        let receiving = self.pace(purpose).receiving().await?;
        let mut arrival = deadline
            .bound(arrived(answer.response, limits, receiving))
            .await?;
        if arrival.receiving.is_none() {
            // It lost its slot because it was slow, and needs one to be processed.
            arrival.receiving = Some(self.pace(purpose).receiving().await?);
        }
        Ok(arrival)
    }

    async fn ask(
        &self,
        plan: &Plan<'_>,
        url: &WebUrl,
        codings: &'static str,
    ) -> Result<Step, FetchError> {
        let conditions = if url.same_origin(plan.first) {
            plan.conditions.clone()
        } else {
            Conditions::default()
        };
        let mut request = Request::new(Full::default());
        *request.uri_mut() = uri(url)?;
        let headers = request.headers_mut();
        headers.insert(USER_AGENT, plan.user_agent.clone());
        if let Some(access) = plan.pass.and_then(|pass| pass.at(url)) {
            show(headers, access);
        }
        headers.insert(ACCEPT, HeaderValue::from_static(plan.purpose.accept()));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(codings));
        let compared = [
            (IF_NONE_MATCH, conditions.etag.as_deref()),
            (IF_MODIFIED_SINCE, conditions.last_modified.as_deref()),
        ]
        .into_iter()
        .fold(false, |any, (name, value)| {
            insert(headers, name, value) || any
        });
        let exchange = self.exchange(plan.purpose);
        let answer = exchange.send(request, HEADERS_LIMIT).await?;
        let response = &answer.response;
        match response.status() {
            StatusCode::NOT_MODIFIED if !compared => Err(FetchError::UnexpectedNotModified),
            StatusCode::NOT_MODIFIED => Ok(Step::Arrived(not_modified(response, conditions))),
            status if is_redirect(status) => moved(url, response),
            // A partial body was not requested and must not pass as the whole.
            status if status.is_success() && status != StatusCode::PARTIAL_CONTENT => {
                let etag = Conditions::of(response.headers()).etag;
                if etag.is_some() && etag == conditions.etag {
                    // Some servers send the whole body with the same validator that was sent to
                    // them.
                    return Ok(Step::Arrived(not_modified(response, conditions)));
                }
                Ok(Step::Answered(answer))
            }
            status => Err(match bot_wall(status, response.headers()) {
                Some(wall) => FetchError::BotWall(wall),
                None => FetchError::Status {
                    status,
                    retry_after: cache_headers::retry_after(response.headers()),
                },
            }),
        }
    }
}

/// Adds the credentials of `access` to the request: HTTP Basic (RFC 7617, non-ASCII as UTF-8), user
/// agent and cookie.
fn show(headers: &mut HeaderMap, access: &Access) {
    let part = |part| access.part(part).map(Secret::reveal);
    let (username, password) = (part(Part::Username), part(Part::Password));
    if username.is_some() || password.is_some() {
        let both = [username.unwrap_or_default(), password.unwrap_or_default()].join(":");
        let basic = format!("Basic {}", STANDARD.encode(both));
        insert_secret(headers, AUTHORIZATION, &basic);
    }
    for (name, value) in [
        (USER_AGENT, part(Part::UserAgent)),
        (COOKIE, part(Part::Cookie)),
    ] {
        if let Some(value) = value {
            insert_secret(headers, name, value);
        }
    }
}

/// Adds a header marked as sensitive: it is not logged and not stored in an HTTP/2 header table.
fn insert_secret(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    // An access holds no control characters, so every text is a valid header value.
    if let Ok(mut value) = HeaderValue::from_bytes(value.as_bytes()) {
        value.set_sensitive(true);
        headers.insert(name, value);
    }
}

/// Adds a validator if it is usable. Returns `true` if the header was added.
fn insert(headers: &mut HeaderMap, name: HeaderName, value: Option<&str>) -> bool {
    let value = value
        .filter(|value| cache_headers::is_usable(value))
        .and_then(|value| HeaderValue::from_str(value).ok());
    match value {
        Some(value) => {
            headers.insert(name, value);
            true
        }
        None => false,
    }
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

fn moved(from: &WebUrl, response: &Response<Incoming>) -> Result<Step, FetchError> {
    let location = response
        .headers()
        .get(LOCATION)
        .ok_or(FetchError::RedirectWithoutTarget)?;
    // Some servers send UTF-8 here, which is not allowed; `join` encodes it.
    let location = String::from_utf8_lossy(location.as_bytes());
    Ok(Step::Moved {
        to: from.join(&location)?,
        permanently: matches!(response.status().as_u16(), 301 | 308),
    })
}

fn not_modified(response: &Response<Incoming>, sent: Conditions) -> Arrival {
    let fresh = Conditions::of(response.headers());
    Arrival {
        outcome: Outcome::NotModified,
        content_type: None,
        validators: Conditions {
            etag: fresh.etag.or(sent.etag),
            last_modified: fresh.last_modified.or(sent.last_modified),
        },
        cache: CacheHints::of(response.headers()),
        receiving: None,
    }
}

async fn arrived(
    response: Response<Incoming>,
    limits: Limits,
    receiving: Receiving,
) -> Result<Arrival, FetchError> {
    let validators = Conditions::of(response.headers());
    let cache = CacheHints::of(response.headers());
    let content_type = cache_headers::text(response.headers(), &CONTENT_TYPE).map(str::to_owned);
    let (head, incoming) = response.into_parts();
    let body_limits = BodyLimits {
        wire_bytes: limits.wire_bytes,
        decoded_bytes: limits.decoded_bytes,
        bytes_per_window: MIN_BYTES_PER_WINDOW,
    };
    let received = Arc::default();
    let reading = body::read_counted(&head.headers, incoming, body_limits, Arc::clone(&received));
    let (body, receiving) = while_swift(reading, &received, receiving).await?;
    Ok(Arrival {
        outcome: Outcome::Body(body),
        content_type,
        validators,
        cache,
        receiving,
    })
}

/// Reads the body, but gives up the receiving slot as soon as the bytes arrive too slowly.
async fn while_swift(
    reading: impl Future<Output = Result<Bytes, FetchError>>,
    received: &AtomicU64,
    receiving: Receiving,
) -> Result<(Bytes, Option<Receiving>), FetchError> {
    let mut reading = std::pin::pin!(reading);
    let mut before = 0;
    loop {
        match tokio::time::timeout(LOOK_EVERY, &mut reading).await {
            Ok(body) => return Ok((body?, Some(receiving))),
            Err(_) => {
                let now = received.load(Ordering::Relaxed);
                if now - before < MIN_BYTES_PER_LOOK {
                    break;
                }
                before = now;
            }
        }
    }
    drop(receiving);
    Ok((reading.await?, None))
}

/// Adds the number of subscribers in the form that publishers' statistics look for: `Lede/0.1
/// (+https://…; 3 subscribers)`.
fn with_subscribers(user_agent: &str, count: u64) -> String {
    let noun = if count == 1 {
        "subscriber"
    } else {
        "subscribers"
    };
    match user_agent.strip_suffix(')') {
        Some(open) => format!("{open}; {count} {noun})"),
        None => format!("{user_agent} ({count} {noun})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_agent_counts_subscribers() {
        for (base, count, expected) in [
            (
                "Lede/0.1 (+https://x.org)",
                3,
                "Lede/0.1 (+https://x.org; 3 subscribers)",
            ),
            ("Lede/0.1", 1, "Lede/0.1 (1 subscriber)"),
        ] {
            assert_eq!(with_subscribers(base, count), expected);
        }
    }
}
