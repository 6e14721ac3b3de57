//! Takeout: export and import of everything that belongs to a user.

use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use futures_util::stream;
use lede_core::takeout::{Export, Imported, RefusedEntry};
use lede_model::message::Message as _;
use serde::Serialize;
use utoipa::ToSchema;

use crate::AppState;
use crate::error::{ApiError, Changing, ErrorBody, SignedIn};
use crate::input::takeout::{import_file, sent};
use crate::middleware::CurrentUser;

/// Export everything that belongs to you as one JSON document
///
/// It has your subscriptions with their settings, your marks and labels, and the starred and
/// labelled items in full. `POST /api/users/me/import` of any Lede instance accepts it.
#[utoipa::path(
    get,
    path = "/api/users/me/export",
    operation_id = "exportMe",
    tag = "sign-in",
    responses(
        (status = 200, description = "The document, as an attachment; docs/notes/takeout.md describes it", body = Object),
        SignedIn,
    )
)]
pub(crate) async fn export(
    State(app): State<AppState>,
    who: CurrentUser,
) -> Result<([(HeaderName, HeaderValue); 2], Body), ApiError> {
    app.limits.feed_work(&app, &who.user)?;
    let today: String = app.lede.clock.now().to_string().chars().take(10).collect();
    let disposition = format!("attachment; filename=\"lede-export-{today}.json\"");
    let disposition =
        HeaderValue::try_from(disposition).map_err(|error| ApiError::internal(&error))?;
    let pieces = stream::try_unfold(Export::of(&app.lede, who.user), |mut export| async {
        // The client sees a failure as an interrupted download.
        let piece = export.next().await.inspect_err(|error| {
            tracing::error!(%error, "a take-out was interrupted");
        })?;
        Ok::<_, lede_store::StoreError>(piece.map(|piece| (piece, export)))
    });
    let json = HeaderValue::from_static("application/json");
    let headers = [
        (header::CONTENT_TYPE, json),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, Body::from_stream(pieces)))
}

/// The document of `GET /api/users/me/export`.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only described; the handler reads the stream")]
pub(crate) struct TakeoutBody {
    #[schema(pattern = "^lede-export$")]
    format: String,
    /// Version of the format.
    #[schema(minimum = 1, maximum = 1)]
    version: i64,
}

/// Result of importing a takeout.
#[derive(Serialize, ToSchema)]
pub(crate) struct ImportedView {
    /// True if your preferences were replaced by those of the takeout.
    preferences_set: bool,
    categories_added: usize,
    subscriptions_added: usize,
    /// Feeds that you followed already; their settings are now those of the takeout.
    subscriptions_existing: usize,
    labels_added: usize,
    saved_searches_added: usize,
    rules_added: usize,
    /// Items of the takeout that are starred now.
    starred: usize,
    /// Items of the takeout that are not starred and have their labels now.
    labelled: usize,
    /// Items among `starred` and `labelled` that did not exist here before.
    items_added: usize,
    /// Items whose read state is now that of the takeout.
    marked: usize,
    /// Items that will get their read state when their feeds deliver them, within 30 days.
    pending: usize,
    /// The first hundred entries that could not be imported.
    #[schema(max_items = 100)]
    errors: Vec<EntryErrorView>,
    /// Number of further errors.
    errors_left_out: usize,
}

/// An entry that could not be imported.
#[derive(Serialize, ToSchema)]
pub(crate) struct EntryErrorView {
    /// List that contains the entry.
    list: &'static str,
    /// Position in that list, starting from one.
    entry: usize,
    error: String,
    /// Stable code of `error`.
    code: &'static str,
}

impl From<Imported> for ImportedView {
    fn from(done: Imported) -> Self {
        let errors = done
            .errors
            .into_iter()
            .map(|error: RefusedEntry| EntryErrorView {
                list: error.list,
                entry: error.entry,
                code: error.reason.code(),
                error: error.reason.to_string(),
            });
        Self {
            preferences_set: done.preferences_set,
            categories_added: done.categories_added,
            subscriptions_added: done.subscriptions_added,
            subscriptions_existing: done.subscriptions_existing,
            labels_added: done.labels_added,
            saved_searches_added: done.saved_searches_added,
            rules_added: done.rules_added,
            starred: done.starred,
            labelled: done.labelled,
            items_added: done.items_added,
            marked: done.marked,
            pending: done.pending,
            errors: errors.collect(),
            errors_left_out: done.errors_left_out,
        }
    }
}

/// Import a takeout of this or another instance: adds what is missing, and can be repeated safely
#[utoipa::path(
    post,
    path = "/api/users/me/import",
    operation_id = "importMe",
    tag = "sign-in",
    request_body(content = TakeoutBody, description = "The document of `GET /api/users/me/export`, at most 256 MiB"),
    responses(
        (status = 200, body = ImportedView),
        (status = 400, body = ErrorBody, description = "Not a take-out, or not a whole one; nothing was changed"),
        (status = 413, body = ErrorBody, description = "Larger than 256 MiB"),
        (status = 415, body = ErrorBody, description = "Not called JSON"),
        SignedIn, Changing,
    )
)]
pub(crate) async fn import(
    State(app): State<AppState>,
    who: CurrentUser,
    request: Request,
) -> Result<Json<ImportedView>, ApiError> {
    app.limits.feed_work(&app, &who.user)?;
    let file = sent(request).await?;
    let done = import_file(&app, &who.user, file).await?;
    Ok(Json(done.into()))
}
