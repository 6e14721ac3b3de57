//! PostgreSQL: a few threads with one connection each, half of them for reading.
//!
//! Reads run in autocommit (a `BEGIN`/`COMMIT` pair doubled their cost) on read-only connections.
//! Writes run in a transaction that is retried when two writers conflict. A lost connection is
//! reopened, and work that was certainly not committed is run again.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lede_model::secret::Secret;
use postgres::config::{Host, SslMode};
use postgres::fallible_iterator::FallibleIterator as _;
use postgres::{Client, Config, NoTls};
use tokio::sync::mpsc;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::connection::{Counted, PgSession};
use super::error::postgres_words;
use super::job::{Failed, is_meeting};
use super::sqlite::Checked;
use super::{
    DatabaseLocation, Db, Engine, Frame, Job, OpenError, ProcessRole, QUEUE, Shared, SharedQueue,
    Store, StoreError, Watch, next_job, spawn,
};
use crate::migrate;
use crate::signals::{SignalSet, Signals};

/// Connections for reading and for writing.
const READERS: usize = 4;
const WRITERS: usize = 4;
/// Attempts per job in case of conflicts or lost connections.
const TRIES: u32 = 5;
/// Delay before the second attempt; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Limits for a statement, a lock wait and an idle transaction. A stuck query or client must not
/// hold a connection or its locks for longer.
macro_rules! timeouts {
    ($then:expr) => {
        concat!(
            "SET statement_timeout = '5s'; SET lock_timeout = '4s'; \
             SET idle_in_transaction_session_timeout = '30s'; ",
            $then
        )
    };
}
const TIMEOUTS: &str = timeouts!("");

/// Advisory lock that signals a running server or worker, or a restore in progress. Its key is
/// specific to Lede and to the schema, because one database may hold several instances.
macro_rules! presence {
    ($lock:literal) => {
        concat!(
            "SELECT ",
            $lock,
            "(1818584165, ('x' || substr(md5(current_schema()), 1, 8))::BIT(32)::INT)"
        )
    };
}
/// Held in shared mode by every server and worker.
const PRESENT: &str = presence!("pg_try_advisory_lock_shared");
/// Succeeds only while no server or worker holds the lock.
pub(super) const ALONE: &str = presence!("pg_try_advisory_lock");
/// For reopening a lost connection. Waits as long as for any lock; if that fails, the server counts
/// as unreachable.
const PRESENT_AGAIN: &str = timeouts!(presence!("pg_advisory_lock_shared"));

pub(super) fn open(url: &Secret, role: ProcessRole) -> Result<Store, OpenError> {
    let target = Arc::new(Target::parse(url)?);
    let mut first = target.connect_with(TIMEOUTS)?;
    let setup = match role {
        ProcessRole::Server => {
            let is_let_in: bool = first
                .query_one(PRESENT, &[])
                .map(|row| row.get(0))
                .map_err(|error| target.unreachable(&error))?;
            if !is_let_in {
                return Err(OpenError::BeingRestored);
            }
            PRESENT_AGAIN
        }
        ProcessRole::Guest => TIMEOUTS,
    };
    migrate::postgres(&mut first)?;

    let (writes, write_queue) = mpsc::channel(QUEUE);
    let (reads, read_queue) = mpsc::channel(QUEUE);
    let write_queue: SharedQueue = Arc::new(Mutex::new(write_queue));
    let read_queue: SharedQueue = Arc::new(Mutex::new(read_queue));
    let watch = Arc::new(Watch::default());
    let signals = Arc::new(Signals::default());
    let mut threads = Vec::new();
    let mut first = Some(first);
    for _ in 0..WRITERS {
        let mut line = Line {
            target: Arc::clone(&target),
            session: first.take().map(PgSession::new),
            setup,
        };
        let queue = Arc::clone(&write_queue);
        let watch = Arc::clone(&watch);
        let signals = Arc::clone(&signals);
        threads.push(spawn("lede-write", move || {
            while let Some(job) = next_job(&queue) {
                match job.frame() {
                    Frame::Transaction => {
                        let began = Instant::now();
                        line.write(job, &signals);
                        watch.saw(began.elapsed());
                    }
                    Frame::Nothing => line.run_maintenance(job),
                }
            }
        })?);
    }
    for _ in 0..READERS {
        let mut line = Line {
            target: Arc::clone(&target),
            session: None,
            setup: READ_ONLY,
        };
        let queue = Arc::clone(&read_queue);
        threads.push(spawn("lede-read", move || {
            let mut counted = Counted::default();
            while let Some(job) = next_job(&queue) {
                if !job.is_abandoned() {
                    line.read(job, &mut counted);
                }
            }
        })?);
    }
    let shared = Shared {
        engine: Engine::Postgres,
        place: DatabaseLocation::Server(url.clone()),
        reads,
        writes,
        read_inline: None,
        checked: Checked::OnStart,
        is_damaged: Arc::default(),
        // All connections to a PostgreSQL server share the tables.
        is_guest: false,
        server: Some(target),
        watch,
        signals,
        threads,
        writers: WRITERS,
    };
    Ok(Store {
        shared: Arc::new(shared),
    })
}

