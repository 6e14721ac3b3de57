//! OPML export and import of subscriptions.

use axum::Json;
use axum::extract::{FromRequest as _, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use lede_core::opml::{self, Import};
use lede_model::ids::ImportId;
use lede_model::import::{ImportResult, Outcome};
use lede_model::input::InputError;
use lede_model::message::Message;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::AppState;
use crate::error::{
    ApiError, ById, Changing, ErrorBody, JsonBody, PathOf, QueryOf, SignedIn, import_error,
};
use crate::input::opml::{ListSource, content_type, upload};
use crate::middleware::CurrentUser;

/// Limit on results per page.
const MAX_RESULTS: i64 = 200;

/// An OPML file to import.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only described; the handler reads the form")]
pub(crate) struct ImportForm {
    /// The OPML file, at most 10 MB.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

/// Address of an OPML file to import.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ImportFromBody {
    /// Address of the OPML file; may contain a user name and a password before the host.
    #[schema(
        min_length = 1,
        max_length = 2040,
        example = "https://example.org/subscriptions.opml"
    )]
    url: String,
}

/// Progress of an import.
#[derive(Serialize, ToSchema)]
pub(crate) struct ImportView {
    #[schema(value_type = i64)]
    id: ImportId,
    #[schema(value_type = String, pattern = "^(running|finished)$")]
    status: &'static str,
    /// Feeds in the list.
    total: i64,
    /// Feeds that you did not follow before.
    imported: i64,
    /// Feeds that you followed already.
    existing: i64,
    /// Feeds that could not be added.
    failed: i64,
    /// The first hundred failures, each as `address: reason`.
    errors: Vec<String>,
    /// Stable codes of the reasons in `errors`, in the same order.
    error_codes: Vec<Option<&'static str>>,
}

impl From<Import> for ImportView {
    fn from(import: Import) -> Self {
        let Import {
            progress, failures, ..
        } = import;
        Self {
            id: progress.id,
            status: if progress.is_finished {
                "finished"
            } else {
                "running"
            },
            total: progress.total,
            imported: progress.added,
            existing: progress.existing,
            failed: progress.failed,
            errors: failures.iter().map(ToString::to_string).collect(),
            error_codes: failures
                .iter()
                .map(|failure| failure.reason.as_ref().map(Message::code))
                .collect(),
        }
    }
}

/// Selects results of an import.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ResultsQuery {
    /// Number of results to skip.
    #[param(minimum = 0, maximum = 1_000_000)]
    offset: Option<i64>,
    /// Number of results to return; 200 by default.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<i64>,
}

/// Result for one feed of an imported list.
#[derive(Serialize, ToSchema)]
pub(crate) struct ImportResultView {
    /// Address of the feed, or the text that the list has in its place.
    url: String,
    /// Title in the list.
    title: Option<String>,
    /// `added`, `existing` or `failed`; null while it is pending.
    #[schema(value_type = Option<String>, pattern = "^(added|existing|failed)$")]
    outcome: Option<Outcome>,
    /// Explanation of the result, in words.
    reason: Option<String>,
    /// Stable code of `reason`.
    code: Option<&'static str>,
}

impl From<ImportResult> for ImportResultView {
    fn from(result: ImportResult) -> Self {
        Self {
            url: result.url,
            title: result.title,
            outcome: result.outcome,
            reason: result.reason.as_ref().map(ToString::to_string),
            code: result.reason.as_ref().map(Message::code),
        }
    }
}

/// Export your subscriptions as an OPML file
#[utoipa::path(
    get,
    path = "/api/feeds/export-opml",
    operation_id = "exportFeeds",
    tag = "feeds",
    responses(
        (status = 200, body = String, content_type = "application/xml"),
        SignedIn,
    )
)]
pub(crate) async fn export(
    State(app): State<AppState>,
    who: CurrentUser,
) -> Result<Response, ApiError> {
    let list = opml::export(&app.lede, who.user.id).await?;
    let today = app.lede.clock.now().to_jiff().strftime("%Y-%m-%d");
    let name = format!("attachment; filename=\"lede-{today}.opml\"");
    let mut response = list.into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/xml; charset=utf-8"),
    );
    if let Ok(name) = HeaderValue::from_str(&name) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

