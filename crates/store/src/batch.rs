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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered_in_order() {
        assert_eq!(list(3, 2), "$3, $4");
        assert_eq!(groups(2, 2), "($1, $2), ($3, $4)");
        assert_eq!(groups(1, 3), "($1, $2, $3)");
    }
}