/// Describes the database at `url` without writing to it.
pub(super) fn inspect(url: &Secret) -> Result<String, OpenError> {
    let target = Target::parse(url)?;
    let mut client = target.connect_with(READ_ONLY)?;
    let server: String = client
        .query_one("SHOW server_version", &[])
        .map(|row| row.get(0))
        .map_err(|error| target.unreachable(&error))?;
    let version = migrate::postgres_version(&mut client)?;
    Ok(format!("PostgreSQL {server} answers, schema {version}"))
}

/// Set explicitly, in case the server's default differs: a transaction that waited for a lock must
/// see what its holder committed.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";
/// In a failed transaction PostgreSQL turns COMMIT into ROLLBACK and reports success. The SELECT
/// fails in that case, so that a lost change is never reported as committed.
const COMMIT: &str = "SELECT 1; COMMIT";
const NO_TIMEOUT: &str = "SET statement_timeout = 0";
/// `join_collapse_limit` keeps joins in their written order, as SQLite does for `CROSS JOIN`: lists
/// start with the table that is walked in their order, which the planner does not always see.
const READ_ONLY: &str = "SET statement_timeout = '5s'; SET default_transaction_read_only = on; \
                         SET join_collapse_limit = 1";

/// Connection parameters of a server.
pub(super) struct Target {
    config: Config,
    /// `None` if the URL disables TLS, and by default on the local machine, where nothing can
    /// intercept the connection and server certificates are self-signed. Otherwise the certificate
    /// must be valid for the host.
    tls: Option<MakeRustlsConnect>,
}

impl Target {
    pub(super) fn parse(url: &Secret) -> Result<Self, OpenError> {
        let mut config: Config = url.reveal().parse().map_err(|error: postgres::Error| {
            // The driver's message names the invalid part, never the password.
            OpenError::BadUrl(postgres_words(&error))
        })?;
        config.connect_timeout(CONNECT_TIMEOUT);
        if config.get_application_name().is_none() {
            config.application_name("lede");
        }
        let hosts = config.get_hosts();
        if hosts
            .iter()
            .any(|host| matches!(host, Host::Tcp(name) if name.contains('@')))
        {
            // Checked here because otherwise the error would show the end of the password as a host
            // name.
            let reason = "there is an @ too many: inside a password it is written %40";
            return Err(OpenError::BadUrl(reason.to_owned()));
        }
        let local = hosts.iter().all(|host| match host {
            Host::Tcp(name) => {
                name == "localhost"
                    || name
                        .parse()
                        .is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
            }
            #[cfg(unix)]
            Host::Unix(_) => true,
        });
        let plain = config.get_ssl_mode() == SslMode::Disable
            || (local && config.get_ssl_mode() != SslMode::Require);
        Ok(Self {
            config,
            tls: (!plain).then(rustls_with_public_roots),
        })
    }

    fn connect(&self, setup: &str) -> Result<Client, postgres::Error> {
        let mut client = match &self.tls {
            Some(tls) => self.config.connect(tls.clone())?,
            None => self.config.connect(NoTls)?,
        };
        client.batch_execute(setup)?;
        Ok(client)
    }

