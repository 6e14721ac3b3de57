//! Accepting connections: bounded headers, bounded patience, a graceful end.
//!
//! `axum::serve` would do, but sets no time limit for headers: a client that sends one byte a
//! minute would hold its connection for ever.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Sleep;
use tower::{Service as _, ServiceExt as _};

/// From the connection, or the last answer, to the end of the next request's headers.
const HEADER_PATIENCE: Duration = Duration::from_secs(30);
const MAX_HEADERS: usize = 100;
const MAX_HEADER_BYTES: usize = 64 * 1024;
/// Requests under way may take this long to end when the process is asked to.
const GRACE: Duration = Duration::from_secs(20);
/// A client that is still sending when its answer is ready may go on this long, and pause this long.
const LINGER: Duration = Duration::from_secs(30);
const LINGER_QUIET: Duration = Duration::from_secs(1);
/// Waiting after an accept that failed, usually for want of file handles.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves `router` on `listener` until `stop` is ready, then lets requests under way finish.
pub async fn serve(listener: TcpListener, router: Router, stop: impl Future<Output = ()>) {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_PATIENCE)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEADER_BYTES)
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(MAX_HEADER_BYTES as u32)
        .keep_alive_interval(Some(HEADER_PATIENCE));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        // Small answers should not wait for more; a failure to ask for that changes nothing else.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(with_peer(router.clone(), peer));
        let connection = builder
            .serve_connection_with_upgrades(TokioIo::new(Lingering::new(stream)), service)
            .into_owned();
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // Clients break off all the time; that is not our error.
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
        });
    }
    drop(listener);
    if tokio::time::timeout(GRACE, graceful.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("some requests did not end in time");
    }
}

/// A connection whose end waits for what the client still sends.
///
/// An answer may be ready before the request has been read: a file is too large, nobody is signed in.
/// Closing at once would make the system answer what still comes with a reset, and many clients then
/// never see the answer. So only our side is closed, and what comes is thrown away.
struct Lingering {
    stream: TcpStream,
    /// There once our side is closed.
    patience: Option<Patience>,
}

/// How long what still comes is waited for.
struct Patience {
    in_all: Pin<Box<Sleep>>,
    /// Begins again with everything that comes.
    while_quiet: Pin<Box<Sleep>>,
}

impl Lingering {
    fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            patience: None,
        }
    }
}

impl AsyncRead for Lingering {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl AsyncWrite for Lingering {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, patience } = self.get_mut();
        if patience.is_none() {
            ready!(Pin::new(&mut *stream).poll_shutdown(cx))?;
        }
        let Patience {
            in_all,
            while_quiet,
        } = patience.get_or_insert_with(|| Patience {
            in_all: Box::pin(tokio::time::sleep(LINGER)),
            while_quiet: Box::pin(tokio::time::sleep(LINGER_QUIET)),
        });
        let mut thrown_away = [0; 16 * 1024];
        while in_all.as_mut().poll(cx).is_pending() && while_quiet.as_mut().poll(cx).is_pending() {
            let mut into = ReadBuf::new(&mut thrown_away);
            ready!(Pin::new(&mut *stream).poll_read(cx, &mut into))?;
            if into.filled().is_empty() {
                break;
            }
            while_quiet.set(tokio::time::sleep(LINGER_QUIET));
        }
        Poll::Ready(Ok(()))
    }
}

/// Puts the peer's address beside each request, where the guard looks for it.
fn with_peer(
    router: Router,
    peer: SocketAddr,
) -> impl tower::Service<
    Request<hyper::body::Incoming>,
    Response = axum::response::Response,
    Error = Infallible,
    Future: Send,
> + Clone {
    tower::service_fn(move |request: Request<hyper::body::Incoming>| {
        let mut router = router.clone();
        async move {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo(peer));
            router.as_service().ready().await?.call(request).await
        }
    })
}
