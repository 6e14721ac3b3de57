//! Why a request brought nothing.
//!
//! Every text (`model::trouble`) may be shown to the person who asked for the request. So none of
//! them carries a response body, a resolved address or a host name: a host may be the operator's own
//! (a model server on the local network), and the caller knows which address it asked for anyway.

use std::fmt;
use std::time::Duration;

use http::StatusCode;
use lede_model::address::AddressError;
use lede_model::trouble::Trouble;

use crate::guard::Refusal;

/// A variant for each thing that somebody would do differently about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The destination is one that may not be reached; nothing was sent to it.
    Refused(Refusal),
    /// A redirect, or a configured address, is no usable web address.
    Address(#[from] AddressError),
    /// The chain of redirects is longer than the limit, or a circle.
    TooManyRedirects(usize),
    /// A redirect without a target.
    RedirectWithoutTarget,
    /// A redirect from https to http, where a request with a password does not go.
    Downgrade,
    /// The name has no address, or the resolver failed.
    Dns,
    /// No address of the host took the connection, or it was lost before an answer came.
    Connect,
    /// The encrypted connection could not be made.
    Tls(TlsProblem),
    /// A phase, or the request as a whole, took longer than its limit.
    Timeout {
        /// What was waited for.
        phase: Phase,
        /// How long that may take.
        limit: Duration,
    },
    /// The body trickled in below the slowest speed that is put up with.
    TooSlow,
    /// Something is larger than what is read.
    TooLarge(Oversize),
    /// Any answer but success, "not modified" or a redirect.
    Status {
        /// The answer's status.
        status: StatusCode,
        /// How long the server asks to be left alone, within sensible bounds.
        retry_after: Option<Duration>,
    },
    /// "Not modified" was answered although nothing was compared.
    UnexpectedNotModified,
    /// The transfer ended before the body did.
    Truncated,
    /// The body is not what its `Content-Encoding` says.
    Decoding,
    /// The body has a `Content-Encoding` of this name, which is none that we asked for.
    UnknownCoding(String),
    /// What came is not HTTP.
    Protocol,
    /// The site asks visitors to prove that they are people.
    BotWall(BotWall),
    /// Too many requests to this host are waiting already. This says nothing about the host:
    /// the caller should come back later and count no failure.
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

/// What is wrong with the encrypted connection, as far as it can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsProblem {
    /// The certificate is for somebody else.
    WrongName,
    /// The certificate ran out or is not valid yet.
    Expired,
    /// The certificate was signed by nobody we trust.
    UnknownIssuer,
    /// Everything else.
    Other,
}

/// What was too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oversize {
    /// The headers together, or their number.
    Headers,
    /// The body; the limit in bytes.
    Body(u64),
    /// The body grew out of proportion while it was unpacked.
    Ratio,
}

/// Who guards the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BotWall {
    /// `cf-mitigated: challenge`.
    Cloudflare,
    /// `x-datadome`.
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

impl From<&FetchError> for Trouble {
    fn from(error: &FetchError) -> Self {
        match error {
            FetchError::Refused(Refusal::Name) => Self::PrivateName,
            FetchError::Refused(Refusal::Address) => Self::PrivateAddress,
            FetchError::Refused(Refusal::Port(port)) => Self::ClosedPort { port: *port },
            FetchError::Address(error) => Self::BadTarget {
                problem: error.to_string(),
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
        Trouble::from(self).fmt(f)
    }
}

impl FetchError {
    /// A stable word for metrics and JSON.
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

    /// Whether our own rules refused the destination before anything was sent to it.
    pub fn is_policy(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Address(_) | Self::Downgrade)
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
