//! Errors of the server: the JSON body of the API, its responses for OpenAPI, and extractors that
//! fail with it.
//!
//! `use_cases` maps errors of `core` to an [`ApiError`]; `render` turns one into a page or
//! another format where the route declares that.

mod render;
mod use_cases;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::path::ErrorKind;
use axum::extract::rejection::{FormRejection, JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use lede_model::budget::Verdict;
use lede_model::ids::TOO_SMALL;
use lede_model::input::InputError;
use lede_model::message::Message;
use lede_store::StoreError;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::{IntoResponses, ToSchema};

pub(crate) use render::ErrorRenderer;
pub(crate) use use_cases::{
    import_error, label_error, leave_error, organise_error, rule_error, search_error,
    sign_in_error, subscribe_error, takeout_error,
};

/// Subject of an error, by which a client can choose how to show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Category {
    /// Authentication or permission.
    Auth,
    /// Content of the request.
    Validation,
    /// A feed or its server.
    Feed,
    /// Lede itself, such as its database or load.
    System,
}

/// Body of every error of the JSON API.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ErrorBody {
    /// Description of the error, as a sentence.
    error: String,
    /// Stable code for programs.
    code: &'static str,
    /// The same as `error`.
    message: String,
    category: Category,
    /// Advice to the user on how to proceed.
    action: String,
    /// Description of the error of each invalid field. Absent if the error is not about fields.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    fields: BTreeMap<Cow<'static, str>, String>,
    /// Stable codes of the errors in `fields`, where they have one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    field_codes: BTreeMap<Cow<'static, str>, &'static str>,
}

/// Translatable messages of an error, and the fields that it is about.
#[derive(Debug, Clone, Default)]
struct Details {
    message: Option<Arc<dyn Message>>,
    fields: BTreeMap<Cow<'static, str>, FieldError>,
}

#[derive(Debug, Clone)]
struct FieldError {
    text: String,
    /// Source of the text; a page translates it to the user's language.
    message: Option<Arc<dyn Message>>,
}

/// An error response. It is also attached to the response as an extension, from which the
/// middleware renders it in the user's language.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    pub(crate) status: StatusCode,
    code: &'static str,
    category: Category,
    pub(crate) message: String,
    pub(crate) action: String,
    /// Boxed to keep the type small: it is returned by every handler, and few errors have details.
    details: Option<Box<Details>>,
    retry_after: Option<Duration>,
    /// The limit that was exceeded; boxed for the same reason.
    verdict: Option<Box<Verdict>>,
}

impl ApiError {
    pub(crate) fn new(
        status: StatusCode,
        code: &'static str,
        category: Category,
        message: impl Into<String>,
        action: impl Into<String>,
    ) -> Self {
        Self {
            status,
            code,
            category,
            message: message.into(),
            action: action.into(),
            details: None,
            retry_after: None,
            verdict: None,
        }
    }

