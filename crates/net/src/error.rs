//! Why a request brought nothing.
//!
//! Every text may be shown to the person who asked for the request. So none of them carries a
//! response body, a resolved address or a host name: a host may be the operator's own (a model
//! server on the local network), and the caller knows which address it asked for anyway.

use std::time::Duration;

use http::StatusCode;
use lede_model::address::AddressError;

use crate::guard::Refusal;

/// A variant for each thing that somebody would do differently about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The destination is one that may not be reached; nothing was sent to it.
    #[error("Lede may not connect there: {0}")]
    Refused(#[from] Refusal),
    /// A redirect, or a configured address, is no usable web address.
    #[error("the site points to an address that cannot be followed: {0}")]
    Address(#[from] AddressError),
    /// The chain of redirects is longer than the limit, or a circle.
    #[error("the site redirected more than {0} times")]
    TooManyRedirects(usize),
    /// A redirect without a target.
    #[error("the site redirected without saying where to")]
    RedirectWithoutTarget,
    /// The name has no address, or the resolver failed.
    #[error("the host name could not be resolved")]
    Dns,
    /// No address of the host took the connection, or it was lost before an answer came.
    #[error("no connection to the server")]
    Connect,
    /// The encrypted connection could not be made.
    #[error("no secure connection to the server: {0}")]
    Tls(TlsProblem),
    /// A phase, or the request as a whole, took longer than its limit.
    #[error("{phase} took longer than {} s", limit.as_secs_f32())]
    Timeout {
        /// What was waited for.
        phase: Phase,
        /// How long that may take.
        limit: Duration,
    },
    /// The body trickled in below the slowest speed that is put up with.
    #[error("the server sends too slowly")]
    TooSlow,
    /// Something is larger than what is read.
    #[error("{0}")]
    TooLarge(Oversize),
    /// Any answer but success, "not modified" or a redirect.
    #[error("the server answered {status}")]
    Status {
        /// The answer's status.
        status: StatusCode,
        /// How long the server asks to be left alone, within sensible bounds.
        retry_after: Option<Duration>,
    },
    /// "Not modified" was answered although nothing was compared.
    #[error("the server answered 304 Not Modified to a request without a condition")]
    UnexpectedNotModified,
    /// The transfer ended before the body did.
    #[error("the transfer broke off before the end")]
    Truncated,
    /// The body is not what its `Content-Encoding` says.
    #[error("the server's compression could not be undone")]
    Decoding,
    /// What came is not HTTP.
    #[error("the server's answer is not valid HTTP")]
    Protocol,
    /// The site asks visitors to prove that they are people.
    #[error("the site is behind a bot wall ({0}) that turns feed readers away")]
    BotWall(BotWall),
    /// Too many requests to this host are waiting already. This says nothing about the host:
    /// the caller should come back later and count no failure.
    #[error("too many requests to this host are waiting; it will be tried again later")]
    Busy,
}

/// The parts of a request that have their own time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Finding the host's addresses.
    Dns,
    /// Opening the connection.
    Connect,
    /// Agreeing on encryption.
    Tls,
    /// From the request to the answer's last header.
    Headers,
    /// The request as a whole, with all redirects.
    Total,
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Dns => "resolving the host name",
            Self::Connect => "connecting to the server",
            Self::Tls => "securing the connection",
            Self::Headers => "waiting for the server's answer",
            Self::Total => "the whole request",
        })
    }
}

/// What is wrong with the encrypted connection, as far as it can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TlsProblem {
    /// The certificate is for somebody else.
    #[error("its certificate is for another name")]
    WrongName,
    /// The certificate ran out or is not valid yet.
    #[error("its certificate is not valid at this time")]
    Expired,
    /// The certificate was signed by nobody we trust.
    #[error("its certificate was issued by an unknown authority")]
    UnknownIssuer,
    /// Everything else.
    #[error("the encryption could not be agreed on")]
    Other,
}

/// What was too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Oversize {
    /// The headers together, or their number.
    #[error("the answer has too many or too long headers")]
    Headers,
    /// The body; the limit in bytes.
    #[error("the answer is larger than {0} bytes")]
    Body(u64),
    /// The body grew out of proportion while it was unpacked.
    #[error("the answer unpacks to an absurd size")]
    Ratio,
}

/// Who guards the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BotWall {
    /// `cf-mitigated: challenge`.
    #[error("Cloudflare")]
    Cloudflare,
    /// `x-datadome`.
    #[error("DataDome")]
    DataDome,
}

impl FetchError {
    /// A stable word for metrics and JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Refused(_) | Self::Address(_) => "policy",
            Self::TooManyRedirects(_) | Self::RedirectWithoutTarget => "redirect",
            Self::Dns => "dns",
            Self::Connect => "connect",
            Self::Tls(_) => "tls",
            Self::Timeout { .. } | Self::TooSlow => "timeout",
            Self::TooLarge(_) => "too_large",
            Self::Status { .. } | Self::UnexpectedNotModified => "status",
            Self::Truncated => "truncated",
            Self::Decoding => "decoding",
            Self::Protocol => "protocol",
            Self::BotWall(_) => "bot_wall",
            Self::Busy => "busy",
        }
    }

    /// Whether our own rules refused the destination before anything was sent to it.
    pub fn is_policy(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Address(_))
    }

    /// How long the server asked to be left alone, where it did.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Finds our own error in the chain of causes that a library wrapped around it.
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
