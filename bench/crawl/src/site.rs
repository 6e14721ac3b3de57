//! The sites that are crawled, in a separate process, so that the cost of serving is not counted.
//!
//! Every site has its own loopback address on one port. Healthy ones serve feeds with validators
//! and support conditional requests. Tarpits accept the connection and then hold it: some never
//! respond, some send their headers a byte at a time and some their body.
//!
//! The process reads one command per line from its standard input and answers each with a line:
//! `change` publishes one more item in every tenth feed, `counts` returns the number of responses
//! with and without a body since the last call. It exits when its input is closed.

use std::convert::Infallible;
use std::error::Error;
use std::io::{BufRead, BufReader, Write as _};
use std::net::Ipv4Addr;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH,
    LAST_MODIFIED,
};
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use lede_model::address::{AddressError, WebUrl};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::content;

/// The hidden command that makes this program serve the sites.
pub(crate) const COMMAND: &str = "sites";
/// One of this many feeds changes in a day.
pub(crate) const CHANGING: usize = 10;
/// Interval between the bytes of a tarpit.
const DRIP: Duration = Duration::from_millis(500);

/// Number and distribution of the feeds to crawl.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// Number of feeds on healthy sites.
    pub(crate) feeds: usize,
    /// Number of items in each feed.
    pub(crate) items: usize,
    /// Number of healthy sites, over which the feeds are distributed.
    pub(crate) hosts: usize,
    /// Number of sites whose responses never end.
    pub(crate) tarpits: usize,
    /// True if bodies are compressed.
    pub(crate) gzip: bool,
}

impl Plan {
    fn address(host: usize) -> Ipv4Addr {
        let [high, low] = u16::try_from(host).unwrap_or(u16::MAX).to_be_bytes();
        Ipv4Addr::new(127, 77, high, low)
    }

    /// Returns the addresses of all healthy feeds.
    pub(crate) fn feed_urls(&self, port: u16) -> Result<Vec<WebUrl>, AddressError> {
        (0..self.feeds)
            .map(|number| {
                let host = Self::address(number % self.hosts);
                WebUrl::parse(&format!("http://{host}:{port}/feed/{number}"))
            })
            .collect()
    }

    /// Returns the addresses of all tarpits.
    pub(crate) fn tarpit_urls(&self, port: u16) -> Result<Vec<WebUrl>, AddressError> {
        (self.hosts..self.hosts + self.tarpits)
            .map(|host| WebUrl::parse(&format!("http://{}:{port}/feed", Self::address(host))))
            .collect()
    }

    fn arguments(&self) -> [String; 5] {
        [
            self.feeds,
            self.items,
            self.hosts,
            self.tarpits,
            usize::from(self.gzip),
        ]
        .map(|number| number.to_string())
    }

    fn from_arguments(arguments: &[String]) -> Result<Self, Box<dyn Error>> {
        let numbers: Vec<usize> = arguments
            .iter()
            .map(|argument| argument.parse())
            .collect::<Result<_, _>>()?;
        let &[feeds, items, hosts, tarpits, gzip] = numbers.as_slice() else {
            return Err("the sites take five numbers".into());
        };
        Ok(Self {
            feeds,
            items,
            hosts,
            tarpits,
            gzip: gzip == 1,
        })
    }
}

/// The running process, killed on drop.
pub(crate) struct Sites {
    /// The port that all sites listen on.
    pub(crate) port: u16,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Sites {
    pub(crate) fn start(plan: &Plan) -> Result<Self, Box<dyn Error>> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(COMMAND)
            .args(plan.arguments())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut sites = Self {
            port: 0,
            child,
            input,
            output,
        };
        sites.port = sites.answer()?.parse()?;
        Ok(sites)
    }

    /// Publishes one more item in every tenth feed.
    pub(crate) fn change(&mut self) -> Result<(), Box<dyn Error>> {
        writeln!(self.input, "change")?;
        self.answer().map(drop)
    }

    /// Returns the number of responses with and without a body since the last call.
    pub(crate) fn counts(&mut self) -> Result<(usize, usize), Box<dyn Error>> {
        writeln!(self.input, "counts")?;
        let answer = self.answer()?;
        let (full, empty) = answer.split_once(' ').ok_or("two numbers")?;
        Ok((full.parse()?, empty.parse()?))
    }

    fn answer(&mut self) -> Result<String, Box<dyn Error>> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }
}