    /// Returns the stable code for programs.
    pub(crate) fn code(&self) -> &'static str {
        self.code
    }

    /// 400: the request cannot be parsed.
    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        let action = "Correct the request and send it again.";
        Self::new(
            StatusCode::BAD_REQUEST,
            "bad_request",
            Category::Validation,
            message,
            action,
        )
    }

    /// 400: one field is invalid.
    pub(crate) fn field(name: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::of_field(name.into(), message.into(), None)
    }

    /// 400: one field is invalid, with a message that pages translate.
    pub(crate) fn invalid(
        name: impl Into<Cow<'static, str>>,
        message: impl Message + 'static,
    ) -> Self {
        Self::of_field(name.into(), message.to_string(), Some(Arc::new(message)))
    }

    fn of_field(name: Cow<'static, str>, text: String, message: Option<Arc<dyn Message>>) -> Self {
        let mut error = Self::bad_request(format!("{name}: {text}"));
        error.code = "invalid_field";
        let details = error.details.get_or_insert_default();
        details.fields.insert(name, FieldError { text, message });
        error
    }

    /// Attaches the source of the error's text, which pages translate.
    pub(crate) fn with_message(mut self, message: Option<impl Message + 'static>) -> Self {
        if let Some(message) = message {
            self.details.get_or_insert_default().message = Some(Arc::new(message));
        }
        self
    }

    /// 401: the request has no valid credentials.
    pub(crate) fn unauthorised() -> Self {
        let (message, action) = ("You are not signed in.", "Sign in and try again.");
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            Category::Auth,
            message,
            action,
        )
    }

    /// 403: the caller is signed in but lacks permission.
    pub(crate) fn forbidden(message: impl Into<String>, action: impl Into<String>) -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "forbidden",
            Category::Auth,
            message,
            action,
        )
    }

    /// 404: absent, or owned by another user. The response does not distinguish the two.
    pub(crate) fn not_found(what: &str) -> Self {
        let message = format!("{what} was not found.");
        let action = "It may have been removed; go back to the list.";
        Self::new(
            StatusCode::NOT_FOUND,
            "not_found",
            Category::Validation,
            message,
            action,
        )
    }

    /// 404: the object that a field refers to is absent, or owned by another user.
    pub(crate) fn not_found_in(name: &'static str, what: &str, message: impl Into<String>) -> Self {
        let mut error = Self::not_found(what);
        let field = FieldError {
            text: message.into(),
            message: None,
        };
        let details = error.details.get_or_insert_default();
        details.fields.insert(name.into(), field);
        error
    }

    /// 409: the request conflicts with the current state.
    pub(crate) fn conflict(
        code: &'static str,
        message: impl Into<String>,
        action: impl Into<String>,
    ) -> Self {
        Self::new(
            StatusCode::CONFLICT,
            code,
            Category::Validation,
            message,
            action,
        )
    }

    /// 429, with the time to wait in `Retry-After`.
    pub(crate) fn too_many_requests(verdict: Verdict) -> Self {
        // Rounded up: a client that waits exactly this long must not be too early.
        let wait = verdict.retry_after;
        let seconds = (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1);
        let mut error = Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "rate_limited",
            Category::System,
            "Too many requests.",
            format!("Wait {seconds} s and try again."),
        );
        error.retry_after = Some(Duration::from_secs(seconds));
        error.verdict = Some(Box::new(verdict));
        error
    }

    /// 408: the request body did not arrive in time.
    pub(crate) fn too_slow() -> Self {
        Self::new(
            StatusCode::REQUEST_TIMEOUT,
            "too_slow",
            Category::Validation,
            "The request took too long to arrive.",
            "Check your connection and try again.",
        )
    }

    /// 503: too many requests are in progress.
    pub(crate) fn overloaded() -> Self {
        let (message, action) = ("Lede is busy.", "Try again in a few seconds.");
        let mut error = Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "overloaded",
            Category::System,
            message,
            action,
        );
        error.retry_after = Some(Duration::from_secs(2));
        error
    }

    /// 507: the disk is full.
    pub(crate) fn no_room() -> Self {
        let message =
            "The disk is full, so nothing can be changed. What is there can still be read.";
        let action = "Free up space on the disk of the database; Lede resumes by itself.";
        let status = StatusCode::INSUFFICIENT_STORAGE;
        Self::new(status, "no_room", Category::System, message, action)
    }

    /// 500. The cause is logged and never sent to the client.
    pub(crate) fn internal(cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(error = %cause, "a request failed");
        let (message, action) = (
            "Something went wrong on our side.",
            "Try again. If it keeps happening, check the log.",
        );
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            Category::System,
            message,
            action,
        )
    }
}

impl ApiError {
    /// Returns `true` if the error is about a field.
    pub(crate) fn is_about_field(&self) -> bool {
        let details = self.details.as_ref();
        details.is_some_and(|details| !details.fields.is_empty())
    }

    /// Returns the message that the error is made from: that of its first field, if it is about
    /// fields.
    pub(crate) fn detail(&self) -> Option<&dyn Message> {
        let details = self.details.as_ref()?;
        match details.fields.values().next() {
            Some(field) => field.message.as_deref(),
            None => details.message.as_deref(),
        }
    }

    /// Translates the errors of the fields. `translate` gets the message of a field, if it has one.
    pub(crate) fn with_fields(
        mut self,
        translate: impl Fn(Option<&dyn Message>) -> String,
    ) -> Self {
        if let Some(details) = &mut self.details {
            for field in details.fields.values_mut() {
                field.text = translate(field.message.as_deref());
            }
        }
        self
    }

