//! A plain HTTP client with cookies that uses the server as a program or a browser would.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HOST, SET_COOKIE};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};

/// A response with its whole body.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    /// Parses the body as JSON.
    ///
    /// # Panics
    /// If it is not JSON; the message shows the body.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| {
            panic!("not JSON ({error}), status {}: {}", self.status, self.text)
        })
    }

    /// Returns the header `name`, or an empty string.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// Returns the response if it has this status.
    ///
    /// # Panics
    /// If the status is another; the message shows the body.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        self
    }

    /// Returns the value of the page's hidden field `csrf_token`.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn csrf_token(&self) -> String {
        let after = self
            .text
            .split("name=\"csrf_token\" value=\"")
            .nth(1)
            .expect("the page has a form");
        after.split('"').next().expect("the value ends").to_owned()
    }
}

/// A stream of server-sent events. Dropping it closes the connection.
pub struct Events {
    pub status: StatusCode,
    pub headers: HeaderMap,
    body: Incoming,
    /// Received text that does not make a whole event yet.
    text: String,
}

impl Events {
    /// Returns the next event: its name, empty for comments, and its data; `None` at the end of the stream.
    ///
    /// # Panics
    /// If nothing arrives within `PATIENCE`.
    pub async fn next(&mut self) -> Option<(String, String)> {
        tokio::time::timeout(PATIENCE, self.next_whole())
            .await
            .expect("an event, or the end of the stream")
    }

    /// Returns the data of the next named event, which must be `name`.
    ///
    /// # Panics
    /// If the stream ends first.
    pub async fn json(&mut self, name: &str) -> Value {
        loop {
            let (found, data) = self.next().await.expect("the stream goes on");
            if !found.is_empty() {
                assert_eq!(found, name);
                return serde_json::from_str(&data).expect("JSON");
            }
        }
    }

    async fn next_whole(&mut self) -> Option<(String, String)> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| {
                    let lines = event.lines().filter_map(|line| line.strip_prefix(name));
                    lines.map(str::trim).collect::<Vec<_>>().join("\n")
                };
                let found = (field("event:"), field("data:"));
                self.text = rest.to_owned();
                return Some(found);
            }
            let frame = self.body.frame().await?.ok()?;
            let bytes = frame.into_data().unwrap_or_default();
            self.text.push_str(&String::from_utf8_lossy(&bytes));
        }
    }
}

/// Time for which a test waits for a response or an event before it fails. Longer than any timeout
/// of the server itself.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns the bearer token for the next request.
type TokenSource = dyn Fn() -> Pin<Box<dyn Future<Output = String> + Send>> + Send + Sync;

#[derive(Clone)]
enum Token {
    Fixed(String),
    Renewed(Arc<TokenSource>),
}

/// A client with its own cookies. Redirects are not followed.
#[derive(Clone)]
pub struct Http {
    address: SocketAddr,
    cookies: Arc<Mutex<BTreeMap<String, String>>>,
    token: Option<Token>,
    extra: Vec<(String, String)>,
}

