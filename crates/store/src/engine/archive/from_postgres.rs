//! Backup of PostgreSQL into an archive: all rows of one snapshot, streamed.

use std::path::Path;

use lede_model::secret::Secret;
use postgres::fallible_iterator::FallibleIterator as _;
use postgres::types::Type;
use postgres::{IsolationLevel, Transaction};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::tables::{self, INDEX_ANEW, Table, quoted};
use super::{ArchiveError, Progress, Result};
use crate::engine::postgres::Target;
use crate::migrate;

/// Rows between two progress messages.
const TOLD_EVERY: i64 = 50_000;

/// Copies the database at `url` into the empty file `copy`.
pub(super) fn copy(url: &Secret, copy: &Path, progress: Progress<'_>) -> Result<()> {
    let mut client = Target::parse(url)?.connect_to_read()?;
    let version = migrate::postgres_version(&mut client)?;
    if version == 0 {
        return Err(ArchiveError::Nothing);
    }
    let archive = Connection::open(copy)?;
    // The file is not visible before it is complete, so it needs no journal.
    archive.pragma_update(None, "journal_mode", "OFF")?;
    archive.pragma_update(None, "synchronous", "OFF")?;
    // Rows arrive table by table; foreign keys are checked at the end.
    archive.pragma_update(None, "foreign_keys", false)?;
    migrate::sqlite_to(&archive, copy, version)?;
    let mut snapshot = client
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()?;
    archive.execute_batch("BEGIN")?;
    for table in tables::all(&archive)? {
        let rows = copy_table(&mut snapshot, &archive, &table, progress)?;
        let sql = format!("SELECT COUNT(*) FROM {}", quoted(&table.name));
        let expected: i64 = snapshot.query_one(&sql, &[])?.get(0);
        if rows != expected {
            return Err(ArchiveError::Incomplete {
                table: table.name,
                expected,
                found: rows,
            });
        }
        if table.counts_ids {
            copy_last_id(&mut snapshot, &archive, &table.name)?;
        }
    }
    archive.execute_batch(INDEX_ANEW)?;
    archive.execute_batch("COMMIT")?;
    let is_torn: bool = archive.prepare("PRAGMA foreign_key_check")?.exists([])?;
    if is_torn {
        let words = "rows point to others that are not there; check the database";
        return Err(ArchiveError::Copy(words.to_owned()));
    }
    archive.pragma_update(None, "journal_mode", "DELETE")?;
    Ok(())
}

fn copy_table(
    snapshot: &mut Transaction<'_>,
    archive: &Connection,
    table: &Table,
    progress: Progress<'_>,
) -> Result<i64> {
    let places: Vec<String> = (1..=table.columns.len())
        .map(|number| format!("?{number}"))
        .collect();
    let mut insert = archive.prepare(&format!(
        "INSERT INTO {} ({}) VALUES ({})",
        quoted(&table.name),
        table.column_list(),
        places.join(", ")
    ))?;
    // The driver streams the rows: the whole table is never in memory.
    let mut rows = snapshot.query_raw(&table.select(), std::iter::empty::<i64>())?;
    let mut copied = 0;
    while let Some(row) = rows.next()? {
        for (index, column) in row.columns().iter().enumerate() {
            let value = cell(&row, index, column.type_())?;
            insert.raw_bind_parameter(index + 1, rusqlite::types::ToSqlOutput::Borrowed(value))?;
        }
        insert.raw_execute()?;
        copied += 1;
        if copied % TOLD_EVERY == 0 {
            progress(&format!("{}: {copied} rows", table.name));
        }
    }
    Ok(copied)
}

fn cell<'r>(
    row: &'r postgres::Row,
    index: usize,
    kind: &Type,
) -> std::result::Result<ValueRef<'r>, postgres::Error> {
    let value = match *kind {
        Type::INT8 => row.try_get::<_, Option<i64>>(index)?.map(ValueRef::Integer),
        Type::BOOL => row
            .try_get::<_, Option<bool>>(index)?
            .map(|yes| ValueRef::Integer(yes.into())),
        Type::BYTEA => row.try_get::<_, Option<&[u8]>>(index)?.map(ValueRef::Blob),
        _ => row
            .try_get::<_, Option<&str>>(index)?
            .map(|text| ValueRef::Text(text.as_bytes())),
    };
    Ok(value.unwrap_or(ValueRef::Null))
}

/// Copies the id sequence. Ids of deleted rows must not be reused, because clients remember them.
fn copy_last_id(snapshot: &mut Transaction<'_>, archive: &Connection, table: &str) -> Result<()> {
    let sql = "SELECT pg_sequence_last_value(CAST(pg_get_serial_sequence($1, 'id') AS REGCLASS))";
    let last: Option<i64> = snapshot.query_one(sql, &[&quoted(table)])?.get(0);
    if let Some(last) = last {
        archive.execute("DELETE FROM sqlite_sequence WHERE name = ?1", [table])?;
        let add = "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)";
        archive.execute(add, rusqlite::params![table, last])?;
    }
    Ok(())
}
