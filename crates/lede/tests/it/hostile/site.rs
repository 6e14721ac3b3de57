//! A loopback server that violates HTTP on request.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Behaviour of a path.
#[derive(Clone)]
pub(super) enum Deed {
    /// Sends these bytes and closes.
    Says(Vec<u8>),
    /// Sends these bytes and then nothing more, for as long as the test runs.
    Stalls(Vec<u8>),
    /// Sends the first bytes once, and then the second ones for ever.
    Floods(Vec<u8>, Vec<u8>),
    /// Sends these bytes once the gate opens.
    Waits(watch::Receiver<bool>, Vec<u8>),
}

/// The server. It ends with the test.
#[derive(Clone)]
pub(super) struct RawSite {
    pub(super) address: SocketAddr,
    deeds: Arc<Mutex<HashMap<String, Deed>>>,
    asked: Arc<watch::Sender<Vec<String>>>,
}

impl RawSite {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let site = Self {
            address: listener.local_addr().unwrap(),
            deeds: Arc::default(),
            asked: Arc::new(watch::Sender::new(Vec::new())),
        };
        let serving = site.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let site = serving.clone();
                tokio::spawn(async move { site.serve(stream).await });
            }
        });
        site
    }

    /// Sets the behaviour of `path` from now on and returns its URL.
    pub(super) fn put(&self, path: &str, deed: Deed) -> String {
        self.deeds.lock().unwrap().insert(path.to_owned(), deed);
        format!("http://{}{path}", self.address)
    }

    /// The number of requests for `path`.
    pub(super) fn times(&self, path: &str) -> usize {
        count(&self.asked.borrow(), path)
    }

    /// Waits until `path` was requested `times` times.
    pub(super) async fn was_asked(&self, path: &str, times: usize) {
        let mut asked = self.asked.subscribe();
        let enough = |asked: &Vec<String>| count(asked, path) >= times;
        asked.wait_for(enough).await.unwrap();
    }

    /// Waits until there were `times` requests in all.
    pub(super) async fn were_asked(&self, times: usize) {
        let mut asked = self.asked.subscribe();
        asked.wait_for(|asked| asked.len() >= times).await.unwrap();
    }

    async fn serve(&self, mut stream: TcpStream) {
        let Some(path) = asked_path(&mut stream).await else {
            return;
        };
        let deed = self.deeds.lock().unwrap().get(&path).cloned();
        self.asked.send_modify(|asked| asked.push(path));
        let said = match deed.unwrap_or(Deed::Says(answer("404 Not Found", "", ""))) {
            Deed::Says(bytes) => bytes,
            Deed::Waits(mut gate, bytes) => {
                let _ = gate.wait_for(|is_open| *is_open).await;
                bytes
            }
            Deed::Stalls(bytes) => {
                let _ = stream.write_all(&bytes).await;
                std::future::pending().await
            }
            Deed::Floods(head, piece) => {
                let _ = stream.write_all(&head).await;
                while stream.write_all(&piece).await.is_ok() {}
                return;
            }
        };
        let _ = stream.write_all(&said).await;
        let _ = stream.shutdown().await;
        // Waiting for the client's end of stream keeps the kernel from truncating the answer.
        let _ = stream.read_to_end(&mut Vec::new()).await;
    }
}

fn count(asked: &[String], path: &str) -> usize {
    asked.iter().filter(|one| *one == path).count()
}

/// Reads the head of a request and returns its path.
async fn asked_path(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte).await {
            Ok(1) => head.push(byte[0]),
            _ => return None,
        }
    }
    let head = String::from_utf8(head).ok()?;
    head.split(' ').nth(1).map(str::to_owned)
}

/// A complete answer with the right `Content-Length`; `headers` are lines that each end with CRLF.
pub(super) fn answer(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

/// A feed of items with these titles, which are their guids too.
pub(super) fn feed(titles: &[&str]) -> String {
    let items: String = titles
        .iter()
        .map(|title| format!("<item><title>{title}</title><guid>{title}</guid></item>"))
        .collect();
    format!("<rss version=\"2.0\"><channel><title>News</title>{items}</channel></rss>")
}

/// An answer with [`feed`] of these titles.
pub(super) fn good(titles: &[&str]) -> Deed {
    Deed::Says(answer("200 OK", "", feed(titles)))
}
