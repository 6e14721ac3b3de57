//! Additions to the OpenAPI description that no single route declares: rules between the fields of
//! a body, which utoipa's derive cannot express, and the response to a body that does not end.

use utoipa::openapi::schema::{AllOfBuilder, AnyOfBuilder, ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{ContentBuilder, OpenApi, PathItem, Ref, RefOr, ResponseBuilder, Schema};
use utoipa::{Modify, ToSchema as _};

use crate::error::ErrorBody;

/// A field that satisfies a rule when it is present with a value of this kind.
#[derive(Clone, Copy)]
enum Given {
    Integer(&'static str),
    Text(&'static str),
    List(&'static str),
    True(&'static str),
}

impl Given {
    fn schema(self) -> ObjectBuilder {
        let (name, value) = match self {
            Self::Integer(name) => (name, ObjectBuilder::new().schema_type(Type::Integer)),
            Self::Text(name) => (name, ObjectBuilder::new().schema_type(Type::String)),
            Self::List(name) => (name, ObjectBuilder::new().schema_type(Type::Array)),
            Self::True(name) => {
                let value = ObjectBuilder::new().schema_type(Type::Boolean);
                (name, value.enum_values(Some([true])))
            }
        };
        ObjectBuilder::new().property(name, value).required(name)
    }
}

const CONDITIONS: [Given; 3] = [
    Given::Text("query"),
    Given::Integer("feed_id"),
    Given::Integer("category_id"),
];
const ACTIONS: [Given; 5] = [
    Given::True("mark_read"),
    Given::True("star"),
    Given::True("hide"),
    Given::True("notify"),
    Given::Text("label"),
];
const MARKED: [Given; 5] = [
    Given::List("post_ids"),
    Given::Integer("feed_id"),
    Given::Integer("category_id"),
    Given::Integer("label_id"),
    Given::True("all"),
];

/// Adds what no route declares.
pub(crate) struct Constraints;

impl Modify for Constraints {
    fn modify(&self, api: &mut OpenApi) {
        restrict(api, "ConditionsBody", any_of(&CONDITIONS));
        restrict(api, "RuleBody", any_of(&CONDITIONS));
        restrict(api, "ActionsBody", any_of(&ACTIONS));
        restrict(api, "MarkReadBody", one_of(&MARKED));
        api.paths.paths.values_mut().for_each(add_body_deadline);
    }
}

/// Adds the response to a body that is not sent in time to each operation with a body.
fn add_body_deadline(path: &mut PathItem) {
    let PathItem {
        post, put, patch, ..
    } = path;
    for operation in [post, put, patch].into_iter().flatten() {
        if operation.request_body.is_some() {
            let error = Ref::from_schema_name(ErrorBody::name());
            let response = ResponseBuilder::new()
                .description("The body was not sent in time")
                .content(
                    "application/json",
                    ContentBuilder::new().schema(Some(error)).build(),
                );
            let responses = &mut operation.responses.responses;
            responses.insert("408".to_owned(), RefOr::T(response.build()));
        }
    }
}

/// Requires at least one of these fields.
fn any_of(fields: &[Given]) -> Schema {
    let choices = fields.iter().map(|field| field.schema());
    choices.fold(AnyOfBuilder::new(), AnyOfBuilder::item).into()
}

/// Requires exactly one of these fields.
fn one_of(fields: &[Given]) -> Schema {
    let choices = fields.iter().map(|field| field.schema());
    choices.fold(OneOfBuilder::new(), OneOfBuilder::item).into()
}

/// Combines the schema of this name with another one.
fn restrict(api: &mut OpenApi, name: &str, rule: Schema) {
    let schemas = &mut api.components.get_or_insert_default().schemas;
    let Some(fields) = schemas.remove(name) else {
        return;
    };
    let both = AllOfBuilder::new().item(fields).item(rule).build();
    schemas.insert(name.to_owned(), RefOr::T(both.into()));
}
