//! One connection of either engine, as store functions see it.

use std::collections::HashMap;

use super::value::{Cell, Column, at_column};
use super::{Engine, StoreError, StoreResult, Value};
use crate::signals::{Signal, SignalSet};

/// Text of a fixed statement. Created by `statements!`, never from data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sql(&'static str);

impl Sql {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self(text)
    }

    pub(crate) const fn as_str(self) -> &'static str {
        self.0
    }
}

/// A connection inside [`Store::read`](super::Store::read) or
/// [`Store::write`](super::Store::write).
pub struct Db<'c> {
    pub(super) connection: Connection<'c>,
    counted: &'c mut Counted,
    /// Fired when the transaction is committed.
    pub(super) signals: SignalSet,
}

pub(super) enum Connection<'c> {
    Sqlite(&'c rusqlite::Connection),
    Postgres(&'c mut PgSession),
}

/// Cache of counts on a connection, valid until the next write to the database. Long lists are
/// counted again for every page.
#[derive(Default)]
pub(super) struct Counted {
    /// Version of the database to which the numbers belong.
    version: Version,
    numbers: HashMap<(&'static str, Vec<i64>), i64>,
}

/// State of the database as one connection sees it; equal values mean no change in between.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Version(String);

/// A number from the cache, or the version under which to cache it.
#[derive(Debug, Clone)]
pub enum CachedCount {
    Number(i64),
    /// Not cached. `Db::note` takes the version when the number has been counted.
    Not(Version),
}

/// Counts cached per connection.
const COUNTED: usize = 256;

/// A PostgreSQL client with its prepared statements.
pub(super) struct PgSession {
    pub(super) client: postgres::Client,
    prepared: HashMap<Box<str>, postgres::Statement>,
}

/// Prepared statements cached per connection: about twice the number in the store.
const STATEMENT_CACHE: usize = 256;

impl PgSession {
    pub(super) fn new(client: postgres::Client) -> Self {
        Self {
            client,
            prepared: HashMap::new(),
        }
    }

    fn prepare(&mut self, sql: &str) -> Result<postgres::Statement, postgres::Error> {
        if let Some(statement) = self.prepared.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql)?;
        if self.prepared.len() >= STATEMENT_CACHE {
            // Only many different batch sizes can fill the cache; starting over is cheap and rare.
            self.prepared.clear();
        }
        self.prepared.insert(sql.into(), statement.clone());
        Ok(statement)
    }
}

/// Sets the same statement cache size on a SQLite connection.
pub(super) fn set_statement_cache(connection: &rusqlite::Connection) {
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
}

impl<'c> Db<'c> {
    pub(super) fn sqlite(connection: &'c rusqlite::Connection, counted: &'c mut Counted) -> Self {
        Self {
            connection: Connection::Sqlite(connection),
            counted,
            signals: SignalSet::default(),
        }
    }

    pub(super) fn postgres(session: &'c mut PgSession, counted: &'c mut Counted) -> Self {
        Self {
            connection: Connection::Postgres(session),
            counted,
            signals: SignalSet::default(),
        }
    }

    /// Returns the engine, for the cases where the two differ.
    pub(crate) fn engine(&self) -> Engine {
        match self.connection {
            Connection::Sqlite(_) => Engine::Sqlite,
            Connection::Postgres(_) => Engine::Postgres,
        }
    }

    /// Wakes the worker that waits for `signal` once this transaction is committed.
    pub(crate) fn signal(&mut self, signal: Signal) {
        self.signals.insert(signal);
    }

    /// Runs a statement and returns the number of changed rows.
    pub(crate) fn execute(&mut self, sql: Sql, params: &[Value<'_>]) -> StoreResult<u64> {
        self.change_rows(sql.0, params)
    }

    /// Same as [`Db::execute`] for a statement with one group of parameters per row. `text` is
    /// built from constants and a number of rows, never from data.
    pub(crate) fn change_rows(&mut self, text: &str, params: &[Value<'_>]) -> StoreResult<u64> {
        match &mut self.connection {
            Connection::Sqlite(connection) => {
                let changed = connection
                    .prepare_cached(text)?
                    .execute(rusqlite::params_from_iter(params))?;
                Ok(changed as u64)
            }
            Connection::Postgres(session) => {
                let statement = session.prepare(text)?;
                Ok(session.client.execute(&statement, &as_objects(params))?)
            }
        }
    }

    /// Returns all rows of a query.
    pub(crate) fn query<T>(
        &mut self,
        sql: Sql,
        params: &[Value<'_>],
        read: impl FnMut(&Row<'_>) -> StoreResult<T>,
    ) -> StoreResult<Vec<T>> {
        self.query_rows(sql.0, params, read)
    }

    /// Same as [`Db::query`] for a statement with one group of parameters per row. `text` is built
    /// from constants and a number of rows, never from data.
    pub(crate) fn query_rows<T>(
        &mut self,
        text: &str,
        params: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> StoreResult<T>,
    ) -> StoreResult<Vec<T>> {
        let mut found = Vec::new();
        match &mut self.connection {
            Connection::Sqlite(connection) => {
                let mut statement = connection.prepare_cached(text)?;
                let mut rows = statement.query(rusqlite::params_from_iter(params))?;
                while let Some(row) = rows.next()? {
                    found.push(read(&Row::Sqlite(row))?);
                }
            }
            Connection::Postgres(session) => {
                let statement = session.prepare(text)?;
                for row in session.client.query(&statement, &as_objects(params))? {
                    found.push(read(&Row::Postgres(&row))?);
                }
            }
        }
        Ok(found)
    }

    /// Same as [`Db::execute`] for a statement with one group of parameters per row.
    pub(crate) fn execute_rows(&mut self, text: &str, params: &[Value<'_>]) -> StoreResult<()> {
        self.query_rows(text, params, |_| Ok(())).map(drop)
    }

    /// Takes row locks with a `SELECT … FOR UPDATE` until the transaction ends, for the few cases
    /// in which a row inserted by one writer affects what another must see. No-op on SQLite, which
    /// has one writer at a time and no such syntax.
    pub(crate) fn lock(&mut self, sql: Sql, params: &[Value<'_>]) -> StoreResult<()> {
        match self.connection {
            Connection::Sqlite(_) => Ok(()),
            Connection::Postgres(_) => self.execute(sql, params).map(drop),
        }
    }

    /// Same as [`Db::lock`] for a statement with one parameter per row.
    pub(crate) fn lock_rows(&mut self, text: &str, params: &[Value<'_>]) -> StoreResult<()> {
        match self.connection {
            Connection::Sqlite(_) => Ok(()),
            Connection::Postgres(_) => self.execute_rows(text, params),
        }
    }

    /// Returns the row of a query, or `None` if there is none.
    pub(crate) fn find<T>(
        &mut self,
        sql: Sql,
        params: &[Value<'_>],
        read: impl FnMut(&Row<'_>) -> StoreResult<T>,
    ) -> StoreResult<Option<T>> {
        Ok(self.query(sql, params, read)?.pop())
    }

    /// Returns the row of a query that always has one. Fails with [`StoreError::Missing`]
    /// otherwise.
    pub(crate) fn one<T>(
        &mut self,
        sql: Sql,
        params: &[Value<'_>],
        read: impl FnMut(&Row<'_>) -> StoreResult<T>,
    ) -> StoreResult<T> {
        self.find(sql, params, read)?.ok_or(StoreError::Missing)
    }

    /// Returns the number that a query yields, from the cache if the database did not change since.
    /// Use it only in reads: a write transaction does not see its own changes in it.
    pub(crate) fn count(&mut self, sql: Sql, params: &[i64]) -> StoreResult<i64> {
        let version = match self.known(sql, params)? {
            CachedCount::Number(number) => return Ok(number),
            CachedCount::Not(version) => version,
        };
        let values: Vec<Value<'_>> = params.iter().map(|value| Value::from(*value)).collect();
        let number = self.one(sql, &values, |row| row.get(0))?;
        self.note(version, sql, params, number);
        Ok(number)
    }

    /// Returns the number of [`Db::count`] if it is cached.
    pub(crate) fn known(&mut self, sql: Sql, params: &[i64]) -> StoreResult<CachedCount> {
        let version = self.version()?;
        if self.counted.version != version || self.counted.numbers.len() >= COUNTED {
            self.counted.numbers.clear();
            self.counted.version = version.clone();
        }
        let number = self.counted.numbers.get(&(sql.0, params.to_vec()));
        Ok(match number {
            Some(number) => CachedCount::Number(*number),
            None => CachedCount::Not(version),
        })
    }

    /// Caches a number that was counted after `version` was read. If the database changed in
    /// between, `version` is outdated and will not be requested again.
    pub(crate) fn note(&mut self, version: Version, sql: Sql, params: &[i64], number: i64) {
        if self.counted.version == version {
            self.counted
                .numbers
                .insert((sql.0, params.to_vec()), number);
        }
    }

    /// Returns the version of the database. It changes with every commit of another connection
    /// (SQLite), or with every transaction that starts or ends (PostgreSQL).
    fn version(&mut self) -> StoreResult<Version> {
        match self.engine() {
            Engine::Sqlite => {
                // `data_version` is only meaningful per connection; the address identifies the
                // connection.
                let connection = std::ptr::from_ref(&*self.counted).addr();
                let version: i64 = self.one(Sql("PRAGMA data_version"), &[], |row| row.get(0))?;
                Ok(Version(format!("{connection} {version}")))
            }
            Engine::Postgres => {
                let snapshot = Sql("SELECT CAST(pg_current_snapshot() AS TEXT)");
                self.one(snapshot, &[], |row| row.get(0)).map(Version)
            }
        }
    }

    /// Executes a fixed statement without a result and without the statement cache, for
    /// [`Store::maintenance`](super::Store::maintenance): some pragmas take effect when they are
    /// prepared.
    pub(crate) fn run(&mut self, text: &'static str) -> StoreResult<()> {
        match &mut self.connection {
            Connection::Sqlite(connection) => connection.execute_batch(text)?,
            Connection::Postgres(session) => session.client.batch_execute(text)?,
        }
        Ok(())
    }

    /// Prepares `sql` without executing it, for the test that both engines accept every statement.
    pub fn prepares(&mut self, sql: &str) -> StoreResult<()> {
        match &mut self.connection {
            Connection::Sqlite(connection) => drop(connection.prepare(sql)?),
            Connection::Postgres(session) => drop(session.client.prepare(sql)?),
        }
        Ok(())
    }
}

/// `postgres` takes parameters as trait objects.
fn as_objects<'v>(params: &'v [Value<'_>]) -> Vec<&'v (dyn postgres::types::ToSql + Sync)> {
    params
        .iter()
        .map(|value| value as &(dyn postgres::types::ToSql + Sync))
        .collect()
}

pub(crate) enum Row<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    Postgres(&'r postgres::Row),
}

impl Row<'_> {
    /// Returns the value of column `index`, counted from zero.
    pub(crate) fn get<T: Column>(&self, index: usize) -> StoreResult<T> {
        let cell = match self {
            Self::Sqlite(row) => Cell::Sqlite(row.get_ref(index)?),
            Self::Postgres(row) => Cell::Postgres(row, index),
        };
        T::from_cell(cell).map_err(at_column(index))
    }
}
