//! Rules that the compiler does not check: the direction of dependencies, a single place for
//! versions, a module doc in every file, and links between documents.

use std::path::{Path, PathBuf};

/// Our crates and which of ours each may use. `testkit` is a special case: only tests use it, and
/// it uses all but the program.
const DIRECTION: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("feed", &["model"]),
    ("net", &["model"]),
    ("store", &["model"]),
    ("ai", &["model", "net"]),
    ("core", &["model", "feed", "net", "store", "ai"]),
    ("server", &["model", "store", "core"]),
    (
        "lede",
        &["model", "feed", "net", "store", "ai", "core", "server"],
    ),
    (
        "testkit",
        &["model", "feed", "net", "store", "ai", "core", "server"],
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every file below `folder`, but not what is built, fetched or kept by tools.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        if path.is_symlink() || matches!(&*name, "target" | ".git" | "node_modules") {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

fn manifest(krate: &str) -> toml::Table {
    let path = root().join("crates").join(krate).join("Cargo.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    text.parse()
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The dependencies of a manifest, by table.
fn dependencies(manifest: &toml::Table) -> Vec<(&str, &str, &toml::Value)> {
    let tables = ["dependencies", "dev-dependencies", "build-dependencies"];
    let mut found = Vec::new();
    for table in tables {
        let Some(entries) = manifest.get(table) else {
            continue;
        };
        for (name, value) in entries.as_table().unwrap() {
            found.push((table, name.as_str(), value));
        }
    }
    found
}

#[test]
fn dependencies_point_one_way() {
    let mut folders: Vec<String> = std::fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    folders.sort();
    let mut known: Vec<&str> = DIRECTION.iter().map(|(krate, _)| *krate).collect();
    known.sort_unstable();
    assert_eq!(
        folders, known,
        "every crate has its place in the table above"
    );

    for (krate, allowed) in DIRECTION {
        let manifest = manifest(krate);
        for (table, name, _) in dependencies(&manifest) {
            let Some(ours) = name.strip_prefix("lede-") else {
                continue;
            };
            let is_allowed =
                allowed.contains(&ours) || (table == "dev-dependencies" && ours == "testkit");
            assert!(is_allowed, "{krate} must not use {ours} ({table})");
        }
    }
}

#[test]
fn versions_and_lints_stand_once_in_the_workspace() {
    let from_workspace = |value: Option<&toml::Value>| {
        value.and_then(|value| value.get("workspace")) == Some(&toml::Value::Boolean(true))
    };
    for (krate, _) in DIRECTION {
        let manifest = manifest(krate);
        let lints = manifest.get("lints");
        assert!(from_workspace(lints), "{krate}: lints.workspace = true");
        for field in ["version", "edition", "rust-version", "license"] {
            let value = manifest["package"].get(field);
            assert!(from_workspace(value), "{krate}: {field}.workspace = true");
        }
        for (table, name, value) in dependencies(&manifest) {
            assert!(
                from_workspace(Some(value)) && value.get("version").is_none(),
                "{krate}: {name} in {table} takes its version from the workspace"
            );
        }
    }
}

#[test]
fn every_source_file_says_first_what_it_is_for() {
    for (krate, _) in DIRECTION {
        for path in files(&root().join("crates").join(krate).join("src")) {
            if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                assert!(text.starts_with("//! "), "{}", path.display());
            }
        }
    }
}

/// Words that a comment must not begin with: they make a clause of what should be a sentence.
const CLAUSES: [&str; 6] = ["What", "Who", "Whose", "Whether", "How", "Where"];
/// Words for a user, a caller or an administrator that do not say which.
const VAGUE: [&str; 5] = ["somebody", "whoever", "nobody", "anybody", "everybody"];

#[test]
fn comments_are_plain_sentences() {
    let mut found = Vec::new();
    for folder in ["crates", "bench", "fuzz"] {
        for path in files(&root().join(folder)) {
            if path.extension().is_none_or(|ending| ending != "rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let comments = text.lines().enumerate().filter_map(|(number, line)| {
                let comment = line.trim_start().strip_prefix("//")?;
                Some((number + 1, comment.trim_start_matches(['/', '!']).trim()))
            });
            for (number, comment) in comments {
                let mut words = comment.split(|c: char| !c.is_alphanumeric());
                let first = words.clone().next().unwrap_or_default();
                if CLAUSES.contains(&first) || words.any(|word| VAGUE.contains(&word)) {
                    found.push(format!("{}:{number}: {comment}", path.display()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_file_contains_an_absolute_path_of_a_home_directory() {
    // In two parts, so that this file does not contain the paths itself.
    let homes = [
        ("/ho", "me/"),
        ("/Us", "ers/"),
        ("/ro", "ot/"),
        ("C:\\Us", "ers"),
    ];
    let homes = homes.map(|(first, second)| format!("{first}{second}"));
    for path in files(&root()) {
        // Fixtures are third-party content and may contain anything; binary files are skipped.
        let is_foreign = path.components().any(|part| part.as_os_str() == "fixtures");
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        for home in &homes {
            let is_path = |(start, _): (usize, &str)| {
                // In a URL, a host name precedes the path.
                let before = text[..start].chars().next_back();
                !before.is_some_and(|c| c.is_alphanumeric() || c == '/')
            };
            assert!(
                is_foreign || !text.match_indices(home).any(is_path),
                "{} contains {home}",
                path.display()
            );
        }
    }
}

#[test]
fn every_vendored_file_is_named_with_its_origin() {
    let vendor = root().join("crates/server/assets/vendor");
    let readme = std::fs::read_to_string(vendor.join("README.md")).unwrap();
    for path in files(&vendor) {
        let name = path.strip_prefix(&vendor).unwrap();
        // A folder with a slash covers everything in it.
        let first = name
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_string_lossy();
        let is_named = readme.contains(&format!("`{first}`"))
            || readme.contains(&format!("`{first}/`"))
            || first == "README.md";
        assert!(is_named, "{} is not in vendor/README.md", name.display());
    }
}

/// Relative links in documents name files that exist, and headings that exist in them.
#[test]
fn links_between_documents_lead_somewhere() {
    let mut links = 0;
    for path in files(&root()) {
        let is_vendored = path.components().any(|part| part.as_os_str() == "vendor");
        if is_vendored || path.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for link in targets(&text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            links += 1;
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                file => path.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{}: {link}", path.display());
            if !heading.is_empty() {
                let text = std::fs::read_to_string(&target).unwrap();
                let is_found = text.lines().any(|line| anchor(line) == heading);
                assert!(is_found, "{}: {link}", path.display());
            }
        }
    }
    assert!(links > 30, "only {links} links were found");
}

/// Targets of the links and images in a Markdown document.
fn targets(text: &str) -> Vec<&str> {
    let until = |start: &'static str, end: char| {
        text.match_indices(start).filter_map(move |(at, _)| {
            let rest = &text[at + start.len()..];
            rest.find(end).map(|length| &rest[..length])
        })
    };
    until("](", ')')
        .chain(until("src=\"", '"'))
        .chain(until("srcset=\"", '"'))
        .collect()
}

/// The anchor that GitHub gives to a heading; empty for other lines.
fn anchor(line: &str) -> String {
    let Some(title) = line.strip_prefix('#') else {
        return String::new();
    };
    let title = title.trim_start_matches('#').trim().to_lowercase();
    let kept = title
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// README's first command is `cargo run --release`: with a second default binary, cargo would not
/// know which one to run.
#[test]
fn cargo_run_runs_lede() {
    let text = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let workspace: toml::Table = text.parse().unwrap();
    let runs = workspace["workspace"]["default-members"]
        .as_array()
        .unwrap();
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0].as_str(), Some("crates/lede"));
}
