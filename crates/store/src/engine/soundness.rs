//! Whether a SQLite file is what its schema says: all that Lede made, nothing that it did not, and no row that
//! points to another that is gone.
//!
//! SQLite itself only checks that a file is well formed. One that lacks a table is, and so is one with a trigger
//! that somebody added. So it is compared with a new file of the same schema. Columns, keys and references are
//! compared and not the text that made them, which `ALTER TABLE` writes as the SQLite of that day likes it; what
//! a trigger does is its text. What SQLite keeps for itself (`sqlite_stat1` …) is not looked at, and an index that
//! somebody added is theirs.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _};

use super::OpenError;
use crate::migrate;

/// What is wrong with a file of schema `version`, in words for people; nothing where it is sound.
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

/// What a file is made of: kind and name, and what it is like.
type Parts = BTreeMap<(String, String), String>;

fn difference(expected: &Parts, there: &Parts) -> Option<String> {
    // A table takes its indexes along: whoever reads this wants to know of the table.
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

/// Columns, what is unique, and what points elsewhere.
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
