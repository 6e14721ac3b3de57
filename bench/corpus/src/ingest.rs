//! Runs a folder of feeds through the real ingest twice: from a loopback server into an SQLite store.
//!
//! An entry that the parser found but that is not an item afterwards was lost. The second fetch
//! gets the same document with an additional line break, so that it is not skipped as unchanged: it
//! must add no item and change none.

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lede_core::articles::ArticleSettings;
use lede_core::clock::Clock;
use lede_core::images::ImageProxy;
use lede_core::maintenance::disk::Disk;
use lede_core::{Lede, Registration, Settings, subscribe};
use lede_feed::ParsedEntry;
use lede_model::address::WebUrl;
use lede_model::feed::{NewFeed, Validators};
use lede_model::ids::{FeedId, ItemId};
use lede_model::item::{ItemSummary, List, Scope, Start};
use lede_model::retention::Retention;
use lede_model::schedule::FailurePolicy;
use lede_model::time::Timestamp;
use lede_model::user::{Role, User};
use lede_net::Net;
use lede_store::{DatabaseLocation, Store, feeds, lists, subscriptions, users};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::files_below;

/// Maximum number of entries that are ingested per document.
const MAX_ITEMS: usize = 500;
/// Noon of a day in 2026.
const NOW: Timestamp = Timestamp::from_seconds(1_773_489_600);
/// Maximum number of items that are compared per feed.
const PAGE: i64 = 1000;

/// Counts of one feed, or of all.
#[derive(Default, Clone, Copy)]
struct Counts {
    /// Entries that the parser found.
    entries: usize,
    /// Entries that differ in id, link, title, text or enclosures, limited to [`MAX_ITEMS`].
    parsed: usize,
    /// Items after the first fetch.
    kept: usize,
    /// Items added by the second fetch.
    added: usize,
    /// Items with different content after the second fetch.
    overwritten: usize,
}

impl Counts {
    fn is_faithful(self) -> bool {
        self.parsed == self.kept && self.added == 0 && self.overwritten == 0
    }

    fn add(&mut self, other: Self) {
        self.entries += other.entries;
        self.parsed += other.parsed;
        self.kept += other.kept;
        self.added += other.added;
        self.overwritten += other.overwritten;
    }

    fn print(self, name: &str) {
        println!(
            "  {:>7} {:>7} {:>7} {:>7} {:>7} {} {name}",
            self.entries,
            self.parsed,
            self.kept,
            self.added,
            self.overwritten,
            if self.is_faithful() { " " } else { "!" }
        );
    }
}

/// Reports the feeds below `folder`: all of them, or only those that lost or repeated something.
pub(crate) fn score(folder: &Path, lists_all: bool) -> Result<(), Box<dyn Error>> {
    tokio::runtime::Runtime::new()?.block_on(ingest(folder, lists_all))
}

async fn ingest(folder: &Path, lists_all: bool) -> Result<(), Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let reader = Reader::new(scratch.path()).await?;
    let (mut sum, mut feeds, mut others, mut unfaithful) = (Counts::default(), 0, 0, 0);
    println!("ingest: entries, parsed, kept, added and overwritten by a second fetch");
    for file in files_below(folder)? {
        let Some(counts) = reader.ingest(std::fs::read(&file)?).await? else {
            others += 1;
            continue;
        };
        feeds += 1;
        unfaithful += usize::from(!counts.is_faithful());
        sum.add(counts);
        if lists_all || !counts.is_faithful() {
            let name = file.strip_prefix(folder).unwrap_or(&file);
            counts.print(&name.display().to_string());
        }
    }
    sum.print("in all");
    println!(
        "  {feeds} feeds, of which {unfaithful} lost or repeated something; {others} other files"
    );
    Ok(())
}

/// A Lede instance with one user, and the site that it fetches from.
struct Reader {
    lede: Lede,
    user: User,
    site: Site,
}

impl Reader {
    async fn new(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let site = Site::start().await?;
        let net = Net::new(lede_net::Settings {
            allow: "127.0.0.0/8".parse()?,
            host_interval: Duration::ZERO,
            ..lede_net::Settings::default()
        })?;
        let store = Store::open(&DatabaseLocation::File(folder.join("lede.db")))?;
        let settings = Settings {
            registration: Registration::Closed,
            session_idle: Duration::from_secs(3600),
            login_token_life: Duration::from_secs(3600),
            max_subscriptions: i64::MAX,
            base_url: WebUrl::parse("http://localhost/")?,
            providers: Vec::new(),
            failure_policy: FailurePolicy::Patient,
            redirect_adopt_after: Duration::from_secs(7 * 24 * 3600),
            fetch_interval: Duration::from_secs(60),
            articles: ArticleSettings {
                enabled: false,
                threshold: 0,
                parallelism: 1,
            },
            timetable: None,
            backups: None,
            retention: Retention::default(),
            image_proxy: ImageProxy::Off,
            jwt_secret: None,
        };
        let (clock, disk) = (Clock::new(|| NOW), Disk::new(|| None));
        let lede = Lede::new(store, net, clock, disk, settings).await?;
        let added = lede
            .store
            .write(|db| users::add(db, "reader@example.org", None, Role::Admin, NOW))
            .await?;
        Ok(Self {
            lede,
            user: added.ok_or("the user exists")?,
            site,
        })
    }

