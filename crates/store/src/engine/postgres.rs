//! PostgreSQL: a few threads with a connection each, half of them for reading.
//!
//! Reads run in autocommit (a `BEGIN`/`COMMIT` pair doubled their cost) on connections that
//! cannot write; writes run in a transaction that is tried again when two writers meet. A lost
//! connection is made anew; what was certainly not committed is run again.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use lede_model::secret::Secret;
use postgres::config::{Host, SslMode};
use postgres::{Client, Config, NoTls};
use tokio::sync::mpsc;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::connection::PgSession;
use super::error::postgres_words;
use super::job::Failed;
use super::{
    Db, Engine, Job, OpenError, QUEUE, Shared, SharedQueue, Store, StoreError, next_job, spawn,
};
use crate::migrate;

/// Connections for reading and for writing.
const READERS: usize = 4;
const WRITERS: usize = 4;
/// How often a write is tried when it meets others or loses its connection.
const TRIES: u32 = 5;
/// Waiting before the second try; each later one waits twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A statement, a lock and an idle transaction may take so long (hardening 7.7, 10.3).
const TIMEOUTS: &str = "SET statement_timeout = '5s'; SET lock_timeout = '4s'; \
                        SET idle_in_transaction_session_timeout = '30s'";

pub(super) fn open(url: &Secret) -> Result<Store, OpenError> {
    let target = Arc::new(Target::parse(url)?);
    let mut first = target
        .connect("")
        .map_err(|error| target.unreachable(&error))?;
    migrate::postgres(&mut first)?;

    let (writes, write_queue) = mpsc::channel(QUEUE);
    let (reads, read_queue) = mpsc::channel(QUEUE);
    let write_queue: SharedQueue = Arc::new(Mutex::new(write_queue));
    let read_queue: SharedQueue = Arc::new(Mutex::new(read_queue));
    let mut threads = Vec::new();
    let mut first = Some(first);
    for _ in 0..WRITERS {
        let mut line = Line {
            target: Arc::clone(&target),
            session: first.take().map(PgSession::new),
            setup: TIMEOUTS,
        };
        let queue = Arc::clone(&write_queue);
        threads.push(spawn("lede-write", move || {
            while let Some(job) = next_job(&queue) {
                line.write(job);
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
            while let Some(job) = next_job(&queue) {
                if !job.is_abandoned() {
                    line.read(job);
                }
            }
        })?);
    }
    let shared = Shared {
        engine: Engine::Postgres,
        reads,
        writes,
        threads: Mutex::new(threads),
        _lock: None,
    };
    Ok(Store {
        shared: Arc::new(shared),
    })
}

/// What the server at `url` holds, found out without writing to it.
pub(super) fn inspect(url: &Secret) -> Result<String, OpenError> {
    let target = Target::parse(url)?;
    let mut client = target
        .connect(READ_ONLY)
        .map_err(|error| target.unreachable(&error))?;
    let server: String = client
        .query_one("SHOW server_version", &[])
        .map(|row| row.get(0))
        .map_err(|error| target.unreachable(&error))?;
    let version = migrate::postgres_version(&mut client)?;
    Ok(format!("PostgreSQL {server} answers, schema {version}"))
}

const READ_ONLY: &str = "SET statement_timeout = '5s'; SET default_transaction_read_only = on";

/// Where to connect and how.
struct Target {
    config: Config,
    /// `None` on the same machine, where nobody stands in between and server certificates are
    /// self-made; elsewhere the certificate must be valid for the host.
    tls: Option<MakeRustlsConnect>,
}

impl Target {
    fn parse(url: &Secret) -> Result<Self, OpenError> {
        let mut config: Config = url.reveal().parse().map_err(|error: postgres::Error| {
            // The driver's words name the bad part, never the password.
            OpenError::BadUrl(error.to_string())
        })?;
        config.connect_timeout(CONNECT_TIMEOUT);
        config.application_name("lede");
        let local = config.get_hosts().iter().all(|host| match host {
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
        if !setup.is_empty() {
            client.batch_execute(setup)?;
        }
        Ok(client)
    }

    fn unreachable(&self, error: &postgres::Error) -> OpenError {
        let hosts = self.config.get_hosts().iter().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        });
        let host = hosts.collect::<Vec<_>>().join(", ");
        let reason = postgres_words(error);
        OpenError::Unreachable { host, reason }
    }
}

fn rustls_with_public_roots() -> MakeRustlsConnect {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let roots = rustls::RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map(|builder| builder.with_root_certificates(roots).with_no_client_auth());
    // Cannot fail: the versions are rustls' own defaults, which its own provider supports.
    MakeRustlsConnect::new(config.expect("ring supports rustls' default protocol versions"))
}

/// One connection and how to get it back.
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

    fn read(&mut self, mut job: Box<dyn Job>) {
        for attempt in 1.. {
            let session = match self.session() {
                Ok(session) => session,
                Err(error) => return job.finish(Some(error)),
            };
            match job.run(&mut Db::postgres(session)) {
                Err(Failed::Disconnected | Failed::Serialisation) if attempt < TRIES => {
                    pause(attempt)
                }
                _ => return job.finish(None),
            }
        }
    }

    fn write(&mut self, mut job: Box<dyn Job>) {
        for attempt in 1.. {
            let session = match self.session() {
                Ok(session) => session,
                Err(error) => return job.finish(Some(error)),
            };
            if let Err(error) = session.client.batch_execute("BEGIN") {
                if attempt < TRIES {
                    pause(attempt);
                    continue;
                }
                return job.finish(Some(error.into()));
            }
            match job.run(&mut Db::postgres(session)) {
                Ok(()) => match session.client.batch_execute("COMMIT") {
                    Ok(()) => return job.finish(None),
                    Err(error) if is_serialisation(&error) && attempt < TRIES => pause(attempt),
                    // Whether it was committed is not known when the line broke here: the caller
                    // is told, and every use case may be repeated.
                    Err(error) => {
                        return job.finish(Some(StoreError::NotCommitted(postgres_words(&error))));
                    }
                },
                Err(why) => {
                    // On a broken line the server rolls back by itself.
                    let _ = session.client.batch_execute("ROLLBACK");
                    if why == Failed::ForGood || attempt >= TRIES {
                        return job.finish(None);
                    }
                    pause(attempt);
                }
            }
        }
    }
}

fn is_serialisation(error: &postgres::Error) -> bool {
    matches!(
        error.code().map(|code| code.code()),
        Some("40001" | "40P01")
    )
}

/// Growing pauses, apart by thread so that two writers do not meet again in step.
fn pause(attempt: u32) {
    let mut hasher = std::hash::DefaultHasher::new();
    std::hash::Hash::hash(&std::thread::current().id(), &mut hasher);
    let apart = Duration::from_millis(std::hash::Hasher::finish(&hasher) % 10);
    std::thread::sleep(FIRST_PAUSE * 2_u32.pow(attempt.min(8) - 1) + apart);
}
