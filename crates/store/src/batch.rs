//! Helpers that build SQL for a variable number of rows.

use lede_model::ids::UserId;

use crate::engine::Value;
use crate::{Db, StoreResult};

/// Rows per statement that updates positions.
const PLACES: usize = 250;

/// Returns `count` placeholders starting at `$first`: `$3, $4`.
pub(crate) fn list(first: usize, count: usize) -> String {
    let mut text = String::with_capacity(count * 6);
    for number in first..first + count {
        if number > first {
            text.push_str(", ");
        }
        text.push('$');
        text.push_str(&number.to_string());
    }
    text
}

/// Returns placeholders for rows of values: `($1, $2), ($3, $4)` for two rows of two columns.
pub(crate) fn groups(rows: usize, columns: usize) -> String {
    let mut text = String::with_capacity(rows * columns * 6);
    for row in 0..rows {
        text.push_str(if row == 0 { "(" } else { ", (" });
        text.push_str(&list(row * columns + 1, columns));
        text.push(')');
    }
    text
}

/// Sets `position` on rows of `table` that belong to `user`.
pub(crate) fn places<'a, Id: Copy + Into<Value<'a>>>(
    db: &mut Db<'_>,
    table: &str,
    user: UserId,
    positions: &[(Id, i64)],
) -> StoreResult<()> {
    for batch in positions.chunks(PLACES) {
        let mut values: Vec<Value<'a>> = Vec::with_capacity(batch.len() * 2 + 1);
        for (id, position) in batch {
            values.extend([(*id).into(), (*position).into()]);
        }
        values.push(user.into());
        db.execute_rows(&reorder_sql(table, batch.len()), &values)?;
    }
    Ok(())
}

/// Returns the statement that [`places`] executes.
pub(crate) fn reorder_sql(table: &str, rows: usize) -> String {
    format!(
        "{}
         UPDATE {table} SET position = wanted.position
         FROM wanted WHERE {table}.id = wanted.id AND {table}.user_id = ${}",
        with_numbers("wanted", &["id", "position"], rows),
        rows * 2 + 1
    )
}

/// Returns `WITH name (a, b) AS (VALUES …)` for rows of integers. The casts are for PostgreSQL,
/// which cannot infer the types of parameters in VALUES.
pub(crate) fn with_numbers(name: &str, columns: &[&str], rows: usize) -> String {
    let row = |row: usize| {
        let first = row * columns.len() + 1;
        let numbers = (first..first + columns.len()).map(|n| format!("CAST(${n} AS BIGINT)"));
        format!("({})", numbers.collect::<Vec<_>>().join(", "))
    };
    let rows: Vec<String> = (0..rows).map(row).collect();
    let (columns, rows) = (columns.join(", "), rows.join(", "));
    format!("WITH {name} ({columns}) AS (VALUES {rows})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered_in_order() {
        assert_eq!(list(3, 2), "$3, $4");
        assert_eq!(groups(2, 2), "($1, $2), ($3, $4)");
        assert_eq!(groups(1, 3), "($1, $2, $3)");
        assert_eq!(
            with_numbers("n", &["a"], 2),
            "WITH n (a) AS (VALUES (CAST($1 AS BIGINT)), (CAST($2 AS BIGINT)))"
        );
    }
}
