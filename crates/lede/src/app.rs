//! Assembly of the process: store, net, core and server, in this order.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use lede_core::clock::Clock;
use lede_core::maintenance::disk::Disk;
use lede_core::maintenance::health;
use lede_core::{Lede, Registration, accounts, live_updates, worker};
use lede_model::time::Timestamp;
use lede_model::user::{OWNER, Role};
use lede_net::Net;
use lede_server::SetUpCode;
use lede_store::{DatabaseLocation, OpenError, Store};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::config::{Config, default_base_url};
use crate::handles;

/// Interval at which expired sessions and tokens are removed.
const SWEEP_EVERY: std::time::Duration = std::time::Duration::from_secs(3600);

/// The process that fetches feeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    Here,
    /// A separate `lede worker`.
    Elsewhere,
}

/// The assembled instance, ready to serve.
pub(crate) struct App {
    pub(crate) lede: Lede,
    listener: TcpListener,
    server: lede_server::Settings,
}

impl App {
    /// Creates the async runtime that everything runs on.
    pub(crate) fn runtime() -> anyhow::Result<Runtime> {
        tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .context("cannot start threads; raise the limits of the process")
    }

    /// Opens everything that the configuration names. The port comes first: it is the quickest to
    /// fail, and a second instance should not get as far as the database.
    pub(crate) async fn build(mut config: Config) -> anyhow::Result<Self> {
        let listener = listen(config.listen).await?;
        if config.core.base_url.port() == 0 {
            // The default for SERVER_PORT=0: the port that the system chose is known only now.
            config.core.base_url = default_base_url(listener.local_addr()?.port())?;
        }
        let (accounts, app_password) = (config.accounts, config.app_password);
        let mut server = config.server;
        handles::make_room_for(&mut server.transport);
        let lede = open(config.place, config.net, config.core).await?;
        if let Some(password) = &app_password {
            accounts::ensure_account(&lede, OWNER, password, Role::Admin).await?;
        }
        for account in &accounts {
            accounts::ensure_account(
                &lede,
                account.email.as_str(),
                &account.password,
                account.role,
            )
            .await?;
        }
        Ok(Self {
            lede,
            listener,
            server,
        })
    }

    /// Returns the address that the server listens on.
    pub(crate) fn address(&self) -> anyhow::Result<SocketAddr> {
        self.listener.local_addr().map_err(Into::into)
    }

    /// Serves until the process is asked to stop.
    pub(crate) async fn serve(self, work: Work) -> anyhow::Result<()> {
        let address = self.address()?;
        // Before the log says that the server listens: a stop may be requested from then on.
        let stop = asked_to_stop()?;
        let code = SetUpCode::new();
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            engine = self.lede.store.engine().as_str(),
            "Lede listens on http://{address}"
        );
        let is_single_user = self.lede.settings.registration == Registration::SingleUser;
        if !is_single_user && accounts::needs_set_up(&self.lede).await? {
            tracing::info!(
                "open {} to set Lede up; from another machine, use the set-up code {}",
                self.lede.settings.base_url,
                code.reveal()
            );
        }
        let store = self.lede.store.clone();
        let sweeper = tokio::spawn(remove_expired_sessions(self.lede.clone()));
        let (stopping, stopped) = watch::channel(false);
        let until_stopped = || {
            let mut stopped = stopped.clone();
            // The sender lives until the end of this function.
            async move { drop(stopped.wait_for(|stopped| *stopped).await) }
        };
        let worker = (work == Work::Here)
            .then(|| tokio::spawn(worker::run(self.lede.clone(), until_stopped())));
        let check = {
            let (store, stopped) = (store.clone(), stopped.clone());
            tokio::task::spawn_blocking(move || {
                store.check_while_serving(move || *stopped.borrow())
            })
        };
        let watcher = tokio::spawn(health::run(self.lede.clone(), until_stopped()));
        let teller = tokio::spawn(live_updates::run(self.lede.clone(), until_stopped()));
        let stopping = Arc::new(stopping);
        let stopping_on_damage = Arc::clone(&stopping);
        tokio::spawn(async move {
            stop.await;
            let _ = stopping.send(true);
        });
        // Serving a damaged file could spread the damage.
        let check = tokio::spawn(async move {
            let found = check.await?;
            if let Err(error) = &found {
                tracing::error!(%error, "the database is damaged; stopping");
                let _ = stopping_on_damage.send(true);
            }
            found.map_err(anyhow::Error::from)
        });
        let router = lede_server::router(self.lede, self.server.clone(), code);
        lede_server::serve(self.listener, router, &self.server, until_stopped()).await;
        teller.await?;
        watcher.await?;
        if let Some(worker) = worker {
            worker.await?;
        }
        let integrity = check.await?;
        sweeper.abort();
        // The task must have ended before the last handle of the store can close it.
        let _ = sweeper.await;
        tokio::task::spawn_blocking(move || store.close()).await?;
        tracing::info!("stopped");
        integrity
    }
}

