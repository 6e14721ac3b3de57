//! Statement parameters and column values, the same for both engines.

use lede_model::ids::{
    AppPasswordId, BulkMarkId, CategoryId, FeedId, ImportId, ItemId, LabelId, NotificationId,
    RuleId, SavedSearchId, SubscriptionId, UserId,
};
use lede_model::mark::MarkKind;
use lede_model::time::Timestamp;
use postgres::types::{IsNull, ToSql, Type, private::BytesMut};
use rusqlite::types::{ToSqlOutput, ValueRef};

use super::StoreError;

/// A statement parameter. Borrowed, so that binding copies no text.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    Null,
    Int(i64),
    Bool(bool),
    Text(&'a str),
    Bytes(&'a [u8]),
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Text(text) if text.contains('\0') => {
                return Ok(ToSqlOutput::Owned(without_nul(text).into()));
            }
            Self::Null => ValueRef::Null,
            Self::Int(number) => ValueRef::Integer(*number),
            Self::Bool(yes) => ValueRef::Integer(i64::from(*yes)),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(number) if *ty == Type::INT4 => i32::try_from(*number)?.to_sql(ty, out),
            Self::Int(number) => number.to_sql(ty, out),
            Self::Bool(yes) => yes.to_sql(ty, out),
            Self::Text(text) if text.contains('\0') => without_nul(text).to_sql(ty, out),
            Self::Text(text) => text.to_sql(ty, out),
            Self::Bytes(bytes) => bytes.to_sql(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        // The server checks the inferred type against the value sent; a mismatch fails the test
        // that runs every statement.
        true
    }

    postgres::types::to_sql_checked!();
}

/// Removes NUL characters. PostgreSQL text cannot contain them, so neither engine stores them.
pub(crate) fn without_nul(text: &str) -> String {
    text.replace('\0', "")
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<bool> for Value<'_> {
    fn from(yes: bool) -> Self {
        Self::Bool(yes)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Value<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'a, T> From<Option<T>> for Value<'a>
where
    Value<'a>: From<T>,
{
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::from)
    }
}

impl From<Timestamp> for Value<'_> {
    fn from(at: Timestamp) -> Self {
        Self::Int(at.as_ms())
    }
}

impl From<MarkKind> for Value<'_> {
    fn from(kind: MarkKind) -> Self {
        Self::Int(kind.as_i64())
    }
}

macro_rules! id_values {
    ($($id:ident)*) => {$(
        impl From<$id> for Value<'_> {
            fn from(id: $id) -> Self {
                Self::Int(id.as_i64())
            }
        }
    )*};
}

id_values!(
    UserId FeedId ItemId SubscriptionId CategoryId SavedSearchId LabelId RuleId NotificationId BulkMarkId ImportId
    AppPasswordId
);

pub(crate) enum Cell<'r> {
    Sqlite(ValueRef<'r>),
    Postgres(&'r postgres::Row, usize),
}

/// A type that can be read from a column.
pub(crate) trait Column: Sized {
    fn from_cell(cell: Cell<'_>) -> Result<Self, String>;
}

fn mismatch(wanted: &str, found: &ValueRef<'_>) -> String {
    format!("wanted {wanted}, found {}", found.data_type())
}

impl Column for i64 {
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        match cell {
            Cell::Sqlite(ValueRef::Integer(number)) => Ok(number),
            Cell::Sqlite(other) => Err(mismatch("a number", &other)),
            Cell::Postgres(row, index) => row.try_get(index).map_err(|error| error.to_string()),
        }
    }
}

impl Column for bool {
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        match cell {
            Cell::Sqlite(ValueRef::Integer(number)) => Ok(number != 0),
            Cell::Sqlite(other) => Err(mismatch("a truth value", &other)),
            Cell::Postgres(row, index) => row.try_get(index).map_err(|error| error.to_string()),
        }
    }
}

impl Column for String {
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        match cell {
            // Most values are text; simdutf8 validates it faster than std.
            Cell::Sqlite(ValueRef::Text(text)) => simdutf8::basic::from_utf8(text)
                .map(str::to_owned)
                .map_err(|error| error.to_string()),
            Cell::Sqlite(other) => Err(mismatch("text", &other)),
            Cell::Postgres(row, index) => row.try_get(index).map_err(|error| error.to_string()),
        }
    }
}

impl Column for Vec<u8> {
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        match cell {
            Cell::Sqlite(ValueRef::Blob(bytes)) => Ok(bytes.to_vec()),
            Cell::Sqlite(other) => Err(mismatch("bytes", &other)),
            Cell::Postgres(row, index) => row.try_get(index).map_err(|error| error.to_string()),
        }
    }
}

impl<T: Column> Column for Option<T> {
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        let absent = match &cell {
            Cell::Sqlite(value) => matches!(value, ValueRef::Null),
            Cell::Postgres(row, index) => {
                row.try_get::<_, IsNullCell>(*index)
                    .map_err(|error| error.to_string())?
                    .0
            }
        };
        if absent {
            Ok(None)
        } else {
            T::from_cell(cell).map(Some)
        }
    }
}

/// Reads from a PostgreSQL row only whether a cell is NULL, for any type.
struct IsNullCell(bool);

impl<'a> postgres::types::FromSql<'a> for IsNullCell {
    fn from_sql(_: &Type, _: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(false))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(true))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl Column for Timestamp {
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        i64::from_cell(cell).map(Self::from_ms)
    }
}

impl Column for UserId {
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        #[expect(clippy::disallowed_methods, reason = "this is the row reader that may")]
        i64::from_cell(cell).map(Self::from_row)
    }
}

macro_rules! id_columns {
    ($($id:ident)*) => {$(
        impl Column for $id {
            fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
                i64::from_cell(cell).map(Self::from)
            }
        }
    )*};
}

id_columns!(
    FeedId ItemId SubscriptionId CategoryId SavedSearchId LabelId RuleId NotificationId BulkMarkId ImportId AppPasswordId
);

/// Adds the column number to an error about its value.
pub(crate) fn at_column(column: usize) -> impl FnOnce(String) -> StoreError {
    move |reason| StoreError::Column { column, reason }
}