    /// Returns the JSON body with the given, possibly translated, texts.
    pub(crate) fn body(self, message: String, action: String) -> Json<ErrorBody> {
        let fields = self.details.unwrap_or_default().fields;
        let codes = fields.iter().filter_map(|(name, field)| {
            let message = field.message.as_deref()?;
            Some((name.clone(), message.code()))
        });
        Json(ErrorBody {
            field_codes: codes.collect(),
            error: message.clone(),
            code: self.code,
            message,
            category: self.category,
            action,
            fields: fields
                .into_iter()
                .map(|(name, field)| (name, field.text))
                .collect(),
        })
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (message, action) = (self.message.clone(), self.action.clone());
        let body = self.clone().body(message, action);
        let mut response = (self.status, body).into_response();
        if let Some(wait) = self.retry_after {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(wait.as_secs()));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(verdict) = &self.verdict {
            // Replaces the verdict of the general limit, which was not exceeded.
            response.extensions_mut().insert(**verdict);
        }
        response.extensions_mut().insert(self);
        response
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        Self::internal(&error)
    }
}

impl From<JsonRejection> for ApiError {
    fn from(rejection: JsonRejection) -> Self {
        match rejection {
            // JSON of the wrong shape gets the same status as a syntax error.
            JsonRejection::JsonDataError(error) => unreadable("The body", &error),
            JsonRejection::JsonSyntaxError(error) => {
                Self::bad_request(format!("The body is not JSON: {}.", innermost(&error)))
            }
            JsonRejection::MissingJsonContentType(_) => not_called("application/json"),
            other => not_received(other.status()),
        }
    }
}

impl From<FormRejection> for ApiError {
    fn from(rejection: FormRejection) -> Self {
        match rejection {
            FormRejection::FailedToDeserializeForm(error) => unreadable("The form", &error),
            FormRejection::FailedToDeserializeFormBody(error) => unreadable("The form", &error),
            FormRejection::InvalidFormContentType(_) => {
                not_called("application/x-www-form-urlencoded")
            }
            other => not_received(other.status()),
        }
    }
}

impl From<PathRejection> for ApiError {
    fn from(rejection: PathRejection) -> Self {
        match rejection {
            // A single path parameter is always an id.
            PathRejection::FailedToDeserializePathParams(error)
                if matches!(error.kind(), ErrorKind::ParseError { .. }) =>
            {
                Self::field("id", "must be a whole number that is not too large")
            }
            PathRejection::FailedToDeserializePathParams(error) if matches!(error.kind(), ErrorKind::Message(text) if text == TOO_SMALL) => {
                Self::field("id", TOO_SMALL)
            }
            _ => Self::bad_request("The address cannot be read."),
        }
    }
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> Self {
        unreadable("The query", &rejection)
    }
}

fn innermost(error: &dyn Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// Describes a `serde` error, with the name of the field if the error is about one. Reasons are
/// reworded for users.
fn unreadable(what: &str, error: &dyn Error) -> ApiError {
    // Only the inner error has the path to the field.
    let whole = error
        .source()
        .map_or_else(|| error.to_string(), ToString::to_string);
    let whole = whole.split(" at line ").next().unwrap_or_default();
    for (begin, reason) in [
        ("missing field `", InputError::Missing),
        ("duplicate field `", InputError::Repeated),
    ] {
        if let Some((path, name)) = whole.split_once(begin) {
            let name = name.trim_end_matches('`');
            let path = path.trim_end_matches(": ");
            let dot = if path.is_empty() { "" } else { "." };
            return ApiError::invalid(format!("{path}{dot}{name}"), reason);
        }
    }
    let is_path = |text: &str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '[' | ']');
        !text.is_empty() && text.chars().all(is_part)
    };
    match whole.split_once(": ") {
        Some((field, reason)) if is_path(field) => {
            let field = field.to_owned();
            match known(reason) {
                Some(error) => ApiError::invalid(field, error),
                None => ApiError::field(field, in_words(reason)),
            }
        }
        _ => ApiError::bad_request(format!("{what} cannot be read: {}.", in_words(whole))),
    }
}

