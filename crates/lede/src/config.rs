//! Configuration: the only code that reads the environment.
//!
//! The environment takes precedence over `.env`, then `lede.toml`, then the defaults. Every setting
//! is declared once in [`settings`], with its default and a description of valid values; parsing,
//! error messages, `lede check` and the test of `docs/CONFIGURATION.md` all use that list. A
//! setting may also have the prefix `LEDE_`, for machines that run other programs. An unknown name
//! with that prefix can only be a mistake and prevents the start.

mod parse;
mod settings;
mod sources;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use jiff::tz::TimeZone;
use lede_core::Registration;
use lede_core::accounts::oidc::ProviderSettings;
use lede_core::articles::ArticleSettings;
use lede_core::backups::BackupSettings;
use lede_core::images::ImageProxy;
use lede_model::address::WebUrl;
use lede_model::daily_window::Nightly;
use lede_model::password;
use lede_model::retention::Retention;
use lede_model::schedule::FailurePolicy;
use lede_model::secret::Secret;
use lede_model::timetable::Timetable;
use lede_model::user::{EmailAddress, Role};
use lede_net::AllowList;
use lede_server::Transport;
use lede_store::DatabaseLocation;

use crate::telemetry::{LogFormat, LogSettings};
use parse::{duration, is_weak_secret, list, size, switch};
use settings::OIDC_PARTS;
use sources::Values;

/// Issuer of Google, whose preset needs only a client id and secret.
const GOOGLE_ISSUER: &str = "https://accounts.google.com";

/// The whole configuration, in the form that each crate expects.
pub(crate) struct Config {
    pub(crate) listen: SocketAddr,
    pub(crate) place: DatabaseLocation,
    pub(crate) app_password: Option<Secret>,
    pub(crate) accounts: Vec<StartAccount>,
    pub(crate) core: lede_core::Settings,
    pub(crate) net: lede_net::Settings,
    pub(crate) server: lede_server::Settings,
    pub(crate) log: LogSettings,
}

/// An account that is created at start-up if it is missing.
pub(crate) struct StartAccount {
    pub(crate) email: EmailAddress,
    pub(crate) password: Secret,
    pub(crate) role: Role,
}

/// An invalid setting: its name, its value and the valid values.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("{name} is set to {shown} ({origin}), but it takes {takes}")]
    BadValue {
        name: String,
        shown: String,
        origin: &'static str,
        takes: String,
    },
    #[error("{name} is not a setting ({origin}){hint}; docs/CONFIGURATION.md lists all of them")]
    Unknown {
        name: String,
        origin: &'static str,
        hint: String,
    },
    #[error("{name} is needed because {because}; set it, or remove the other setting")]
    Missing { name: String, because: String },
    #[error("{0}")]
    Unreadable(String),
}

impl Config {
    /// Reads the environment of the process and the files in the current folder.
    pub(crate) fn load() -> Result<Self, ConfigError> {
        Self::from_values(sources::read()?)
    }

    fn from_values(mut values: Values) -> Result<Self, ConfigError> {
        let listen = SocketAddr::new(
            values.take("BIND_ADDR", |text| text.parse::<IpAddr>().ok())?,
            values.take("SERVER_PORT", |text| text.parse::<u16>().ok())?,
        );
        let place = database(&mut values)?;
        let app_password = password_setting(&mut values, "APP_PASSWORD", "owner")?;
        let core = core(&mut values, listen, &place, app_password.is_some())?;
        let accounts = [("ADMIN", Role::Admin), ("VIEWER", Role::Viewer)]
            .into_iter()
            .map(|(prefix, role)| start_account(&mut values, prefix, role))
            .collect::<Result<Vec<_>, _>>()?;
        let net = net(&mut values)?;
        let mut server = server(&mut values)?;
        let log = log(&mut values)?;
        // Last, when every setting has been read.
        server.in_force = values.finish()?;
        let accounts = accounts.into_iter().flatten().collect();
        Ok(Self {
            listen,
            place,
            app_password,
            accounts,
            core,
            net,
            server,
            log,
        })
    }
}

