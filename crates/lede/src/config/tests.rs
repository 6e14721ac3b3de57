//! Tests of the configuration from the operator's point of view.

use super::settings::{self, ALIASES, SETTINGS};
use super::*;

fn load(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
    load_with(variables, "")
}

fn load_with(variables: &[(&str, &str)], toml: &str) -> Result<Config, ConfigError> {
    let mut values = Values::new();
    let variables = variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    values.add_environment(variables, "environment")?;
    values.add_toml(toml)?;
    Config::from_values(values)
}

fn refusal(variables: &[(&str, &str)]) -> String {
    load(variables)
        .err()
        .expect("this must be refused")
        .to_string()
}

#[test]
fn nothing_set_gives_the_documented_defaults() {
    let config = load(&[]).unwrap();
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.core.base_url.as_str(), "http://localhost:8080/");
    assert_eq!(config.core.registration, Registration::Closed);
    assert_eq!(
        config.core.session_idle,
        Duration::from_secs(14 * 24 * 3600)
    );
    assert!(matches!(config.place, DatabaseLocation::File(path) if path.ends_with("data/lede.db")));
    assert_eq!(config.server.transport, Transport::default());
}

#[test]
fn backups_are_beside_the_file_and_on_postgres_only_where_configured() {
    let server = ("DATABASE_URL", "postgres://lede@localhost/lede");
    for (variables, folder) in [
        (&[][..], Some("./data/backups")),
        (
            &[("DATABASE_PATH", "/var/lib/x.db")],
            Some("/var/lib/backups"),
        ),
        (&[("BACKUP_DIR", "/mnt/kept")], Some("/mnt/kept")),
        (&[("BACKUP_KEEP", "0")], None),
        (&[server], None),
        (&[server, ("BACKUP_DIR", "/mnt/kept")], Some("/mnt/kept")),
    ] {
        let backups = load(variables).unwrap().core.backups;
        let found = backups.as_ref().map(|backups| backups.folder.as_path());
        assert_eq!(found, folder.map(std::path::Path::new), "{variables:?}");
    }
    let takes = refusal(&[("BACKUP_HOUR", "24")]);
    assert!(takes.ends_with("an hour from 0 to 23"), "{takes}");
}

#[test]
fn the_environment_counts_before_the_file_and_the_prefixed_name_before_the_plain_one() {
    let config = load_with(
        &[("SERVER_PORT", "9000"), ("LEDE_SERVER_PORT", "9001")],
        "server_port = 9002\nmax_subscriptions = 7\ncors_allowed_origins = [\"https://a.example\", \"https://b.example\"]",
    );
    let config = config.unwrap();
    assert_eq!(config.listen.port(), 9001);
    assert_eq!(config.core.max_subscriptions, 7);
    assert_eq!(
        config.server.cors_origins,
        ["https://a.example", "https://b.example"]
    );
}

#[test]
fn an_alias_sets_its_setting_and_yields_to_the_settings_own_name() {
    let origins = |variables: &[(&str, &str)], toml: &str| {
        load_with(variables, toml).unwrap().server.cors_origins
    };
    let (own, other) = ("https://own.example", "https://other.example");
    for alias in ["CORS_ALLOWED_ORIGIN", "CORS_ORIGINS", "LEDE_CORS_ORIGINS"] {
        assert_eq!(origins(&[(alias, other)], ""), [other], "{alias}");
    }
    for variables in [
        [
            ("CORS_ALLOWED_ORIGIN", other),
            ("CORS_ALLOWED_ORIGINS", own),
        ],
        [
            ("LEDE_CORS_ORIGINS", other),
            ("LEDE_CORS_ALLOWED_ORIGINS", own),
        ],
    ] {
        assert_eq!(origins(&variables, ""), [own], "{variables:?}");
    }
    let toml = format!("cors_allowed_origin = {other:?}\ncors_allowed_origins = {own:?}");
    assert_eq!(origins(&[], &toml), [own]);
    assert_eq!(
        refusal(&[("CORS_ORIGINS", "*")]),
        "CORS_ORIGINS is set to \"*\" (environment), but it takes origins like \
         https://app.example.org, separated by commas"
    );
}

#[test]
fn the_log_format_is_chosen_by_the_terminal_unless_it_is_set() {
    for (value, format) in [
        (None, LogFormat::Auto),
        (Some("auto"), LogFormat::Auto),
        (Some("text"), LogFormat::Text),
        (Some("json"), LogFormat::Json),
    ] {
        let variables = value.map(|value| ("LOG_FORMAT", value));
        let config = load(variables.as_slice()).unwrap();
        assert_eq!(config.log.format, format, "{value:?}");
    }
    assert!(refusal(&[("LOG_FORMAT", "xml")]).ends_with("auto, json or text"));
}

