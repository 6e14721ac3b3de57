//! What there is to copy: every table of an archive, those that others point to first.

use rusqlite::Connection;

/// One table.
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
    /// Whether its ids are counted, and none is ever given twice.
    pub(super) counts_ids: bool,
}

impl Table {
    /// `"a", "b"`: some of our columns are words of SQL.
    pub(super) fn column_list(&self) -> String {
        let quoted: Vec<String> = self.columns.iter().map(|name| quoted(name)).collect();
        quoted.join(", ")
    }

    pub(super) fn select(&self) -> String {
        format!("SELECT {} FROM {}", self.column_list(), quoted(&self.name))
    }
}

/// The name as SQL writes it. Names come from our own schema.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

/// The queue of the search index, which each engine fills in its own way.
pub(super) const SEARCH_QUEUE: &str = "search_queue";

/// Puts every item into that queue, where the index came along with nothing.
pub(super) const INDEX_ANEW: &str =
    "INSERT INTO search_queue (item_id) SELECT id FROM item ORDER BY id";

/// All tables but the search index, its queue and the record of the schema.
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
            // A circle of tables cannot be copied in any order; the engine says so.
            .unwrap_or(0);
        ordered.push(waiting.remove(next).0);
    }
    Ok(ordered)
}

/// How many rows each has.
pub(super) fn counts(archive: &Connection) -> rusqlite::Result<Vec<(String, i64)>> {
    let mut counts = Vec::new();
    for table in all(archive)? {
        let sql = format!("SELECT COUNT(*) FROM {}", quoted(&table.name));
        let rows = archive.query_row(&sql, [], |row| row.get(0))?;
        counts.push((table.name, rows));
    }
    Ok(counts)
}

/// The last id that `table` gave, which may be higher than any that is left.
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