fn database(values: &mut Values) -> Result<DatabaseLocation, ConfigError> {
    let url = values.take_optional("DATABASE_URL", |text| {
        (text.starts_with("postgres://") || text.starts_with("postgresql://"))
            .then(|| Secret::new(text))
    })?;
    Ok(match url {
        Some(url) => DatabaseLocation::Server(url),
        None => DatabaseLocation::File(values.take("DATABASE_PATH", |text| {
            (!text.is_empty()).then(|| PathBuf::from(text))
        })?),
    })
}

/// Settings of the use cases and the worker.
fn core(
    values: &mut Values,
    listen: SocketAddr,
    place: &DatabaseLocation,
    is_single_user: bool,
) -> Result<lede_core::Settings, ConfigError> {
    let base_url = match values.take_optional("BASE_URL", |text| WebUrl::parse(text).ok())? {
        Some(url) => url,
        None => default_base_url(listen.port())?,
    };
    let registration = values.take("REGISTRATION", |text| match text {
        "open" => Some(Registration::Open),
        "closed" => Some(Registration::Closed),
        _ => None,
    })?;
    let zone = values.take("TZ", time_zone)?;
    Ok(lede_core::Settings {
        registration: match is_single_user {
            true => Registration::SingleUser,
            false => registration,
        },
        session_idle: values.take("SESSION_MAX_AGE", |text| {
            duration(text).filter(|life| !life.is_zero())
        })?,
        login_token_life: values.take("JWT_EXPIRATION_HOURS", |text| {
            let hours = text
                .parse::<u64>()
                .ok()
                .filter(|hours| (1..=24).contains(hours))?;
            Some(Duration::from_secs(hours * 3600))
        })?,
        max_subscriptions: values.take("MAX_SUBSCRIPTIONS", |text| {
            text.parse()
                .ok()
                .filter(|most| (1..=100_000).contains(most))
        })?,
        providers: providers(values, &base_url)?,
        failure_policy: values.take("FETCH_FAILURE_POLICY", FailurePolicy::from_word)?,
        redirect_adopt_after: values.take("REDIRECT_ADOPT_AFTER", duration)?,
        fetch_interval: values.take("FETCH_INTERVAL", |text| {
            duration(text).filter(|pause| within(*pause, 1, 300))
        })?,
        articles: ArticleSettings {
            enabled: values.take("CONTENT_FETCH_ENABLED", switch)?,
            threshold: values.take("CONTENT_FETCH_THRESHOLD", |text| {
                text.parse().ok().filter(|chars| *chars <= 100_000)
            })?,
            parallelism: values.take("CONTENT_FETCH_PARALLELISM", |text| {
                text.parse().ok().filter(|most| (1..=100).contains(most))
            })?,
        },
        timetable: timetable(values)?,
        backups: backups(values, place, &zone)?,
        retention: retention(values, &zone)?,
        image_proxy: values.take("IMAGE_PROXY", |text| match text {
            "all" => Some(ImageProxy::All),
            "http" => Some(ImageProxy::Http),
            "off" => Some(ImageProxy::Off),
            _ => None,
        })?,
        jwt_secret: values.take_optional("JWT_SECRET", |text| {
            (text.chars().count() >= 32 && !is_weak_secret(text)).then(|| Secret::new(text))
        })?,
        base_url,
    })
}

