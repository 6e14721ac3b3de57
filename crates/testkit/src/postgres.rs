//! A separate schema for each test in the PostgreSQL of the tests.
//!
//! Tests run concurrently on one server. A database for each would cost some 30 ms and 7 MB; a
//! schema costs almost nothing, and `search_path` in the URL makes it the only place that a test
//! writes to. The server is started by `scripts/test`.

use std::hash::{BuildHasher, RandomState};

use postgres::{Client, NoTls};

/// Serialises `CREATE EXTENSION`, which fails when two run at once, even with `IF NOT EXISTS`. The
/// lock is held until the end of the transaction that contains the statements below, because the
/// other session must see the committed extension.
const EXTENSION_LOCK: i64 = 0x7465_7374;

/// Returns the URL of the server that `scripts/test` started, or that the developer configured.
///
/// # Panics
/// If `TEST_POSTGRES_URL` is not set.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "tests find their servers by TEST_* variables; the program never reads them"
)]
pub fn postgres_url() -> String {
    std::env::var("TEST_POSTGRES_URL").expect(
        "these tests need PostgreSQL with pgvector: run ./scripts/test or ./scripts/with-services, \
         or set TEST_POSTGRES_URL to a server's URL",
    )
}

/// A new, empty schema. Dropping this drops the schema with all of its content.
#[derive(Debug)]
pub struct FreshSchema {
    /// URL of a connection with this schema first in its search path, followed by `public`, which
    /// has pgvector.
    pub url: String,
    pub name: String,
    server: String,
}

/// Creates a schema with a unique name on the server of [`postgres_url`].
///
/// # Panics
/// If there is no server, or it has no pgvector; the message explains how to fix it.
#[must_use]
pub fn fresh_schema_url() -> FreshSchema {
    let server = postgres_url();
    // Random, because process ids are reused and a killed test leaves its schema behind.
    let name = format!("test_{:016x}", RandomState::new().hash_one(&server));
    let statements = format!(
        "SET lock_timeout = '60s';
         SELECT pg_advisory_xact_lock({EXTENSION_LOCK});
         CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
         CREATE SCHEMA {name};"
    );
    if let Err(problem) = run(&server, &statements) {
        panic!("the PostgreSQL at TEST_POSTGRES_URL must answer and have pgvector: {problem}");
    }
    let url = with_search_path(&server, &name);
    FreshSchema { url, name, server }
}

impl Drop for FreshSchema {
    fn drop(&mut self) {
        // A connection that the test left open would hold the locks; leave the schema behind rather
        // than block the test.
        let statements = format!(
            "SET lock_timeout = '5s'; SET client_min_messages = 'warning'; DROP SCHEMA {} CASCADE",
            self.name
        );
        let _ = run(&self.server, &statements);
    }
}

/// Adds the search path to the URL. Percent-encoded by hand: the client does not parse `+` as a
/// space, which form encoding writes.
fn with_search_path(server: &str, schema: &str) -> String {
    let separator = if server.contains('?') { '&' } else { '?' };
    format!("{server}{separator}options=-c%20search_path%3D{schema}%2Cpublic")
}

/// Runs the statements on a separate thread: the synchronous client brings its own runtime and
/// panics inside another.
fn run(server: &str, statements: &str) -> Result<(), String> {
    std::thread::scope(|scope| {
        scope
            .spawn(|| {
                let mut client = Client::connect(server, NoTls).map_err(in_full)?;
                client.batch_execute(statements).map_err(in_full)
            })
            .join()
            .unwrap_or_else(|_| Err("the client panicked".to_owned()))
    })
}

/// Formats an error with the message of the server; the client's own text is only "db error".
fn in_full(error: postgres::Error) -> String {
    match error.as_db_error() {
        Some(said) => said.to_string(),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first column of the result of `query`, as text.
    fn answer(url: &str, query: &str) -> String {
        let mut client = Client::connect(url, NoTls).unwrap();
        client.query_one(query, &[]).unwrap().get(0)
    }

    #[test]
    fn a_url_with_options_of_its_own_keeps_them() {
        assert_eq!(
            with_search_path("postgres://a@b/c?connect_timeout=1", "s"),
            "postgres://a@b/c?connect_timeout=1&options=-c%20search_path%3Ds%2Cpublic"
        );
    }

    #[test]
    fn what_is_written_goes_to_the_schema_and_goes_with_it() {
        let schema = fresh_schema_url();
        let other = fresh_schema_url();
        let mut client = Client::connect(&schema.url, NoTls).unwrap();
        client
            .batch_execute(
                "CREATE TABLE word (w text, v vector(2)); INSERT INTO word VALUES ('x', '[1,2]')",
            )
            .unwrap();
        drop(client);
        assert_eq!(
            answer(&schema.url, "SELECT current_schema()::text"),
            schema.name
        );
        let seen =
            "SELECT count(*)::text FROM pg_tables WHERE tablename = 'word' AND schemaname = ";
        assert_eq!(
            answer(
                &other.url,
                "SELECT coalesce(to_regclass('word')::text, 'none')"
            ),
            "none"
        );
        assert_eq!(answer(&other.url, &format!("{seen}'{}'", schema.name)), "1");
        let name = schema.name.clone();
        drop(schema);
        assert_eq!(answer(&other.url, &format!("{seen}'{name}'")), "0");
    }

    #[tokio::test]
    async fn a_schema_can_be_made_and_dropped_inside_a_runtime() {
        drop(fresh_schema_url());
    }
}
