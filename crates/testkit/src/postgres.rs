//! A schema of one's own in the PostgreSQL of the tests.
//!
//! Tests run at the same time on one server. A database each would cost some 30 ms and 7 MB; a schema
//! costs next to nothing, and `search_path` in the URL makes it the only place where a test writes.
//! Starting the server is the business of `scripts/test`.

use std::hash::{BuildHasher, RandomState};

use postgres::{Client, NoTls};

/// Serialises `CREATE EXTENSION`, which fails when two run at once, even with `IF NOT EXISTS`. Held to
/// the end of the transaction, which the statements below are together: the other must see it done.
const EXTENSION_LOCK: i64 = 0x7465_7374;

/// The server that `scripts/test` started, or that the developer named.
///
/// # Panics
/// When `TEST_POSTGRES_URL` is not set.
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

/// A new, empty schema; dropping this drops the schema with everything in it.
#[derive(Debug)]
pub struct FreshSchema {
    /// Where to connect: whoever does sees this schema first and `public`, with pgvector, behind it.
    pub url: String,
    /// The schema's name.
    pub name: String,
    server: String,
}

/// Creates a schema that nobody else has on the server of [`postgres_url`].
///
/// # Panics
/// When there is no server, or it has no pgvector: both in words that say what to do.
#[must_use]
pub fn fresh_schema_url() -> FreshSchema {
    let server = postgres_url();
    // Random, since process ids come back and a killed test leaves its schema behind.
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
        // A connection that the test forgot would hold the locks; the schema is then left behind
        // rather than the test stuck.
        let statements = format!(
            "SET lock_timeout = '5s'; SET client_min_messages = 'warning'; DROP SCHEMA {} CASCADE",
            self.name
        );
        let _ = run(&self.server, &statements);
    }
}

/// Percent-encoded by hand: the client does not read `+` as a space, which form encoding writes.
fn with_search_path(server: &str, schema: &str) -> String {
    let separator = if server.contains('?') { '&' } else { '?' };
    format!("{server}{separator}options=-c%20search_path%3D{schema}%2Cpublic")
}

/// On a thread of its own: the synchronous client brings its own runtime and panics inside another.
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

/// The client's errors say only "db error"; what the server said is behind them.
fn in_full(error: postgres::Error) -> String {
    match error.as_db_error() {
        Some(said) => said.to_string(),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `query` answers in its first column, as text.
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
