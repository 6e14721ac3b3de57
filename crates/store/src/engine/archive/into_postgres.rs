//! Restore into PostgreSQL: one transaction, one `COPY` per table.

use std::path::Path;
use std::time::{Duration, Instant};

use lede_model::secret::Secret;
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::types::{ToSql, Type};
use postgres::{Client, Transaction};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::tables::{self, INDEX_ANEW, SEARCH_QUEUE, Table, quoted};
use super::{ArchiveError, Existing, Inventory, Progress, Result};
use crate::engine::Value;
use crate::engine::postgres::{ALONE, Target};
use crate::migrate;

/// No timeout may interrupt a long copy; only lock waits are limited.
const PATIENT: &str = "SET statement_timeout = 0; SET lock_timeout = '30s'; \
                       SET idle_in_transaction_session_timeout = 0";

/// Time allowed for the connections of a stopped server to disappear.
const GOODBYE: Duration = Duration::from_secs(3);

/// Replaces the database at `url` with the contents of `archive`, which must have the latest
/// schema.
pub(super) fn restore(
    archive: &Path,
    url: &Secret,
    existing: Existing,
    progress: Progress<'_>,
) -> Result<Inventory> {
    let inventory = super::inspect(archive)?;
    let archive = super::open_archive(archive)?;
    let mut client = Target::parse(url)?.connect_with(PATIENT)?;
    // This connection holds the lock until it closes, so that no server starts meanwhile.
    if !is_alone(&mut client)? {
        return Err(ArchiveError::InUse);
    }
    if existing == Existing::Refused && migrate::postgres_version(&mut client)? > 0 {
        let sql = "SELECT EXISTS (SELECT 1 FROM account) OR EXISTS (SELECT 1 FROM feed)";
        if client.query_one(sql, &[])?.get(0) {
            return Err(ArchiveError::NotEmpty(None));
        }
    }
    migrate::postgres(&mut client)?;
    let mut transaction = client.transaction()?;
    let tables = tables::all(&archive)?;
    let names = tables.iter().map(|table| table.name.as_str());
    let names: Vec<String> = names
        .chain([SEARCH_QUEUE, "item_search"])
        .map(quoted)
        .collect();
    transaction.batch_execute(&format!("TRUNCATE {} RESTART IDENTITY", names.join(", ")))?;
    for table in &tables {
        progress(&table.name);
        copy_table(&archive, &mut transaction, table)?;
        if table.counts_ids
            && let Some(last) = tables::last_id(&archive, &table.name)?
            && last > 0
        {
            let sql = "SELECT setval(CAST(pg_get_serial_sequence($1, 'id') AS REGCLASS), $2)";
            transaction.execute(sql, &[&quoted(&table.name), &last])?;
        }
    }
    transaction.batch_execute(INDEX_ANEW)?;
    for (table, expected) in &inventory.rows {
        let sql = format!("SELECT COUNT(*) FROM {}", quoted(table));
        let found: i64 = transaction.query_one(&sql, &[])?.get(0);
        if found != *expected {
            return Err(ArchiveError::Incomplete {
                table: table.clone(),
                expected: *expected,
                found,
            });
        }
    }
    transaction.commit()?;
    Ok(inventory)
}

/// Returns `true` if no server is connected. PostgreSQL notices closed connections with a delay.
fn is_alone(client: &mut Client) -> Result<bool> {
    let began = Instant::now();
    loop {
        let is_alone = client.query_one(ALONE, &[])?.get(0);
        if is_alone || began.elapsed() > GOODBYE {
            return Ok(is_alone);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// One statement per table, because rows of a table may reference each other.
fn copy_table(
    archive: &Connection,
    transaction: &mut Transaction<'_>,
    table: &Table,
) -> Result<()> {
    let types: Vec<Type> = transaction
        .prepare(&table.select())?
        .columns()
        .iter()
        .map(|column| column.type_().clone())
        .collect();
    let copy = format!(
        "COPY {} ({}) FROM STDIN BINARY",
        quoted(&table.name),
        table.column_list()
    );
    let mut writer = BinaryCopyInWriter::new(transaction.copy_in(&copy)?, &types);
    let mut statement = archive.prepare(&table.select())?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let mut values = Vec::with_capacity(types.len());
        for (index, kind) in types.iter().enumerate() {
            values.push(value(row.get_ref(index)?, kind).ok_or_else(|| {
                let column = &table.columns[index];
                ArchiveError::Copy(format!("{}.{column} is not what it should be", table.name))
            })?);
        }
        let values: Vec<&(dyn ToSql + Sync)> = values
            .iter()
            .map(|value| value as &(dyn ToSql + Sync))
            .collect();
        writer.write(&values)?;
    }
    writer.finish()?;
    Ok(())
}

fn value<'r>(cell: ValueRef<'r>, kind: &Type) -> Option<Value<'r>> {
    match (cell, kind) {
        (ValueRef::Null, _) => Some(Value::Null),
        (ValueRef::Integer(number), &Type::BOOL) => Some(Value::Bool(number != 0)),
        (ValueRef::Integer(number), &Type::INT8) => Some(Value::Int(number)),
        (ValueRef::Text(text), &Type::TEXT) => std::str::from_utf8(text).ok().map(Value::Text),
        (ValueRef::Blob(bytes), &Type::BYTEA) => Some(Value::Bytes(bytes)),
        _ => None,
    }
}
