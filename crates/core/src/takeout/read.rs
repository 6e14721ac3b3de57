//! Streaming reader of the export document, in several passes over a file.
//!
//! The first pass validates the whole document and collects the short lists; nothing is changed
//! before it is complete. Later passes yield one long list each, entry by entry, in whatever order
//! the lists are written. An entry over the size limit ends the reading, so that no string is ever
//! held that an export could not have written.

use std::cell::Cell;
use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read, Seek as _};
use std::rc::Rc;

use lede_model::time::Timestamp;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;

use super::format::{FORMAT, VERSION};

/// Largest entry: two texts of two megabytes with every character escaped, and the other fields.
const MAX_ENTRY_BYTES: usize = 10 * 1024 * 1024;
/// Number of entries in each short list, and total size of all short lists.
const MAX_SHORT_ENTRIES: usize = 20_000;
const MAX_SHORT_BYTES: usize = 16 * 1024 * 1024;
/// Buffer of the reader; entry sizes are measured with about this precision.
const BUFFER: usize = 64 * 1024;

/// An entry as raw JSON, not yet parsed.
pub(super) type Raw = Box<RawValue>;

/// The lists that are held in memory.
#[derive(Default)]
pub(super) struct Short {
    pub(super) categories: Vec<Raw>,
    pub(super) subscriptions: Vec<Raw>,
    pub(super) labels: Vec<Raw>,
    pub(super) saved_searches: Vec<Raw>,
    pub(super) rules: Vec<Raw>,
    /// Date of the document, if it has one.
    pub(super) exported_at: Option<Timestamp>,
    /// Preferences; not a list, and absent in older documents.
    pub(super) preferences: Option<Raw>,
}

/// Reads all of `file` and collects the short lists. Errors are texts for users.
pub(super) fn short(file: &File) -> Result<Short, String> {
    let mut format = None;
    let mut version = None;
    let mut found = Short::default();
    let mut bytes = 0;
    walk(file, |list, entry| {
        let kept = match list {
            List::Format => {
                format = serde_json::from_str::<String>(entry.get()).ok();
                return Ok(());
            }
            List::Version => {
                version = serde_json::from_str::<i64>(entry.get()).ok();
                return Ok(());
            }
            List::ExportedAt => {
                found.exported_at = serde_json::from_str(entry.get()).ok();
                return Ok(());
            }
            List::Preferences => {
                found.preferences = Some(entry);
                return Ok(());
            }
            List::Categories => &mut found.categories,
            List::Subscriptions => &mut found.subscriptions,
            List::Labels => &mut found.labels,
            List::SavedSearches => &mut found.saved_searches,
            List::Rules => &mut found.rules,
            List::Starred | List::Labelled | List::Marks => return Ok(()),
        };
        bytes += entry.get().len();
        if kept.len() >= MAX_SHORT_ENTRIES || bytes > MAX_SHORT_BYTES {
            return Err("there are more entries than anybody has".to_owned());
        }
        kept.push(entry);
        Ok(())
    })?;
    match (format.as_deref(), version) {
        (Some(FORMAT), Some(VERSION)) => Ok(found),
        (Some(FORMAT), Some(other)) => Err(format!(
            "it is version {other} of the format, and this server reads version {VERSION}"
        )),
        _ => Err("it does not say that it is a take-out of Lede".to_owned()),
    }
}

/// Passes every entry of a long list to `each`, in order, until that returns an error.
pub(super) fn long(
    file: &File,
    wanted: List,
    mut each: impl FnMut(Raw) -> Result<(), String>,
) -> Result<(), String> {
    walk(file, |list, entry| match list == wanted {
        true => each(entry),
        false => Ok(()),
    })
}

/// The top-level fields of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    Format,
    Version,
    ExportedAt,
    Preferences,
    Categories,
    Subscriptions,
    Labels,
    SavedSearches,
    Rules,
    Starred,
    Labelled,
    Marks,
}

impl List {
    /// Returns `false` for fields that are not lists.
    fn has_entries(self) -> bool {
        use List::{ExportedAt, Format, Preferences, Version};
        !matches!(self, Format | Version | ExportedAt | Preferences)
    }
}

fn walk(file: &File, each: impl FnMut(List, Raw) -> Result<(), String>) -> Result<(), String> {
    let mut file = file;
    let rewound = file.rewind();
    rewound.map_err(|error| format!("it cannot be read again: {error}"))?;
    let left = Rc::new(Cell::new(MAX_ENTRY_BYTES));
    let metered = Metered {
        inner: file,
        left: Rc::clone(&left),
    };
    let reader = BufReader::with_capacity(BUFFER, metered);
    let mut deserializer = serde_json::Deserializer::from_reader(reader);
    let document = Document { left, each };
    let walked = deserializer
        .deserialize_map(document)
        .and_then(|()| deserializer.end());
    walked.map_err(|error| error.to_string())
}

