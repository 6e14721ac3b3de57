//! Talking to what the operator configured: OpenID providers, language models, chat.
//!
//! The address rules are the same as for everything else; a service on the local network is
//! reached because the operator put it on the allow-list, not because it was configured
//! (hardening 1.2). What differs: any method, headers and body, any port for the operator's own
//! services, answers of every status, and no redirect, which could carry a key elsewhere
//! (hardening 1.11). Spacing and retries belong to the callers, who know what a call costs.

use std::time::Duration;

use http::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, HeaderValue, TRANSFER_ENCODING, USER_AGENT,
};
use http::{Request, Response};
use http_body_util::Full;
use lede_model::address::WebUrl;

use crate::Net;
use crate::body::{self, ACCEPTED_CODINGS, BodyLimits};
use crate::error::{FetchError, Phase};
use crate::exchange::{Exchange, uri};

const MIB: u64 = 1024 * 1024;

/// Whose rules hold for the destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// The operator configured the address: any port.
    Operator,
    /// A person gave it: web ports only, plus what the operator opened for webhooks.
    Webhook,
}

/// How long a call may take and how much it may bring (hardening 2.1, 2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerLimits {
    /// For the call as a whole.
    pub deadline: Duration,
    /// The largest answer, packed or unpacked.
    pub max_bytes: u64,
    /// Whose rules hold for the destination.
    pub trust: Trust,
}

impl PeerLimits {
    /// Language models take their time before the first byte.
    pub const MODEL: Self = Self {
        deadline: Duration::from_secs(60),
        max_bytes: MIB,
        trust: Trust::Operator,
    };
    /// Sign-in providers: somebody is waiting for the page.
    pub const SIGN_IN: Self = Self {
        deadline: Duration::from_secs(10),
        ..Self::MODEL
    };
    /// Other services that the operator configured, such as bookmark counts.
    pub const SERVICE: Self = Self::SIGN_IN;
    /// Chat channels and webhooks.
    pub const WEBHOOK: Self = Self {
        trust: Trust::Webhook,
        ..Self::SIGN_IN
    };

    /// The same with another deadline.
    pub const fn within(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }
}

/// Sends requests to configured services. Cheap to clone.
#[derive(Clone)]
pub struct Peer {
    pub(crate) operator: Exchange,
    pub(crate) webhook: Exchange,
    pub(crate) user_agent: HeaderValue,
}

impl Net {
    /// The way to what the operator configured.
    pub fn peer(&self) -> Peer {
        self.peer_ref().clone()
    }
}

impl Peer {
    /// Sends `request` and gives the answer as it came, whatever its status.
    pub async fn send(
        &self,
        request: Request<Vec<u8>>,
        limits: PeerLimits,
    ) -> Result<Response<Vec<u8>>, FetchError> {
        let limit = limits.deadline;
        tokio::time::timeout(limit, self.exchange(request, limits))
            .await
            .unwrap_or(Err(FetchError::Timeout {
                phase: Phase::Total,
                limit,
            }))
    }

    async fn exchange(
        &self,
        request: Request<Vec<u8>>,
        limits: PeerLimits,
    ) -> Result<Response<Vec<u8>>, FetchError> {
        let exchange = match limits.trust {
            Trust::Operator => &self.operator,
            Trust::Webhook => &self.webhook,
        };
        // The same reading of the address as everywhere, before the client's own.
        let url = WebUrl::parse(&request.uri().to_string())?;
        let (mut head, body) = request.into_parts();
        head.uri = uri(&url)?;
        let headers = &mut head.headers;
        headers
            .entry(USER_AGENT)
            .or_insert_with(|| self.user_agent.clone());
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(ACCEPTED_CODINGS));
        let request = Request::from_parts(head, Full::from(body));
        // A model may think for the whole of its time before the first header.
        let answer = exchange.send(request, limits.deadline).await?;
        let (mut head, incoming) = answer.response.into_parts();
        let body_limits = BodyLimits {
            wire_bytes: limits.max_bytes,
            decoded_bytes: limits.max_bytes,
            // Some model services answer at once and send a blank now and then until they are
            // done; the deadline is enough.
            bytes_per_window: 0,
        };
        let body = body::read(&head.headers, incoming, body_limits).await?;
        // They told of the body as it was sent.
        for name in [CONTENT_ENCODING, CONTENT_LENGTH, TRANSFER_ENCODING] {
            head.headers.remove(name);
        }
        Ok(Response::from_parts(head, body.into()))
    }
}
