//! One request and the headers of its response, over a checked connection.
//!
//! Shared by `fetch` and `peer`, which differ in what they do with the response.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode, Uri};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{CaptureConnection, capture_connection};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use lede_model::address::{AddressError, WebUrl};
use rustls_pki_types::CertificateDer;

use crate::connect::Connector;
use crate::error::{BotWall, FetchError, Oversize, Phase};
use crate::guard::{AllowList, Guard, Ports, Refusal};
use crate::resolve::Resolve;
use crate::settings::{MAX_HEADER_BYTES, MAX_HEADER_LINES, SettingsError};

/// Idle connections are pooled just long enough for a redirect or the next image of a page: feeds
/// of one host are fetched minutes apart.
const POOL_IDLE: Duration = Duration::from_secs(15);
const POOL_PER_HOST: usize = 2;
/// HTTP/2 flow-control window. A larger one would let a single stream buffer megabytes.
const H2_WINDOW: u32 = 1024 * 1024;

/// HTTP client for one class of requests. Each class has its own rules and its own pool, so that a
/// connection opened under the rules of one class never serves another.
#[derive(Clone)]
pub(crate) struct Exchange {
    guard: Arc<Guard>,
    client: Client<Connector, Full<Bytes>>,
}

/// Response headers and the connection that the body arrives on.
pub(crate) struct Answer {
    pub(crate) response: Response<Incoming>,
    connection: CaptureConnection,
}

impl Answer {
    /// Closes the connection after this response instead of returning it to the pool.
    pub(crate) fn close_after(&self) {
        if let Some(connected) = &*self.connection.connection_metadata() {
            connected.poison();
        }
    }
}

impl Exchange {
    pub(crate) fn new(
        ports: Ports,
        allow: AllowList,
        resolver: Arc<dyn Resolve>,
        tls: Arc<rustls::ClientConfig>,
    ) -> Self {
        let guard = Arc::new(Guard { ports, allow });
        let connector = Connector::new(guard.clone(), resolver, tls);
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the one place that makes HTTP clients"
        )]
        let mut builder = Client::builder(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(POOL_IDLE)
            .pool_max_idle_per_host(POOL_PER_HOST)
            .http1_max_buf_size(MAX_HEADER_BYTES)
            .http1_max_headers(MAX_HEADER_LINES)
            // Servers of small sites send invalid header lines, and every browser skips them.
            .http1_ignore_invalid_headers_in_responses(true)
            .http2_max_header_list_size(MAX_HEADER_BYTES as u32)
            .http2_initial_stream_window_size(H2_WINDOW)
            .http2_initial_connection_window_size(H2_WINDOW);
        Self {
            guard,
            client: builder.build(connector),
        }
    }

    /// Refuses a URL that is forbidden by its host name, literal address or port, so that it does
    /// not wait for a turn first.
    pub(crate) fn screen(&self, url: &WebUrl) -> Result<(), Refusal> {
        self.guard.screen(url.host(), url.port()).map(drop)
    }

    /// Sends `request` and waits for the response headers. `headers_limit` counts from the moment
    /// that a connection exists, as opening one has limits of its own.
    pub(crate) async fn send(
        &self,
        mut request: Request<Full<Bytes>>,
        headers_limit: Duration,
    ) -> Result<Answer, FetchError> {
        let mut connection = capture_connection(&mut request);
        let mut answer = std::pin::pin!(self.client.request(request));
        let response = tokio::select! {
            biased;
            response = &mut answer => response,
            () = async { drop(connection.wait_for_connection_metadata().await) } => {
                match tokio::time::timeout(headers_limit, answer).await {
                    Ok(response) => response,
                    Err(_) => {
                        let phase = Phase::Headers;
                        return Err(FetchError::Timeout { phase, limit: headers_limit });
                    }
                }
            }
        };
        let response = response.map_err(|error| cause(&error))?;
        if is_oversized(response.headers()) {
            return Err(FetchError::TooLarge(Oversize::Headers));
        }
        Ok(Answer {
            response,
            connection,
        })
    }
}

/// Returns `true` if the headers exceed our limits. The limits of hyper keep memory bounded but are
/// rough: its HTTP/1 buffer may grow to twice its limit before it counts, and HTTP/2 bounds the
/// bytes of the header list but not its length.
fn is_oversized(headers: &HeaderMap) -> bool {
    let bytes: usize = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len())
        .sum();
    headers.len() > MAX_HEADER_LINES || bytes > MAX_HEADER_BYTES
}

/// Maps an error of the client: to the connector's own error if there is one, else by its hyper
/// cause.
fn cause(error: &hyper_util::client::legacy::Error) -> FetchError {
    if let Some(ours) = FetchError::within(error) {
        return ours;
    }
    let mut lost = error.is_connect();
    let mut source = error.source();
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<hyper::Error>() {
            if error.is_parse_too_large() {
                return FetchError::TooLarge(Oversize::Headers);
            }
            lost |= error.is_incomplete_message() || error.is_closed() || error.is_canceled();
        }
        lost |= error.is::<std::io::Error>();
        source = error.source();
    }
    if lost {
        FetchError::Connect
    } else {
        // Not HTTP/1 at all, or an HTTP/2 stream reset, for example because of oversized headers.
        FetchError::Protocol
    }
}

/// Converts `url` for the client, without the fragment.
pub(crate) fn uri(url: &WebUrl) -> Result<Uri, FetchError> {
    let text = url.as_str();
    let text = text.split_once('#').map_or(text, |(before, _)| before);
    Uri::try_from(text).map_err(|_| FetchError::Address(AddressError::Malformed))
}

/// Recognises bot protection that answers with a challenge page instead of the content.
pub(crate) fn bot_wall(status: StatusCode, headers: &HeaderMap) -> Option<BotWall> {
    let turned_away = matches!(
        status,
        StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
    );
    if !turned_away {
        return None;
    }
    if headers
        .get("cf-mitigated")
        .is_some_and(|v| v == "challenge")
    {
        return Some(BotWall::Cloudflare);
    }
    (status == StatusCode::FORBIDDEN && headers.contains_key("x-datadome"))
        .then_some(BotWall::DataDome)
}

/// Builds the TLS configuration with the well-known authorities and those of the operator.
/// Certificate verification cannot be switched off.
pub(crate) fn tls_config(
    extra_roots: &[CertificateDer<'static>],
) -> Result<rustls::ClientConfig, SettingsError> {
    let mut roots =
        rustls::RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    for (position, root) in extra_roots.iter().enumerate() {
        roots
            .add(root.clone())
            .map_err(|_| SettingsError::ExtraRoot(position + 1))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|_| SettingsError::Tls)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
