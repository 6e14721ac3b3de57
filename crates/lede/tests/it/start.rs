//! Starting and stopping the program: refusals, their messages, and exit codes.

use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStringExt as _;

use lede_store::{DatabaseLocation, LATEST_SCHEMA, Store};
use lede_testkit::PASSWORD;

use crate::program::{Program, names_in};

/// A configuration that cannot start, and parts of the expected message.
struct Refusal {
    program: Program,
    words: &'static [&'static str],
    /// Must not appear in the message.
    secret: &'static str,
}

fn refusal(program: Program, words: &'static [&'static str]) -> Refusal {
    Refusal {
        program,
        words,
        secret: "hunter2",
    }
}

/// Puts a SQLite file with other content in the place of the database.
fn with_database(program: Program, sql: &str) -> Program {
    std::fs::create_dir_all(program.path("data")).unwrap();
    let file = rusqlite::Connection::open(program.database()).unwrap();
    file.execute_batch(sql).unwrap();
    program
}

#[tokio::test]
async fn what_cannot_start_exits_with_1_and_one_sentence_that_says_what_to_do() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().port().to_string();
    let new = Program::new;
    let folder = |name: &str| {
        let program = new();
        std::fs::create_dir(program.path(name)).unwrap();
        program
    };
    let cases = [
        refusal(
            new()
                .with("ADMIN_EMAIL", "ada@example.org")
                .with("ADMIN_PASSWORD", "hunter2"),
            &[
                "ADMIN_PASSWORD",
                "***",
                "a stronger password",
                "at least 12",
            ],
        ),
        refusal(
            new().with("APP_PASSWORD", "hunter2"),
            &["APP_PASSWORD", "***", "a stronger password"],
        ),
        refusal(
            new().with("JWT_SECRET", "hunter2"),
            &["JWT_SECRET", "***", "at least 32 random characters"],
        ),
        refusal(
            new().with("DATABASE_URL", "postgres://lede:hunter2@127.0.0.1:1/x"),
            &[
                "PostgreSQL at 127.0.0.1:1",
                "check that it runs",
                "DATABASE_URL",
            ],
        ),
        refusal(
            new().with("DATABASE_URL", "mysql://lede:hunter2@127.0.0.1/x"),
            &["DATABASE_URL", "***", "postgres://user:password@host"],
        ),
        refusal(
            new().with("DATABASE_URL", "postgres://lede:an@hunter2@127.0.0.1/x"),
            &["DATABASE_URL is not understood", "%40"],
        ),
        refusal(
            new().with("DATABASE_URL", "postgres://lede:hunter2@127.0.0.1:port/x"),
            &[
                "DATABASE_URL is not understood",
                "port",
                "postgres://user:password@host",
            ],
        ),
        refusal(
            new()
                .with_file("file", "")
                .with("DATABASE_PATH", "file/data/lede.db"),
            &[
                "the data folder file/data cannot be written",
                "DATABASE_PATH",
            ],
        ),
        refusal(
            new()
                .with_file("file", "")
                .with("LOG_FILE", "file/log/lede.log"),
            &[
                "the log file file/log/lede.log cannot be written",
                "LOG_FILE",
            ],
        ),
        refusal(
            new().with("SERVER_PORT", &*taken),
            &["port ", "is in use", "SERVER_PORT"],
        ),
        refusal(
            new().with("BIND_ADDR", "192.0.2.1"),
            &["cannot listen on 192.0.2.1:0", "BIND_ADDR"],
        ),
        refusal(
            new().with_file("data/lede.db", "hunter2, and no database at all"),
            &["data/lede.db is damaged", "restore a backup"],
        ),
        refusal(
            with_database(
                new(),
                "CREATE TABLE schema_step (version BIGINT PRIMARY KEY);
                 INSERT INTO schema_step VALUES (9999)",
            ),
            &["made by a newer Lede (schema 9999", "start that version"],
        ),
        refusal(
            with_database(new(), "CREATE TABLE hunter2 (x)"),
            &[
                "data/lede.db is the database of another program",
                "DATABASE_PATH",
            ],
        ),
        refusal(
            new().with("LEDE_SERVER_PROT", "hunter2"),
            &[
                "LEDE_SERVER_PROT",
                "did you mean SERVER_PORT?",
                "docs/CONFIGURATION.md",
            ],
        ),
        refusal(
            new().with("REGISTRATION", "maybe"),
            &[
                "REGISTRATION is set to \"maybe\" (environment)",
                "open or closed",
            ],
        ),
        refusal(
            new().with_file(".env", "# mine\nADMIN_PASSWORD=a hunter2 b\n"),
            &[".env cannot be read at line 2"],
        ),
        refusal(
            new().with_file(".env", "JWT_SECRET=hunter2\n"),
            &["JWT_SECRET is set to *** (.env)"],
        ),
        refusal(folder(".env"), &[".env cannot be read", "or remove it"]),
        refusal(
            new().with_file("lede.toml", "admin_password = hunter2\n"),
            &["lede.toml cannot be read at line 1", "correct it"],
        ),
        refusal(
            new().with_file("lede.toml", "serverport = 1\n"),
            &[
                "serverport is not a setting (lede.toml)",
                "did you mean SERVER_PORT?",
            ],
        ),
        refusal(
            folder("lede.toml"),
            &["lede.toml cannot be read", "or remove it"],
        ),
    ];
    for Refusal {
        program,
        words,
        secret,
    } in cases
    {
        let ended = program.run(&[]).await;
        let said = &ended.stderr;
        assert_eq!(ended.code, Some(1), "{words:?}: {said}");
        assert_eq!(ended.stdout, "", "{words:?}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.starts_with("lede: "), "{said}");
        for word in words {
            assert!(said.contains(word), "{word:?} is not in: {said}");
        }
        assert!(!said.contains(secret), "{said}");
    }
}

