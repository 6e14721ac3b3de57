//! The test suite of Python's feedparser: one behaviour per file, with the expected values.
//!
//! A value is right if it equals the expected one, or if both are equivalent HTML (see `spelling`).
//! The number of exactly equal values is printed as well.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use lede_model::address::WebUrl;
use serde_json::Value;

use crate::{percent, spelling, view};

/// Address of feedparser's own test server, which the expected values contain.
const SERVER: &str = "http://127.0.0.1:8097";

#[derive(Default)]
struct Folder {
    files: usize,
    with_entry: usize,
    entry_found: usize,
    fields: (usize, usize),
    others: (usize, usize),
}

pub(crate) fn score(folder: &Path, misses: bool) -> Result<(), Box<dyn Error>> {
    let rows: Vec<Value> = serde_json::from_slice(&std::fs::read(folder.join("expected.json"))?)?;
    let mut folders: BTreeMap<String, Folder> = BTreeMap::new();
    let mut groups: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
    let mut to_the_letter = 0;
    let mut missed = Vec::new();
    for row in &rows {
        let file = row["file"].as_str().unwrap_or_default();
        let score = folders.entry(folder_of(file)).or_default();
        score.files += 1;
        let found = read(folder, file, &row["http_headers"])?;
        let expects_entry = row["expect_expr"]
            .as_str()
            .is_some_and(|expression| expression.contains("entries[0]"));
        if expects_entry {
            score.with_entry += 1;
            let has_entry = found["entries"].as_array().is_some_and(|e| !e.is_empty());
            score.entry_found += usize::from(has_entry);
            if !has_entry {
                missed.push(format!("{file}: no entry ({})", found["error"]));
            }
        }
        for clause in row["expect"].as_array().into_iter().flatten() {
            let path = clause["path"].as_array().map_or(&[][..], Vec::as_slice);
            let group = if file.contains("/sanitize/") {
                "sanitised"
            } else {
                group_of(path)
            };
            let value = lookup(&found, path);
            let is_exact = same(path, value, &clause["value"]);
            let right = is_exact || says_the_same(value, &clause["value"]);
            let total = groups.entry(group).or_default();
            let of_folder = match group {
                "others" | "encoding" | "sanitised" => &mut score.others,
                _ => &mut score.fields,
            };
            let is_field = !matches!(group, "others" | "encoding" | "sanitised");
            to_the_letter += usize::from(is_exact && is_field);
            for counter in [total, of_folder] {
                counter.0 += usize::from(right);
                counter.1 += 1;
            }
            if !right {
                missed.push(format!(
                    "{file}: [{group}] {} expected {} found {value}",
                    shown(path),
                    clause["value"]
                ));
            }
        }
    }
    print(&folders, &groups);
    println!("  {:<25} {to_the_letter:>5}", "to the letter");
    if misses {
        missed.iter().for_each(|miss| println!("  {miss}"));
    }
    Ok(())
}

fn read(folder: &Path, file: &str, headers: &Value) -> Result<Value, Box<dyn Error>> {
    let header = |name: &str| {
        headers.as_object().and_then(|all| {
            let found = all.iter().find(|(key, _)| key.eq_ignore_ascii_case(name))?;
            found.1.as_str()
        })
    };
    let mut url = WebUrl::parse(&format!("{SERVER}/{file}"))?;
    if let Some(location) = header("content-location") {
        // An invalid address cannot be a base either.
        url = url.join(location).unwrap_or(url);
    }
    let bytes = std::fs::read(folder.join(file))?;
    Ok(
        match lede_feed::parse(&bytes, header("content-type"), &url) {
            Ok(feed) => view::feed(&feed),
            Err(error) => serde_json::json!({"error": error.to_string()}),
        },
    )
}

fn folder_of(file: &str) -> String {
    file.rsplit_once('/')
        .map_or("", |(folder, _)| folder)
        .to_owned()
}

