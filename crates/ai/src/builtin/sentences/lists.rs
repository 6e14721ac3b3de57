//! Lists whose entries are in one line.

use super::marks::is_bullet;

/// Returns the positions at which the second and further entries of a list begin, if the line is
/// one: "1. First 2. Second", "a) First b) Second", "• First • Second".
pub(super) fn list_entries(chars: &[(usize, char)]) -> Vec<usize> {
    let first = (0..chars.len()).find(|at| !chars[*at].1.is_whitespace());
    let Some((marker, mut at)) = first.and_then(|at| list_marker(chars, at)) else {
        return Vec::new();
    };
    let mut entries = Vec::new();
    let mut expected = marker.next();
    while at < chars.len() {
        let follows_blank = chars[at - 1].1.is_whitespace();
        match list_marker(chars, at) {
            Some((marker, end)) if follows_blank && marker == expected => {
                entries.push(at);
                expected = marker.next();
                at = end;
            }
            _ => at += 1,
        }
    }
    entries
}

/// The mark of a list entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ListMarker {
    bullet: Option<char>,
    number: Option<u32>,
    /// ".", ")" or ".)".
    period: bool,
    parenthesis: bool,
}

impl ListMarker {
    fn next(self) -> Self {
        Self {
            number: self.number.map(|number| number + 1),
            ..self
        }
    }
}

/// Parses a mark of a list entry at `at` that is followed by white space. Letters count as numbers.
fn list_marker(chars: &[(usize, char)], at: usize) -> Option<(ListMarker, usize)> {
    const MAX_DIGITS: usize = 3;
    let char = |at: usize| chars.get(at).map(|(_, c)| *c);
    let mut end = at;
    let bullet = char(at).filter(|c| is_bullet(*c));
    if bullet.is_some() {
        end += 1;
        while char(end) == Some(' ') {
            end += 1;
        }
    }
    let unnumbered = bullet.map(|_| {
        let marker = ListMarker {
            bullet,
            number: None,
            period: false,
            parenthesis: false,
        };
        (marker, end)
    });
    let digits = (end..chars.len())
        .take(MAX_DIGITS)
        .take_while(|at| chars[*at].1.is_ascii_digit())
        .count();
    let number = if digits > 0 {
        let number = (end..end + digits).fold(0, |number, at| {
            number * 10 + chars[at].1.to_digit(10).unwrap_or_default()
        });
        end += digits;
        number
    } else {
        match char(end) {
            Some(c) if c.is_ascii_lowercase() => {
                end += 1;
                u32::from(c)
            }
            _ => return unnumbered,
        }
    };
    let period = char(end) == Some('.');
    end += usize::from(period);
    let parenthesis = char(end) == Some(')');
    end += usize::from(parenthesis);
    if !(period || parenthesis) || !char(end).is_some_and(char::is_whitespace) {
        return unnumbered;
    }
    let marker = ListMarker {
        bullet,
        number: Some(number),
        period,
        parenthesis,
    };
    Some((marker, end))
}