/// Settings of outgoing requests.
fn net(values: &mut Values) -> Result<lede_net::Settings, ConfigError> {
    Ok(lede_net::Settings {
        allow: values.take("FETCH_ALLOW", |text| text.parse::<AllowList>().ok())?,
        feed_deadline: values.take("FETCH_TIMEOUT", |text| {
            duration(text).filter(|limit| within(*limit, 1, 300))
        })?,
        max_feed_bytes: values.take("FETCH_MAX_SIZE", |text| {
            size(text).filter(|bytes| (1024..=512 << 20).contains(bytes))
        })?,
        max_concurrent: values.take("FETCH_MAX_CONCURRENT", |text| {
            text.parse().ok().filter(|most| (1..=500).contains(most))
        })?,
        host_interval: values.take("FETCH_HOST_INTERVAL", |text| {
            duration(text).filter(|pause| within(*pause, 0, 3600))
        })?,
        page_deadline: values.take("CONTENT_FETCH_TIMEOUT", |text| {
            duration(text).filter(|limit| within(*limit, 1, 300))
        })?,
        max_page_bytes: values.take("CONTENT_FETCH_MAX_BODY_SIZE", |text| {
            size(text).filter(|bytes| (1024..=512 << 20).contains(bytes))
        })?,
        page_redirects: values.take("CONTENT_FETCH_MAX_REDIRECTS", |text| {
            text.parse().ok().filter(|most| *most <= 10)
        })?,
        extra_roots: values.take("TLS_CA_FILE", certificates)?,
        ..lede_net::Settings::default()
    })
}

fn server(values: &mut Values) -> Result<lede_server::Settings, ConfigError> {
    Ok(lede_server::Settings {
        trusted_proxies: values.take("TRUSTED_PROXY_CIDRS", list)?,
        cors_origins: values.take("CORS_ALLOWED_ORIGINS", origins)?,
        rate_limit_enabled: values.take("RATE_LIMIT_ENABLED", switch)?,
        transport: transport(values)?,
        metrics_allowed: values.take("METRICS_ALLOWED_CIDRS", list)?,
        metrics_token: values.take_optional("METRICS_TOKEN", |text| {
            (text.len() >= 16).then(|| Secret::new(text))
        })?,
        in_force: Vec::new(),
    })
}

fn log(values: &mut Values) -> Result<LogSettings, ConfigError> {
    Ok(LogSettings {
        level: values.take("LOG_LEVEL", log_level)?,
        format: values.take("LOG_FORMAT", |text| match text {
            "auto" => Some(LogFormat::Auto),
            "json" => Some(LogFormat::Json),
            "text" => Some(LogFormat::Text),
            _ => None,
        })?,
        file: values.take_optional("LOG_FILE", |text| Some(PathBuf::from(text)))?,
    })
}

fn within(span: Duration, least: u64, most: u64) -> bool {
    (least..=most).contains(&span.as_secs())
}

/// Limits on connections and on the time that clients may take.
fn transport(values: &mut Values) -> Result<Transport, ConfigError> {
    let timeout = |text: &str| duration(text).filter(|limit| within(*limit, 1, 3600));
    let count = |least: usize| {
        move |text: &str| {
            text.parse()
                .ok()
                .filter(|most| (least..=100_000).contains(most))
        }
    };
    Ok(Transport {
        head_timeout: values.take("REQUEST_HEAD_TIMEOUT", timeout)?,
        body_timeout: values.take("REQUEST_BODY_TIMEOUT", timeout)?,
        body_progress_timeout: values.take("REQUEST_PROGRESS_TIMEOUT", timeout)?,
        keep_alive_timeout: values.take("KEEP_ALIVE_TIMEOUT", timeout)?,
        max_connections: values.take("MAX_CONNECTIONS", count(16))?,
        max_connections_per_address: values.take("MAX_CONNECTIONS_PER_ADDRESS", count(1))?,
    })
}

/// Parses `CRON_SCHEDULE` in `CRON_TIMEZONE`.
fn timetable(values: &mut Values) -> Result<Option<Timetable>, ConfigError> {
    let zone = values.take("CRON_TIMEZONE", |name| TimeZone::get(name).ok())?;
    values.take_optional("CRON_SCHEDULE", |text| Timetable::parse(text, zone.clone()))
}

