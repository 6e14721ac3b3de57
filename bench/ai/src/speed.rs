//! CPU time of a summary.

use std::hint::black_box;

use lede_ai::builtin::{self, Limits};
use lede_bench_kit::usage::cpu_of;

use crate::summaries::Record;

/// Size of a typical item.
const BYTES: usize = 2048;
const ROUNDS: u32 = 20;

/// Measures summaries of the first 2 KB of every article. The best of several rounds counts, since
/// the machine has other load.
pub(crate) fn measure(records: &[Record]) {
    let texts: Vec<&str> = records
        .iter()
        .filter(|record| record.body.len() >= BYTES)
        .map(|record| &record.body[..record.body.floor_char_boundary(BYTES)])
        .collect();
    let best = (0..ROUNDS)
        .map(|_| {
            let ((), cpu) = cpu_of(|| {
                for text in &texts {
                    black_box(builtin::summarize("A title", text, None, Limits::default()));
                }
            });
            cpu
        })
        .min();
    if let (Some(best), Ok(count @ 1..)) = (best, u32::try_from(texts.len())) {
        println!(
            "speed: {:.3} ms CPU for the summary of an item of 2 KB",
            1000.0 * (best / count).as_secs_f64()
        );
    }
}