#[tokio::test]
async fn a_setting_that_is_not_text_is_refused_and_other_variables_are_ignored() {
    let value = std::ffi::OsString::from_vec(vec![b'1', 0xff]);
    let program = Program::new();
    let run = |name: &str| {
        std::process::Command::new(env!("CARGO_BIN_EXE_lede"))
            .arg("check")
            .current_dir(program.path(""))
            .env_clear()
            .env(name, &value)
            .output()
            .unwrap()
    };
    let refused = run("SERVER_PORT");
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(refused.stderr).unwrap(),
        "lede: SERVER_PORT is set to *** (environment), but it takes text in UTF-8\n"
    );
    assert!(run("SOMEBODY_ELSES").status.success());
}

#[tokio::test]
async fn a_server_answers_and_when_it_is_asked_to_stop_leaves_a_whole_file() {
    let program = Program::new();
    let mut running = program.start(&["serve"]).await;
    let port = running.address.port();
    assert_ne!(port, 0, "the log tells the port that the system chose");
    running.visitor().get("/health").await.expect(200);
    let told = running.logs("to set Lede up").await;
    let home = format!("open http://localhost:{port}/ to set Lede up");
    assert!(told.starts_with(&home), "{told}");

    let place = DatabaseLocation::File(program.database());
    let second = program.run(&["serve"]).await;
    assert_eq!(second.code, Some(1));
    let in_use = "lede: another Lede server is using ./data/lede.db; stop it first";
    assert!(second.stderr.starts_with(in_use), "{}", second.stderr);

    assert_eq!(running.stop().await.code(), Some(0));
    assert_eq!(
        names_in(&program.path("data")),
        ["lede.db", "lede.db.lock"],
        "the log is in the file and gone"
    );
    Store::open(&place).expect("nobody holds it").close();
}

#[tokio::test]
#[expect(
    clippy::disallowed_methods,
    reason = "tests come in from outside, not through lede-net"
)]
async fn a_second_signal_ends_it_though_a_request_is_under_way() {
    let program = Program::new();
    let mut running = program.start(&[]).await;
    let mut slow = std::net::TcpStream::connect(running.address).unwrap();
    let head = "POST /auth/token HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\nexpect: 100-continue\r\n\r\n";
    slow.write_all(head.as_bytes()).unwrap();
    // Sent when the handler asks for the body, so the request is in progress.
    let slow = tokio::task::spawn_blocking(move || {
        let mut answer = [0; 25];
        slow.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 100 Continue\r\n\r\n");
        slow
    });
    let _slow = slow.await.unwrap();
    running.signal("INT").await;
    running.logs("waiting for requests to finish").await;
    running.signal("INT").await;
    assert_eq!(running.ended().await.code(), Some(130));
}

