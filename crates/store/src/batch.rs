//! The parameters of statements that are made for a number of rows.

/// `$3, $4` for two, beginning at 3.
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

/// `($1, $2), ($3, $4)` for two rows of two columns.
pub(crate) fn groups(rows: usize, columns: usize) -> String {
    let mut text = String::with_capacity(rows * columns * 6);
    for row in 0..rows {
        text.push_str(if row == 0 { "(" } else { ", (" });
        text.push_str(&list(row * columns + 1, columns));
        text.push(')');
    }
    text
}

/// `WITH name (a, b) AS (VALUES …)` for so many rows of numbers, which PostgreSQL has to be told that they are.
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