/// Location and schedule of nightly backups; `None` if they are disabled.
fn backups(
    values: &mut Values,
    place: &DatabaseLocation,
    zone: &TimeZone,
) -> Result<Option<BackupSettings>, ConfigError> {
    let nightly = nightly(values, "BACKUP_HOUR", zone)?;
    let keep = values.take("BACKUP_KEEP", |text| {
        text.parse().ok().filter(|count| *count <= 1000)
    })?;
    let chosen = values.take_optional("BACKUP_DIR", |text| {
        (!text.is_empty()).then(|| PathBuf::from(text))
    })?;
    let folder = chosen.or_else(|| match place {
        DatabaseLocation::File(path) => Some(path.with_file_name("backups")),
        DatabaseLocation::Server(_) => None,
    });
    Ok(folder.filter(|_| keep > 0).map(|folder| BackupSettings {
        folder,
        nightly,
        keep,
    }))
}

/// Parses an hour of the day in the time zone `TZ`.
fn nightly(
    values: &mut Values,
    name: &'static str,
    zone: &TimeZone,
) -> Result<Nightly, ConfigError> {
    values.take(name, |text| Nightly::new(text.parse().ok()?, zone.clone()))
}

/// Retention periods and limits.
fn retention(values: &mut Values, zone: &TimeZone) -> Result<Retention, ConfigError> {
    let limit =
        |most: u32| move |text: &str| text.parse().ok().filter(|number: &u32| *number <= most);
    Ok(Retention {
        max_post_age_days: values.take("MAX_POST_AGE_DAYS", limit(36_500))?,
        max_unread_days: values.take("MAX_UNREAD_DAYS", limit(36_500))?,
        max_posts_per_feed: values.take("MAX_POSTS_PER_FEED", limit(1_000_000))?,
        max_db_size_mb: values.take("MAX_DB_SIZE_MB", limit(1_000_000_000))?,
        nightly: nightly(values, "CLEANUP_HOUR", zone)?,
    })
}

/// Parses a time zone in the formats that `TZ` has on Unix: a name, a file, or a rule.
fn time_zone(text: &str) -> Option<TimeZone> {
    let text = text.strip_prefix(':').unwrap_or(text);
    let name = text.rsplit_once("zoneinfo/").map_or(text, |(_, name)| name);
    match name {
        "" => Some(TimeZone::UTC),
        "/etc/localtime" => TimeZone::try_system().ok(),
        name => TimeZone::get(name).or_else(|_| TimeZone::posix(name)).ok(),
    }
}

/// The address of this server on the local machine.
pub(crate) fn default_base_url(port: u16) -> Result<WebUrl, ConfigError> {
    WebUrl::parse(&format!("http://localhost:{port}"))
        .map_err(|error| ConfigError::Unreadable(error.to_string()))
}

/// Reads a password setting, which has to satisfy the rules for all passwords.
fn password_setting(
    values: &mut Values,
    name: &'static str,
    login: &str,
) -> Result<Option<Secret>, ConfigError> {
    let Some(secret) = values.take_optional(name, |text| Some(Secret::new(text)))? else {
        return Ok(None);
    };
    match password::check(secret.reveal(), login) {
        Ok(()) => Ok(Some(secret)),
        Err(weak) => Err(ConfigError::BadValue {
            name: name.to_owned(),
            shown: "***".to_owned(),
            origin: values.origin(name),
            takes: format!("a stronger password: {weak}"),
        }),
    }
}

fn start_account(
    values: &mut Values,
    prefix: &'static str,
    role: Role,
) -> Result<Option<StartAccount>, ConfigError> {
    let (email_name, password_name) = match prefix {
        "ADMIN" => ("ADMIN_EMAIL", "ADMIN_PASSWORD"),
        _ => ("VIEWER_EMAIL", "VIEWER_PASSWORD"),
    };
    let email = values.take_optional(email_name, |text| EmailAddress::parse(text).ok())?;
    let login = email
        .as_ref()
        .map(EmailAddress::as_str)
        .unwrap_or_default()
        .to_owned();
    let password = password_setting(values, password_name, &login)?;
    let missing = |name: &str, other: &str| ConfigError::Missing {
        name: name.to_owned(),
        because: format!("{other} is set"),
    };
    match (email, password) {
        (Some(email), Some(password)) => Ok(Some(StartAccount {
            email,
            password,
            role,
        })),
        (None, None) => Ok(None),
        (Some(_), None) => Err(missing(password_name, email_name)),
        (None, Some(_)) => Err(missing(email_name, password_name)),
    }
}

