//! One request and its answer's headers, over a checked connection.
//!
//! Shared by `fetch` and `peer`, which differ in what they do with the answer.

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

/// Connections are kept a moment for a redirect or the next picture of a page, no longer: feeds
/// of one host come minutes apart.
const POOL_IDLE: Duration = Duration::from_secs(15);
const POOL_PER_HOST: usize = 2;
/// Above hyper's own default there would be room for one stream to hold megabytes.
const H2_WINDOW: u32 = 1024 * 1024;

/// A client for one kind of request: its own rules, and its own pool, so that a connection made
/// under one kind's rules never serves another.
#[derive(Clone)]
pub(crate) struct Exchange {
    guard: Arc<Guard>,
    client: Client<Connector, Full<Bytes>>,
}

/// An answer's headers, and the connection that its body comes over.
pub(crate) struct Answer {
    pub(crate) response: Response<Incoming>,
    connection: CaptureConnection,
}

impl Answer {
    /// Has the connection closed after this answer rather than kept for another request.
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
            // Servers of small sites send such lines, and every browser reads past them.
            .http1_ignore_invalid_headers_in_responses(true)
            .http2_max_header_list_size(MAX_HEADER_BYTES as u32)
            .http2_initial_stream_window_size(H2_WINDOW)
            .http2_initial_connection_window_size(H2_WINDOW);
        Self {
            guard,
            client: builder.build(connector),
        }
    }

    /// Refuses what is forbidden by its written form, before anybody waits for a turn.
    pub(crate) fn screen(&self, url: &WebUrl) -> Result<(), Refusal> {
        self.guard.screen(url.host(), url.port()).map(drop)
    }

    /// Sends `request` and waits for the headers; `headers_limit` counts from the moment that
    /// there is a connection, as making one has limits of its own.
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

/// hyper's own limits keep the memory bounded but are rough: its HTTP/1 buffer may grow to twice
/// its limit before it counts, and HTTP/2 bounds the bytes of the list but not its length.
fn is_oversized(headers: &HeaderMap) -> bool {
    let bytes: usize = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len())
        .sum();
    headers.len() > MAX_HEADER_LINES || bytes > MAX_HEADER_BYTES
}

/// The client's error as ours: the connector's own where there is one, else by what hyper says.
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
        // No HTTP/1 at all, or what HTTP/2 resets a stream for, oversized headers among it.
        FetchError::Protocol
    }
}

/// `url` as the client wants it, without the fragment.
pub(crate) fn uri(url: &WebUrl) -> Result<Uri, FetchError> {
    let text = url.as_str();
    let text = text.split_once('#').map_or(text, |(before, _)| before);
    Uri::try_from(text).map_err(|_| FetchError::Address(AddressError::Malformed))
}

/// Recognises the walls that answer with a page for people (behaviours 28).
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

/// TLS with the well-known authorities and the operator's own. There is no switch to turn the
/// check off (hardening 1.16).
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
