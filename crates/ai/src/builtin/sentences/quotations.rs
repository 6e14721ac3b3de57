//! Quotations and parentheses, inside which no sentence ends.

/// Maximum length in characters of a quotation or parenthesis that is not divided. A longer one is
/// several paragraphs of speech, or its end is missing.
const MAX_QUOTATION_CHARS: usize = 400;
/// Maximum number of open brackets and quotation marks that a closing one is compared with.
const MAX_DEPTH: usize = 8;

/// Returns the quotations and parentheses of a line that are not divided, without those inside
/// others. Marks without a counterpart have no effect.
pub(super) fn quotations(chars: &[(usize, char)]) -> Vec<(usize, usize)> {
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for at in 0..chars.len() {
        let c = chars[at].1;
        let depth = open.len().saturating_sub(MAX_DEPTH);
        let counterpart = open[depth..]
            .iter()
            .rposition(|(_, opener)| closes(*opener, c))
            .map(|place| place + depth);
        let opens = match c {
            '"' => is_opening_quote(chars, at),
            '“' | '»' | '«' | '”' => counterpart.is_none(),
            _ => false,
        };
        match counterpart {
            Some(place) if !opens => {
                let first = open[place].0;
                open.truncate(place);
                if at - first <= MAX_QUOTATION_CHARS {
                    while found.last().is_some_and(|(inner, _)| *inner > first) {
                        found.pop();
                    }
                    found.push((first, at));
                }
            }
            // The end of the earlier quotation is missing.
            Some(place) => {
                open.truncate(place);
                open.push((at, c));
            }
            None if opens
                || matches!(
                    c,
                    '(' | '[' | '{' | '„' | '（' | '【' | '「' | '『' | '《' | '〈' | '〔' | '‹'
                ) =>
            {
                open.push((at, c));
            }
            None => {}
        }
    }
    found
}

/// Returns `true` if a straight quotation mark at `at` begins a quotation.
fn is_opening_quote(chars: &[(usize, char)], at: usize) -> bool {
    let before = at.checked_sub(1).map(|at| chars[at].1);
    let after = chars.get(at + 1).map(|(_, c)| *c);
    before.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[' | '—' | '–'))
        && after.is_some_and(|c| !c.is_whitespace() && !matches!(c, '.' | ',' | ';' | ':' | ')'))
}

fn closes(opener: char, c: char) -> bool {
    match opener {
        '"' => c == '"',
        '(' => c == ')',
        '[' => c == ']',
        '{' => c == '}',
        '“' => c == '”',
        '”' => c == '”',
        '„' => matches!(c, '“' | '”'),
        '«' => c == '»',
        '»' => c == '«',
        '‹' => c == '›',
        '（' => c == '）',
        '【' => c == '】',
        '「' => c == '」',
        '『' => c == '』',
        '《' => c == '》',
        '〈' => c == '〉',
        '〔' => c == '〕',
        _ => false,
    }
}
