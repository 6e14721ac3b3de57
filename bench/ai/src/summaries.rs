//! Summaries: ROUGE of the key sentences and of the beginning of the article, both of the same
//! length, and the rules that every summary obeys.

use lede_ai::builtin::{self, Limits};
use serde::Deserialize;

use crate::percent;
use crate::rouge::Rouge;

/// Length of the compared summaries in characters: about that of the references.
const CHARS: usize = 360;

#[derive(Deserialize)]
pub(crate) struct Record {
    id: String,
    pub(crate) body: String,
    reference: String,
}

pub(crate) fn score(records: &[Record], lists_misses: bool) {
    let rouge = Rouge::new();
    let limits = Limits {
        summary_chars: CHARS,
        ..Limits::default()
    };
    let (mut lead, mut ours) = ([0.0; 2], [0.0; 2]);
    let (mut within, mut verbatim, mut one_lines) = (0, 0, 0);
    for record in records {
        let found = builtin::summarize("", &record.body, None, limits);
        let scores = rouge.f1(&found.summary, &record.reference);
        let lead_scores = rouge.f1(&beginning(&record.body), &record.reference);
        for n in 0..2 {
            ours[n] += scores[n];
            lead[n] += lead_scores[n];
        }
        let is_within = (1..=CHARS).contains(&found.summary.chars().count());
        let is_verbatim = found.summary == joined(&record.body, &found.sentences);
        let line = found.one_line.chars().count();
        let is_line = (1..=limits.one_line_chars).contains(&line) && !found.one_line.contains('\n');
        within += usize::from(is_within);
        verbatim += usize::from(is_verbatim);
        one_lines += usize::from(is_line);
        if lists_misses {
            println!(
                "{}: ROUGE-1 {:.1} (lead {:.1})\n  summary  {}\n  one line {}",
                record.id,
                100.0 * scores[0],
                100.0 * lead_scores[0],
                found.summary,
                found.one_line
            );
        }
    }
    let all = records.len();
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let mean = |sum: f64| 100.0 * sum / all as f64;
    println!("summaries: {all} articles, {CHARS} characters, F1 of ROUGE-1 / ROUGE-2");
    println!(
        "  lead:          {:.1} / {:.1}",
        mean(lead[0]),
        mean(lead[1])
    );
    println!(
        "  key sentences: {:.1} / {:.1}",
        mean(ours[0]),
        mean(ours[1])
    );
    println!(
        "  difference:    {:+.1} / {:+.1}",
        mean(ours[0] - lead[0]),
        mean(ours[1] - lead[1])
    );
    println!("  within the limit and not empty: {}", percent(within, all));
    println!(
        "  verbatim sentences:             {}",
        percent(verbatim, all)
    );
    println!(
        "  one line within its limit:      {}",
        percent(one_lines, all)
    );
}

/// Returns the first sentences of `text` that fit, the usual baseline of extractive summaries.
fn beginning(text: &str) -> String {
    let mut lead = String::new();
    for range in builtin::sentences(text, None) {
        let sentence = &text[range];
        if lead.chars().count() + 1 + sentence.chars().count() > CHARS {
            break;
        }
        lead.push(' ');
        lead.push_str(sentence);
    }
    if lead.is_empty() {
        lead = text.chars().take(CHARS).collect();
    }
    lead
}

fn joined(text: &str, indexes: &[u32]) -> String {
    let sentences = builtin::sentences(text, None);
    let chosen: Vec<&str> = indexes
        .iter()
        .filter_map(|index| sentences.get(*index as usize))
        .map(|range| &text[range.clone()])
        .collect();
    chosen.join(" ")
}