/// Follow the feeds of an OPML file: uploaded as a form field or as the body, or fetched from a URL
///
/// Responds without fetching any of the feeds; items of new feeds appear when Lede fetches them. A
/// list of up to 200 feeds is imported before the response. For a longer one the response is 202
/// and the import continues in the background; see `/api/imports/{id}`.
#[utoipa::path(
    post,
    path = "/api/feeds/import-opml",
    operation_id = "importFeeds",
    tag = "feeds",
    request_body(content(
        (ImportForm = "multipart/form-data"),
        (String = "application/xml"),
        (String = "text/x-opml"),
        (ImportFromBody = "application/json"),
    )),
    responses(
        (status = 200, body = ImportView, description = "All of it is done"),
        (status = 202, body = ImportView, description = "It goes on"),
        SignedIn, Changing,
        (status = 400, body = ErrorBody, description = "The file is not a subscription list, or the address cannot be asked for"),
        (status = 403, body = ErrorBody, description = "Viewers cannot have a list fetched"),
        (status = 413, body = ErrorBody, description = "The file is larger than 10 MB"),
        (status = 415, body = ErrorBody, description = "Neither a form nor XML nor JSON"),
        (status = 422, body = ErrorBody, description = "The list could not be fetched, or is larger than 10 MB"),
    )
)]
pub(crate) async fn import(
    State(app): State<AppState>,
    who: CurrentUser,
    request: Request,
) -> Result<(StatusCode, Json<ImportView>), ApiError> {
    app.limits.feed_work(&app, &who.user)?;
    let (import, source) = if is_json(request.headers()) {
        let JsonBody(body) = JsonBody::<ImportFromBody>::from_request(request, &()).await?;
        let import = opml::import_from(&app.lede, &who.user, &body.url).await;
        (import, ListSource::Address)
    } else {
        let (bytes, content_type) = upload(request).await?;
        let import = opml::import(&app.lede, &who.user, bytes.into(), content_type).await;
        (import, ListSource::Upload)
    };
    let import = import.map_err(|error| import_error(error, source))?;
    let status = if import.progress.is_finished {
        StatusCode::OK
    } else {
        StatusCode::ACCEPTED
    };
    Ok((status, Json(import.into())))
}

/// Get the progress of an import
#[utoipa::path(
    get,
    path = "/api/imports/{id}",
    operation_id = "importProgress",
    tag = "feeds",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 200, body = ImportView),
        SignedIn, ById,
    )
)]
pub(crate) async fn progress(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(import): PathOf<ImportId>,
) -> Result<Json<ImportView>, ApiError> {
    let import = opml::find(&app.lede, who.user.id, import, opml::SHOWN_FAILURES).await?;
    import
        .map(|found| Json(found.into()))
        .ok_or_else(|| ApiError::not_found("The import"))
}

/// List the result for each feed of an import, in the order of the file
#[utoipa::path(
    get,
    path = "/api/imports/{id}/results",
    operation_id = "importResults",
    tag = "feeds",
    params(("id" = i64, Path, minimum = 1), ResultsQuery),
    responses(
        (status = 200, body = Vec<ImportResultView>),
        SignedIn, ById,
    )
)]
pub(crate) async fn results(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(import): PathOf<ImportId>,
    QueryOf(query): QueryOf<ResultsQuery>,
) -> Result<Json<Vec<ImportResultView>>, ApiError> {
    let offset = query.offset.unwrap_or(0);
    if !(0..=1_000_000).contains(&offset) {
        let (least, most) = (0, 1_000_000);
        return Err(ApiError::invalid(
            "offset",
            InputError::OutOfRange { least, most },
        ));
    }
    let limit = query.limit.unwrap_or(MAX_RESULTS);
    if !(1..=MAX_RESULTS).contains(&limit) {
        let (least, most) = (1, MAX_RESULTS);
        return Err(ApiError::invalid(
            "limit",
            InputError::OutOfRange { least, most },
        ));
    }
    let results = opml::results(&app.lede, who.user.id, import, offset, limit).await?;
    let results = results.ok_or_else(|| ApiError::not_found("The import"))?;
    Ok(Json(
        results.into_iter().map(ImportResultView::from).collect(),
    ))
}

fn is_json(headers: &HeaderMap) -> bool {
    let essence = content_type(headers).unwrap_or_default();
    let essence = essence.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}
