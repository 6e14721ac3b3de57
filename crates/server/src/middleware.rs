//! Middleware: one function that every request passes, and its parts.
//!
//! One layer instead of a stack of ten: it can be read from top to bottom, and deeply nested layer
//! types slow down compilation. The order matters: identify the client, check its permissions, run
//! the handler, then add the headers of every response. All differences between routes are in their
//! [`RoutePolicy`](crate::policy::RoutePolicy).

pub(crate) mod admission;
mod auth;
pub(crate) mod body;
mod client;
mod cookies;
mod cors;
mod csrf;
mod headers;
pub(crate) mod limits;
mod origin;
mod set_up;

#[cfg(test)]
mod tests;

use std::hash::{BuildHasher as _, RandomState};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt as _;
use lede_core::metrics::{RequestLabels, RouteLabels};
use lede_model::budget::Verdict;

use admission::{Class, Overloaded, Permit};
pub(crate) use auth::{Caller, CurrentUser, SessionProof, bearer_token};
use body::BodyWatch;
pub(crate) use client::{Client, is_in, network};
pub(crate) use cookies::Cookies;
pub(crate) use csrf::FormToken;
#[cfg(test)]
pub(crate) use csrf::form_field;
pub(crate) use origin::{is_cross_site, local_path};
pub use set_up::SetUpCode;

use crate::AppState;
use crate::error::{ApiError, ErrorRenderer};
use crate::policy::{AdmissionClass, FullDisk, Resolved};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Passes a request on to its handler, or responds without it.
pub(crate) async fn apply(
    State(app): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response {
    let began = Instant::now();
    let id = request_id();
    let client = Client::of(
        &request,
        &app.settings,
        app.lede.settings.base_url.is_https(),
    );
    let method = request.method().clone();
    let matched = request.extensions().get::<MatchedPath>();
    // For logs and metrics: a bounded set of values, without ids.
    let pattern = matched.map_or("unknown", MatchedPath::as_str).to_owned();
    let route = app.routes.resolve(
        matched.map(MatchedPath::as_str),
        &method,
        request.uri().path(),
    );
    let origin = cors::allowed_origin(request.headers(), &app.settings);
    let renderer = ErrorRenderer::new(route.policy.errors, request.headers());
    request.extensions_mut().insert(client.clone());
    let body = BodyWatch::of(&mut request, client.limit_key(), &app.bodies);

    let mut verdict = None;
    let mut caller = None;
    let response = if let Some(preflight) = cors::preflight(&request, origin.as_ref()) {
        preflight
    } else {
        let gate = Gate {
            app: &app,
            client: &client,
            route: &route,
            body: body.as_ref(),
        };
        let guarded = gate.pass(request, next, &mut verdict, &mut caller);
        // A panic in one handler is one failed request, not a dropped connection.
        match AssertUnwindSafe(guarded).catch_unwind().await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => error.into_response(),
            Err(_) => ApiError::internal(&"the handler panicked").into_response(),
        }
    };
    let failure = body.as_ref().and_then(BodyWatch::failure);
    let response = failure.map_or(response, IntoResponse::into_response);

    let response = renderer.render(&app, caller.as_ref(), response).await;
    let mut response = add_security_headers(
        response,
        &app,
        &client,
        &id,
        verdict.as_ref(),
        origin.as_ref(),
    );
    if let Some(body) = body {
        body.settle(&mut response).await;
    }
    let took = began.elapsed();
    let status = response.status().as_u16();
    let metrics = &app.lede.metrics;
    let labels = RequestLabels {
        method: method_label(&method),
        route: pattern.clone(),
        status,
    };
    metrics.http.requests.get_or_create(&labels).inc();
    let of_route = RouteLabels {
        method: labels.method,
        route: pattern.clone(),
    };
    let duration = metrics.http.duration.get_or_create(&of_route);
    duration.observe(took.as_secs_f64());
    drop(duration);
    tracing::info!(
        request.id = id,
        http.method = labels.method,
        http.route = pattern,
        http.status = status,
        user.id = caller.as_ref().and_then(Caller::user_id),
        duration_ms = took.as_secs_f64() * 1000.0,
        "request"
    );
    response
}

