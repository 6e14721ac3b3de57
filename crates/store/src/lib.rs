//! The schema and all SQL.
//!
//! The same schema and SQL run on two engines: SQLite inside the process, or PostgreSQL. Async code
//! sends a closure and awaits its result. The closure runs on a thread that owns a connection, so
//! no transaction is ever held across an `.await`, and a slow or cancelled request cannot hold
//! SQLite's write lock:
//!
//! ```text
//! let counts = store.read(move |db| items::unread_counts(db, user)).await?;
//! store.write(move |db| marks::set(db, user, item, change, now)).await?;
//! ```
//!
//! Store functions are plain functions over [`Db`], so that several can form one transaction.
//! Functions for data that belongs to a user take `user: UserId` first, and their statements filter
//! by it.
//!
//! Conventions of the SQL that both engines share: `$n` numbered in order of first use, 64-bit
//! integers, times in milliseconds since 1970, `BOOLEAN`, JSON as text, `ON CONFLICT`, `RETURNING`,
//! row values for pages; no arrays and no date functions. Every statement is declared with
//! [`statements!`], which also lists it for the test that prepares all of them on both engines.

mod batch;
mod engine;
mod messages;
mod migrate;

pub mod access;
pub mod admin_queries;
pub mod app_passwords;
pub mod articles;
pub mod audit_log;
pub mod bulk_marks;
pub mod categories;
pub mod cleanup;
pub mod feeds;
pub mod follow;
pub mod icons;
pub mod identities;
pub mod imports;
pub mod ingest;
pub mod item_counts;
pub mod items;
pub mod jobs;
pub mod labels;
pub mod leases;
pub mod lists;
pub mod maintenance;
pub mod marks;
pub mod merge;
pub mod notifications;
pub mod pending_marks;
pub mod pg_notify;
pub mod preferences;
pub mod rules;
pub mod saved_searches;
pub mod search;
pub mod sessions;
pub mod settings;
pub mod signals;
pub mod subscriptions;
pub mod takeout;
pub mod tokens;
pub mod unread;
pub mod users;

pub use engine::archive;
pub use engine::{
    CachedCount, DatabaseLocation, Db, Engine, OpenError, PoolLoad, Store, StoreError, StoreResult,
    UseLoad, Version,
};
pub use migrate::LATEST as LATEST_SCHEMA;

/// Declares the SQL statements of a file and lists them in `STATEMENTS`, so that the test that
/// prepares every statement on both engines misses none.
macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident = $sql:expr;)*) => {
        $($(#[$doc])* const $name: $crate::engine::Sql = $crate::engine::Sql::new($sql);)*

        /// Every statement of this file, for the test that prepares all statements.
        pub(crate) const STATEMENTS: &[(&str, $crate::engine::Sql)] = &[$((stringify!($name), $name)),*];
    };
}
pub(crate) use statements;

/// The parameters of one statement, in the order `$1, $2 …`.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        &[$($crate::engine::Value::from($value)),*]
    };
}
pub(crate) use params;

/// Returns every statement of the store by name, for the test that prepares all of them on each
/// engine.
pub fn all_statements(engine: Engine) -> Vec<(&'static str, String)> {
    let fixed = [
        access::STATEMENTS,
        app_passwords::STATEMENTS,
        articles::STATEMENTS,
        pending_marks::STATEMENTS,
        audit_log::STATEMENTS,
        categories::STATEMENTS,
        cleanup::STATEMENTS,
        feeds::STATEMENTS,
        icons::STATEMENTS,
        identities::STATEMENTS,
        imports::STATEMENTS,
        admin_queries::STATEMENTS,
        ingest::import_item::STATEMENTS,
        ingest::flood::STATEMENTS,
        ingest::keyed::STATEMENTS,
        items::STATEMENTS,
        jobs::STATEMENTS,
        jobs::admin::STATEMENTS,
        labels::STATEMENTS,
        leases::STATEMENTS,
        lists::STATEMENTS,
        marks::STATEMENTS,
        merge::STATEMENTS,
        notifications::STATEMENTS,
        preferences::STATEMENTS,
        rules::STATEMENTS,
        rules::apply::STATEMENTS,
        saved_searches::STATEMENTS,
        search::STATEMENTS,
        sessions::STATEMENTS,
        settings::STATEMENTS,
        subscriptions::STATEMENTS,
        bulk_marks::STATEMENTS,
        takeout::STATEMENTS,
        item_counts::STATEMENTS,
        tokens::STATEMENTS,
        unread::STATEMENTS,
        users::STATEMENTS,
    ];
    let fixed = fixed
        .into_iter()
        .chain(search::MORE_STATEMENTS)
        .flatten()
        .map(|(name, sql)| (*name, sql.as_str().to_owned()));
    fixed
        .chain(pending_marks::batch_statements())
        .chain(categories::batch_statements())
        .chain(feeds::engine_statements(engine))
        .chain(audit_log::batch_statements())
        .chain(follow::batch_statements())
        .chain(imports::batch_statements())
        .chain(cleanup::batch_statements(engine))
        .chain(ingest::batch_statements())
        .chain(items::batch_statements())
        .chain(labels::batch_statements(engine))
        .chain(lists::page_statements(engine))
        .chain(saved_searches::batch_statements())
        .chain(subscriptions::batch_statements())
        .chain(bulk_marks::batch_statements())
        .chain(takeout::batch_statements())
        .chain(item_counts::batch_statements(engine))
        .chain(notifications::batch_statements())
        .chain(rules::apply::batch_statements(engine))
        .chain(rules::preview::batch_statements())
        .chain(jobs::engine_statements(engine))
        .chain(leases::engine_statements(engine))
        .chain(search::engine_statements(engine))
        .chain(pg_notify::engine_statements(engine))
        .chain(unread::batch_statements(engine))
        .chain(maintenance::engine_statements(engine))
        .collect()
}
