//! The minimal server for the newest unread items: axum and rusqlite, without any checks.

use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use rusqlite::Connection;
use serde::Serialize;

/// The first argument of a process that serves.
pub(crate) const COMMAND: &str = "serve-bare";

#[derive(Serialize)]
struct Post {
    id: i64,
    feed_id: i64,
    feed_title: String,
    title: String,
    link: Option<String>,
    author: Option<String>,
    language: Option<String>,
    excerpt: String,
    one_line_summary: String,
    published_at: i64,
    is_starred: bool,
}

const NEWEST: &str = "SELECT i.id, i.feed_id, f.title, i.title, i.url, i.author, i.language, i.excerpt, i.lede, i.sort_at,
        EXISTS (SELECT 1 FROM mark m WHERE m.user_id = 1 AND m.kind = 1 AND m.sort_at = i.sort_at AND m.item_id = i.id)
    FROM unread u CROSS JOIN item i CROSS JOIN feed f
    WHERE u.user_id = 1 AND u.round = 0 AND i.id = u.item_id AND f.id = i.feed_id
    ORDER BY u.sort_at DESC, u.item_id DESC LIMIT 50";
const FOUND: &str = "SELECT i.id, i.feed_id, f.title, i.title, i.url, i.author, i.language, i.excerpt, i.lede, i.sort_at, 0
    FROM item_search s CROSS JOIN item i CROSS JOIN feed f
    WHERE s.item_search MATCH ?1 AND i.id = s.rowid AND f.id = i.feed_id
    ORDER BY s.rowid DESC LIMIT 50";

type File = Arc<Mutex<Connection>>;

fn posts(file: &File, sql: &str, values: &[&str]) -> Vec<Post> {
    let connection = file.lock().unwrap_or_else(PoisonError::into_inner);
    let read = || -> rusqlite::Result<Vec<Post>> {
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement.query_map(rusqlite::params_from_iter(values), |row| {
            Ok(Post {
                id: row.get(0)?,
                feed_id: row.get(1)?,
                feed_title: row.get(2)?,
                title: row.get(3)?,
                link: row.get(4)?,
                author: row.get(5)?,
                language: row.get(6)?,
                excerpt: row.get(7)?,
                one_line_summary: row.get(8)?,
                published_at: row.get(9)?,
                is_starred: row.get(10)?,
            })
        })?;
        rows.collect()
    };
    read().unwrap_or_default()
}

/// Prints its port and serves the file until the process is killed.
pub(crate) fn serve(path: &Path) -> Result<(), Box<dyn Error>> {
    let connection = Connection::open(path)?;
    connection.execute_batch("PRAGMA mmap_size = 1073741824; PRAGMA query_only = ON;")?;
    connection.set_db_config(
        rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG,
        true,
    )?;
    let file: File = Arc::new(Mutex::new(connection));
    let app = Router::new()
        .route(
            "/posts",
            get(async |State(file): State<File>| Json(posts(&file, NEWEST, &[]))),
        )
        .route(
            "/words",
            get(async |State(file): State<File>| {
                Json(posts(&file, FOUND, &["\"gen\" AND \"nal\""]))
            }),
        )
        .with_state(file);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let mut out = std::io::stdout();
        writeln!(out, "{}", listener.local_addr()?.port())?;
        out.flush()?;
        axum::serve(listener, app).await
    })?;
    Ok(())
}
