//! `lede admin cleanup`: runs the daily clean-up now.

use std::fmt::Write as _;

use lede_core::Lede;
use lede_core::maintenance::retention;
use lede_model::message::{codes, english};
use lede_model::retention::CleanupReport;
use serde_json::json;

pub(super) async fn run(lede: &Lede, as_json: bool) -> anyhow::Result<String> {
    let report = retention::clean_up(lede).await?;
    Ok(if as_json {
        in_json(&report).to_string()
    } else {
        in_words(&report)
    })
}

/// Field names are those of `GET /api/status`.
fn in_json(report: &CleanupReport) -> serde_json::Value {
    json!({
        "executed_at": report.executed_at,
        "posts_removed": report.posts_removed,
        "full_content_cleared": report.full_content_cleared,
        "unread_removed": report.unread_removed,
        "bytes_freed": report.bytes_freed,
        "duration_seconds": report.duration.as_secs_f64(),
        "notes": english(&report.notes),
        "note_codes": codes(&report.notes),
    })
}

fn in_words(report: &CleanupReport) -> String {
    let mut words = format!(
        "Removed {} read and {} unread items and cleared {} articles in {:.1} s; freed {} KiB.",
        report.posts_removed,
        report.unread_removed,
        report.full_content_cleared,
        report.duration.as_secs_f64(),
        report.bytes_freed / 1024,
    );
    for note in &report.notes {
        let _ = write!(words, "\n{note}");
    }
    words
}
