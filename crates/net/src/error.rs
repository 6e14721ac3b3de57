//! Errors of outgoing requests.
//!
//! Every text (`model::feed_error`) may be shown to the user who made the request. So none of them
//! contains a response body, a resolved address or a host name: a host may be the operator's own (a
//! model server on the local network), and the caller knows the requested address anyway.

use std::fmt;
use std::time::Duration;

use http::StatusCode;
use lede_model::address::AddressError;
use lede_model::feed_error::FeedError;

use crate::guard::Refusal;

/// Reason why a request failed, with one variant per case that a caller handles differently.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The destination is forbidden; nothing was sent to it.
    Refused(Refusal),
    /// A redirect target or a configured address is not a usable web address.
    Address(#[from] AddressError),
    /// The redirect chain is longer than the limit, or a loop.
    TooManyRedirects(usize),
    /// The redirect response has no `Location` header.
    RedirectWithoutTarget,
    /// A redirect from https to http of a request that carries credentials; it is not followed.
    Downgrade,
    /// The name has no address, or the resolver failed.
    Dns,
    /// No address of the host accepted the connection, or the connection was lost before a
    /// response.
    Connect,
    /// The TLS handshake failed.
    Tls(TlsProblem),
    /// A phase, or the request as a whole, exceeded its time limit.
    Timeout {
        /// Phase that exceeded its limit.
        phase: Phase,
        /// Time limit of that phase.
        limit: Duration,
    },
    /// The body arrived below the minimum speed.
    TooSlow,
    /// The headers or the body exceed a size limit.
    TooLarge(Oversize),
    /// Any status except success, "not modified" or a redirect.
    Status {
        status: StatusCode,
        /// Delay requested with `Retry-After`, clamped to sensible bounds.
        retry_after: Option<Duration>,
    },
    /// The server answered "not modified" to a request without validators.
    UnexpectedNotModified,
    /// The transfer ended before the body was complete.
    Truncated,
    /// The body does not match its `Content-Encoding`.
    Decoding,
    /// The body has a `Content-Encoding` that was not offered in `Accept-Encoding`.
    UnknownCoding(String),
    /// The response is not valid HTTP.
    Protocol,
    /// The site answered with a challenge for human visitors.
    BotWall(BotWall),
    /// Too many requests to this host are queued already. This is no statement about the host: the
    /// caller should retry later and not count a failure.
    Busy,
}

/// Parts of a request that have their own time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Resolving the host name.
    Dns,
    /// Opening the TCP connection.
    Connect,
    /// Performing the TLS handshake.
    Tls,
    /// From sending the request to the last response header.
    Headers,
    /// The request as a whole, including all redirects.
    Total,
}

/// Cause of a failed TLS handshake, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsProblem {
    /// The certificate is for another host.
    WrongName,
    /// The certificate has expired or is not valid yet.
    Expired,
    /// The certificate is not signed by a trusted authority.
    UnknownIssuer,
    Other,
}

/// Part of a response that exceeded its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oversize {
    /// Total size or number of headers.
    Headers,
    /// Size of the body; holds the limit in bytes.
    Body(u64),
    /// Ratio between the decoded and the compressed size of the body.
    Ratio,
}

/// Service that protects a site against bots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BotWall {
    /// Recognised by `cf-mitigated: challenge`.
    Cloudflare,
    /// Recognised by `x-datadome`.
    DataDome,
}

impl From<Refusal> for FetchError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl BotWall {
    fn name(self) -> &'static str {
        match self {
            Self::Cloudflare => "Cloudflare",
            Self::DataDome => "DataDome",
        }
    }
}

impl From<&FetchError> for FeedError {
    fn from(error: &FetchError) -> Self {
        match error {
            FetchError::Refused(Refusal::Name) => Self::PrivateName,
            FetchError::Refused(Refusal::Address) => Self::PrivateAddress,
            FetchError::Refused(Refusal::Port(port)) => Self::ClosedPort { port: *port },
            FetchError::Address(error) => Self::BadTarget {
                problem: error.clone(),
            },
            FetchError::TooManyRedirects(most) => Self::TooManyRedirects { most: *most },
            FetchError::RedirectWithoutTarget => Self::RedirectToNowhere,
            FetchError::Downgrade => Self::Unencrypted,
            FetchError::Dns => Self::UnknownHost,
            FetchError::Connect => Self::NoConnection,
            FetchError::Tls(TlsProblem::WrongName) => Self::CertificateName,
            FetchError::Tls(TlsProblem::Expired) => Self::CertificateTime,
            FetchError::Tls(TlsProblem::UnknownIssuer) => Self::CertificateIssuer,
            FetchError::Tls(TlsProblem::Other) => Self::NoEncryption,
            FetchError::Timeout { phase, limit } => {
                let seconds = limit.as_secs_f32().to_string();
                match phase {
                    Phase::Dns => Self::SlowName { seconds },
                    Phase::Connect => Self::SlowConnection { seconds },
                    Phase::Tls => Self::SlowEncryption { seconds },
                    Phase::Headers => Self::SlowAnswer { seconds },
                    Phase::Total => Self::SlowRequest { seconds },
                }
            }
            FetchError::TooSlow => Self::SlowBody,
            FetchError::TooLarge(Oversize::Headers) => Self::LargeHeaders,
            FetchError::TooLarge(Oversize::Body(bytes)) => Self::LargeBody { bytes: *bytes },
            FetchError::TooLarge(Oversize::Ratio) => Self::AbsurdBody,
            FetchError::Status { status, .. } => Self::Answered {
                status: status.to_string(),
            },
            FetchError::UnexpectedNotModified => Self::UnexpectedNotModified,
            FetchError::Truncated => Self::Truncated,
            FetchError::Decoding => Self::BadPacking,
            FetchError::UnknownCoding(name) => Self::UnknownPacking { name: name.clone() },
            FetchError::Protocol => Self::NotHttp,
            FetchError::BotWall(wall) => Self::BotWall {
                name: wall.name().to_owned(),
            },
            FetchError::Busy => Self::Busy,
        }
    }
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        FeedError::from(self).fmt(f)
    }
}

impl FetchError {
    /// Returns a stable identifier of the error class for metrics and JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Refused(_) | Self::Address(_) | Self::Downgrade => "policy",
            Self::TooManyRedirects(_) | Self::RedirectWithoutTarget => "redirect",
            Self::Dns => "dns",
            Self::Connect => "connect",
            Self::Tls(_) => "tls",
            Self::Timeout { .. } | Self::TooSlow => "timeout",
            Self::TooLarge(_) => "too_large",
            Self::Status { .. } | Self::UnexpectedNotModified => "status",
            Self::Truncated => "truncated",
            Self::Decoding | Self::UnknownCoding(_) => "decoding",
            Self::Protocol => "protocol",
            Self::BotWall(_) => "bot_wall",
            Self::Busy => "busy",
        }
    }

    /// Returns `true` if our own rules refused the destination before anything was sent to it.
    pub fn is_policy(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Address(_) | Self::Downgrade)
    }

    /// Returns the delay that the server requested with `Retry-After`, if any.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Finds an error of this type in the chain of sources that a library wrapped around it.
    pub(crate) fn within(error: &(dyn std::error::Error + 'static)) -> Option<Self> {
        let mut cause = Some(error);
        while let Some(error) = cause {
            if let Some(found) = error.downcast_ref::<Self>() {
                return Some(found.clone());
            }
            cause = error.source();
        }
        None
    }
}
