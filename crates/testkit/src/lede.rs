//! A complete Lede instance for one test: real store, real HTTP, and a clock under the test's control.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use lede_core::accounts::IssuedToken;
use lede_core::accounts::oidc::ProviderSettings;
use lede_core::articles::ArticleSettings;
use lede_core::clock::Clock;
use lede_core::images::ImageProxy;
use lede_core::maintenance::disk::Disk;
use lede_core::{Lede, Registration, Settings, accounts};
use lede_model::address::WebUrl;
use lede_model::retention::Retention;
use lede_model::schedule::FailurePolicy;
use lede_model::secret::Secret;
use lede_model::time::Timestamp;
use lede_model::timetable::Timetable;
use lede_model::user::{Role, User};
use lede_net::Net;
use lede_server::{SetUpCode, SettingInForce, Transport};
use lede_store::{DatabaseLocation, Engine, Store};
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::http::Http;
use crate::postgres::{FreshSchema, fresh_schema_url};
use crate::site::Site;

/// The administrator of every test instance, unless `Options::is_empty` is set.
pub const ADMIN: &str = "ada@example.org";
/// The password of all accounts.
pub const PASSWORD: &str = "correct horse battery";

/// The time at which tests start: noon of a day in 2026.
const BEGINNING: Timestamp = Timestamp::from_seconds(1_773_489_600);

/// The maximum lifetime of a token.
const TOKEN_LIFE: Duration = Duration::from_secs(24 * 3600);

/// Runs `test` on SQLite and again on PostgreSQL.
pub async fn on_each_engine<F>(test: F)
where
    F: AsyncFn(TestLede),
{
    on_each_engine_with(Options::default(), test).await;
}

/// Runs `test` on both engines, with options.
pub async fn on_each_engine_with<F>(options: Options, test: F)
where
    F: AsyncFn(TestLede),
{
    for engine in [Engine::Sqlite, Engine::Postgres] {
        test(TestLede::start(engine, options.clone()).await).await;
    }
}

/// Runs `test` on a bare store of either engine.
pub async fn on_each_store<F>(test: F)
where
    F: AsyncFn(TestStore),
{
    for engine in [Engine::Sqlite, Engine::Postgres] {
        test(TestStore::open(engine)).await;
    }
}

/// Settings of a test instance.
#[derive(Clone)]
pub struct Options {
    /// True if no account exists yet.
    pub is_empty: bool,
    pub registration: Registration,
    /// Maximum number of subscriptions per user.
    pub max_subscriptions: i64,
    /// OpenID providers; outgoing requests to their addresses are allowed.
    pub providers: Vec<ProviderSettings>,
    /// Enables the rate limits besides the one on sign-in.
    pub rate_limit_enabled: bool,
    /// Timeouts of clients, and limits on their connections.
    pub transport: Transport,
    pub cors_origins: Vec<String>,
    /// Networks of trusted proxies.
    pub trusted_proxies: Vec<String>,
    /// Networks that may read `/metrics`.
    pub metrics_allowed: Vec<String>,
    /// Bearer token that gives access to `/metrics`.
    pub metrics_token: Option<String>,
    /// Public address of the instance.
    pub base_url: String,
    pub max_feed_bytes: u64,
    pub failure_policy: FailurePolicy,
    /// True if articles are fetched from their pages.
    pub fetches_articles: bool,
    /// Fetch times for all feeds, instead of intervals.
    pub timetable: Option<Timetable>,
    pub retention: Retention,
    /// Images that are served through the proxy.
    pub image_proxy: ImageProxy,
    /// Other sites that the instance may fetch from.
    pub other_sites: Vec<Site>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            is_empty: false,
            registration: Registration::Closed,
            max_subscriptions: 1000,
            providers: Vec::new(),
            rate_limit_enabled: false,
            transport: Transport::default(),
            cors_origins: Vec::new(),
            trusted_proxies: Vec::new(),
            metrics_allowed: Vec::new(),
            metrics_token: None,
            base_url: "http://localhost:8080".to_owned(),
            max_feed_bytes: 1024 * 1024,
            fetches_articles: true,
            failure_policy: FailurePolicy::Patient,
            timetable: None,
            retention: Retention::default(),
            image_proxy: ImageProxy::All,
            other_sites: Vec::new(),
        }
    }
}

/// A clock that only the test advances.
#[derive(Clone)]
pub struct TestClock(Arc<AtomicI64>);

impl TestClock {
    fn new() -> Self {
        Self(Arc::new(AtomicI64::new(BEGINNING.as_ms())))
    }

