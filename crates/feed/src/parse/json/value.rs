//! A JSON document that uses as little memory as a feed needs.
//!
//! A general tree costs thirty bytes for every `0,` in the input. This one stops storing values
//! after [`MAX_VALUES`] and parses the rest only to find its end.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Maximum number of values stored per document: five thousand items with a hundred values each.
const MAX_VALUES: usize = 500_000;

/// JSON value; types that no feed needs are `Nothing`.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Nothing,
    Text(String),
    /// Number in the form in which it would be written.
    Number(String),
    List(Vec<Value>),
    Object(Object),
}

/// Members of an object, in document order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Object(Vec<(String, Value)>);

impl Object {
    /// Returns the member `key`; the last of several, as usual in JSON parsers.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        let found = self.0.iter().rev().find(|(known, _)| known == key);
        found.map(|(_, value)| value)
    }
}

impl Value {
    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }
}

/// Parses a whole document.
pub(super) fn read(source: &str) -> Result<Value, serde_json::Error> {
    let left = Cell::new(MAX_VALUES);
    let mut deserializer = serde_json::Deserializer::from_str(source);
    let value = Seed { left: &left }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Deserialises one value and counts it against the limit.
#[derive(Clone, Copy)]
struct Seed<'c> {
    left: &'c Cell<usize>,
}

impl Seed<'_> {
    fn is_used_up(self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left == 0
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.is_used_up() {
            deserializer.deserialize_ignored_any(IgnoredAny)?;
            return Ok(Value::Nothing);
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
        Ok(Value::Nothing)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Nothing)
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Number(number.to_string()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = sequence.next_element_seed(self)? {
            if self.left.get() > 0 {
                values.push(value);
            }
        }
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = map.next_value_seed(self)?;
            if value != Value::Nothing {
                members.push((key, value));
            }
        }
        Ok(Value::Object(Object(members)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_values_is_limited() {
        let many = format!("[{}1]", "1,".repeat(2 * MAX_VALUES));
        let Ok(Value::List(values)) = read(&many) else {
            panic!("no list");
        };
        assert!(values.len() < MAX_VALUES);
    }

    #[test]
    fn rubbish_after_the_end_is_an_error() {
        assert!(read("{} x").is_err());
        assert!(read("{\"a\":1").is_err());
        assert_eq!(read("null").expect("null"), Value::Nothing);
    }
}
