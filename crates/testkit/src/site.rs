//! A site on loopback with responses set by the test, which records its requests.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::net::TcpListener;
use tokio::sync::{Notify, OwnedRwLockWriteGuard, RwLock};

/// Response for a path.
#[derive(Debug, Clone)]
pub struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
    /// Required value of `Authorization`; other requests get 401.
    wanted: Option<String>,
}

/// A GIF of one transparent pixel.
const PICTURE: &[u8] = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;";

impl Reply {
    /// A response with a status and no body.
    pub fn status(status: u16) -> Self {
        let status = StatusCode::from_u16(status).expect("a status from 100 to 999");
        Self {
            status,
            headers: HeaderMap::new(),
            body: Vec::new(),
            wanted: None,
        }
    }

    /// A response with status 200 and a body.
    pub fn body(content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        let mut reply = Self {
            body: body.into(),
            ..Self::status(200)
        };
        reply
            .headers
            .insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        reply
    }

    /// An RSS feed with the given items: title and HTML.
    pub fn rss(title: &str, items: &[(&str, &str)]) -> Self {
        let items: String = items
            .iter()
            .enumerate()
            .map(|(index, (title, html))| {
                format!(
                    "<item><title>{title}</title><link>https://site.example/{index}</link>\
                     <guid>{title}</guid><description><![CDATA[{html}]]></description></item>"
                )
            })
            .collect();
        let text = format!(
            "<rss version=\"2.0\"><channel><title>{title}</title><link>https://site.example/</link>{items}</channel></rss>"
        );
        Self::body("application/rss+xml", text)
    }

    /// A response with a GIF of one transparent pixel.
    pub fn picture() -> Self {
        Self::body("image/gif", PICTURE)
    }

    /// Returns the reply with HTTP Basic authentication: requests without this user name and
    /// password get 401.
    pub fn behind(self, username: &str, password: &str) -> Self {
        let shown = STANDARD.encode(format!("{username}:{password}"));
        Self {
            wanted: Some(format!("Basic {shown}")),
            ..self
        }
    }

    /// Returns the reply with one more header.
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        let value = HeaderValue::from_str(value).expect("a header value");
        self.headers.append(HeaderName::from_static(name), value);
        self
    }
}

/// A running site. Clones share it.
#[derive(Clone)]
pub struct Site {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
    /// Every response takes the read lock; [`Site::hold`] takes the write lock.
    gate: Arc<RwLock<()>>,
    /// Notified of every request.
    arrived: Arc<Notify>,
}

#[derive(Default)]
struct Shared {
    replies: HashMap<String, Reply>,
    requests: Vec<(String, HeaderMap)>,
}

impl Site {
    /// Starts a site that responds with 404 to every request.
    pub async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .expect("a free port on loopback");
        let site = Self {
            address: listener
                .local_addr()
                .expect("a bound listener has an address"),
            shared: Arc::default(),
            gate: Arc::default(),
            arrived: Arc::default(),
        };
        let router = Router::new().fallback(answer).with_state(site.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        site
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets the response of `path`. Returns its address.
    pub fn put(&self, path: &str, reply: Reply) -> String {
        self.lock().replies.insert(path.to_owned(), reply);
        self.url(path)
    }

    /// Returns the address of `path`.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the headers of every request for `path` so far.
    pub fn requests(&self, path: &str) -> Vec<HeaderMap> {
        let seen = self.lock();
        seen.requests
            .iter()
            .filter(|(asked, _)| asked == path)
            .map(|(_, headers)| headers.clone())
            .collect()
    }

    /// Waits until `path` was requested `times` times.
    pub async fn until_requested(&self, path: &str, times: usize) {
        loop {
            let mut arrived = std::pin::pin!(self.arrived.notified());
            // Before counting, so that a request in between is not missed.
            arrived.as_mut().enable();
            if self.requests(path).len() >= times {
                return;
            }
            arrived.await;
        }
    }

    /// Delays every response until the returned guard is dropped.
    pub async fn hold(&self) -> OwnedRwLockWriteGuard<()> {
        self.gate.clone().write_owned().await
    }

    /// Returns the number of requests so far.
    pub fn request_count(&self) -> usize {
        self.lock().requests.len()
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn answer(State(site): State<Site>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let _open = site.gate.read().await;
    let mut shared = site.lock();
    shared
        .requests
        .push((path.clone(), request.headers().clone()));
    site.arrived.notify_waiters();
    let reply = shared
        .replies
        .get(&path)
        .cloned()
        .unwrap_or_else(|| Reply::status(404));
    let shown = request.headers().get(header::AUTHORIZATION);
    let is_let_in = |wanted: &String| shown.is_some_and(|shown| shown == wanted.as_str());
    if reply
        .wanted
        .as_ref()
        .is_some_and(|wanted| !is_let_in(wanted))
    {
        let asks = [(header::WWW_AUTHENTICATE, "Basic realm=\"news\"")];
        return (StatusCode::UNAUTHORIZED, asks).into_response();
    }
    (reply.status, reply.headers, reply.body).into_response()
}
