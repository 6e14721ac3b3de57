//! Declarations of all settings.

/// A setting as documented for operators.
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    /// Empty if there is no default.
    pub(crate) default: &'static str,
    /// Description of valid values, which completes the sentence "but it takes".
    pub(crate) takes: &'static str,
    pub(crate) is_secret: bool,
    /// One sentence about the effect, for `docs/CONFIGURATION.md`.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the test of the documentation reads it")
    )]
    pub(crate) about: &'static str,
}

/// The parts of an `OIDC_<NAME>_…` group.
pub(crate) const OIDC_PARTS: [&str; 3] = ["ISSUER", "CLIENT_ID", "CLIENT_SECRET"];

const fn setting(
    name: &'static str,
    default: &'static str,
    takes: &'static str,
    about: &'static str,
) -> Setting {
    Setting {
        name,
        default,
        takes,
        is_secret: false,
        about,
    }
}

const fn secret(name: &'static str, takes: &'static str, about: &'static str) -> Setting {
    Setting {
        name,
        default: "",
        takes,
        is_secret: true,
        about,
    }
}

const DURATION: &str = "a duration like 10s, 5m, 24h or 7d";
const TIMEOUT: &str = "a duration from 1s to 1h";
const NETWORKS: &str = "networks like 10.0.0.0/8, separated by commas";

