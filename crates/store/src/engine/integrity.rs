//! Integrity of a SQLite file against its schema version: complete, nothing foreign added, and no
//! dangling foreign keys.
//!
//! SQLite's own check only verifies that a file is well formed. A file without one of the tables
//! passes it, and so does one with an added trigger. So the file is compared with a new one of the
//! same schema version. For tables, columns, keys and references are compared instead of the SQL
//! text, which `ALTER TABLE` rewrites differently in each SQLite version; for triggers, the text is
//! compared. SQLite's internal tables (`sqlite_stat1` …) are ignored, and indexes added by the
//! operator are allowed.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _};

use super::OpenError;
use crate::migrate;

/// Returns a user-visible description of the first fault in a file of schema `version`, or `None`
/// if it is sound.
pub(super) fn fault(
    file: &Connection,
    path: &Path,
    version: i64,
) -> Result<Option<String>, OpenError> {
    let other = |error: rusqlite::Error| OpenError::Other(error.to_string());
    let new = Connection::open_in_memory().map_err(other)?;
    migrate::sqlite_to(&new, path, version)?;
    let found = || -> rusqlite::Result<Option<String>> {
        let (expected, there) = (parts(&new)?, parts(file)?);
        if let Some(fault) = difference(&expected, &there) {
            return Ok(Some(fault));
        }
        lost_reference(file)
    };
    found().map_err(other)
}

/// Objects of a file by kind and name, with a description of their structure.
type Parts = BTreeMap<(String, String), String>;

fn difference(expected: &Parts, there: &Parts) -> Option<String> {
    // A missing table implies missing indexes, and the table is the more useful message.
    let (tables, others): (Vec<_>, Vec<_>) =
        expected.iter().partition(|((kind, _), _)| kind == "table");
    for (part, shape) in tables.into_iter().chain(others) {
        let (kind, name) = part;
        match there.get(part) {
            None => return Some(format!("the {kind} {name} is missing")),
            Some(other) if other != shape => {
                return Some(format!("the {kind} {name} is not the one that Lede made"));
            }
            Some(_) => {}
        }
    }
    let mut unknown = there.keys().filter(|part| !expected.contains_key(*part));
    unknown
        .find(|(kind, _)| kind != "index")
        .map(|(kind, name)| format!("Lede did not make the {kind} {name}"))
}

fn parts(file: &Connection) -> rusqlite::Result<Parts> {
    let mut statement = file.prepare(
        "SELECT type, name, COALESCE(sql, '') FROM sqlite_schema
         WHERE type NOT IN ('table', 'index') OR name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )?;
    let mut rows = statement.query([])?;
    let mut parts = Parts::new();
    while let Some(row) = rows.next()? {
        let (kind, name): (String, String) = (row.get(0)?, row.get(1)?);
        let shape = match kind.as_str() {
            "table" => table(file, &name)?,
            "index" => String::new(),
            _ => {
                let text: String = row.get(2)?;
                text.split_whitespace().collect::<Vec<_>>().join(" ")
            }
        };
        parts.insert((kind, name), shape);
    }
    Ok(parts)
}

/// Describes columns, unique constraints and foreign keys.
fn table(file: &Connection, name: &str) -> rusqlite::Result<String> {
    let mut shape = Vec::new();
    for sql in [
        "SELECT name || ' ' || type || ' ' || \"notnull\" || ' ' || COALESCE(dflt_value, '') || ' ' || pk || ' ' || hidden
         FROM pragma_table_xinfo(?1) ORDER BY cid",
        "SELECT 'unique ' || (SELECT group_concat(COALESCE(c.name, '')) FROM pragma_index_info(l.name) c)
         FROM pragma_index_list(?1) l WHERE l.origin <> 'c' ORDER BY 1",
        "SELECT \"from\" || ' to ' || \"table\" || ' ' || COALESCE(\"to\", '') || ' ' || on_delete
         FROM pragma_foreign_key_list(?1) ORDER BY 1",
    ] {
        let mut statement = file.prepare(sql)?;
        let lines = statement.query_map([name], |row| row.get::<_, String>(0))?;
        shape.extend(lines.collect::<rusqlite::Result<Vec<_>>>()?);
    }
    Ok(shape.join("\n"))
}

fn lost_reference(file: &Connection) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT \"table\", parent FROM pragma_foreign_key_check LIMIT 1";
    let lost = file.query_row(sql, [], |row| {
        let (from, to): (String, String) = (row.get(0)?, row.get(1)?);
        Ok(format!(
            "a row of the table {from} points to one of {to} that is gone"
        ))
    });
    lost.optional()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_any_schema_is_sound_and_stays_so_with_what_sqlite_and_its_owner_add() {
        for version in 1..=migrate::LATEST {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("lede.db");
            let file = Connection::open(&path).unwrap();
            migrate::sqlite_to(&file, &path, version).unwrap();
            file.execute_batch("ANALYZE; CREATE INDEX mine ON account (role)")
                .unwrap();
            assert_eq!(fault(&file, &path, version).unwrap(), None, "{version}");
        }
    }
}
