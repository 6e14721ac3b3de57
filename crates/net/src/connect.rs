//! Opening connections: the only place where a socket leaves the machine.
//!
//! This is our own connector under hyper's pooling client, not a ready-made HTTP client, because
//! those resolve names through a hook but connect to literal addresses without calling it. Here
//! both take one path: screen, resolve once, check the whole answer, connect to one of the admitted
//! addresses. Nothing is resolved again between the check and the connection, so a DNS answer that
//! changes in the meantime has no effect. A reused connection was checked when it was opened, under
//! the rules that still apply.
//!
//! There is no proxy support, so no ambient proxy variable is followed either.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use rustls_pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tower_service::Service;

use crate::error::{FetchError, Phase, TlsProblem};
use crate::guard::{Destination, Guard, Host};
use crate::resolve::Resolve;
use crate::settings::CONNECT_PHASE_LIMIT;

/// Delay before the next address is tried while the previous one has not answered (RFC 8305). It
/// makes a broken IPv6 route cost a moment and not the whole connect limit.
const NEXT_ADDRESS_AFTER: Duration = Duration::from_millis(250);
/// Maximum number of addresses that are tried: the connect limit would not suffice for more.
const MAX_ADDRESSES_TRIED: usize = 8;

/// Opens checked connections for one class of requests.
#[derive(Clone)]
pub(crate) struct Connector {
    guard: Arc<Guard>,
    resolver: Arc<dyn Resolve>,
    tls: Arc<rustls::ClientConfig>,
}

impl Connector {
    pub(crate) fn new(
        guard: Arc<Guard>,
        resolver: Arc<dyn Resolve>,
        tls: Arc<rustls::ClientConfig>,
    ) -> Self {
        Self {
            guard,
            resolver,
            tls,
        }
    }

    async fn open(self, uri: Uri) -> Result<Wire, FetchError> {
        let host = uri.host().ok_or(FetchError::Protocol)?;
        let encrypted = uri.scheme() == Some(&http::uri::Scheme::HTTPS);
        let port = uri.port_u16().unwrap_or(if encrypted { 443 } else { 80 });
        let destination = self.guard.screen(host, port)?;
        let addresses = self.addresses(&destination).await?;
        self.guard.admit(&destination, &addresses)?;
        let tcp = within(Phase::Connect, connect_first(&addresses, port)).await?;
        // Small requests should be sent at once; a failure to set the option is not fatal.
        let _ = tcp.set_nodelay(true);
        if encrypted {
            // The certificate must match the requested host, not the address it resolved to.
            within(Phase::Tls, secure(self.tls, &destination.host, tcp)).await
        } else {
            Ok(Wire {
                io: TokioIo::new(Box::new(tcp)),
                speaks_h2: false,
            })
        }
    }

    async fn addresses(&self, destination: &Destination) -> Result<Vec<IpAddr>, FetchError> {
        match &destination.host {
            Host::Address(address) => Ok(vec![*address]),
            Host::Name(name) => {
                let found = within(Phase::Dns, async {
                    let answer = self.resolver.resolve(name.clone()).await;
                    answer.map_err(|_| FetchError::Dns)
                })
                .await?;
                if found.is_empty() {
                    return Err(FetchError::Dns);
                }
                Ok(found)
            }
        }
    }
}

async fn within<T>(
    phase: Phase,
    work: impl Future<Output = Result<T, FetchError>>,
) -> Result<T, FetchError> {
    let limit = CONNECT_PHASE_LIMIT;
    tokio::time::timeout(limit, work)
        .await
        .unwrap_or(Err(FetchError::Timeout { phase, limit }))
}

/// Connects to the first address that answers. The next address is tried as soon as one has failed
/// or [`NEXT_ADDRESS_AFTER`] has passed; earlier attempts continue and may still win.
async fn connect_first(addresses: &[IpAddr], port: u16) -> Result<TcpStream, FetchError> {
    let mut untried = addresses.iter().take(MAX_ADDRESSES_TRIED);
    let mut attempts = FuturesUnordered::new();
    loop {
        match untried.next() {
            #[expect(
                clippy::disallowed_methods,
                reason = "this is the one place that opens connections, to an admitted address"
            )]
            Some(address) => attempts.push(TcpStream::connect(SocketAddr::new(*address, port))),
            None if attempts.is_empty() => return Err(FetchError::Connect),
            None => {}
        }
        let attempt = tokio::time::timeout(NEXT_ADDRESS_AFTER, attempts.next()).await;
        if let Ok(Some(Ok(tcp))) = attempt {
            return Ok(tcp);
        }
    }
}

async fn secure(
    config: Arc<rustls::ClientConfig>,
    host: &Host,
    tcp: TcpStream,
) -> Result<Wire, FetchError> {
    let name = match host {
        Host::Name(name) => ServerName::try_from(name.clone())
            .map_err(|_| FetchError::Tls(TlsProblem::WrongName))?,
        Host::Address(address) => ServerName::from(*address),
    };
    let tls = TlsConnector::from(config)
        .connect(name, tcp)
        .await
        .map_err(|error| FetchError::Tls(tls_problem(&error)))?;
    let speaks_h2 = tls.get_ref().1.alpn_protocol() == Some(b"h2");
    Ok(Wire {
        io: TokioIo::new(Box::new(tls)),
        speaks_h2,
    })
}

fn tls_problem(error: &io::Error) -> TlsProblem {
    use rustls::CertificateError as Fault;
    let Some(rustls::Error::InvalidCertificate(fault)) =
        error.get_ref().and_then(|inner| inner.downcast_ref())
    else {
        return TlsProblem::Other;
    };
    match fault {
        Fault::NotValidForName | Fault::NotValidForNameContext { .. } => TlsProblem::WrongName,
        Fault::Expired
        | Fault::ExpiredContext { .. }
        | Fault::NotValidYet
        | Fault::NotValidYetContext { .. } => TlsProblem::Expired,
        Fault::UnknownIssuer => TlsProblem::UnknownIssuer,
        _ => TlsProblem::Other,
    }
}

impl Service<Uri> for Connector {
    type Response = Wire;
    type Error = FetchError;
    type Future = BoxFuture<'static, Result<Wire, FetchError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), FetchError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        Box::pin(self.clone().open(uri))
    }
}

trait Io: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// Open connection, with or without TLS.
pub(crate) struct Wire {
    io: TokioIo<Box<dyn Io>>,
    speaks_h2: bool,
}

impl Connection for Wire {
    fn connected(&self) -> Connected {
        let connected = Connected::new();
        if self.speaks_h2 {
            connected.negotiated_h2()
        } else {
            connected
        }
    }
}

impl Read for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buf)
    }
}

impl Write for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
