//! Deserialisation and schemas of body fields for which serde's and utoipa's defaults do not
//! suffice: `null` as distinct from absent, whole numbers as defined by JSON Schema, names.

use lede_model::ids::whole_number;
use serde::{Deserialize, Deserializer};
use utoipa::openapi::schema::{Array, ArrayBuilder, Object, ObjectBuilder, SchemaType, Type};

/// Deserialises a field that may be `null`, with `#[serde(default, deserialize_with = "present")]`.
///
/// The result is `None` if the field is absent, `Some(None)` if it is `null`.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Some)
}

/// Like [`whole_number`], for a field that may be `null` or absent.
pub(crate) fn optional_whole_number<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<i64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Whole(#[serde(deserialize_with = "whole_number")] i64);
    Ok(Option::<Whole>::deserialize(deserializer)?.map(|Whole(number)| number))
}

/// At least one character that is not blank, and no control characters.
const NAME_PATTERN: &str = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$";

fn name_of(kind: impl Into<SchemaType>) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(kind)
        .min_length(Some(1))
        .max_length(Some(100))
        .pattern(Some(NAME_PATTERN))
        .description(Some("A name; blanks around it are left out."))
}

/// Schema of a required name.
pub(crate) fn name_schema() -> Object {
    name_of(Type::String).build()
}

/// Schema of a name that may be `null`.
pub(crate) fn optional_name_schema() -> Object {
    name_of(SchemaType::from_iter([Type::String, Type::Null])).build()
}

/// Schema of the names of an item's labels.
pub(crate) fn names_schema() -> Array {
    ArrayBuilder::new()
        .items(name_schema())
        .max_items(Some(20))
        .build()
}

/// Schema of an integer from a fixed set, or `null`.
pub(crate) fn one_of(numbers: &[u8], description: &str) -> Object {
    let values = numbers.iter().map(|number| Some(*number)).chain([None]);
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Integer, Type::Null]))
        .enum_values(Some(values.collect::<Vec<_>>()))
        .description(Some(description))
        .build()
}