impl Http {
    /// Creates a client of the server at `address`, without cookies and token.
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            cookies: Arc::default(),
            token: None,
            extra: Vec::new(),
        }
    }

    /// Returns a copy of the client with a bearer token. It shares the cookies.
    pub fn with_token(&self, token: &str) -> Self {
        Self {
            token: Some(Token::Fixed(token.to_owned())),
            ..self.clone()
        }
    }

    /// Returns a copy of the client with a bearer token that `source` renews once it has expired by
    /// the test's clock.
    pub(crate) fn with_token_source(&self, source: Arc<TokenSource>) -> Self {
        Self {
            token: Some(Token::Renewed(source)),
            ..self.clone()
        }
    }

    /// Returns a copy of the client with one more header on every request.
    pub fn with_header(&self, name: &str, value: &str) -> Self {
        let mut client = self.clone();
        client.extra.push((name.to_owned(), value.to_owned()));
        client
    }

    /// Returns a copy of the client with an empty cookie jar of its own: another browser.
    pub fn without_cookies(&self) -> Self {
        Self {
            cookies: Arc::default(),
            ..self.clone()
        }
    }

    /// Returns a copy of the client with a cookie jar of its own that has the same content now.
    pub fn copied(&self) -> Self {
        let cookies = self
            .cookies
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        Self {
            cookies: Arc::new(Mutex::new(cookies)),
            ..self.clone()
        }
    }

    /// Returns the value of a cookie that the server has set.
    pub fn cookie(&self, name: &str) -> Option<String> {
        self.cookies
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(name)
            .cloned()
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, &[], Vec::new()).await
    }

    /// Sends `GET path` and expects JSON with status 200.
    #[track_caller]
    pub fn json(&self, path: &str) -> impl Future<Output = Value> {
        let (client, path) = (self.clone(), path.to_owned());
        async move { client.get(&path).await.expect(200).json() }
    }

    /// Sends `POST path` with JSON.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send_json(Method::POST, path, body).await
    }

    /// Subscribes to the feed at `url`. Returns the API's response.
    pub async fn follow(&self, url: &str) -> Value {
        let added = self.post("/api/feeds", json!({"url": url})).await;
        added.expect(201).json()
    }

    /// Sends `PUT path` with JSON.
    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send_json(Method::PUT, path, body).await
    }

    /// Sends `PATCH path` with JSON.
    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send_json(Method::PATCH, path, body).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, &[], Vec::new()).await
    }

    /// Sends `POST path` with form fields.
    pub async fn form(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        self.send_form(Method::POST, path, fields).await
    }

    /// Sends any request with form fields.
    pub async fn send_form(&self, method: Method, path: &str, fields: &[(&str, &str)]) -> Answer {
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        let form = [(CONTENT_TYPE.as_str(), "application/x-www-form-urlencoded")];
        self.send(method, path, &form, body.into_bytes()).await
    }

    /// Loads `page` for its CSRF token and submits the form to `path`, as a browser would.
    pub async fn fill(&self, page: &str, path: &str, fields: &[(&str, &str)]) -> Answer {
        let token = self.get(page).await.csrf_token();
        let mut all = vec![("csrf_token", token.as_str())];
        all.extend_from_slice(fields);
        self.form(path, &all).await
    }

    async fn send_json(&self, method: Method, path: &str, body: Value) -> Answer {
        let json = [(CONTENT_TYPE.as_str(), "application/json")];
        self.send(method, path, &json, body.to_string().into_bytes())
            .await
    }

    /// Sends any request.
    ///
    /// # Panics
    /// If the server does not answer, because no test can continue then.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> Answer {
        let whole = async {
            let response = self.exchange(method, path, headers, body).await;
            let (parts, body) = response.into_parts();
            (parts, body.collect().await.expect("the whole body"))
        };
        let (parts, body) = tokio::time::timeout(PATIENCE, whole)
            .await
            .unwrap_or_else(|_| panic!("no answer from {path} within {PATIENCE:?}"));
        let bytes = body.to_bytes();
        self.keep_cookies(&parts.headers);
        Answer {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8_lossy(&bytes).into_owned(),
        }
    }

    /// Sends `GET path` for an endless response, whose events are read as they arrive.
    pub async fn listen(&self, path: &str) -> Events {
        let response = self.exchange(Method::GET, path, &[], Vec::new());
        let response = tokio::time::timeout(PATIENCE, response)
            .await
            .unwrap_or_else(|_| panic!("no answer from {path} within {PATIENCE:?}"));
        let (parts, body) = response.into_parts();
        Events {
            status: parts.status,
            headers: parts.headers,
            body,
            text: String::new(),
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "tests come in from outside, not through lede-net"
    )]
    async fn exchange(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> Response<Incoming> {
        let mut request = Request::builder().method(method).uri(path);
        let all = headers.iter().copied().chain(
            self.extra
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str())),
        );
        let mut has_host = false;
        for (name, value) in all {
            has_host |= name.eq_ignore_ascii_case("host");
            request = request.header(name, value);
        }
        if !has_host {
            request = request.header(HOST, format!("localhost:{}", self.address.port()));
        }
        let token = match &self.token {
            None => None,
            Some(Token::Fixed(token)) => Some(token.clone()),
            Some(Token::Renewed(source)) => Some(source().await),
        };
        if let Some(token) = token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        let cookies = self
            .cookies
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if !cookies.is_empty() {
            let line: Vec<String> = cookies
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            request = request.header(COOKIE, line.join("; "));
        }
        let request = request
            .body(Full::new(Bytes::from(body)))
            .expect("a valid request");
        let stream = tokio::net::TcpStream::connect(self.address)
            .await
            .expect("the server listens");
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .expect("the server speaks HTTP");
        tokio::spawn(connection);
        sender
            .send_request(request)
            .await
            .expect("the server answers")
    }

    fn keep_cookies(&self, headers: &HeaderMap) {
        let mut jar = self.cookies.lock().unwrap_or_else(PoisonError::into_inner);
        for line in headers.get_all(SET_COOKIE) {
            let line = line.to_str().expect("cookies are text");
            let (name, value) = line
                .split(';')
                .next()
                .and_then(|pair| pair.split_once('='))
                .expect("name=value");
            if line.contains("Max-Age=0") {
                jar.remove(name);
            } else {
                jar.insert(name.to_owned(), value.to_owned());
            }
        }
    }
}
