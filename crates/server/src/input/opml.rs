//! Subscription lists in requests: as a file of a form, or as the request body.

use axum::body::Bytes;
use axum::extract::multipart::{Multipart, MultipartError};
use axum::extract::{FromRequest as _, Request};
use axum::http::{HeaderMap, StatusCode, header};
use lede_core::opml::{self, ImportError};
use lede_model::input::InputError;

use crate::error::{ApiError, Category, import_error};

/// Size limit of the request: the list, and the overhead of a form.
pub(crate) const MAX_BODY_BYTES: usize = opml::MAX_BYTES + 64 * 1024;
const FIELD: &str = "file";

/// Source of a subscription list, for error messages.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListSource {
    Upload,
    Address,
}

impl ListSource {
    /// Returns the request field that errors about the list refer to.
    pub(crate) const fn field(self) -> &'static str {
        match self {
            Self::Upload => FIELD,
            Self::Address => "url",
        }
    }
}

/// Reads a subscription list from a request. Returns it with its content type.
pub(crate) async fn upload(request: Request) -> Result<(Bytes, Option<String>), ApiError> {
    let Some(content_type) = content_type(request.headers()) else {
        return plain(request, None).await;
    };
    let essence = content_type.split(';').next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    if essence == "multipart/form-data" {
        return form(request).await;
    }
    let is_file = matches!(
        essence.as_str(),
        "text/plain" | "text/x-opml" | "application/octet-stream"
    );
    if is_file || essence.ends_with("xml") {
        return plain(request, Some(content_type)).await;
    }
    Err(ApiError::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "unsupported_media_type",
        Category::Validation,
        format!("A subscription list is not {essence}."),
        "Send the OPML file as application/xml, or as the form field named file; or its address as JSON.",
    ))
}

pub(crate) fn content_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?;
    Some(value.to_str().unwrap_or_default().to_owned())
}

async fn plain(
    request: Request,
    content_type: Option<String>,
) -> Result<(Bytes, Option<String>), ApiError> {
    let bytes = Bytes::from_request(request, &()).await;
    let bytes = bytes.map_err(|rejection| body_error(rejection.status()))?;
    Ok((bytes, content_type))
}

async fn form(request: Request) -> Result<(Bytes, Option<String>), ApiError> {
    let form_error = |error: MultipartError| body_error(error.status());
    let mut form = Multipart::from_request(request, &())
        .await
        .map_err(|rejection| body_error(rejection.status()))?;
    while let Some(field) = form.next_field().await.map_err(form_error)? {
        if field.name() == Some(FIELD) {
            let content_type = field.content_type().map(str::to_owned);
            let bytes = field.bytes().await.map_err(form_error)?;
            return Ok((bytes, content_type));
        }
    }
    Err(ApiError::invalid(FIELD, InputError::NoFile))
}

fn body_error(status: StatusCode) -> ApiError {
    if status == StatusCode::PAYLOAD_TOO_LARGE {
        import_error(ImportError::TooLarge, ListSource::Upload)
    } else {
        ApiError::bad_request("The upload is damaged or incomplete.")
    }
}