    /// Same as [`Self::connect`] for opening a store: maps the error.
    pub(super) fn connect_with(&self, setup: &str) -> Result<Client, OpenError> {
        self.connect(setup)
            .map_err(|error| self.unreachable(&error))
    }

    /// Opens a read-only connection without a time limit, for reading the whole database.
    pub(super) fn connect_to_read(&self) -> Result<Client, OpenError> {
        self.connect_with("SET statement_timeout = 0; SET default_transaction_read_only = on")
    }

    fn unreachable(&self, error: &postgres::Error) -> OpenError {
        let ports = self.config.get_ports().iter();
        let hosts = self.config.get_hosts().iter().zip(ports);
        let hosts = hosts.map(|(host, port)| match host {
            Host::Tcp(name) => format!("{name}:{port}"),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        });
        let host = hosts.collect::<Vec<_>>().join(", ");
        let reason = postgres_words(error);
        OpenError::Unreachable { host, reason }
    }
}

/// Interval at which the listener checks whether the receiver still exists.
const LISTEN_PATIENCE: Duration = Duration::from_secs(1);
/// A silent connection may be dead; it is tested after this number of intervals.
const SILENT_LOOKS: u32 = 30;
/// Delay before a lost connection is reopened.
const LISTEN_PAUSE: Duration = Duration::from_secs(2);

/// Receives notifications on a separate connection, which is reopened when it breaks.
pub(super) fn listen(
    target: &Arc<Target>,
    channel: &'static str,
) -> Result<mpsc::Receiver<String>, OpenError> {
    let (sender, receiver) = mpsc::channel(QUEUE);
    let target = Arc::clone(target);
    // Not one of the store's threads: it ends by itself, and closing the store does not wait for
    // it.
    spawn("lede-listen", move || {
        while !sender.is_closed() {
            if let Err(error) = listen_for(&target, channel, &sender) {
                tracing::warn!(
                    error = postgres_words(&error),
                    "the connection for notifications broke; reconnecting"
                );
                std::thread::sleep(LISTEN_PAUSE);
            }
        }
    })?;
    Ok(receiver)
}

/// Forwards notifications until the receiver is dropped or the connection breaks.
fn listen_for(
    target: &Target,
    channel: &str,
    sender: &mpsc::Sender<String>,
) -> Result<(), postgres::Error> {
    let mut client = target.connect(READ_ONLY)?;
    let channel: String = client.query_one(channel, &[])?.get(0);
    // Needs no quoting: the name is a prefix and a hash.
    client.batch_execute(&format!("LISTEN {channel}"))?;
    let _ = sender.try_send(String::new());
    let mut silent_looks = 0;
    while !sender.is_closed() {
        silent_looks += 1;
        {
            let mut notifications = client.notifications();
            let mut arriving = notifications.timeout_iter(LISTEN_PATIENCE);
            while let Some(notification) = arriving.next()? {
                silent_looks = 0;
                // A slow receiver loses notifications. They are hints; the counts are read again
                // anyway.
                let _ = sender.try_send(notification.payload().to_owned());
            }
        }
        if silent_looks >= SILENT_LOOKS {
            client.is_valid(CONNECT_TIMEOUT)?;
            silent_looks = 0;
        }
    }
    Ok(())
}

fn rustls_with_public_roots() -> MakeRustlsConnect {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let roots = rustls::RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map(|builder| builder.with_root_certificates(roots).with_no_client_auth());
    // Cannot fail: rustls' own provider supports its default versions.
    MakeRustlsConnect::new(config.expect("ring supports rustls' default protocol versions"))
}

/// A connection that is reopened when lost.
struct Line {
    target: Arc<Target>,
    session: Option<PgSession>,
    setup: &'static str,
}