#[tokio::test]
#[expect(
    clippy::disallowed_methods,
    reason = "tests come in from outside, not through lede-net"
)]
async fn who_sends_a_large_file_before_reading_gets_the_answer_all_the_same() {
    let program = Program::new();
    let running = program.start(&[]).await;
    let address = running.address;
    let answer = tokio::task::spawn_blocking(move || {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        let large = vec![b'x'; 50 << 20];
        let head = format!(
            "POST /api/feeds/import-opml HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/xml\r\n\
             content-length: {}\r\n\r\n",
            large.len()
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(&large)?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        std::io::Result::Ok(answer)
    });
    let answer = answer.await.unwrap().expect("the connection is not cut");
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    assert!(answer.contains("\"code\":\"unauthorized\""), "{answer}");
}

#[tokio::test]
async fn accounts_of_the_start_can_sign_in_and_follow_a_changed_password() {
    let admin = "ada@example.org";
    let viewer = "vera@example.org";
    let other = "a quite different passphrase";
    let mut program = Program::new()
        .with("ADMIN_EMAIL", admin)
        .with("ADMIN_PASSWORD", PASSWORD)
        .with("VIEWER_EMAIL", viewer)
        .with("VIEWER_PASSWORD", other);
    let running = program.start(&[]).await;
    for (email, password, role) in [(admin, PASSWORD, "admin"), (viewer, other, "viewer")] {
        let person = running.signed_in(email, password).await.expect("a token");
        assert_eq!(person.json("/api/auth/me").await["role"], role);
    }
    assert_eq!(running.signed_in(admin, other).await.err(), Some(401));
    assert!(running.stop().await.success());

    program = program.with("ADMIN_PASSWORD", other);
    let running = program.start(&[]).await;
    assert!(running.signed_in(admin, other).await.is_ok());
    assert_eq!(running.signed_in(admin, PASSWORD).await.err(), Some(401));
    assert!(running.stop().await.success());
}

#[tokio::test]
async fn with_an_app_password_there_is_one_owner_who_needs_no_address() {
    let program = Program::new().with_file("password", &format!("{PASSWORD}\n"));
    let program = program.with("APP_PASSWORD_FILE", "password");
    let running = program.start(&[]).await;
    let owner = running.signed_in("", PASSWORD).await.expect("a token");
    assert_eq!(owner.json("/api/auth/me").await["email"], "owner");
    assert_eq!(
        running.signed_in("", "something else").await.err(),
        Some(401)
    );
    assert!(running.stop().await.success());
}

#[tokio::test]
async fn a_start_on_postgresql_makes_the_schema_and_a_second_one_finds_it() {
    let schema = lede_testkit::postgres::fresh_schema_url();
    let program = Program::new()
        .with("DATABASE_URL", &*schema.url)
        .with("APP_PASSWORD", PASSWORD);
    for expected in [0, LATEST_SCHEMA] {
        let check = program.run(&["check"]).await;
        let words = format!("answers, schema {expected}\n");
        assert!(check.stdout.ends_with(&words), "{}", check.stdout);
        let running = program.start(&[]).await;
        assert!(running.signed_in("", PASSWORD).await.is_ok());
        assert!(running.stop().await.success());
    }
    assert!(!program.path("data").exists(), "nothing lies beside it");
}

/// Overwrites the last page of the program's database, which is the root of a table or an index.
fn damage(program: &Program) {
    let path = program.database();
    let mut bytes = std::fs::read(&path).unwrap();
    let last_page = bytes.len() - 4096;
    bytes[last_page..].fill(0xff);
    std::fs::write(&path, bytes).unwrap();
}

#[tokio::test]
async fn damage_after_a_clean_shutdown_is_found_while_serving_and_ends_the_process() {
    let program = Program::new();
    assert!(program.start(&["serve"]).await.stop().await.success());
    damage(&program);
    // After a clean shutdown the server listens before the check.
    let mut running = program.start(&["serve"]).await;
    assert_eq!(running.ended().await.code(), Some(1));
    // That exit was not clean: the next start checks first.
    let refused = program.run(&["serve"]).await;
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("is damaged"), "{}", refused.stderr);
    assert!(!refused.stdout.contains("Lede listens"));
}

#[tokio::test]
async fn damage_after_a_crash_is_found_before_anything_is_served() {
    let program = Program::new();
    // A clean stop writes the schema to the file; before that it is only in the WAL.
    assert!(program.start(&["serve"]).await.stop().await.success());
    let mut running = program.start(&["serve"]).await;
    running.signal("KILL").await;
    running.ended().await;
    damage(&program);
    let refused = program.run(&["serve"]).await;
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("is damaged"), "{}", refused.stderr);
    assert!(!refused.stdout.contains("Lede listens"));
}