    pub fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.0.load(Ordering::SeqCst))
    }

    pub fn advance(&self, by: Duration) {
        self.0.store((self.now() + by).as_ms(), Ordering::SeqCst);
    }

    /// Sets it to the system time, for tests with a separate program that uses it.
    #[expect(
        clippy::disallowed_methods,
        reason = "the program beside the test asks the system, so the test has to"
    )]
    pub fn catch_up(&self) {
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .expect("the system's clock is past 1970");
        let now = i64::try_from(now.as_millis()).expect("a time of this age");
        self.0.store(now, Ordering::SeqCst);
    }

    /// Returns this clock in the form that Lede uses.
    pub fn clock(&self) -> Clock {
        let clock = self.clone();
        Clock::new(move || clock.now())
    }
}

/// A disk whose free space the test controls; initially a tebibyte.
#[derive(Clone)]
pub struct TestDisk(Arc<AtomicU64>);

impl TestDisk {
    fn new() -> Self {
        Self(Arc::new(AtomicU64::new(1 << 40)))
    }

    /// Sets the number of free bytes.
    pub fn leave(&self, bytes: u64) {
        self.0.store(bytes, Ordering::SeqCst);
    }

    /// Returns this disk in the form that Lede uses.
    fn disk(&self) -> Disk {
        let free = Arc::clone(&self.0);
        Disk::new(move || Some(free.load(Ordering::SeqCst)))
    }
}

/// A store that is deleted at the end of its test.
pub struct TestStore {
    pub store: Store,
    /// Location of the store, for opening it a second time.
    pub place: DatabaseLocation,
    // Dropped after the store.
    _folder: TempDir,
    _schema: Option<FreshSchema>,
}

impl TestStore {
    /// Creates an empty store.
    pub fn open(engine: Engine) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (place, schema) = match engine {
            Engine::Sqlite => (DatabaseLocation::File(folder.path().join("lede.db")), None),
            Engine::Postgres => {
                let schema = fresh_schema_url();
                (
                    DatabaseLocation::Server(Secret::new(schema.url.clone())),
                    Some(schema),
                )
            }
        };
        let opened = place.clone();
        // The synchronous driver brings its own runtime and must not start inside another.
        let store = std::thread::spawn(move || Store::open(&opened))
            .join()
            .expect("opening does not panic");
        Self {
            store: store.expect("a fresh store opens"),
            place,
            _folder: folder,
            _schema: schema,
        }
    }
}

/// Location of a closed store, which is deleted at the end of its test.
pub struct ClosedStore {
    pub place: DatabaseLocation,
    _folder: TempDir,
    _schema: Option<FreshSchema>,
}

impl TestStore {
    /// Closes the store without deleting it.
    pub fn closed(self) -> ClosedStore {
        self.store.close();
        ClosedStore {
            place: self.place,
            _folder: self._folder,
            _schema: self._schema,
        }
    }
}

/// A complete Lede instance with its server.
pub struct TestLede {
    /// The use cases, for operations that no API offers.
    pub lede: Lede,
    pub clock: TestClock,
    /// The disk of its database.
    pub disk: TestDisk,
    /// A site that it may fetch from.
    pub site: Site,
    /// Code that is required for setting the instance up from another machine.
    pub set_up_code: SetUpCode,
    address: SocketAddr,
    kept: TestStore,
}

impl Options {
    /// Settings of outgoing requests: they reach the fake sites and providers only.
    fn net(&self, site: &Site) -> lede_net::Settings {
        let mut allow = vec![site.address().to_string()];
        allow.extend(
            self.other_sites
                .iter()
                .map(|site| site.address().to_string()),
        );
        let issuers = self
            .providers
            .iter()
            .filter_map(|provider| WebUrl::parse(&provider.issuer).ok());
        allow.extend(issuers.map(|url| format!("{}:{}", url.host(), url.port())));
        lede_net::Settings {
            allow: allow.join(",").parse().expect("an allow-list"),
            host_interval: Duration::ZERO,
            max_feed_bytes: self.max_feed_bytes,
            ..lede_net::Settings::default()
        }
    }

    fn core(&self) -> Settings {
        Settings {
            registration: self.registration,
            session_idle: Duration::from_secs(14 * 24 * 3600),
            login_token_life: Duration::from_secs(24 * 3600),
            max_subscriptions: self.max_subscriptions,
            base_url: WebUrl::parse(&self.base_url).expect("a base URL"),
            providers: self.providers.clone(),
            failure_policy: self.failure_policy,
            redirect_adopt_after: Duration::from_secs(7 * 24 * 3600),
            fetch_interval: Duration::from_secs(5),
            articles: ArticleSettings {
                enabled: self.fetches_articles,
                threshold: 1500,
                parallelism: 2,
            },
            timetable: self.timetable.clone(),
            backups: None,
            retention: self.retention.clone(),
            image_proxy: self.image_proxy,
            jwt_secret: None,
        }
    }

