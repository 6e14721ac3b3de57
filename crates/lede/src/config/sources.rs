//! Sources of values, and the record of settings that were read.

use std::collections::BTreeMap;

use super::ConfigError;
use super::settings::{self, SETTINGS, Setting};
use lede_server::SettingInForce;

const ENVIRONMENT: &str = "environment";
const DOT_ENV: &str = ".env";
const LEDE_TOML: &str = "lede.toml";
const DEFAULT: &str = "default";
/// Optional prefix of a setting's name.
const PREFIX: &str = "LEDE_";
/// Suffix of a variable that names a file with the secret.
const FILE_SUFFIX: &str = "_FILE";

/// A value and its origin.
struct Value {
    text: String,
    origin: &'static str,
    /// The name that the operator used, for error messages: an alias or the setting's own name.
    written_as: String,
}

/// All given values by the name of the setting.
pub(super) struct Values {
    given: BTreeMap<String, Value>,
    in_force: Vec<SettingInForce>,
}

/// Reads the environment and the two files in the current folder.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one reader of the environment"
)]
pub(super) fn read() -> Result<Values, ConfigError> {
    let mut values = Values::new();
    let mut environment = Vec::new();
    for (name, value) in std::env::vars_os() {
        match (name.into_string(), value.into_string()) {
            (Ok(name), Ok(value)) => environment.push((name, value)),
            (Ok(name), Err(_)) if is_ours(&name) => {
                return Err(ConfigError::BadValue {
                    name,
                    shown: "***".to_owned(),
                    origin: ENVIRONMENT,
                    takes: "text in UTF-8".to_owned(),
                });
            }
            // A variable of another program.
            _ => {}
        }
    }
    values.add_environment(environment, ENVIRONMENT)?;
    if let Some(text) = text_of_file(DOT_ENV)? {
        values.add_environment(dot_env(&text)?, DOT_ENV)?;
    }
    if let Some(text) = text_of_file(LEDE_TOML)? {
        values.add_toml(&text)?;
    }
    Ok(values)
}