/// Fails the reading if an entry is larger than the limit.
struct Metered<R> {
    inner: R,
    left: Rc<Cell<usize>>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.left.get() == 0 {
            let words = format!("an entry is longer than {} MB", MAX_ENTRY_BYTES >> 20);
            return Err(std::io::Error::other(words));
        }
        let read = self.inner.read(buffer)?;
        self.left.set(self.left.get().saturating_sub(read));
        Ok(read)
    }
}

struct Document<F> {
    left: Rc<Cell<usize>>,
    each: F,
}

impl<'de, F> Visitor<'de> for Document<F>
where
    F: FnMut(List, Raw) -> Result<(), String>,
{
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a take-out of Lede")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        loop {
            self.left.set(MAX_ENTRY_BYTES);
            let Some(key) = map.next_key::<String>()? else {
                return Ok(());
            };
            let list = match key.as_str() {
                "format" => List::Format,
                "version" => List::Version,
                "exported_at" => List::ExportedAt,
                "preferences" => List::Preferences,
                "categories" => List::Categories,
                "subscriptions" => List::Subscriptions,
                "labels" => List::Labels,
                "saved_searches" => List::SavedSearches,
                "rules" => List::Rules,
                "starred" => List::Starred,
                "labelled" => List::Labelled,
                "marks" => List::Marks,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            if !list.has_entries() {
                let value = map.next_value()?;
                (self.each)(list, value).map_err(A::Error::custom)?;
            } else {
                map.next_value_seed(Entries {
                    list,
                    left: &self.left,
                    each: &mut self.each,
                })?;
            }
        }
    }
}

struct Entries<'a, F> {
    list: List,
    left: &'a Cell<usize>,
    each: &'a mut F,
}

impl<'de, F> DeserializeSeed<'de> for Entries<'_, F>
where
    F: FnMut(List, Raw) -> Result<(), String>,
{
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F> Visitor<'de> for Entries<'_, F>
where
    F: FnMut(List, Raw) -> Result<(), String>,
{
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        loop {
            self.left.set(MAX_ENTRY_BYTES);
            let Some(entry) = entries.next_element()? else {
                return Ok(());
            };
            (self.each)(self.list, entry).map_err(A::Error::custom)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn file(text: &str) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    }

    fn refusal(text: &str) -> String {
        short(&file(text)).err().expect("this must be refused")
    }

    #[test]
    fn lists_come_in_any_order_and_what_is_unknown_is_passed_over() {
        let text = r#"{"marks":[{"a":1},2],"new":{"x":[1]},"rules":["r"],"version":1,
            "starred":[3],"categories":[],"format":"lede-export"}"#;
        let file = file(text);
        let found = short(&file).unwrap();
        assert_eq!(found.rules.len(), 1);
        let entries = |list| {
            let mut seen = Vec::new();
            long(&file, list, |raw| {
                seen.push(raw.to_string());
                Ok(())
            })
            .unwrap();
            seen
        };
        assert_eq!(entries(List::Marks), [r#"{"a":1}"#, "2"]);
        assert_eq!(entries(List::Starred), ["3"]);
    }

    #[test]
    fn what_is_no_take_out_is_refused_with_its_reason() {
        for (text, words) in [
            ("", "EOF"),
            ("[]", "expected a take-out of Lede"),
            ("{}", "does not say"),
            (r#"{"format":"opml","version":1}"#, "does not say"),
            (r#"{"format":"lede-export","version":2}"#, "version 2"),
            (
                r#"{"format":"lede-export","version":1,"rules":{}}"#,
                "expected a list",
            ),
            (r#"{"format":"lede-export","version":1,"marks":[1"#, "EOF"),
            (
                r#"{"format":"lede-export","version":1} and more"#,
                "trailing",
            ),
        ] {
            let refused = refusal(text);
            assert!(refused.contains(words), "{text}: {refused}");
        }
        let deep = format!(
            r#"{{"format":"lede-export","version":1,"x":{}"#,
            "[".repeat(100_000)
        );
        assert!(refusal(&deep).contains("EOF"));
    }

    #[test]
    fn an_entry_that_is_never_closed_is_not_buffered() {
        let long = "x".repeat(MAX_ENTRY_BYTES + 2 * BUFFER);
        let entry = format!(r#"{{"format":"lede-export","version":1,"starred":["{long}"]}}"#);
        assert!(refusal(&entry).contains("longer than 10 MB"));
        let many = format!(
            r#"{{"format":"lede-export","version":1,"marks":[{}1]}}"#,
            "\"y\",".repeat(MAX_ENTRY_BYTES / 4)
        );
        assert!(short(&file(&many)).is_ok(), "many short ones are many");
    }
}