#[test]
fn the_hour_of_the_clean_up_is_in_the_configured_time_zone() {
    // 02:00 in Lisbon in summer, an hour before the clean-up.
    let now = lede_model::time::Timestamp::from_seconds(1_784_073_600 + 3600);
    for (zone, day) in [
        ("", "2026-07-14"),
        ("Asia/Tokyo", "2026-07-15"),
        (":Asia/Tokyo", "2026-07-15"),
        ("/usr/share/zoneinfo/Asia/Tokyo", "2026-07-15"),
        ("JST-9", "2026-07-15"),
        ("Europe/Lisbon", "2026-07-14"),
    ] {
        let config = load(&[("TZ", zone)]).unwrap();
        assert_eq!(config.core.retention.nightly.day(now), day, "{zone:?}");
    }
    assert!(load(&[("TZ", ":/etc/localtime")]).is_ok());
}

#[test]
fn a_bad_value_is_named_with_what_is_accepted() {
    for (name, value, takes) in [
        ("SERVER_PORT", "http", "a port from 0 to 65535"),
        ("REGISTRATION", "maybe", "open or closed"),
        ("CLEANUP_HOUR", "24", "an hour from 0 to 23"),
        (
            "MAX_UNREAD_DAYS",
            "-1",
            "a number of days up to 36500; 0 for no limit",
        ),
        (
            "TZ",
            "Mars/Olympus",
            "a time zone that this system knows, like Europe/Lisbon",
        ),
        ("FETCH_TIMEOUT", "soon", "a duration from 1s to 5m"),
        ("FETCH_TIMEOUT", "0", "a duration from 1s to 5m"),
        (
            "TRUSTED_PROXY_CIDRS",
            "10.0.0.0/8,me",
            "networks like 10.0.0.0/8, separated by commas",
        ),
        (
            "CORS_ALLOWED_ORIGINS",
            "*",
            "origins like https://app.example.org, separated by commas",
        ),
        (
            "CORS_ALLOWED_ORIGINS",
            "https://a.example/path",
            "origins like https://app.example.org, separated by commas",
        ),
        (
            "CRON_SCHEDULE",
            "at six",
            "a cron expression of five fields like `0 6,18 * * *`, or @hourly, @daily, @weekly, @monthly",
        ),
        (
            "CRON_SCHEDULE",
            "0 0 30 2 *",
            "a cron expression of five fields like `0 6,18 * * *`, or @hourly, @daily, @weekly, @monthly",
        ),
        (
            "CRON_TIMEZONE",
            "Europe/Atlantis",
            "a time zone that this system knows, like Europe/Lisbon",
        ),
        ("LOG_LEVEL", "loud", "error, warn, info, debug or trace"),
        (
            "JWT_EXPIRATION_HOURS",
            "1000",
            "a number of hours from 1 to 24",
        ),
    ] {
        assert_eq!(
            refusal(&[(name, value)]),
            format!("{name} is set to {value:?} (environment), but it takes {takes}")
        );
    }
}

#[test]
fn a_weak_secret_is_refused_and_not_repeated() {
    for (name, value) in [
        ("JWT_SECRET", "short"),
        ("JWT_SECRET", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        ("APP_PASSWORD", "password1234"),
        ("DATABASE_URL", "mysql://root:hunter2@localhost/x"),
    ] {
        let text = refusal(&[(name, value)]);
        assert!(
            text.starts_with(&format!(
                "{name} is set to *** (environment), but it takes "
            )),
            "{text}"
        );
        assert!(!text.contains(value), "{text}");
    }
}

#[test]
fn an_account_needs_both_halves_and_a_good_password() {
    assert!(
        refusal(&[("ADMIN_EMAIL", "ada@example.org")])
            .starts_with("ADMIN_PASSWORD is needed because ADMIN_EMAIL is set")
    );
    let weak = refusal(&[
        ("ADMIN_EMAIL", "ada@example.org"),
        ("ADMIN_PASSWORD", "admin"),
    ]);
    assert!(
        weak.contains("ADMIN_PASSWORD") && weak.contains("at least 12 characters"),
        "{weak}"
    );
    let config = load(&[
        ("ADMIN_EMAIL", "Ada@Example.org"),
        ("ADMIN_PASSWORD", "correct horse battery"),
    ])
    .unwrap();
    assert_eq!(config.accounts[0].email.as_str(), "ada@example.org");
}

#[test]
fn an_unknown_name_of_ours_stops_the_start_and_others_do_not() {
    let text = refusal(&[("LEDE_SERVER_PROT", "1")]);
    assert_eq!(
        text,
        "LEDE_SERVER_PROT is not a setting (environment); did you mean SERVER_PORT?; docs/CONFIGURATION.md lists all of them"
    );
    assert!(refusal(&[("LEDE_PORT", "1")]).contains("did you mean SERVER_PORT?"));
    assert!(load(&[("PATH", "/bin"), ("SOMEBODY_ELSES", "1")]).is_ok());
    let toml = load_with(&[], "serverport = 1").err().unwrap().to_string();
    assert!(
        toml.starts_with("serverport is not a setting (lede.toml)"),
        "{toml}"
    );
}

#[test]
fn a_secret_may_lie_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret");
    std::fs::write(&path, "q8ZtN1v0cLw4Yb7eHs2KxUa9PdRf3MgJ\n").unwrap();
    let config = load(&[("JWT_SECRET_FILE", path.to_str().unwrap())]).unwrap();
    assert_eq!(
        config.core.jwt_secret.unwrap().reveal(),
        "q8ZtN1v0cLw4Yb7eHs2KxUa9PdRf3MgJ"
    );
    let missing = refusal(&[("JWT_SECRET_FILE", "/nowhere/at/all")]);
    assert!(
        missing.starts_with("JWT_SECRET_FILE names /nowhere/at/all, which cannot be read"),
        "{missing}"
    );
}