/// Returns the kind of value that a clause tests.
fn group_of(path: &[Value]) -> &'static str {
    let words: Vec<&str> = path.iter().filter_map(Value::as_str).collect();
    let words = match words.as_slice() {
        ["entries" | "feed", "source", rest @ ..] | ["entries" | "feed", rest @ ..] => rest,
        other => other,
    };
    match words {
        ["title"] | ["title_detail", "value"] => "title",
        ["link"] | ["links", "href"] | ["links"] => "link",
        ["id" | "guid"] => "id",
        ["summary" | "description" | "subtitle" | "tagline"]
        | [
            "content" | "summary_detail" | "description_detail" | "subtitle_detail"
            | "tagline_detail",
            "value",
        ] => "text",
        [date]
            if date.ends_with("_parsed")
                && matches!(date.as_bytes()[0], b'u' | b'p' | b'c' | b'm' | b'i') =>
        {
            "date"
        }
        ["author" | "author_detail" | "authors", ..] => "author",
        ["tags", ..] | ["category"] => "tag",
        ["encoding"] => "encoding",
        _ => "others",
    }
}

fn lookup<'v>(value: &'v Value, path: &[Value]) -> &'v Value {
    path.iter().fold(value, |value, step| match step {
        Value::String(name) => &value[name.as_str()],
        Value::Number(index) => {
            let index = index.as_u64().and_then(|index| usize::try_from(index).ok());
            index.map_or(&Value::Null, |index| &value[index])
        }
        _ => &Value::Null,
    })
}

fn same(path: &[Value], found: &Value, expected: &Value) -> bool {
    let last = path.last().and_then(Value::as_str).unwrap_or_default();
    if last.ends_with("_parsed") {
        // Year to second; the rest of a struct_time is derived from them.
        return match (found.as_array(), expected.as_array()) {
            (Some(found), Some(expected)) => expected.get(..6) == Some(found.as_slice()),
            _ => found == expected,
        };
    }
    if last == "encoding" {
        // Python distinguishes US-ASCII and ISO-8859-1 from windows-1252; the WHATWG encoding
        // standard does not.
        let name = |value: &Value| {
            let label = value.as_str().unwrap_or_default();
            let known = encoding_rs::Encoding::for_label(label.as_bytes());
            known.map_or(label.to_ascii_lowercase(), |encoding| {
                encoding.name().to_owned()
            })
        };
        return name(found) == name(expected);
    }
    // To a user, an empty value and a missing one are the same.
    found == expected || (found.is_null() && expected.as_str() == Some(""))
}

fn says_the_same(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::String(found), Value::String(expected)) => spelling::is_same(found, expected),
        _ => false,
    }
}

fn shown(path: &[Value]) -> String {
    let steps = path.iter().map(|step| match step {
        Value::String(name) => name.clone(),
        other => other.to_string(),
    });
    steps.collect::<Vec<_>>().join(".")
}

fn print(folders: &BTreeMap<String, Folder>, groups: &BTreeMap<&str, (usize, usize)>) {
    println!(
        "feedparser                  files  entry found        fields right       others right"
    );
    let mut tops: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (name, folder) in folders {
        println!(
            "  {name:<25} {:>5} {:>5}/{:<5} {:>5}/{:<5} {:>8} {:>5}/{:<5} {:>8}",
            folder.files,
            folder.entry_found,
            folder.with_entry,
            folder.fields.0,
            folder.fields.1,
            percent(folder.fields.0, folder.fields.1),
            folder.others.0,
            folder.others.1,
            percent(folder.others.0, folder.others.1),
        );
        let top = tops
            .entry(name.split('/').next().unwrap_or_default())
            .or_default();
        top.0 += folder.entry_found;
        top.1 += folder.with_entry;
    }
    println!("entry found where one is expected");
    for (name, (right, of)) in tops {
        println!("  {name:<25} {right:>5}/{of:<5} {:>8}", percent(right, of));
    }
    println!("values as expected, whatever their spelling");
    let mut fields = (0, 0);
    for (name, (right, of)) in groups {
        println!(
            "  {name:<25} {right:>5}/{of:<5} {:>8}",
            percent(*right, *of)
        );
        if !matches!(*name, "others" | "encoding" | "sanitised") {
            fields = (fields.0 + right, fields.1 + of);
        }
    }
    println!(
        "  {:<25} {:>5}/{:<5} {:>8}",
        "all fields",
        fields.0,
        fields.1,
        percent(fields.0, fields.1)
    );
}
