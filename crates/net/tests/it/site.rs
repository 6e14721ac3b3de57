//! A server that sends exactly the bytes that a test specifies.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use lede_model::address::WebUrl;
use lede_net::{Conditions, FetchError, Fetched, Net, Purpose, Resolve, Settings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// Server on loopback; it ends with the test.
pub(crate) struct Site {
    pub(crate) port: u16,
    heads: mpsc::UnboundedReceiver<String>,
}

impl Site {
    /// Passes each connection, with the head of its request, to `serve`.
    pub(crate) async fn serving<F, S>(serve: S) -> Self
    where
        S: Fn(String, TcpStream) -> F + Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        Self::on(TcpListener::bind("127.0.0.1:0").await.unwrap(), serve)
    }

    pub(crate) fn on<F, S>(listener: TcpListener, serve: S) -> Self
    where
        S: Fn(String, TcpStream) -> F + Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let port = listener.local_addr().unwrap().port();
        let (sender, heads) = mpsc::unbounded_channel();
        let serve = Arc::new(serve);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (sender, serve) = (sender.clone(), serve.clone());
                tokio::spawn(async move {
                    let head = read_head(&mut stream).await;
                    let _ = sender.send(head.clone());
                    serve(head, stream).await;
                });
            }
        });
        Self { port, heads }
    }

    /// Answers each request with the bytes that `answer` returns for its head, then closes.
    pub(crate) async fn answering_by<A, B>(answer: A) -> Self
    where
        A: Fn(&str) -> B + Send + Sync + 'static,
        B: Into<Vec<u8>>,
    {
        Self::serving(move |head, mut stream| {
            let bytes: Vec<u8> = answer(&head).into();
            async move {
                let _ = stream.write_all(&bytes).await;
                let _ = stream.shutdown().await;
                // Waiting for the client to close keeps the kernel from cutting the response short.
                let _ = stream.read_to_end(&mut Vec::new()).await;
            }
        })
        .await
    }

    /// Answers every request with `bytes` and closes.
    pub(crate) async fn answering(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::answering_by(move |_| bytes.clone()).await
    }

    /// Accepts requests, writes `bytes` and then stalls for as long as the test runs.
    pub(crate) async fn stalling(bytes: &'static str) -> Self {
        Self::serving(move |_, mut stream| async move {
            let _ = stream.write_all(bytes.as_bytes()).await;
            std::future::pending::<()>().await;
        })
        .await
    }

    pub(crate) fn url(&self, path: &str) -> WebUrl {
        url(&format!("http://127.0.0.1:{}{path}", self.port))
    }

    /// Waits for the next request and returns its head.
    pub(crate) async fn request(&mut self) -> String {
        self.heads.recv().await.unwrap()
    }

    /// Returns the heads of the requests received so far that [`Self::request`] has not returned.
    pub(crate) fn requests(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.heads.try_recv().ok()).collect()
    }

    /// Returns the allow-list entry of this site.
    pub(crate) fn entry(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Returns settings that allow this site and nothing else, without a pause between requests.
    pub(crate) fn settings(&self) -> Settings {
        settings(&self.entry())
    }

    pub(crate) fn net(&self) -> Net {
        Net::new(self.settings()).unwrap()
    }

    /// Fetches the front page of the site as a feed.
    pub(crate) async fn fetched(&self) -> Result<Fetched, FetchError> {
        fetch(&self.net(), &self.url("/")).await
    }

    pub(crate) async fn error(&self) -> FetchError {
        self.fetched().await.unwrap_err()
    }
}

pub(crate) async fn read_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte).await {
            Ok(1) => head.push(byte[0]),
            _ => break,
        }
    }
    String::from_utf8_lossy(&head).to_ascii_lowercase()
}

pub(crate) fn url(text: &str) -> WebUrl {
    WebUrl::parse(text).unwrap()
}

pub(crate) fn settings(allow: &str) -> Settings {
    Settings {
        allow: allow.parse().unwrap(),
        host_interval: Duration::ZERO,
        ..Settings::default()
    }
}

pub(crate) async fn fetch(net: &Net, url: &WebUrl) -> Result<Fetched, FetchError> {
    net.fetch(url, Purpose::Feed, &Conditions::default()).await
}

/// Returns a complete `200 OK` response with the right length.
pub(crate) fn ok(body: impl AsRef<[u8]>) -> Vec<u8> {
    answer("200 OK", "", body)
}

/// Returns a complete response; `headers` are lines that each end with CRLF.
pub(crate) fn answer(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

pub(crate) fn redirect(status: u16, location: &str) -> Vec<u8> {
    answer(
        &format!("{status} Moved"),
        &format!("Location: {location}\r\n"),
        "",
    )
}

/// Resolver whose answers are set by the test: one list per query, the last one repeats.
#[derive(Default)]
pub(crate) struct FakeResolver {
    answers: HashMap<&'static str, Mutex<Vec<Vec<IpAddr>>>>,
    questions: Mutex<Vec<String>>,
}

impl FakeResolver {
    pub(crate) fn knowing(name: &'static str, answers: &[&[&str]]) -> Arc<Self> {
        let answers = answers
            .iter()
            .rev()
            .map(|answer| answer.iter().map(|ip| ip.parse().unwrap()).collect())
            .collect();
        Arc::new(Self {
            answers: HashMap::from([(name, Mutex::new(answers))]),
            questions: Mutex::default(),
        })
    }

    /// Returns the number of queries so far.
    pub(crate) fn asked(&self) -> usize {
        self.questions.lock().unwrap().len()
    }
}

impl Resolve for FakeResolver {
    fn resolve(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let answer = self.answers.get(name.as_str()).map(|answers| {
            let mut answers = answers.lock().unwrap();
            match answers.len() {
                0 | 1 => answers.last().cloned().unwrap_or_default(),
                _ => answers.pop().unwrap_or_default(),
            }
        });
        self.questions.lock().unwrap().push(name);
        Box::pin(async move { answer.ok_or_else(|| io::Error::other("no such name")) })
    }
}