impl Line {
    fn session(&mut self) -> Result<&mut PgSession, StoreError> {
        if self
            .session
            .as_ref()
            .is_some_and(|session| session.client.is_closed())
        {
            self.session = None;
        }
        if self.session.is_none() {
            let client = self
                .target
                .connect(self.setup)
                .map_err(|error| StoreError::Unreachable(postgres_words(&error)))?;
            self.session = Some(PgSession::new(client));
        }
        self.session.as_mut().ok_or(StoreError::Closed)
    }

    fn read(&mut self, mut job: Box<dyn Job>, counted: &mut Counted) {
        let outcome = self.with_retries(|session| {
            job.run(&mut Db::postgres(session, counted))
                .map_err(|failed| (failed, None))
        });
        job.finish(outcome.err().flatten());
    }

    /// Runs a job outside any transaction and without a time limit.
    fn run_maintenance(&mut self, mut job: Box<dyn Job>) {
        let outcome = self.with_retries(|session| {
            session.client.batch_execute(NO_TIMEOUT).map_err(|error| {
                let failed = Failed::Disconnected;
                (failed, Some(StoreError::from(error)))
            })?;
            job.run(&mut Db::postgres(session, &mut Counted::default()))
                .map_err(|failed| (failed, None))
        });
        // The next job gets a new connection with the usual limits.
        self.session = None;
        job.finish(outcome.err().flatten());
    }

    fn write(&mut self, mut job: Box<dyn Job>, signals: &Signals) {
        let mut marked = SignalSet::default();
        let outcome = self.with_retries(|session| {
            session.client.batch_execute(BEGIN).map_err(|error| {
                let failed = Failed::Disconnected;
                (failed, Some(StoreError::from(error)))
            })?;
            let mut counted = Counted::default();
            let mut db = Db::postgres(session, &mut counted);
            let ran = job.run(&mut db);
            marked = db.signals;
            if let Err(failed) = ran {
                // On a broken connection the server rolls back by itself.
                let _ = session.client.batch_execute("ROLLBACK");
                return Err((failed, None));
            }
            let commit = match marked == SignalSet::default() {
                true => COMMIT.to_owned(),
                // Sent in the same round trip. In a failed transaction this SELECT fails like the
                // one in COMMIT.
                false => format!("{}; {COMMIT}", signals.notify_sql(marked)),
            };
            session.client.batch_execute(&commit).map_err(|error| {
                let _ = session.client.batch_execute("ROLLBACK");
                let words = StoreError::NotCommitted(postgres_words(&error));
                // If the connection broke here, it is unknown whether the transaction was
                // committed. The caller gets an error; every use case can be repeated safely.
                let failed = match error.code().map(|code| code.code()) {
                    Some(code) if is_meeting(code) => Failed::Met,
                    _ => Failed::ForGood,
                };
                (failed, Some(words))
            })
        });
        if outcome.is_ok() {
            signals.fire(marked);
        }
        job.finish(outcome.err().flatten());
    }

    /// Runs `work` until it succeeds, fails permanently or reaches [`TRIES`]. The error is for the
    /// caller; it is `None` if the job holds its own.
    fn with_retries(
        &mut self,
        mut work: impl FnMut(&mut PgSession) -> Result<(), (Failed, Option<StoreError>)>,
    ) -> Result<(), Option<StoreError>> {
        let mut attempt = 1;
        loop {
            let tried = match self.session() {
                Ok(session) => work(session),
                Err(error) => Err((Failed::Disconnected, Some(error))),
            };
            let (failed, error) = match tried {
                Ok(()) => return Ok(()),
                Err(failure) => failure,
            };
            if failed == Failed::Disconnected {
                self.session = None;
            }
            if failed == Failed::ForGood || attempt == TRIES {
                return Err(error);
            }
            pause(attempt);
            attempt += 1;
        }
    }
}

/// Sleeps for a growing time that differs by thread, so that two writers do not conflict again in
/// step.
fn pause(attempt: u32) {
    let mut hasher = std::hash::DefaultHasher::new();
    std::hash::Hash::hash(&std::thread::current().id(), &mut hasher);
    let apart = Duration::from_millis(std::hash::Hasher::finish(&hasher) % 10);
    std::thread::sleep(FIRST_PAUSE * 2_u32.pow(attempt.min(8) - 1) + apart);
}
