//! Calls to services that the operator or a user configured: OpenID providers, language models,
//! chat.
//!
//! The address rules are the same as for all other requests; a service on the local network is
//! reached because the operator put it on the allow-list, not because it was configured. The
//! differences: any method, headers and body; any port for the operator's own services; responses
//! of every status are returned; and no redirect is followed, as it could carry a key elsewhere.
//! Rate limits and retries belong to the callers, who know the cost of a call.

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
use crate::http_exchange::{Exchange, uri};

const MIB: u64 = 1024 * 1024;

/// Origin of the destination address, which decides the rules for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceTrust {
    /// The operator configured the address: any port.
    Operator,
    /// A user supplied the address: web ports only, plus the operator's allow-list for webhooks.
    Webhook,
}

/// Limits on the duration and the response size of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceLimits {
    /// Time limit for the call as a whole.
    pub deadline: Duration,
    /// Maximum size of the response, both compressed and decompressed.
    pub max_bytes: u64,
    pub trust: ServiceTrust,
}

impl ServiceLimits {
    /// For language models, which take long until the first byte.
    pub const MODEL: Self = Self {
        deadline: Duration::from_secs(60),
        max_bytes: MIB,
        trust: ServiceTrust::Operator,
    };
    /// For sign-in providers: a user is waiting for the page.
    pub const SIGN_IN: Self = Self {
        deadline: Duration::from_secs(10),
        ..Self::MODEL
    };
    /// For other services that the operator configured, such as bookmark counts.
    pub const SERVICE: Self = Self::SIGN_IN;
    /// For chat channels and webhooks.
    pub const WEBHOOK: Self = Self {
        trust: ServiceTrust::Webhook,
        ..Self::SIGN_IN
    };

    /// Returns these limits with another deadline.
    pub const fn within(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }
}

/// Client for configured services. Cheap to clone.
#[derive(Clone)]
pub struct ServiceClient {
    pub(crate) operator: Exchange,
    pub(crate) webhook: Exchange,
    pub(crate) user_agent: HeaderValue,
}

impl Net {
    /// Returns the client for configured services.
    pub fn peer(&self) -> ServiceClient {
        self.peer_ref().clone()
    }
}

impl ServiceClient {
    /// Sends `request` and returns the response with any status; its body is decompressed.
    pub async fn send(
        &self,
        request: Request<Vec<u8>>,
        limits: ServiceLimits,
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
        limits: ServiceLimits,
    ) -> Result<Response<Vec<u8>>, FetchError> {
        let exchange = match limits.trust {
            ServiceTrust::Operator => &self.operator,
            ServiceTrust::Webhook => &self.webhook,
        };
        // Parse the address as everywhere else before the client parses it.
        let url = WebUrl::parse(&request.uri().to_string())?;
        let (mut head, body) = request.into_parts();
        head.uri = uri(&url)?;
        let headers = &mut head.headers;
        headers
            .entry(USER_AGENT)
            .or_insert_with(|| self.user_agent.clone());
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(ACCEPTED_CODINGS));
        let request = Request::from_parts(head, Full::from(body));
        // A model may use its whole time limit before the first header.
        let answer = exchange.send(request, limits.deadline).await?;
        let (mut head, incoming) = answer.response.into_parts();
        let body_limits = BodyLimits {
            wire_bytes: limits.max_bytes,
            decoded_bytes: limits.max_bytes,
            // Some model services respond at once and send whitespace now and then until they are
            // done; the deadline is sufficient.
            bytes_per_window: 0,
        };
        let body = body::read(&head.headers, incoming, body_limits).await?;
        // These headers describe the body as it was transferred.
        for name in [CONTENT_ENCODING, CONTENT_LENGTH, TRANSFER_ENCODING] {
            head.headers.remove(name);
        }
        Ok(Response::from_parts(head, body.into()))
    }
}