#[test]
fn a_file_that_does_not_parse_is_named_with_its_line_and_not_repeated() {
    let dot_env = sources::dot_env("SERVER_PORT=1\n\n ADMIN_PASSWORD=hunter two three\n");
    assert_eq!(
        dot_env.unwrap_err().to_string(),
        ".env cannot be read at line 3; write NAME=value there, with quotes around a value that contains spaces"
    );
    let toml = load_with(&[], "server_port = 1\nadmin_password = hunter2\n");
    let text = toml.err().unwrap().to_string();
    assert!(
        text.starts_with("lede.toml cannot be read at line 2 (") && !text.contains("hunter2"),
        "{text}"
    );
    assert!(!text.contains('\n'), "{text}");
}

#[test]
fn providers_come_from_googles_preset_and_from_groups() {
    let config = load(&[
        ("BASE_URL", "https://news.example"),
        ("GOOGLE_CLIENT_ID", "id"),
        ("GOOGLE_CLIENT_SECRET", "secret"),
        ("OIDC_COMPANY_ISSUER", "https://login.company.example"),
        ("OIDC_COMPANY_CLIENT_ID", "lede"),
    ]);
    let providers = config.unwrap().core.providers;
    assert_eq!(
        providers[0].redirect_url,
        "https://news.example/auth/google/callback"
    );
    assert_eq!(providers[1].name, "company");
    assert_eq!(providers[1].issuer, "https://login.company.example");
    assert_eq!(
        providers[1].redirect_url,
        "https://news.example/auth/oidc/company/callback"
    );
    assert!(providers[1].client_secret.is_none());
    assert!(
        refusal(&[("OIDC_X_CLIENT_ID", "a")])
            .starts_with("OIDC_X_ISSUER or OIDC_X_CLIENT_ID is needed")
    );
}

#[test]
fn what_is_in_force_is_shown_with_secrets_masked() {
    let config = load(&[
        ("JWT_SECRET", "q8ZtN1v0cLw4Yb7eHs2KxUa9PdRf3MgJ"),
        ("SERVER_PORT", "9000"),
    ])
    .unwrap();
    let shown = |name: &str| {
        let line = config
            .server
            .in_force
            .iter()
            .find(|line| line.name == name)
            .unwrap();
        (line.shown.clone(), line.origin)
    };
    assert_eq!(shown("JWT_SECRET"), ("***".to_owned(), "environment"));
    assert_eq!(shown("SERVER_PORT"), ("9000".to_owned(), "environment"));
    assert_eq!(shown("BIND_ADDR"), ("127.0.0.1".to_owned(), "default"));
}

/// The table in `docs/CONFIGURATION.md` has to match the declarations.
#[test]
fn the_documentation_lists_every_setting_with_its_default() {
    let documentation = include_str!("../../../../docs/CONFIGURATION.md");
    let mut table = String::from("| setting | default | value | effect |\n|---|---|---|---|\n");
    for setting in SETTINGS {
        let default = if setting.default.is_empty() {
            "–".to_owned()
        } else {
            format!("`{}`", setting.default)
        };
        let secret = if setting.is_secret { " (secret)" } else { "" };
        table.push_str(&format!(
            "| `{}`{secret} | {default} | {} | {} |\n",
            setting.name, setting.takes, setting.about
        ));
    }
    assert!(
        documentation.contains(&table),
        "docs/CONFIGURATION.md should contain this table:\n\n{table}"
    );
}

/// `docs/CONFIGURATION.md` lists names of other programs. A name that becomes a setting has to leave
/// those tables, and an alias has to be listed.
#[test]
fn the_documentation_distinguishes_aliases_from_names_without_effect() {
    let documentation = include_str!("../../../../docs/CONFIGURATION.md");
    let (_, others) = documentation
        .split_once("## Settings of other programs\n")
        .unwrap();
    for (alias, setting) in ALIASES {
        assert!(settings::find(setting).is_some(), "{setting}");
        let row = format!("| `{alias}` | An alias of `{setting}`.");
        assert!(others.contains(&row), "{row}");
    }
    for row in others.lines().filter(|line| line.starts_with("| `")) {
        let (names, _) = row[2..].split_once(" | ").unwrap();
        for name in names.split(", ").map(|name| name.trim_matches('`')) {
            let has_effect = settings::find(name).is_some();
            assert!(
                !has_effect,
                "{name} is a setting: move it to the first table"
            );
        }
    }
}
