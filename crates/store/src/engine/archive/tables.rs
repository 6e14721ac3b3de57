//! The tables to copy, ordered so that referenced tables come first.

use rusqlite::Connection;

pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
    /// True for AUTOINCREMENT ids, which are never reused.
    pub(super) counts_ids: bool,
}

impl Table {
    /// Quoted column names: some are SQL keywords.
    pub(super) fn column_list(&self) -> String {
        let quoted: Vec<String> = self.columns.iter().map(|name| quoted(name)).collect();
        quoted.join(", ")
    }

    pub(super) fn select(&self) -> String {
        format!("SELECT {} FROM {}", self.column_list(), quoted(&self.name))
    }
}

/// Quotes an identifier. Names come from Lede's own schema, so nothing is escaped.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

/// Queue of the search index. It is not copied; [`INDEX_ANEW`] fills it again.
pub(super) const SEARCH_QUEUE: &str = "search_queue";

/// Queues every item for the search index, which is not part of an archive.
pub(super) const INDEX_ANEW: &str =
    "INSERT INTO search_queue (item_id) SELECT id FROM item ORDER BY id";

/// Returns all tables except the search index, its queue and the schema version.
pub(super) fn all(archive: &Connection) -> rusqlite::Result<Vec<Table>> {
    let mut statement = archive.prepare(
        "SELECT name, sql LIKE '%AUTOINCREMENT%' FROM sqlite_schema
         WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
             AND name NOT LIKE 'item\\_search%' ESCAPE '\\'
             AND name NOT IN ('schema_step', 'search_queue')
         ORDER BY rowid",
    )?;
    let named = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?;
    let mut waiting = Vec::new();
    for table in named {
        let (name, counts_ids) = table?;
        let texts = |sql: &str| -> rusqlite::Result<Vec<String>> {
            let mut statement = archive.prepare(sql)?;
            statement.query_map([&name], |row| row.get(0))?.collect()
        };
        let columns = texts("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?;
        let mut points_to = texts("SELECT DISTINCT \"table\" FROM pragma_foreign_key_list(?1)")?;
        points_to.retain(|other| *other != name);
        let table = Table {
            name,
            columns,
            counts_ids,
        };
        waiting.push((table, points_to));
    }
    let mut ordered: Vec<Table> = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let is_there = |name: &String| ordered.iter().any(|table| table.name == *name);
        let next = waiting
            .iter()
            .position(|(_, points_to)| points_to.iter().all(is_there))
            // Tables that reference each other in a cycle have no valid order; the engine will
            // report an error.
            .unwrap_or(0);
        ordered.push(waiting.remove(next).0);
    }
    Ok(ordered)
}

/// Returns the row count of each table.
pub(super) fn counts(archive: &Connection) -> rusqlite::Result<Vec<(String, i64)>> {
    let mut counts = Vec::new();
    for table in all(archive)? {
        let sql = format!("SELECT COUNT(*) FROM {}", quoted(&table.name));
        let rows = archive.query_row(&sql, [], |row| row.get(0))?;
        counts.push((table.name, rows));
    }
    Ok(counts)
}

/// Returns the last id that `table` assigned, which may be higher than the highest existing id.
pub(super) fn last_id(archive: &Connection, table: &str) -> rusqlite::Result<Option<i64>> {
    use rusqlite::OptionalExtension as _;
    let sql = "SELECT seq FROM sqlite_sequence WHERE name = ?1";
    archive.query_row(sql, [table], |row| row.get(0)).optional()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_point_to_comes_first_and_the_search_index_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lede.db");
        let file = Connection::open(&path).unwrap();
        crate::migrate::sqlite(&file, &path).unwrap();
        let tables = all(&file).unwrap();
        let place = |name: &str| tables.iter().position(|table| table.name == name);
        assert!(place("account") < place("category"));
        assert!(place("category") < place("subscription"), "added later");
        assert!(place("item") < place("item_body"));
        for absent in [
            SEARCH_QUEUE,
            "item_search",
            "schema_step",
            "sqlite_sequence",
        ] {
            assert_eq!(place(absent), None);
        }
        let counting = |name: &str| tables[place(name).unwrap()].counts_ids;
        assert!(counting("item") && !counting("setting"));
    }
}