/// Reads a file in the current folder; `None` if it does not exist. A file that exists but cannot
/// be read prevents the start, because its settings are meant to apply.
fn text_of_file(name: &str) -> Result<Option<String>, ConfigError> {
    match std::fs::read_to_string(name) {
        // Some editors write a byte order mark.
        Ok(text) => Ok(Some(text.trim_start_matches('\u{feff}').to_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ConfigError::Unreadable(format!(
            "{name} cannot be read ({error}); make it a text file that this user may read, or remove it"
        ))),
    }
}

/// Parses the variables of a `.env` file. An error names only the line number: the parser's own
/// message repeats the line, which may contain a password.
pub(super) fn dot_env(text: &str) -> Result<Vec<(String, String)>, ConfigError> {
    let pairs: Result<Vec<_>, _> = dotenvy::from_read_iter(text.as_bytes()).collect();
    pairs.map_err(|error| {
        let place = match error {
            // The line, or the part after its `=`.
            dotenvy::Error::LineParse(bad, _) => text
                .lines()
                .position(|line| line.trim_end().ends_with(first_line(&bad)))
                .map_or_else(String::new, |index| format!(" at line {}", index + 1)),
            _ => String::new(),
        };
        ConfigError::Unreadable(format!(
            ".env cannot be read{place}; write NAME=value there, with quotes around a value that contains spaces"
        ))
    })
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_end()
}

impl Values {
    pub(super) fn new() -> Self {
        Self {
            given: BTreeMap::new(),
            in_force: Vec::new(),
        }
    }

    /// Adds variables; an earlier source takes precedence. Unknown names belong to other programs.
    pub(super) fn add_environment(
        &mut self,
        variables: impl IntoIterator<Item = (String, String)>,
        origin: &'static str,
    ) -> Result<(), ConfigError> {
        let mut ours = Vec::new();
        for (name, text) in variables {
            match name.strip_prefix(PREFIX) {
                Some(bare) if is_known(bare) => ours.push((bare.to_owned(), true, text)),
                Some(_) => return Err(unknown(&name, origin)),
                None if is_known(&name) => ours.push((name, false, text)),
                None => {}
            }
        }
        // The prefixed name is more deliberate than the plain one, and a setting's own name more
        // than an alias.
        ours.sort_by_key(|(name, is_prefixed, _)| {
            (!is_prefixed, settings::find_alias(name).is_some())
        });
        for (name, _, text) in ours {
            self.add(&name, text, origin)?;
        }
        Ok(())
    }

    /// Adds `lede.toml`, which has the same names in lower case. The file is only for Lede, so
    /// every unknown name in it is a mistake.
    pub(super) fn add_toml(&mut self, text: &str) -> Result<(), ConfigError> {
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            // The error's own text shows the line, which may contain a password.
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map_or(1, |before| before.matches('\n').count() + 1);
            let reason = error.message();
            ConfigError::Unreadable(format!(
                "lede.toml cannot be read at line {line} ({reason}); correct it"
            ))
        })?;
        let mut entries: Vec<_> = table.into_iter().collect();
        entries.sort_by_key(|(key, _)| settings::find_alias(&key.to_ascii_uppercase()).is_some());
        for (key, value) in entries {
            let name = key.to_ascii_uppercase();
            if !is_known(&name) {
                return Err(unknown(&key, LEDE_TOML));
            }
            let Some(text) = text_of(&value) else {
                let takes = "text, a number, true or false, or a list of them".to_owned();
                let shown = value.type_str().to_owned();
                return Err(ConfigError::BadValue {
                    name: key,
                    shown,
                    origin: LEDE_TOML,
                    takes,
                });
            };
            self.add(&name, text, LEDE_TOML)?;
        }
        Ok(())
    }

    fn add(&mut self, name: &str, text: String, origin: &'static str) -> Result<(), ConfigError> {
        let (name, text) = match name.strip_suffix(FILE_SUFFIX) {
            Some(secret) if is_secret(secret) => {
                let content = std::fs::read_to_string(&text).map_err(|error| {
                    ConfigError::Unreadable(format!(
                        "{name} names {text}, which cannot be read ({error}); correct the path"
                    ))
                })?;
                (secret, content.trim_end_matches(['\r', '\n']).to_owned())
            }
            _ => (name, text),
        };
        let setting = settings::find_alias(name).unwrap_or(name);
        self.given.entry(setting.to_owned()).or_insert(Value {
            text,
            origin,
            written_as: name.to_owned(),
        });
        Ok(())
    }

    /// Returns the value of a setting that always has one.
    pub(super) fn take<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, ConfigError> {
        let setting = declared(name);
        let value = self.given.remove(name).unwrap_or_else(|| Value {
            text: setting.default.to_owned(),
            origin: DEFAULT,
            written_as: name.to_owned(),
        });
        self.note(name, &value.text, setting.is_secret, value.origin);
        read(value.text.trim()).ok_or_else(|| bad(&value, setting.is_secret, setting.takes))
    }

    /// Returns the value of an optional setting; an empty value counts as absent.
    pub(super) fn take_optional<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, ConfigError> {
        let setting = declared(name);
        self.read_optional(name, setting.is_secret, setting.takes, read)
    }

    /// Returns the value of a part of an `OIDC_<NAME>_…` group, which is optional.
    pub(super) fn take_dynamic<T>(
        &mut self,
        name: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, ConfigError> {
        self.read_optional(
            name,
            is_secret(name),
            "the provider's value (an http or https address for ISSUER)",
            read,
        )
    }

    fn read_optional<T>(
        &mut self,
        name: &str,
        is_secret: bool,
        takes: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, ConfigError> {
        let Some(value) = self
            .given
            .remove(name)
            .filter(|value| !value.text.trim().is_empty())
        else {
            self.note(name, "", is_secret, DEFAULT);
            return Ok(None);
        };
        self.note(name, &value.text, is_secret, value.origin);
        let found = read(value.text.trim());
        found.map(Some).ok_or_else(|| bad(&value, is_secret, takes))
    }

    /// Returns the names of all `OIDC_<NAME>_…` groups that have a value.
    pub(super) fn oidc_groups(&self) -> Vec<String> {
        let mut groups: Vec<String> = self
            .given
            .keys()
            .filter_map(|name| settings::oidc_group(name))
            .map(str::to_owned)
            .collect();
        groups.dedup();
        groups
    }

    /// Returns the source of the value of `name`.
    pub(super) fn origin(&self, name: &str) -> &'static str {
        self.in_force
            .iter()
            .rev()
            .find(|line| line.name == name)
            .map_or(DEFAULT, |line| line.origin)
    }

    /// Returns the effective settings. Every given value must have been read.
    pub(super) fn finish(self) -> Result<Vec<SettingInForce>, ConfigError> {
        // Only `DATABASE_PATH` stays unread, if `DATABASE_URL` is set as well.
        debug_assert!(
            self.given.keys().all(|name| name == "DATABASE_PATH"),
            "a declared setting is not used"
        );
        Ok(self.in_force)
    }

    fn note(&mut self, name: &str, text: &str, is_secret: bool, origin: &'static str) {
        let shown = if text.is_empty() {
            "–".to_owned()
        } else {
            shown(text, is_secret)
        };
        self.in_force.push(SettingInForce {
            name: name.to_owned(),
            shown,
            origin,
        });
    }
}