    /// Ingests a document twice; `None` if it is not a feed.
    async fn ingest(&self, mut body: Vec<u8>) -> Result<Option<Counts>, Box<dyn Error>> {
        let url = self.site.next();
        let Ok(parsed) = lede_feed::parse(&body, None, &url) else {
            return Ok(None);
        };
        let mut counts = Counts {
            entries: parsed.entries.len(),
            parsed: distinct(&parsed.entries).min(MAX_ITEMS),
            ..Counts::default()
        };
        let feed = self.follow(url).await?;
        self.fetch(feed, body.clone()).await?;
        let before = self.items(feed).await?;
        counts.kept = before.len();
        body.push(b'\n');
        self.fetch(feed, body).await?;
        let after = self.items(feed).await?;
        counts.added = after.len() - before.len();
        let is_other = |(id, item): &(&ItemId, &ItemSummary)| {
            let now = after.get(id);
            now.is_none_or(|now| {
                now.title != item.title || now.excerpt != item.excerpt || now.url != item.url
            })
        };
        counts.overwritten = before.iter().filter(is_other).count();
        Ok(Some(counts))
    }

    async fn follow(&self, url: WebUrl) -> Result<FeedId, Box<dyn Error>> {
        let new = NewFeed {
            title: url.to_string(),
            url,
            site_url: None,
            validators: Validators::default(),
        };
        let user = self.user.id;
        let added = self.lede.store.write(move |db| {
            let feed = feeds::add(db, &new, FailurePolicy::Patient, NOW)?.id;
            subscriptions::add(db, user, feed, NOW)?;
            Ok(feed)
        });
        Ok(added.await?)
    }

    async fn fetch(&self, feed: FeedId, body: Vec<u8>) -> Result<(), Box<dyn Error>> {
        self.site.put(body);
        let fetched = subscribe::refresh(&self.lede, &self.user, feed).await?;
        match fetched.and_then(|fetched| fetched.error) {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }

    async fn items(&self, feed: FeedId) -> Result<BTreeMap<ItemId, ItemSummary>, Box<dyn Error>> {
        let user = self.user.id;
        let list = List {
            scope: Scope::Feed(feed),
            ..List::default()
        };
        let items = self
            .lede
            .store
            .read(move |db| lists::page(db, user, list, Start::FIRST, PAGE))
            .await?;
        Ok(items.into_iter().map(|item| (item.id, item)).collect())
    }
}

/// Counts the entries that differ in any property that makes them separate items.
fn distinct(entries: &[ParsedEntry]) -> usize {
    let said = |entry: &ParsedEntry| {
        let texts = [&entry.title, &entry.summary].into_iter().flatten();
        let texts = texts.chain(&entry.content).map(|text| text.value.clone());
        let files = entry.enclosures.iter().map(|file| file.url.clone());
        let names = [&entry.id, &entry.link].map(Clone::clone);
        (names, texts.chain(files).collect::<Vec<String>>())
    };
    entries.iter().map(said).collect::<HashSet<_>>().len()
}

/// A site that responds to every request with the document that was set last.
struct Site {
    port: u16,
    body: Arc<Mutex<Vec<u8>>>,
    documents: std::sync::atomic::AtomicUsize,
}

impl Site {
    async fn start() -> Result<Self, Box<dyn Error>> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let site = Self {
            port: listener.local_addr()?.port(),
            body: Arc::default(),
            documents: 0.into(),
        };
        let body = Arc::clone(&site.body);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let body = body.lock().unwrap_or_else(PoisonError::into_inner).clone();
                tokio::spawn(answer(stream, body));
            }
        });
        Ok(site)
    }

    /// Returns an address that no document has had yet.
    fn next(&self) -> WebUrl {
        let number = &self.documents;
        let number = number.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let url = format!("http://127.0.0.1:{}/{number}", self.port);
        WebUrl::parse(&url).unwrap_or_else(|_| unreachable!("{url} is an address"))
    }

    fn put(&self, body: Vec<u8>) {
        *self.body.lock().unwrap_or_else(PoisonError::into_inner) = body;
    }
}

async fn answer(mut stream: TcpStream, body: Vec<u8>) -> std::io::Result<()> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(stream.read_u8().await?);
    }
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(&body).await?;
    stream.shutdown().await
}