/// All settings, in the order of the documentation.
pub(crate) const SETTINGS: &[Setting] = &[
    setting(
        "SERVER_PORT",
        "8080",
        "a port from 0 to 65535",
        "The port that Lede serves on.",
    ),
    setting(
        "BIND_ADDR",
        "127.0.0.1",
        "an IP address",
        "The address that Lede serves on; `0.0.0.0` or `::` for every network.",
    ),
    setting(
        "BASE_URL",
        "",
        "an http or https address",
        "Where people reach this Lede; `http://localhost:PORT` unless set. With https, cookies are marked secure.",
    ),
    setting(
        "DATABASE_PATH",
        "./data/lede.db",
        "a file path",
        "The SQLite file, used unless `DATABASE_URL` is set.",
    ),
    secret(
        "DATABASE_URL",
        "an address like postgres://user:password@host:5432/database",
        "Runs Lede on PostgreSQL. TLS is used except on the same machine.",
    ),
    secret(
        "APP_PASSWORD",
        "a password",
        "Single-user mode: one owner, who is asked for this password only.",
    ),
    secret(
        "JWT_SECRET",
        "at least 32 random characters",
        "Signs bearer tokens and seals the passwords of feeds, which must be entered again when it changes. Unset, one is made and kept in the database.",
    ),
    setting(
        "JWT_EXPIRATION_HOURS",
        "24",
        "a number of hours from 1 to 24",
        "How long a token from `/api/auth/login` lives.",
    ),
    setting(
        "ADMIN_EMAIL",
        "",
        "an e-mail address",
        "An administrator that exists from the start.",
    ),
    secret("ADMIN_PASSWORD", "a password", "Its password."),
    setting(
        "VIEWER_EMAIL",
        "",
        "an e-mail address",
        "A viewer that exists from the start.",
    ),
    secret("VIEWER_PASSWORD", "a password", "Its password."),
    setting(
        "REGISTRATION",
        "closed",
        "open or closed",
        "Whether strangers may make an account after the first one.",
    ),
    setting(
        "SESSION_MAX_AGE",
        "14d",
        DURATION,
        "How long a session lives unused; after 90 days it ends in any case.",
    ),
    setting(
        "GOOGLE_CLIENT_ID",
        "",
        "a client id",
        "Lets people sign in with Google.",
    ),
    secret("GOOGLE_CLIENT_SECRET", "a client secret", "Belongs to it."),
    setting(
        "GOOGLE_REDIRECT_URL",
        "",
        "an http or https address",
        "Where Google sends people back; `BASE_URL/auth/google/callback` unless set.",
    ),
    setting(
        "CORS_ALLOWED_ORIGINS",
        "",
        "origins like https://app.example.org, separated by commas",
        "Other origins whose scripts may call the API.",
    ),
    setting(
        "TRUSTED_PROXY_CIDRS",
        "",
        NETWORKS,
        "Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.",
    ),
    setting(
        "RATE_LIMIT_ENABLED",
        "true",
        "true or false",
        "Rate limits; those on sign-in always hold.",
    ),
    setting(
        "REQUEST_HEAD_TIMEOUT",
        "15s",
        TIMEOUT,
        "How long a connection may take to send its first byte, and each request to send its head.",
    ),
    setting(
        "REQUEST_BODY_TIMEOUT",
        "30s",
        TIMEOUT,
        "How long a request may take to send its body. Every 16 KiB that arrive add a second, so that a large upload over a slow line goes through.",
    ),
    setting(
        "REQUEST_PROGRESS_TIMEOUT",
        "10s",
        TIMEOUT,
        "How long a request may pause while it sends its body.",
    ),
    setting(
        "KEEP_ALIVE_TIMEOUT",
        "3m",
        TIMEOUT,
        "How long a connection stays open without a request. It should be longer than a proxy in front of Lede keeps its connections.",
    ),
    setting(
        "MAX_CONNECTIONS",
        "4096",
        "a number from 16 to 100000",
        "How many connections may be open at once. Lede raises its limit on open files for them where the system allows; where it does not, there are as many as fit. When all are in use, a new one takes the place of the one that has been idle longest.",
    ),
    setting(
        "MAX_CONNECTIONS_PER_ADDRESS",
        "1024",
        "a number from 1 to 100000",
        "How many of them one address may have, or one /64 network of IPv6. Proxies in `TRUSTED_PROXY_CIDRS` may have all.",
    ),
    setting(
        "FETCH_TIMEOUT",
        "10s",
        "a duration from 1s to 5m",
        "How long fetching a feed may take, redirects included.",
    ),
    setting(
        "FETCH_MAX_SIZE",
        "32MiB",
        "a size from 1KiB to 512MiB, or bytes",
        "How large a feed may be, unpacked.",
    ),
    setting(
        "FETCH_MAX_CONCURRENT",
        "10",
        "a number from 1 to 500",
        "How many bodies are received at a time; requests that still wait for an answer do not count.",
    ),
    setting(
        "FETCH_HOST_INTERVAL",
        "3s",
        "a duration up to 1h; 0 switches it off",
        "The pause between two requests to one registrable domain.",
    ),
    setting(
        "FETCH_INTERVAL",
        "5s",
        "a duration from 1s to 5m",
        "How often the worker looks for feeds that are due.",
    ),
    setting(
        "CRON_SCHEDULE",
        "",
        "a cron expression of five fields like `0 6,18 * * *`, or @hourly, @daily, @weekly, @monthly",
        "Fetches all feeds at these times, instead of each at the interval that its followers chose. A feed that is planned otherwise when this is set keeps that plan once. Servers that ask for more time get it, and a feed that failed is tried again as always.",
    ),
    setting(
        "CRON_TIMEZONE",
        "UTC",
        "a time zone that this system knows, like Europe/Lisbon",
        "The time zone of `CRON_SCHEDULE`.",
    ),
    setting(
        "FETCH_FAILURE_POLICY",
        "patient",
        "patient, strict or one_strike",
        "How soon a new feed that fails is given up: after days, when its server refuses it, or at the first failure.",
    ),
    setting(
        "REDIRECT_ADOPT_AFTER",
        "7d",
        DURATION,
        "How long a permanent redirect must hold before it becomes the feed's address; 0 adopts it at once.",
    ),
    setting(
        "FETCH_ALLOW",
        "",
        "host, address or network, each with or without :port, separated by commas",
        "Destinations on private networks that feeds, sign-in and models may be fetched from.",
    ),
    setting(
        "CONTENT_FETCH_ENABLED",
        "true",
        "true or false",
        "Fetches articles from their pages where feeds have only their beginning.",
    ),
    setting(
        "CONTENT_FETCH_THRESHOLD",
        "1500",
        "a number from 0 to 100000",
        "Items with fewer characters of text are fetched when they arrive; shorter ones than 200 also when they are opened.",
    ),
    setting(
        "CONTENT_FETCH_TIMEOUT",
        "15s",
        "a duration from 1s to 5m",
        "How long fetching an article may take, redirects included.",
    ),
    setting(
        "CONTENT_FETCH_PARALLELISM",
        "10",
        "a number from 1 to 100",
        "How many articles are fetched at a time, within `FETCH_MAX_CONCURRENT`.",
    ),
    setting(
        "CONTENT_FETCH_MAX_BODY_SIZE",
        "10MiB",
        "a size from 1KiB to 512MiB, or bytes",
        "How large an article's page may be, unpacked.",
    ),
    setting(
        "CONTENT_FETCH_MAX_REDIRECTS",
        "5",
        "a number from 0 to 10",
        "How many redirects an article's page may take.",
    ),
    setting(
        "TLS_CA_FILE",
        "",
        "a PEM file with at least one certificate",
        "Certificate authorities that are trusted besides the public ones.",
    ),
    setting(
        "MAX_SUBSCRIPTIONS",
        "1000",
        "a number from 1 to 100000",
        "Feeds that one person may follow.",
    ),
    setting(
        "BACKUP_HOUR",
        "4",
        "an hour from 0 to 23",
        "From which hour on, in the time zone of the system (`TZ`), the backup of the day is made.",
    ),
    setting(
        "BACKUP_KEEP",
        "7",
        "a number from 0 to 1000",
        "How many of these backups are kept; 0 makes none.",
    ),
    setting(
        "BACKUP_DIR",
        "",
        "a folder",
        "Where they are kept: `backups` beside the SQLite file unless set. With PostgreSQL none are made unless this is set, because its operator has ways of their own.",
    ),
    setting(
        "MAX_POST_AGE_DAYS",
        "180",
        "a number of days up to 36500; 0 for no limit",
        "Items that everybody has read are removed so long after they were last read. Starred items are never removed, by this or any other limit.",
    ),
    setting(
        "MAX_UNREAD_DAYS",
        "90",
        "a number of days up to 36500; 0 for no limit",
        "Items that somebody has not read are removed so long after they came.",
    ),
    setting(
        "MAX_POSTS_PER_FEED",
        "500",
        "a number up to 1000000; 0 for no limit",
        "Of each feed, items beyond the newest so many are removed once everybody has read them.",
    ),
    setting(
        "MAX_DB_SIZE_MB",
        "1024",
        "a number of megabytes; 0 for no limit",
        "A larger database gives back unused room and removes read items sooner, down to 30 days after they were read; where that does not help, everybody is told.",
    ),
    setting(
        "CLEANUP_HOUR",
        "3",
        "an hour from 0 to 23",
        "When old items are removed, once a day; after a missed hour, at the next start.",
    ),
    setting(
        "TZ",
        "UTC",
        "a time zone that this system knows, like Europe/Lisbon",
        "The time zone of `CLEANUP_HOUR`.",
    ),
    setting(
        "IMAGE_PROXY",
        "all",
        "all, http or off",
        "Which pictures are shown through Lede: `all`, so that publishers do not see your readers; `http`, only those without TLS, which browsers do not show on an https page; or `off`, none.",
    ),
    setting(
        "LOG_LEVEL",
        "info",
        "error, warn, info, debug or trace",
        "How much is logged.",
    ),
    setting(
        "LOG_FORMAT",
        "auto",
        "auto, json or text",
        "How a line looks; auto is text on a terminal and JSON elsewhere.",
    ),
    setting(
        "LOG_FILE",
        "",
        "a file path",
        "Logs to this file instead of standard error, a new one each day, 14 kept.",
    ),
    setting(
        "METRICS_ALLOWED_CIDRS",
        "",
        NETWORKS,
        "Who may read `/metrics` besides this machine.",
    ),
    secret(
        "METRICS_TOKEN",
        "at least 16 characters",
        "Opens `/metrics` from anywhere, as a bearer token.",
    ),
];

/// Finds the declaration of `name`.
pub(crate) fn find(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

/// Returns the group's name if `name` belongs to an `OIDC_<NAME>_…` group.
pub(crate) fn oidc_group(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("OIDC_")?;
    OIDC_PARTS.iter().find_map(|part| {
        let group = rest.strip_suffix(part)?.strip_suffix('_')?;
        let is_word = !group.is_empty()
            && group
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        is_word.then_some(group)
    })
}