/// A request before its handler, with the policy that applies to it.
struct Gate<'a> {
    app: &'a AppState,
    client: &'a Client,
    route: &'a Resolved<'a>,
    body: Option<&'a BodyWatch>,
}

impl Gate<'_> {
    async fn pass(
        &self,
        mut request: Request,
        next: Next,
        verdict: &mut Option<Verdict>,
        known: &mut Option<Caller>,
    ) -> Result<Response, ApiError> {
        let Self { app, client, .. } = *self;
        let policy = self.route.policy;
        let class = match policy.admission {
            AdmissionClass::Unlimited => None,
            AdmissionClass::SignIn => Some(Class::SignIn),
            AdmissionClass::ByMethod if request.method().is_safe() => Some(Class::Reading),
            AdmissionClass::ByMethod => Some(Class::Writing),
        };
        let mut admitted = self.admit(class).await?;
        let caller = auth::authenticate(app, client, policy.schemes, &mut request).await?;
        *known = Some(caller.clone());
        if caller.user().is_some() {
            if let Some(body) = self.body {
                body.set_signed_in();
            }
        } else if class == Some(Class::Writing) {
            drop(admitted);
            admitted = self.admit(Some(Class::Anonymous)).await?;
        }
        let limits = &app.limits;
        *verdict = limits.general(app, client, &caller, policy.rate_limit)?;
        let refuses_writes = policy.full_disk == FullDisk::RefuseWrites;
        if refuses_writes && !request.method().is_safe() && app.lede.disk.is_full() {
            return Err(ApiError::no_room());
        }
        request.extensions_mut().insert(caller.clone());
        let request = csrf::check(app, client, &caller, policy.csrf, request).await?;
        if self.route.is_route
            && let Err(error) = auth::check_access(policy.access, &caller)
        {
            return auth::refuse(policy.errors, &request, error);
        }
        let response = next.run(request).await;
        drop(admitted);
        Ok(response)
    }

    async fn admit(&self, class: Option<Class>) -> Result<Option<Admitted<'_>>, ApiError> {
        let Some(class) = class else { return Ok(None) };
        let admission = &self.app.admission;
        let permit = admission.admit(class, self.client.limit_key()).await;
        let permit = permit.map_err(|Overloaded| ApiError::overloaded())?;
        Ok(Some(match self.body {
            Some(body) => {
                body.lend(permit, Arc::clone(admission), class);
                Admitted::WithBody(body)
            }
            None => Admitted::Alone(permit),
        }))
    }
}

/// Holds the permit of a request until dropped. A request with a body releases the permit while it
/// waits for bytes.
enum Admitted<'a> {
    WithBody(&'a BodyWatch),
    Alone(#[expect(dead_code, reason = "held until it is dropped")] Permit),
}

impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        if let Self::WithBody(body) = self {
            body.take_back();
        }
    }
}

/// Adds the headers that every response has.
fn add_security_headers(
    mut response: Response,
    app: &AppState,
    client: &Client,
    id: &str,
    verdict: Option<&Verdict>,
    origin: Option<&HeaderValue>,
) -> Response {
    let exceeded = response.extensions_mut().remove::<Verdict>();
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
    if let Some(verdict) = exceeded.as_ref().or(verdict) {
        limits::write_headers(verdict, headers);
    }
    if let Some(origin) = origin {
        cors::write_headers(origin, headers);
    }
    headers::write(client, app.lede.settings.image_proxy, headers);
    response
}

fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// Returns a new request id.
///
/// Ids are counted, because they need not be hard to guess and random numbers from the system would
/// cost every request. The random start and the large stride keep the ids of two processes apart.
fn request_id() -> String {
    static NEXT: LazyLock<AtomicU64> =
        LazyLock::new(|| AtomicU64::new(RandomState::new().hash_one(0)));
    const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;
    format!("{:016x}", NEXT.fetch_add(STRIDE, Ordering::Relaxed))
}
