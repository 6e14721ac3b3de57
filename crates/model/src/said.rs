//! Sentences that are kept in English and said in the reader's language.
//!
//! What went wrong and why a plan is as it is stands in rows, in settings and in the JSON API as an
//! English sentence. A page says it in its reader's language. So every such sentence is written once,
//! with a name in braces where something goes in, and the one pattern writes it and reads it back. A
//! code beside each sentence would say everything twice, and the two could come to disagree. What
//! cannot be read, because another version wrote it, is shown as it is.

/// A text that is none of the sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotSaid;

/// Makes an enum of sentences: `Display` writes them, `FromStr` reads them. What goes in is named in
/// the order of the text.
macro_rules! sentences {
    (
        $(#[$about:meta])*
        pub enum $name:ident {
            $($(#[$note:meta])* $variant:ident $({ $($field:ident: $type:ty),+ })? = $text:literal,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $name {
            $(
                $(#[$note])*
                $variant $({
                    $(
                        #[doc = concat!("What goes in at `", stringify!($field), "`.")]
                        $field: $type
                    ),+
                })?,
            )+
        }

        impl $name {
            /// Every sentence, with names in braces where something goes in.
            pub const PATTERNS: &'static [&'static str] = &[$($text),+];
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $(Self::$variant $({ $($field),+ })? => write!(f, $text),)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::said::NotSaid;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $(
                    let read = $crate::said::read($text, text, |_values| {
                        Some(Self::$variant $({ $($field: _values.next()?.parse().ok()?),+ })?)
                    });
                    if let Some(read) = read {
                        return Ok(read);
                    }
                )+
                Err($crate::said::NotSaid)
            }
        }
    };
}

pub(crate) use sentences;

/// Makes what `pattern` says of what goes in, if `text` is that sentence.
pub(crate) fn read<T>(
    pattern: &str,
    text: &str,
    make: impl FnOnce(&mut dyn Iterator<Item = &str>) -> Option<T>,
) -> Option<T> {
    let values = values(pattern, text)?;
    make(&mut values.into_iter())
}

/// What stands in `text` where `pattern` has names.
fn values<'t>(pattern: &str, text: &'t str) -> Option<Vec<&'t str>> {
    // What is always there alternates with names.
    let mut pieces = pattern.split(['{', '}']);
    let mut rest = text.strip_prefix(pieces.next()?)?;
    let mut values = Vec::new();
    while pieces.next().is_some() {
        let fixed = pieces.next()?;
        let is_last = pieces.clone().next().is_none();
        let (value, after) = match is_last {
            // To the very end: a value may have in it what follows it.
            true => (rest.strip_suffix(fixed)?, ""),
            false => rest.split_once(fixed)?,
        };
        values.push(value);
        rest = after;
    }
    rest.is_empty().then_some(values)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fmt::Display;
    use std::str::FromStr;

    use crate::access::AccessError;
    use crate::address::AddressError;
    use crate::keys::KeyError;
    use crate::label::LabelError;
    use crate::schedule::Why;
    use crate::search::QueryError;
    use crate::service::ServiceError;
    use crate::trouble::{EntryTrouble, Trouble};
    use crate::warning::{CleanupNote, Obstacle, Warning};

    /// Writes each sentence with a number of its own at every name, and reads it.
    fn reads<T: FromStr + Display>(patterns: &[&str])
    where
        T::Err: std::fmt::Debug,
    {
        let mut met = HashSet::new();
        for pattern in patterns {
            let mut text = String::new();
            for (piece, part) in pattern.split(['{', '}']).enumerate() {
                match part {
                    "MAX_URL_BYTES" => text.push_str("2048"),
                    _ if piece % 2 == 1 => text.push_str(&piece.to_string()),
                    part => text.push_str(part),
                }
            }
            let read: T = text.parse().unwrap();
            assert_eq!(read.to_string(), text);
            let is_new = met.insert(std::mem::discriminant(&read));
            assert!(is_new, "an earlier sentence is taken for {text:?}");
        }
    }

    #[test]
    fn every_sentence_can_be_read_back() {
        reads::<AccessError>(AccessError::PATTERNS);
        reads::<AddressError>(AddressError::PATTERNS);
        reads::<CleanupNote>(CleanupNote::PATTERNS);
        reads::<EntryTrouble>(EntryTrouble::PATTERNS);
        reads::<KeyError>(KeyError::PATTERNS);
        reads::<LabelError>(LabelError::PATTERNS);
        reads::<Obstacle>(Obstacle::PATTERNS);
        reads::<QueryError>(QueryError::PATTERNS);
        reads::<ServiceError>(ServiceError::PATTERNS);
        reads::<Trouble>(Trouble::PATTERNS);
        reads::<Warning>(Warning::PATTERNS);
        reads::<Why>(Why::PATTERNS);
    }

    #[test]
    fn another_text_is_no_sentence_and_a_value_may_look_like_one() {
        for text in ["", "it failed", "the site redirected more than x times"] {
            assert!(Trouble::from_str(text).is_err(), "{text}");
        }
        let warning: Warning = "No backup was made on 2025-11-13: a: b. c."
            .parse()
            .unwrap();
        let (day, error) = ("2025-11-13".to_owned(), "a: b. c".to_owned());
        assert_eq!(warning, Warning::NoBackup { day, error });
    }
}
