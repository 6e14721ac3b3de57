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

/// Other names of settings, each with the setting that it stands for. They are the names in
/// programs that Lede can replace; the values have the same meaning.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("CORS_ALLOWED_ORIGIN", "CORS_ALLOWED_ORIGINS"),
    ("CORS_ORIGINS", "CORS_ALLOWED_ORIGINS"),
];

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
        "The port to listen on.",
    ),
    setting(
        "BIND_ADDR",
        "127.0.0.1",
        "an IP address",
        "The address to listen on; `0.0.0.0` or `::` listens on every interface.",
    ),
    setting(
        "BASE_URL",
        "",
        "an http or https address",
        "The public URL of this instance; `http://localhost:PORT` if unset. With https, cookies are marked `Secure`.",
    ),
    setting(
        "DATABASE_PATH",
        "./data/lede.db",
        "a file path",
        "The SQLite file; ignored if `DATABASE_URL` is set.",
    ),
    secret(
        "DATABASE_URL",
        "an address like postgres://user:password@host:5432/database",
        "Uses PostgreSQL instead of SQLite. Connections use TLS unless the server is on the same machine.",
    ),
    secret(
        "APP_PASSWORD",
        "a password",
        "Enables single-user mode: one owner account that signs in with this password alone.",
    ),
    secret(
        "JWT_SECRET",
        "at least 32 random characters",
        "Signs bearer tokens and encrypts the stored passwords of feeds; after a change those must be entered again. If unset, a secret is generated and stored in the database.",
    ),
    setting(
        "JWT_EXPIRATION_HOURS",
        "24",
        "a number of hours from 1 to 24",
        "Lifetime of a token from `/api/auth/login`.",
    ),
    setting(
        "ADMIN_EMAIL",
        "",
        "an e-mail address",
        "Creates an administrator account with this address at start-up.",
    ),
    secret(
        "ADMIN_PASSWORD",
        "a password",
        "The password of that administrator.",
    ),
    setting(
        "VIEWER_EMAIL",
        "",
        "an e-mail address",
        "Creates a viewer account with this address at start-up; viewers read but change nothing shared.",
    ),
    secret(
        "VIEWER_PASSWORD",
        "a password",
        "The password of that viewer.",
    ),
    setting(
        "REGISTRATION",
        "closed",
        "open or closed",
        "Allows or prevents the registration of further accounts after the first one.",
    ),
    setting(
        "SESSION_MAX_AGE",
        "14d",
        DURATION,
        "Time after which an unused session ends; every session ends after 90 days.",
    ),
    setting(
        "GOOGLE_CLIENT_ID",
        "",
        "a client id",
        "Enables sign-in with Google.",
    ),
    secret(
        "GOOGLE_CLIENT_SECRET",
        "a client secret",
        "The client secret for `GOOGLE_CLIENT_ID`.",
    ),
    setting(
        "GOOGLE_REDIRECT_URL",
        "",
        "an http or https address",
        "The redirect URI registered with Google; `BASE_URL/auth/google/callback` if unset.",
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
        "Reverse proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` headers are trusted.",
    ),
    setting(
        "RATE_LIMIT_ENABLED",
        "true",
        "true or false",
        "Enables rate limits. Those on sign-in cannot be disabled.",
    ),
    setting(
        "REQUEST_HEAD_TIMEOUT",
        "15s",
        TIMEOUT,
        "Time limit for the first byte of a connection, and for the head of each request.",
    ),
    setting(
        "REQUEST_BODY_TIMEOUT",
        "30s",
        TIMEOUT,
        "Time limit for the body of a request. Each 16 KiB received extend it by a second, so that large uploads over slow connections succeed.",
    ),
    setting(
        "REQUEST_PROGRESS_TIMEOUT",
        "10s",
        TIMEOUT,
        "Longest pause within the body of a request.",
    ),
    setting(
        "KEEP_ALIVE_TIMEOUT",
        "3m",
        TIMEOUT,
        "Time after which an idle connection is closed. It should exceed the keep-alive time of a reverse proxy in front of Lede.",
    ),
    setting(
        "MAX_CONNECTIONS",
        "4096",
        "a number from 16 to 100000",
        "Limit on open connections. Lede raises its limit on open files accordingly where the system allows it, and otherwise accepts fewer connections. At the limit, a new connection replaces the one that has been idle longest.",
    ),
    setting(
        "MAX_CONNECTIONS_PER_ADDRESS",
        "1024",
        "a number from 1 to 100000",
        "Limit on open connections per client address, or per /64 network with IPv6. It does not apply to proxies in `TRUSTED_PROXY_CIDRS`.",
    ),
    setting(
        "FETCH_TIMEOUT",
        "10s",
        "a duration from 1s to 5m",
        "Time limit for fetching a feed, redirects included.",
    ),
    setting(
        "FETCH_MAX_SIZE",
        "32MiB",
        "a size from 1KiB to 512MiB, or bytes",
        "Size limit of a feed after decompression.",
    ),
    setting(
        "FETCH_MAX_CONCURRENT",
        "10",
        "a number from 1 to 500",
        "Number of responses received at a time; requests that still wait for a response do not count.",
    ),
    setting(
        "FETCH_HOST_INTERVAL",
        "3s",
        "a duration up to 1h; 0 switches it off",
        "Minimum interval between two requests to the same registrable domain.",
    ),
    setting(
        "FETCH_INTERVAL",
        "5s",
        "a duration from 1s to 5m",
        "Interval at which the worker looks for due feeds.",
    ),
    setting(
        "CRON_SCHEDULE",
        "",
        "a cron expression of five fields like `0 6,18 * * *`, or @hourly, @daily, @weekly, @monthly",
        "Fetches all feeds at these times instead of at the intervals of their subscribers. The first fetch after a change of this setting still follows the earlier schedule. Servers that ask for a later time are respected, and retries after failures are unaffected.",
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
        "The policy for new feeds that fail: `patient` stops them after days of failures, `strict` as soon as their server refuses them, `one_strike` at the first failure.",
    ),
    setting(
        "REDIRECT_ADOPT_AFTER",
        "7d",
        DURATION,
        "Time for which a permanent redirect must persist before its target becomes the feed's address; 0 adopts it at once.",
    ),
    setting(
        "FETCH_ALLOW",
        "",
        "host, address or network, each with or without :port, separated by commas",
        "Destinations on private networks that may be contacted, for feeds and for sign-in providers.",
    ),
    setting(
        "CONTENT_FETCH_ENABLED",
        "true",
        "true or false",
        "Fetches the full article from its page if a feed has only the beginning.",
    ),
    setting(
        "CONTENT_FETCH_THRESHOLD",
        "1500",
        "a number from 0 to 100000",
        "Items with fewer characters of text have their article fetched on arrival; items below 200 characters also when they are opened.",
    ),
    setting(
        "CONTENT_FETCH_TIMEOUT",
        "15s",
        "a duration from 1s to 5m",
        "Time limit for fetching an article, redirects included.",
    ),
    setting(
        "CONTENT_FETCH_PARALLELISM",
        "10",
        "a number from 1 to 100",
        "Number of articles fetched at a time, within `FETCH_MAX_CONCURRENT`.",
    ),
    setting(
        "CONTENT_FETCH_MAX_BODY_SIZE",
        "10MiB",
        "a size from 1KiB to 512MiB, or bytes",
        "Size limit of an article's page after decompression.",
    ),
    setting(
        "CONTENT_FETCH_MAX_REDIRECTS",
        "5",
        "a number from 0 to 10",
        "Limit on redirects when an article is fetched.",
    ),
    setting(
        "TLS_CA_FILE",
        "",
        "a PEM file with at least one certificate",
        "Certificate authorities to trust in addition to the public ones.",
    ),
    setting(
        "MAX_SUBSCRIPTIONS",
        "1000",
        "a number from 1 to 100000",
        "Limit on subscriptions per user.",
    ),
    setting(
        "BACKUP_HOUR",
        "4",
        "an hour from 0 to 23",
        "Hour after which the daily backup is made, in the time zone `TZ`.",
    ),
    setting(
        "BACKUP_KEEP",
        "7",
        "a number from 0 to 1000",
        "Number of daily backups to keep; 0 disables them.",
    ),
    setting(
        "BACKUP_DIR",
        "",
        "a folder",
        "Folder of the daily backups; `backups` beside the SQLite file if unset. On PostgreSQL, daily backups are made only if this is set.",
    ),
    setting(
        "MAX_POST_AGE_DAYS",
        "180",
        "a number of days up to 36500; 0 for no limit",
        "Items that all subscribers have read are removed this long after they were last read. Starred and labelled items are never removed, by this or any other limit.",
    ),
    setting(
        "MAX_UNREAD_DAYS",
        "90",
        "a number of days up to 36500; 0 for no limit",
        "Unread items are removed this long after they arrived.",
    ),
    setting(
        "MAX_POSTS_PER_FEED",
        "500",
        "a number up to 1000000; 0 for no limit",
        "Number of newest items per feed to keep; older ones are removed once all subscribers have read them.",
    ),
    setting(
        "MAX_DB_SIZE_MB",
        "1024",
        "a number of megabytes; 0 for no limit",
        "A larger database is compacted, and read items are removed earlier, down to 30 days after they were read. If that does not suffice, a warning is shown to all users.",
    ),
    setting(
        "CLEANUP_HOUR",
        "3",
        "an hour from 0 to 23",
        "Hour of the daily clean-up, in the time zone `TZ`; a missed clean-up is made up for at the next start.",
    ),
    setting(
        "TZ",
        "UTC",
        "a time zone that this system knows, like Europe/Lisbon",
        "The time zone of `CLEANUP_HOUR` and `BACKUP_HOUR`.",
    ),
    setting(
        "IMAGE_PROXY",
        "all",
        "all, http or off",
        "Images to load through Lede: `all`, which hides readers from publishers; `http`, only images without TLS, which browsers block on https pages; `off`, none.",
    ),
    setting(
        "LOG_LEVEL",
        "info",
        "error, warn, info, debug or trace",
        "Verbosity of the log. A filter such as `lede_core=debug,info` sets it per crate.",
    ),
    setting(
        "LOG_FORMAT",
        "auto",
        "auto, json or text",
        "Format of log lines; `auto` writes text to a terminal and JSON otherwise.",
    ),
    setting(
        "LOG_FILE",
        "",
        "a file path",
        "Logs to this file instead of standard error. A new file is started each day, and the last 14 are kept.",
    ),
    setting(
        "METRICS_ALLOWED_CIDRS",
        "",
        NETWORKS,
        "Networks that may read `/metrics`, in addition to the local machine.",
    ),
    secret(
        "METRICS_TOKEN",
        "at least 16 characters",
        "Bearer token that grants access to `/metrics` from any address.",
    ),
];

/// Finds the declaration of `name`.
pub(crate) fn find(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

/// Finds the setting that the alias `name` stands for.
pub(crate) fn find_alias(name: &str) -> Option<&'static str> {
    ALIASES
        .iter()
        .find(|(alias, _)| *alias == name)
        .map(|(_, setting)| *setting)
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
