//! `lede check`, `--help` and `--version`: the commands to run before serving.

use lede_store::LATEST_SCHEMA;

use crate::program::Program;

/// Returns the line of a setting, with runs of blanks folded.
fn line(printed: &str, name: &str) -> String {
    let found = printed
        .lines()
        .find(|line| line.split_whitespace().next() == Some(name));
    let words: Vec<&str> = found.unwrap_or_default().split_whitespace().collect();
    words.join(" ")
}

#[tokio::test]
async fn the_environment_counts_before_dot_env_and_that_before_lede_toml() {
    let program = Program::new()
        .with("MAX_SUBSCRIPTIONS", "3")
        .with_file(".env", "MAX_SUBSCRIPTIONS=4\nLOG_LEVEL=warn\n")
        .with_file(
            "lede.toml",
            "max_subscriptions = 5\nlog_level = \"error\"\nsession_max_age = \"3d\"\n",
        );
    let ended = program.run(&["check"]).await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for (name, expected) in [
        ("MAX_SUBSCRIPTIONS", "MAX_SUBSCRIPTIONS 3 environment"),
        ("LOG_LEVEL", "LOG_LEVEL warn .env"),
        ("SESSION_MAX_AGE", "SESSION_MAX_AGE 3d lede.toml"),
        ("REGISTRATION", "REGISTRATION closed default"),
        ("BASE_URL", "BASE_URL – default"),
    ] {
        assert_eq!(line(&ended.stdout, name), expected);
    }
}

#[tokio::test]
async fn secrets_are_masked_wherever_they_come_from() {
    let secret = "q8ZtN1v0cLw4Yb7eHs2KxUa9PdRf3MgJ";
    let program = Program::new()
        .with(
            "DATABASE_URL",
            format!("postgres://lede:{secret}@127.0.0.1:1/x"),
        )
        .with("JWT_SECRET_FILE", "key")
        .with_file("key", secret)
        .with_file(".env", &format!("APP_PASSWORD={secret}\n"))
        .with_file("lede.toml", &format!("metrics_token = \"{secret}\"\n"));
    let ended = program.run(&["check"]).await;
    assert_eq!(ended.code, Some(1), "there is no such server");
    for (name, expected) in [
        ("DATABASE_URL", "DATABASE_URL *** environment"),
        ("JWT_SECRET", "JWT_SECRET *** environment"),
        ("APP_PASSWORD", "APP_PASSWORD *** .env"),
        ("METRICS_TOKEN", "METRICS_TOKEN *** lede.toml"),
    ] {
        assert_eq!(line(&ended.stdout, name), expected);
    }
    assert!(!(ended.stdout + &ended.stderr).contains(secret));
}

#[tokio::test]
async fn the_database_is_looked_at_and_not_touched() {
    let program = Program::new();
    let before = program.run(&["check"]).await;
    assert_eq!(before.code, Some(0));
    let absent = "\nDatabase: ./data/lede.db is not there yet; the first start makes it\n";
    assert!(before.stdout.ends_with(absent), "{}", before.stdout);
    assert!(!program.path("data").exists());

    let running = program.start(&[]).await;
    let beside = program.run(&["check"]).await;
    assert!(running.stop().await.success());
    let after = program.run(&["check"]).await;
    for ended in [beside, after] {
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let sound = "\nDatabase: ./data/lede.db is sound, SQLite 3.";
        assert!(ended.stdout.contains(sound), "{}", ended.stdout);
        let schema = format!(", schema {LATEST_SCHEMA}\n");
        assert!(ended.stdout.ends_with(&schema), "{}", ended.stdout);
    }

    std::fs::write(program.database(), "no database").unwrap();
    let damaged = program.run(&["check"]).await;
    assert_eq!(damaged.code, Some(1));
    assert_eq!(damaged.stderr.lines().count(), 1);
    assert!(
        damaged
            .stderr
            .starts_with("lede: the database ./data/lede.db is damaged")
    );
    assert_eq!(
        line(&damaged.stdout, "DATABASE_PATH"),
        "DATABASE_PATH ./data/lede.db default"
    );
}

#[tokio::test]
async fn help_and_version_need_no_settings() {
    let program = Program::new().with("LEDE_NONSENSE", "1");
    for (arguments, code, words) in [
        (&["--help"][..], 0, "docs/CONFIGURATION.md"),
        (
            &["--version"],
            0,
            concat!("lede ", env!("CARGO_PKG_VERSION")),
        ),
        (&["help", "demo"], 0, "sample feeds"),
        (&["surf"], 2, "unrecognized subcommand 'surf'"),
    ] {
        let ended = program.run(arguments).await;
        assert_eq!(ended.code, Some(code), "{arguments:?}");
        assert!(
            (ended.stdout + &ended.stderr).contains(words),
            "{arguments:?}"
        );
    }
}