    fn server(&self) -> lede_server::Settings {
        let networks = |texts: &[String]| {
            texts
                .iter()
                .map(|text| text.parse().expect("a network"))
                .collect()
        };
        lede_server::Settings {
            trusted_proxies: networks(&self.trusted_proxies),
            cors_origins: self.cors_origins.clone(),
            rate_limit_enabled: self.rate_limit_enabled,
            transport: self.transport.clone(),
            metrics_allowed: networks(&self.metrics_allowed),
            metrics_token: self.metrics_token.clone().map(Secret::new),
            in_force: vec![SettingInForce {
                name: "REGISTRATION".to_owned(),
                shown: "closed".to_owned(),
                origin: "default",
            }],
        }
    }
}

impl TestLede {
    /// Starts an instance on `engine`.
    pub async fn start(engine: Engine, options: Options) -> Self {
        let kept = TestStore::open(engine);
        let clock = TestClock::new();
        let site = Site::start().await;
        let net = Net::new(options.net(&site)).expect("valid settings");
        let disk = TestDisk::new();
        let store = kept.store.clone();
        let lede = Lede::new(store, net, clock.clock(), disk.disk(), options.core())
            .await
            .expect("a fresh Lede");
        if !options.is_empty {
            let login = if options.registration == Registration::SingleUser {
                "owner"
            } else {
                ADMIN
            };
            accounts::ensure_account(&lede, login, &Secret::new(PASSWORD), Role::Admin)
                .await
                .expect("an account");
        }
        let server = options.server();
        let set_up_code = SetUpCode::new();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .expect("a free port on loopback");
        let address = listener
            .local_addr()
            .expect("a bound listener has an address");
        let router = lede_server::router(lede.clone(), server.clone(), set_up_code.clone());
        tokio::spawn(async move {
            lede_server::serve(listener, router, &server, std::future::pending()).await;
        });
        tokio::spawn(lede_core::live_updates::run(
            lede.clone(),
            std::future::pending(),
        ));
        Self {
            lede,
            clock,
            disk,
            site,
            set_up_code,
            address,
            kept,
        }
    }

    /// Returns the use cases as seen by another process on the same store, such as `lede worker`.
    /// The store must be PostgreSQL.
    pub async fn elsewhere(&self) -> Lede {
        let place = self.kept.place.clone();
        let store = std::thread::spawn(move || Store::open(&place))
            .join()
            .expect("opening does not panic")
            .expect("the store opens a second time");
        let settings = Settings::clone(&self.lede.settings);
        Lede::new(
            store,
            self.lede.net.clone(),
            self.lede.clock.clone(),
            self.lede.disk.clone(),
            settings,
        )
        .await
        .expect("a second Lede")
    }

    /// Fetches every feed that is due by the test's clock.
    pub async fn work(&self) {
        lede_core::worker::run_once(&self.lede).await;
    }

    /// Location of the store, for queries that bypass Lede.
    pub fn place(&self) -> &DatabaseLocation {
        &self.kept.place
    }

    /// Returns the address of `path` on the server.
    pub fn url(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.address.port())
    }

    /// The address that it listens on, for tests that write raw HTTP.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A client that is not signed in.
    pub fn visitor(&self) -> Http {
        Http::new(self.address)
    }

    /// A client of the administrator, with a token.
    pub async fn admin(&self) -> Http {
        self.signed_in(ADMIN).await
    }

    /// A client of another user, with a token. Creates the account if it does not exist.
    pub async fn person(&self, email: &str, role: Role) -> Http {
        let password = Secret::new(PASSWORD);
        accounts::ensure_account(&self.lede, email, &password, role)
            .await
            .expect("an account");
        self.signed_in(email).await
    }

    async fn signed_in(&self, email: &str) -> Http {
        let password = Secret::new(PASSWORD);
        let user = accounts::sign_in(&self.lede, email, &password)
            .await
            .expect("the account signs in");
        keep_signed_in(&self.visitor(), self.lede.clone(), user).await
    }

    /// A client of the administrator with a session cookie instead of a token, like a browser.
    pub async fn browser(&self) -> Http {
        let visitor = self.visitor();
        let answer = visitor
            .fill(
                "/auth/login",
                "/auth/login",
                &[("email", ADMIN), ("password", PASSWORD)],
            )
            .await;
        answer.expect(303);
        visitor
    }
}

/// Returns a client with a token of `user` that is renewed when it has expired by the test's clock:
/// tests advance the clock by months.
pub async fn keep_signed_in(client: &Http, lede: Lede, user: User) -> Http {
    let issued = Arc::new(tokio::sync::Mutex::new(new_token(&lede, &user).await));
    client.with_token_source(Arc::new(move || {
        let (lede, user, issued) = (lede.clone(), user.clone(), issued.clone());
        Box::pin(async move {
            let mut issued = issued.lock().await;
            if lede.clock.now() >= issued.expires_at {
                *issued = new_token(&lede, &user).await;
            }
            issued.token.clone()
        })
    }))
}

async fn new_token(lede: &Lede, user: &User) -> IssuedToken {
    let issued = accounts::issue_token(lede, user, TOKEN_LIFE).await;
    issued.expect("a token")
}
