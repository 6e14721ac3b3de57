//! The real program on a fresh SQLite file: started, observed from outside, stopped.
//!
//! It runs as `lede serve` and not `lede worker`, which requires PostgreSQL. It receives no
//! requests, so its CPU time is that of the crawl.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use lede_model::address::WebUrl;
use lede_model::feed::{FeedStatus, NewFeed, Subscription, Validators};
use lede_model::ids::{FeedId, UserId};
use lede_model::schedule::FailurePolicy;
use lede_model::time::Timestamp;
use lede_model::user::Role;
use lede_store::follow::{self, FollowRequest, Follower, SubscriptionSettings};
use lede_store::{DatabaseLocation, Store, StoreError, leases, search, subscriptions, users};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use lede_bench_kit::usage;

/// Poll interval for the progress of the crawl: long, because polling costs CPU time too.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Icons are fetched after the benchmark: they are not part of the crawl.
const NO_ICONS: Duration = Duration::from_secs(365 * 24 * 3600);
/// A crawl that takes longer than this is stuck.
const PATIENCE: Duration = Duration::from_secs(300);
/// A server that uses less CPU time than this in a second is idle.
const IDLE: Duration = Duration::from_millis(20);

/// Returns the system time, which the program uses too.
#[expect(
    clippy::disallowed_methods,
    reason = "the program beside this one asks the system, so this has to"
)]
pub(crate) fn now() -> Timestamp {
    let since_epoch = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp::EPOCH + since_epoch
}

/// A store with feeds and one user who subscribes to all of them.
pub(crate) struct Library {
    pub(crate) place: DatabaseLocation,
    pub(crate) reader: UserId,
    path: PathBuf,
    folder: TempDir,
}

impl Library {
    /// Creates the file. Every feed is due at once, in the given order.
    pub(crate) async fn with_feeds(urls: Vec<WebUrl>) -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("lede.db");
        let place = DatabaseLocation::File(path.clone());
        let store = Store::open(&place)?;
        let reader = store
            .write(move |db| {
                let now = now();
                let reader = users::add(db, "ada@example.org", None, Role::Admin, now)?
                    .ok_or(StoreError::Missing)?;
                let follower = Follower {
                    user: reader.id,
                    may_add_feeds: true,
                    max_subscriptions: i64::MAX,
                    policy: FailurePolicy::Patient,
                    icons_after: NO_ICONS,
                };
                let requests: Vec<FollowRequest> = urls.iter().map(request).collect();
                follow::follow(db, follower, &requests, now)?;
                Ok(reader.id)
            })
            .await?;
        store.close();
        Ok(Self {
            place,
            reader,
            path,
            folder,
        })
    }
}

fn request(url: &WebUrl) -> FollowRequest {
    FollowRequest {
        feed: NewFeed {
            url: url.clone(),
            site_url: None,
            title: url.host().to_owned(),
            validators: Validators::default(),
        },
        settings: SubscriptionSettings::default(),
        replaces: None,
        credentials: None,
    }
}

/// The running program, killed on drop.
pub(crate) struct Program {
    pub(crate) started_at: Timestamp,
    library: Library,
    /// A second store on the file that the program has open.
    store: Store,
    child: Child,
}

impl Program {
    pub(crate) fn start(executable: &Path, library: Library) -> Result<Self, Box<dyn Error>> {
        let started_at = now();
        let child = Command::new(executable)
            .arg("serve")
            // Without the caller's settings and those of the current folder.
            .env_clear()
            .current_dir(library.folder.path())
            .env("DATABASE_PATH", &library.path)
            .env("SERVER_PORT", "0")
            .env("BIND_ADDR", "127.0.0.1")
            .env("FETCH_ALLOW", "127.0.0.0/8")
            .env("FETCH_HOST_INTERVAL", "0s")
            .env("FETCH_INTERVAL", "1s")
            .env("CONTENT_FETCH_ENABLED", "false")
            .env("LOG_LEVEL", "warn")
            .spawn()
            .map_err(|error| format!("{}: {error}", executable.display()))?;
        let store = Store::open_beside(&library.place)?;
        Ok(Self {
            started_at,
            library,
            store,
            child,
        })
    }

    pub(crate) fn cpu(&self) -> Result<Duration, Box<dyn Error>> {
        usage::cpu_of_process(self.child.id())
    }

    pub(crate) fn peak_memory(&self) -> Result<u64, Box<dyn Error>> {
        usage::peak_memory(self.child.id())
    }

    async fn subscriptions(&self) -> Result<Vec<Subscription>, StoreError> {
        let reader = self.library.reader;
        self.store
            .read(move |db| subscriptions::of_user(db, reader))
            .await
    }

    /// Waits until every feed that `counts` selects was fetched after `since`. Returns the number
    /// of unread items, and the time of the last fetch. A failed feed is an error: the figure of a
    /// crawl that lost something is meaningless.
    pub(crate) async fn crawled(
        &mut self,
        since: Timestamp,
        counts: impl Fn(&WebUrl) -> bool,
    ) -> Result<(i64, Timestamp), Box<dyn Error>> {
        let began = Instant::now();
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            if let Some(status) = self.child.try_wait()? {
                return Err(format!("the program ended: {status}").into());
            }
            let subscriptions = self.subscriptions().await?;
            let mut awaited = subscriptions
                .iter()
                .filter(|subscription| counts(&subscription.feed.url));
            let mut last = since;
            let is_done = awaited.all(|subscription| {
                let at = subscription.last_fetched_at.filter(|at| *at >= since);
                last = last.max(at.unwrap_or(since));
                at.is_some()
            });
            if is_done {
                for subscription in &subscriptions {
                    if counts(&subscription.feed.url)
                        && subscription.feed.status != FeedStatus::Active
                    {
                        let error = subscription.last_error.as_ref();
                        let error =
                            error.map_or_else(|| "no reason".to_owned(), ToString::to_string);
                        return Err(format!("{} failed: {error}", subscription.feed.url).into());
                    }
                }
                let unread = subscriptions.iter().map(|each| each.unread).sum();
                return Ok((unread, last));
            }
            if began.elapsed() > PATIENCE {
                return Err("the crawl does not come to an end".into());
            }
        }
    }

    /// Waits until all items are in the search index and the program is idle.
    pub(crate) async fn indexed(&self) -> Result<(), Box<dyn Error>> {
        while !self
            .store
            .read(|db| search::waiting(db, 1))
            .await?
            .is_empty()
        {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        self.idle().await
    }

    async fn idle(&self) -> Result<(), Box<dyn Error>> {
        loop {
            let before = self.cpu()?;
            tokio::time::sleep(Duration::from_secs(1)).await;
            if self.cpu()? - before < IDLE {
                return Ok(());
            }
        }
    }

    /// Makes every feed due again.
    pub(crate) async fn make_due(&self) -> Result<(), Box<dyn Error>> {
        let feeds: Vec<FeedId> = self
            .subscriptions()
            .await?
            .iter()
            .map(|subscription| subscription.feed.id)
            .collect();
        self.store
            .write(move |db| {
                let now = now();
                for feed in &feeds {
                    if let Some(lease) = leases::force_lease(db, *feed, now, now)? {
                        leases::release(db, &lease, now)?;
                    }
                }
                Ok(())
            })
            .await?;
        Ok(())
    }

    /// Sends SIGTERM and checks that the program exits successfully.
    pub(crate) fn stop(mut self) -> Result<(), Box<dyn Error>> {
        kill_process(Pid::from_child(&self.child), Signal::TERM)?;
        let status = self.child.wait()?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("the program ended badly: {status}").into())
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Already stopped, or an error occurred: do not leave it running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