/// Returns the message for a reason of the parsers of numbers and flags.
fn known(reason: &str) -> Option<InputError> {
    Some(match reason {
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            InputError::NotANumber
        }
        "number too large to fit in target type" => InputError::TooLarge,
        "number too small to fit in target type" => InputError::TooSmall,
        "provided string was not `true` or `false`" => InputError::NotAFlag,
        _ => return None,
    })
}

fn in_words(reason: &str) -> String {
    match known(reason) {
        Some(error) => error.to_string(),
        None => reason.replace("expected i64", "expected a whole number"),
    }
}

/// 415: the request has another content type than the expected one.
fn not_called(media_type: &str) -> ApiError {
    ApiError::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "unsupported_media_type",
        Category::Validation,
        format!("The body is not called {media_type}."),
        format!("Send it with Content-Type: {media_type}."),
    )
}

/// 413 if the body is too large, otherwise 400: it could not be received completely.
fn not_received(status: StatusCode) -> ApiError {
    if status == StatusCode::PAYLOAD_TOO_LARGE {
        ApiError::new(
            status,
            "too_large",
            Category::Validation,
            "The body is larger than 1 MiB.",
            "Send less at once.",
        )
    } else {
        ApiError::bad_request("The body did not arrive whole.")
    }
}

/// Responses common to all endpoints that require authentication, for OpenAPI.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "only described, never made")]
pub(crate) enum SignedIn {
    /// The request has no valid credentials
    #[response(status = 401)]
    Unauthorised(ErrorBody),
    /// Too many requests; `Retry-After` has the seconds to wait
    #[response(status = 429)]
    TooMany(ErrorBody),
}

/// Responses of endpoints with an id in the path, for OpenAPI.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "only described, never made")]
pub(crate) enum ById {
    /// The id or a parameter is invalid
    #[response(status = 400)]
    BadRequest(ErrorBody),
    /// Absent, or owned by another user
    #[response(status = 404)]
    NotFound(ErrorBody),
}

/// Responses of endpoints that change something, for OpenAPI.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "only described, never made")]
pub(crate) enum Changing {
    /// A cookie was sent without the session's CSRF token, or the role does not permit this
    #[response(status = 403)]
    Forbidden(ErrorBody),
    /// The disk is full; no changes are possible until space is freed
    #[response(status = 507)]
    NoRoom(ErrorBody),
}

/// Responses of endpoints with a JSON body, for OpenAPI.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "only described, never made")]
pub(crate) enum JsonIn {
    /// The body does not conform to its schema
    #[response(status = 400)]
    BadRequest(ErrorBody),
    /// The body is larger than 1 MiB
    #[response(status = 413)]
    TooLarge(ErrorBody),
    /// The content type of the body is not JSON
    #[response(status = 415)]
    NotJson(ErrorBody),
}

/// A JSON body, rejected with an [`ApiError`] if it is invalid. It has to be an object: `serde`
/// would also accept an array of the field values, which is never intended.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let Json(Object(body)) = Json::from_request(request, state).await?;
        Ok(Self(body))
    }
}

/// A JSON body that is an array of objects. See [`JsonBody`].
pub(crate) struct JsonList<T>(pub(crate) Vec<T>);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonList<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let Json(list) = Json::<Vec<Object<T>>>::from_request(request, state).await?;
        Ok(Self(list.into_iter().map(|Object(entry)| entry).collect()))
    }
}

/// Deserialises `T` only from an object.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object(deserializer).map(Self)
    }
}

/// Deserialises a field that has to be an object, as [`JsonBody`] does for bodies.
pub(crate) fn object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    struct Entries<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(entries))
        }
    }

    deserializer.deserialize_map(Entries(PhantomData))
}

/// A form body, rejected with an [`ApiError`] if it is invalid.
#[derive(axum::extract::FromRequest)]
#[from_request(via(axum::extract::Form), rejection(ApiError))]
pub(crate) struct FormBody<T>(pub(crate) T);

/// Path parameters, rejected with an [`ApiError`] if they are invalid.
#[derive(axum::extract::FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(ApiError))]
pub(crate) struct PathOf<T>(pub(crate) T);

/// Query parameters, rejected with an [`ApiError`] if they are invalid.
#[derive(axum::extract::FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(ApiError))]
pub(crate) struct QueryOf<T>(pub(crate) T);
