//! Reading and describing fields of bodies where serde's and utoipa's own ways do not suffice: `null` beside what is
//! not there, whole numbers as JSON Schema means them, names.

use lede_model::ids::whole_number;
use serde::{Deserialize, Deserializer};
use utoipa::openapi::schema::{Array, ArrayBuilder, Object, ObjectBuilder, SchemaType, Type};

/// For a field that may be `null`, with `#[serde(default, deserialize_with = "present")]`: `None` when
/// it is absent, `Some(None)` when it is `null`.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Some)
}

/// As [`whole_number`], for a field that may be `null` or absent.
pub(crate) fn optional_whole_number<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<i64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Whole(#[serde(deserialize_with = "whole_number")] i64);
    Ok(Option::<Whole>::deserialize(deserializer)?.map(|Whole(number)| number))
}

/// Something that is not blank, and no control characters.
const NAME_PATTERN: &str = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$";

fn name_of(kind: impl Into<SchemaType>) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(kind)
        .min_length(Some(1))
        .max_length(Some(100))
        .pattern(Some(NAME_PATTERN))
        .description(Some("A name; blanks around it are left out."))
}

/// Describes a name that must be given.
pub(crate) fn name_schema() -> Object {
    name_of(Type::String).build()
}

/// Describes a name that may be `null`.
pub(crate) fn optional_name_schema() -> Object {
    name_of(SchemaType::from_iter([Type::String, Type::Null])).build()
}

/// Describes the names of an item's labels.
pub(crate) fn names_schema() -> Array {
    ArrayBuilder::new()
        .items(name_schema())
        .max_items(Some(20))
        .build()
}

/// Describes one of a few numbers, or `null`.
pub(crate) fn one_of(numbers: &[u8], description: &str) -> Object {
    let values = numbers.iter().map(|number| Some(*number)).chain([None]);
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Integer, Type::Null]))
        .enum_values(Some(values.collect::<Vec<_>>()))
        .description(Some(description))
        .build()
}