/// The preset for Google and every `OIDC_<NAME>_*` group.
fn providers(values: &mut Values, base_url: &WebUrl) -> Result<Vec<ProviderSettings>, ConfigError> {
    let mut providers = Vec::new();
    let callback = |path: &str| {
        base_url
            .join(path)
            .map(|url| url.as_str().to_owned())
            .map_err(|error| ConfigError::Unreadable(error.to_string()))
    };
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let id = values.take_optional("GOOGLE_CLIENT_ID", text)?;
    let secret = values.take_optional("GOOGLE_CLIENT_SECRET", |text| Some(Secret::new(text)))?;
    let redirect = values.take_optional("GOOGLE_REDIRECT_URL", |text| WebUrl::parse(text).ok())?;
    if let Some(client_id) = id {
        if secret.is_none() {
            let (name, because) = (
                "GOOGLE_CLIENT_SECRET".to_owned(),
                "GOOGLE_CLIENT_ID is set".to_owned(),
            );
            return Err(ConfigError::Missing { name, because });
        }
        let redirect_url = match redirect {
            Some(url) => url.as_str().to_owned(),
            None => callback("/auth/google/callback")?,
        };
        let (name, issuer) = ("google".to_owned(), GOOGLE_ISSUER.to_owned());
        providers.push(ProviderSettings {
            name,
            issuer,
            client_id,
            client_secret: secret,
            redirect_url,
        });
    }
    for group in values.oidc_groups() {
        let [issuer_name, id_name, secret_name] =
            OIDC_PARTS.map(|part| format!("OIDC_{group}_{part}"));
        let issuer = values.take_dynamic(&issuer_name, |text| {
            WebUrl::parse(text).ok().map(|_| text.to_owned())
        })?;
        let client_id = values.take_dynamic(&id_name, text)?;
        let client_secret = values.take_dynamic(&secret_name, |text| Some(Secret::new(text)))?;
        let (Some(issuer), Some(client_id)) = (issuer, client_id) else {
            let because = format!("another OIDC_{group}_ setting is set");
            return Err(ConfigError::Missing {
                name: format!("{issuer_name} or {id_name}"),
                because,
            });
        };
        let name = group.to_ascii_lowercase();
        let redirect_url = callback(&format!("/auth/oidc/{name}/callback"))?;
        providers.push(ProviderSettings {
            name,
            issuer,
            client_id,
            client_secret,
            redirect_url,
        });
    }
    Ok(providers)
}

fn certificates(path: &str) -> Option<Vec<lede_net::CertificateDer<'static>>> {
    use rustls_pki_types::pem::PemObject as _;
    if path.is_empty() {
        return Some(Vec::new());
    }
    let found: Result<Vec<_>, _> = rustls_pki_types::CertificateDer::pem_file_iter(path)
        .ok()?
        .collect();
    found.ok().filter(|certificates| !certificates.is_empty())
}

/// Parses exact origins: scheme, host and port, and nothing after them.
fn origins(text: &str) -> Option<Vec<String>> {
    list::<String>(text)?
        .into_iter()
        .map(|origin| {
            WebUrl::parse(&origin)
                .ok()
                .filter(|url| url.as_url().origin().ascii_serialization() == origin)
                .map(|_| origin)
        })
        .collect()
}

fn log_level(text: &str) -> Option<String> {
    let words = ["error", "warn", "info", "debug", "trace"];
    let is_filter = text.split(',').all(|part| {
        let level = part.split_once('=').map_or(part, |(_, level)| level);
        words.contains(&level.trim().to_ascii_lowercase().as_str())
    });
    is_filter.then(|| text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests;