impl Drop for Sites {
    fn drop(&mut self) {
        // It may have exited already; in any case it must not outlive the measurement.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The present content of the sites, generated in advance so that responding costs little.
struct Served {
    plan: Plan,
    changes: AtomicUsize,
    bodies: RwLock<Vec<Bytes>>,
    full: AtomicUsize,
    empty: AtomicUsize,
}

impl Served {
    fn body(plan: &Plan, number: usize, changes: usize) -> Bytes {
        let text = content::feed(number, plan.items, changes);
        if !plan.gzip {
            return Bytes::from(text);
        }
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packer
            .write_all(text.as_bytes())
            .and_then(|()| packer.finish())
            .map(Bytes::from)
            .unwrap_or_default()
    }

    fn changes_of(&self, number: usize) -> usize {
        if number.is_multiple_of(CHANGING) {
            self.changes.load(Ordering::SeqCst)
        } else {
            0
        }
    }

    fn change(&self) {
        let changes = self.changes.fetch_add(1, Ordering::SeqCst) + 1;
        let mut bodies = self
            .bodies
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        for number in (0..self.plan.feeds).step_by(CHANGING) {
            bodies[number] = Self::body(&self.plan, number, changes);
        }
    }

    fn answer<B>(&self, request: &Request<B>) -> http::Result<Response<Full<Bytes>>> {
        let number = request.uri().path().strip_prefix("/feed/");
        let Some(number) = number
            .and_then(|text| text.parse::<usize>().ok())
            .filter(|number| *number < self.plan.feeds)
        else {
            return Response::builder()
                .status(StatusCode::NOT_FOUND)
                .body(Full::default());
        };
        let (etag, date) = content::validators(number, self.changes_of(number));
        let header = |name| {
            request
                .headers()
                .get(name)
                .map(http::HeaderValue::as_bytes)
                .unwrap_or_default()
        };
        let is_known = match header(IF_NONE_MATCH) {
            b"" => header(IF_MODIFIED_SINCE) == date.as_bytes(),
            known => known == etag.as_bytes(),
        };
        let answer = Response::builder()
            .header(ETAG, etag)
            .header(LAST_MODIFIED, date);
        if is_known {
            self.empty.fetch_add(1, Ordering::Relaxed);
            return answer
                .status(StatusCode::NOT_MODIFIED)
                .body(Full::default());
        }
        self.full.fetch_add(1, Ordering::Relaxed);
        let body = self
            .bodies
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner)[number]
            .clone();
        let answer = answer.header(CONTENT_TYPE, content::media_type(number));
        if !self.plan.gzip {
            return answer.body(Full::new(body));
        }
        if !header(ACCEPT_ENCODING)
            .windows(4)
            .any(|word| word == b"gzip")
        {
            return answer
                .status(StatusCode::NOT_ACCEPTABLE)
                .body(Full::default());
        }
        answer
            .header(CONTENT_ENCODING, "gzip")
            .body(Full::new(body))
    }
}

/// Serves until the input is closed.
pub(crate) fn serve(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let plan = Plan::from_arguments(arguments)?;
    let served = Arc::new(Served {
        plan,
        changes: AtomicUsize::new(0),
        bodies: RwLock::new(
            (0..plan.feeds)
                .map(|number| Served::body(&plan, number, 0))
                .collect(),
        ),
        full: AtomicUsize::new(0),
        empty: AtomicUsize::new(0),
    });
    // One thread: the other cores are for the measured program.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let shared = Arc::clone(&served);
    let (sender, port) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        runtime.block_on(async move {
            let outcome = listen_everywhere(&shared).await;
            // The receiver is dropped only when the process exits.
            let _ = sender.send(outcome.map_err(|error| error.to_string()));
            std::future::pending::<()>().await;
        });
    });
    println!("{}", port.recv()??);
    for line in std::io::stdin().lines() {
        match line?.as_str() {
            "change" => {
                served.change();
                println!("changed");
            }
            "counts" => {
                let full = served.full.swap(0, Ordering::Relaxed);
                let empty = served.empty.swap(0, Ordering::Relaxed);
                println!("{full} {empty}");
            }
            other => return Err(format!("unknown word {other}").into()),
        }
    }
    Ok(())
}

/// Starts every site. Returns the port that they share.
async fn listen_everywhere(served: &Arc<Served>) -> std::io::Result<u16> {
    let mut port = 0;
    for host in 0..served.plan.hosts + served.plan.tarpits {
        let listener = TcpListener::bind((Plan::address(host), port)).await?;
        port = listener.local_addr()?.port();
        match host.checked_sub(served.plan.hosts) {
            None => tokio::spawn(healthy(listener, Arc::clone(served))),
            Some(tarpit) => tokio::spawn(endless(listener, Manner::of(tarpit))),
        };
    }
    Ok(port)
}

async fn healthy(listener: TcpListener, served: Arc<Served>) {
    while let Ok((stream, _)) = listener.accept().await {
        let served = Arc::clone(&served);
        tokio::spawn(async move {
            // Otherwise the last packet of a body would wait for an acknowledgement.
            let _ = stream.set_nodelay(true);
            let service = service_fn(|request| {
                let answer = served.answer(&request);
                async { Ok::<_, Infallible>(answer.unwrap_or_default()) }
            });
            // A disconnecting client is not an error.
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

/// Behaviour of a tarpit.
#[derive(Debug, Clone, Copy)]
enum Manner {
    Silent,
    DripsHeaders,
    DripsBody,
}

impl Manner {
    fn of(tarpit: usize) -> Self {
        match tarpit % 3 {
            0 => Self::Silent,
            1 => Self::DripsHeaders,
            _ => Self::DripsBody,
        }
    }
}

async fn endless(listener: TcpListener, manner: Manner) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(async move {
            // Ends when the client gives up.
            let _ = hold(stream, manner).await;
        });
    }
}

async fn hold(mut stream: TcpStream, manner: Manner) -> std::io::Result<()> {
    let mut asked = [0; 2048];
    if stream.read(&mut asked).await? == 0 {
        return Ok(());
    }
    let (at_once, dripping): (&[u8], &[u8]) = match manner {
        Manner::Silent => return stream.read(&mut asked).await.map(drop),
        Manner::DripsHeaders => (b"HTTP/1.1 200 OK\r\n", b"X"),
        Manner::DripsBody => (
            b"HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nContent-Length: 99999\r\n\r\n",
            b" ",
        ),
    };
    stream.write_all(at_once).await?;
    loop {
        tokio::time::sleep(DRIP).await;
        stream.write_all(dripping).await?;
    }
}