/// Converts a value of `lede.toml` to its form in the environment.
fn text_of(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Boolean(yes) => Some(yes.to_string()),
        toml::Value::Array(parts) => Some(
            parts
                .iter()
                .map(text_of)
                .collect::<Option<Vec<_>>>()?
                .join(","),
        ),
        _ => None,
    }
}

fn shown(text: &str, is_secret: bool) -> String {
    if is_secret {
        "***".to_owned()
    } else {
        text.to_owned()
    }
}

fn bad(value: &Value, is_secret: bool, takes: &str) -> ConfigError {
    let shown = if is_secret {
        "***".to_owned()
    } else {
        format!("{:?}", value.text)
    };
    ConfigError::BadValue {
        name: value.written_as.clone(),
        shown,
        origin: value.origin,
        takes: takes.to_owned(),
    }
}

fn declared(name: &'static str) -> &'static Setting {
    settings::find(name).expect("every setting that is read is declared")
}

fn is_secret(name: &str) -> bool {
    settings::find(name).is_some_and(|setting| setting.is_secret)
        || (settings::oidc_group(name).is_some() && name.ends_with("_SECRET"))
}

fn is_known(name: &str) -> bool {
    settings::find(name).is_some()
        || settings::find_alias(name).is_some()
        || settings::oidc_group(name).is_some()
        || name.strip_suffix(FILE_SUFFIX).is_some_and(is_secret)
}

/// Returns `true` for settings and for unknown names with our prefix.
fn is_ours(name: &str) -> bool {
    name.starts_with(PREFIX) || is_known(name)
}

fn unknown(name: &str, origin: &'static str) -> ConfigError {
    let bare = name.to_ascii_uppercase();
    let bare = bare.strip_prefix(PREFIX).unwrap_or(&bare);
    let hint = SETTINGS
        .iter()
        .map(|setting| (distance(bare, setting.name), setting.name))
        .min()
        .filter(|(distance, _)| *distance <= 3)
        .or_else(|| {
            let word = bare.rsplit('_').next().unwrap_or(bare);
            SETTINGS
                .iter()
                .find(|setting| setting.name.ends_with(word))
                .map(|setting| (0, setting.name))
        })
        .map_or_else(String::new, |(_, nearest)| {
            format!("; did you mean {nearest}?")
        });
    ConfigError::Unknown {
        name: name.to_owned(),
        origin,
        hint,
    }
}

/// Returns the Levenshtein distance of two names.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let changed = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}
