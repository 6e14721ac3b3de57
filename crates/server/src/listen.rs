//! Accepts connections, with limits on their number and lifetime, and shuts down gracefully.
//!
//! `axum::serve` has no timeouts and no limits: a client that sends nothing, or one byte a minute,
//! would hold its connection for ever, and enough of them would exhaust the file descriptors.

mod activity;
mod answer;
mod lingering;

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use ipnet::IpNet;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tower::{Service as _, ServiceExt as _};

use crate::Settings;
use crate::middleware::{is_in, network};
use crate::slots::{Full, Slot, Slots};
use activity::{Activity, Deadlines, Expired};
use answer::AnswerBody;
use lingering::Lingering;

const MAX_HEADERS: usize = 100;
const MAX_HEADER_BYTES: usize = 64 * 1024;
/// Concurrent requests on one HTTP/2 connection: the minimum that RFC 9113 §6.5.2 recommends.
const MAX_STREAMS: u32 = 100;
/// Interval of the pings to an HTTP/2 client with a request in progress.
const PING_EVERY: Duration = Duration::from_secs(30);
/// Time that requests in progress have to finish at shutdown.
const GRACE: Duration = Duration::from_secs(20);
/// Time that a client has to complete the shutdown of a connection that was closed as idle.
const FAREWELL: Duration = Duration::from_secs(5);
/// Pause after a failed `accept`, which usually means that file descriptors have run out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves `router` on `listener` until `stop` is ready, then lets requests in progress finish.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    settings: &Settings,
    stop: impl Future<Output = ()>,
) {
    let (stopping, stopped) = watch::channel(false);
    let server = Server {
        builder: builder(),
        router,
        deadlines: Deadlines {
            head: settings.transport.head_timeout,
            idle: settings.transport.keep_alive_timeout,
        },
        stopped,
    };
    let connections = Connections {
        listener,
        slots: Slots::new(
            settings.transport.max_connections,
            settings.transport.max_connections_per_address,
        ),
        trusted_proxies: settings.trusted_proxies.clone(),
    };
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            (stream, peer, slot) = connections.next() => server.spawn(stream, peer, slot),
            () = &mut stop => break,
        }
    }
    drop((connections, server));
    stopping.send_replace(true);
    if tokio::time::timeout(GRACE, stopping.closed())
        .await
        .is_err()
    {
        tracing::warn!("some requests did not end in time");
    }
}

fn builder() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        // Timed in `activity`, which also covers the time before the first request and between two.
        .header_read_timeout(None)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEADER_BYTES)
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(MAX_HEADER_BYTES as u32)
        .max_concurrent_streams(MAX_STREAMS)
        .keep_alive_interval(Some(PING_EVERY));
    builder
}

/// Accepts connections and assigns each one a slot.
struct Connections {
    listener: TcpListener,
    slots: Arc<Slots>,
    trusted_proxies: Vec<IpNet>,
}

impl Connections {
    async fn next(&self) -> (TcpStream, SocketAddr, Slot) {
        loop {
            let (stream, peer) = self.accept().await;
            if let Some(slot) = self.place_for(peer.ip()).await {
                return (stream, peer, slot);
            }
            tracing::debug!(%peer, "a connection was refused: its address has too many");
        }
    }

    async fn accept(&self) -> (TcpStream, SocketAddr) {
        let mut is_failing = false;
        loop {
            match self.listener.accept().await {
                Ok(accepted) => return accepted,
                Err(error) => {
                    // Logged once, not ten times a second for as long as it lasts.
                    if !is_failing {
                        tracing::warn!(%error, "connections cannot be accepted; retrying");
                        is_failing = true;
                    }
                    // Frees a file descriptor by closing an idle connection.
                    self.slots.evict_one();
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Returns a slot for a connection from `peer`, waiting while all are in use. Returns `None` if
    /// its address has reached its limit.
    async fn place_for(&self, peer: IpAddr) -> Option<Slot> {
        let peer = peer.to_canonical();
        // All clients behind a proxy share its address.
        let address = (!is_in(peer, &self.trusted_proxies)).then(|| network(peer));
        loop {
            match self.slots.enter(address) {
                Ok(slot) => return Some(slot),
                Err(Full::Address) => return None,
                Err(Full::Total) => {
                    tracing::warn!("the limit of concurrent requests is reached");
                    self.slots.freed().await;
                }
            }
        }
    }
}

/// Everything that is needed to serve one connection.
struct Server {
    builder: auto::Builder<TokioExecutor>,
    router: Router,
    deadlines: Deadlines,
    stopped: watch::Receiver<bool>,
}

impl Server {
    fn spawn(&self, stream: TcpStream, peer: SocketAddr, slot: Slot) {
        // Small responses should not wait for more data; if this fails, nothing else changes.
        let _ = stream.set_nodelay(true);
        let activity = Activity::new(self.deadlines, slot);
        let service = with_peer(self.router.clone(), peer, Arc::clone(&activity));
        let stream = Lingering::new(stream, Arc::clone(&activity));
        let connection = self
            .builder
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
            .into_owned();
        let mut stopped = self.stopped.clone();
        tokio::spawn(async move {
            // Borrows the receiver, which has to live as long as this task: `serve` waits until all
            // receivers are dropped.
            let stop = async { drop(stopped.wait_for(|stopped| *stopped).await) };
            let mut connection = pin!(connection);
            let ended = tokio::select! {
                ended = connection.as_mut() => ended,
                () = activity.slot().evicted() => return,
                expired = activity.expired() => match expired {
                    Expired::Head => return,
                    Expired::Idle => {
                        connection.as_mut().graceful_shutdown();
                        let ended = tokio::time::timeout(FAREWELL, connection).await;
                        ended.unwrap_or(Ok(()))
                    }
                },
                () = stop => {
                    connection.as_mut().graceful_shutdown();
                    tokio::select! {
                        ended = connection => ended,
                        _ = activity.expired() => Ok(()),
                    }
                }
            };
            // Clients disconnect all the time; that is not a server error.
            if let Err(error) = ended {
                tracing::debug!(%error, "a connection ended early");
            }
        });
    }
}

/// Attaches the peer's address to each request, for the middleware, and counts the request as in
/// progress until its response is sent.
fn with_peer(
    router: Router,
    peer: SocketAddr,
    activity: Arc<Activity>,
) -> impl tower::Service<
    Request<Incoming>,
    Response = Response<AnswerBody>,
    Error = Infallible,
    Future: Send,
> + Clone {
    tower::service_fn(move |request: Request<Incoming>| {
        let mut router = router.clone();
        let under_way = activity.begin_request(request.version());
        async move {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo(peer));
            let answer = router.as_service().ready().await?.call(request).await?;
            Ok(answer.map(|body| AnswerBody::new(body, under_way)))
        }
    })
}