/// Opens store and net. Opening the store checks and migrates it, which blocks.
pub(crate) async fn open(
    place: DatabaseLocation,
    net: lede_net::Settings,
    settings: lede_core::Settings,
) -> anyhow::Result<Lede> {
    build(place, net, settings, Store::open).await
}

/// Opens store and net for a command that may run beside a server. If none is running, it prevents
/// one from starting until the command is done.
pub(crate) async fn open_beside(
    place: DatabaseLocation,
    net: lede_net::Settings,
    settings: lede_core::Settings,
) -> anyhow::Result<Lede> {
    build(place, net, settings, |place| match Store::open(place) {
        Err(OpenError::InUse(_)) => Store::open_beside(place),
        opened => opened,
    })
    .await
}

async fn build(
    place: DatabaseLocation,
    net: lede_net::Settings,
    settings: lede_core::Settings,
    open: fn(&DatabaseLocation) -> Result<Store, OpenError>,
) -> anyhow::Result<Lede> {
    let disk_of = place.clone();
    let disk = Disk::new(move || disk_of.free_bytes());
    let store = tokio::task::spawn_blocking(move || open(&place)).await??;
    Ok(Lede::new(store, Net::new(net)?, system_clock(), disk, settings).await?)
}

/// Only fetches feeds, until the process is asked to stop.
pub(crate) async fn work(config: Config) -> anyhow::Result<()> {
    let stop = asked_to_stop()?;
    let lede = open(config.place, config.net, config.core).await?;
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "worker started");
    let store = lede.store.clone();
    worker::run(lede, stop).await;
    tokio::task::spawn_blocking(move || store.close()).await?;
    tracing::info!("stopped");
    Ok(())
}

async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            anyhow!("port {} is in use; stop the program that uses it, or set SERVER_PORT to another port", address.port())
        }
        std::io::ErrorKind::PermissionDenied => {
            anyhow!("permission denied for port {}; set SERVER_PORT to 1024 or above", address.port())
        }
        _ => anyhow!("cannot listen on {address} ({error}); check BIND_ADDR and SERVER_PORT"),
    })
}

/// Creates the clock. This is the only code that reads the system time.
#[expect(
    clippy::disallowed_methods,
    reason = "the clock is made here and handed down"
)]
pub(crate) fn system_clock() -> Clock {
    Clock::new(|| {
        let since_epoch = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp::EPOCH + since_epoch
    })
}

async fn remove_expired_sessions(lede: Lede) {
    loop {
        if let Err(error) = accounts::remove_expired(&lede).await {
            tracing::warn!(%error, "could not remove expired sessions");
        }
        tokio::time::sleep(SWEEP_EVERY).await;
    }
}

/// Returns a future that is ready when the process is asked to stop. A second request exits at
/// once. Signals are caught from this call on, not from the first `.await`.
fn asked_to_stop() -> anyhow::Result<impl Future<Output = ()>> {
    let mut signals = StopSignals::install().context("cannot install signal handlers")?;
    Ok(async move {
        signals.next().await;
        tracing::info!("stopping; waiting for requests to finish");
        tokio::spawn(async move {
            signals.next().await;
            std::process::exit(130);
        });
    })
}

#[cfg(unix)]
struct StopSignals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl StopSignals {
    fn install() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct StopSignals;

#[cfg(not(unix))]
impl StopSignals {
    fn install() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
