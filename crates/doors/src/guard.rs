//! What stands before every door: one function that each request passes, and what it uses.
//!
//! One layer instead of a stack of ten: it can be read from top to bottom, and deep nested layer
//! types cost the compiler dearly. The order matters: who is connected, what they may do, then
//! the handler, then what every answer carries.

pub(crate) mod admission;
pub(crate) mod body;
mod client;
mod cookies;
mod cors;
mod csrf;
mod headers;
pub(crate) mod limits;
mod origin;
mod set_up;
mod who;

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
use body::BodyWatch;
pub(crate) use client::{Client, is_in, network};
pub(crate) use cookies::Cookies;
pub(crate) use csrf::FormToken;
pub(crate) use origin::{is_cross_site, local_path};
pub use set_up::SetUpCode;
pub(crate) use who::{
    Administrator, Caller, PageAdministrator, PageReader, Reader, SessionProof, bearer_token,
};

use crate::Doors;
use crate::error::ApiError;
use crate::web;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Passes a request on to its handler, or answers it here.
pub(crate) async fn entrance(
    State(doors): State<Doors>,
    mut request: Request,
    next: Next,
) -> Response {
    let began = Instant::now();
    let id = request_id();
    let client = Client::of(
        &request,
        &doors.settings,
        doors.lede.settings.base_url.is_https(),
    );
    let method = request.method().clone();
    let route = Route::of(&request);
    let origin = cors::allowed_origin(request.headers(), &doors.settings);
    let telling = web::Telling::of(request.headers(), request.uri());
    request.extensions_mut().insert(client.clone());
    let body = BodyWatch::of(&mut request, client.limit_key(), &doors.bodies);

    let mut verdict = None;
    let mut caller = None;
    let response = if let Some(preflight) = cors::preflight(&request, origin.as_ref()) {
        preflight
    } else {
        let gate = Gate {
            doors: &doors,
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

    let response = telling.tell(&doors, caller.as_ref(), response).await;
    let mut response = dress(
        response,
        &doors,
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
    let metrics = &doors.lede.metrics;
    let labels = RequestLabels {
        method: method_label(&method),
        route: route.pattern.clone(),
        status,
    };
    metrics.http_requests.get_or_create(&labels).inc();
    let of_route = RouteLabels {
        method: labels.method,
        route: route.pattern.clone(),
    };
    let duration = metrics.http_duration.get_or_create(&of_route);
    duration.observe(took.as_secs_f64());
    drop(duration);
    tracing::info!(
        request.id = id,
        http.method = labels.method,
        http.route = route.pattern,
        http.status = status,
        user.id = caller.as_ref().and_then(Caller::user_id),
        duration_ms = took.as_secs_f64() * 1000.0,
        "request"
    );
    response
}

/// The rules that decide about a request.
struct Gate<'a> {
    doors: &'a Doors,
    client: &'a Client,
    route: &'a Route,
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
        let Self {
            doors,
            client,
            route,
            ..
        } = *self;
        if route.is_free {
            return Ok(next.run(request).await);
        }
        let mut class = route.class(request.method());
        let mut permit = self.admit(class).await?;
        let caller = who::caller(doors, client, request.headers()).await?;
        *known = Some(caller.clone());
        if caller.user().is_none() && class == Class::Writing {
            drop(permit);
            class = Class::Anonymous;
            permit = self.admit(class).await?;
        }
        *verdict = doors
            .limits
            .general(doors, client, &caller, route.is_picture)?;
        if !request.method().is_safe() && !route.works_without_room && doors.lede.disk.is_full() {
            return Err(ApiError::no_room());
        }
        request.extensions_mut().insert(caller.clone());
        let work = async {
            let request = csrf::check(doors, client, &caller, request).await?;
            Ok(next.run(request).await)
        };
        match self.body {
            Some(body) => {
                if caller.user().is_some() {
                    body.set_signed_in();
                }
                body.lend(permit, Arc::clone(&doors.admission), class);
                let result = work.await;
                body.take_back();
                result
            }
            None => {
                let _permit = permit;
                work.await
            }
        }
    }

    async fn admit(&self, class: Class) -> Result<Permit, ApiError> {
        let address = self.client.limit_key();
        let permit = self.doors.admission.admit(class, address).await;
        permit.map_err(|Overloaded| ApiError::overloaded())
    }
}

/// What the guard needs to know about where a request goes.
struct Route {
    /// The pattern, for logs and metrics: bounded, and without anybody's ids.
    pattern: String,
    /// Not limited and not signed in: assets and health.
    is_free: bool,
    /// A page has many of them, so they have a limit of their own.
    is_picture: bool,
    /// Also while the disk is full: signing in, to read, and what administrators do about it.
    works_without_room: bool,
    /// Pages and endpoints for signing in and out, and for the first account.
    is_sign_in: bool,
}

impl Route {
    fn of(request: &Request) -> Self {
        let pattern = request
            .extensions()
            .get::<MatchedPath>()
            .map_or_else(|| "unknown".to_owned(), |path| path.as_str().to_owned());
        let is_health = matches!(pattern.as_str(), "/health" | "/api/health");
        let is_free = pattern.starts_with("/assets/") || is_health;
        let is_picture = pattern.starts_with("/img/");
        let begins_with = |beginnings: &[&str]| {
            let mut beginnings = beginnings.iter();
            beginnings.any(|beginning| pattern.starts_with(beginning))
        };
        let works_without_room =
            begins_with(&["/auth/", "/api/auth/", "/api/admin/", "/admin/vacuum"]);
        let is_sign_in = begins_with(&["/auth/", "/api/auth/", "/setup"]);
        Self {
            pattern,
            is_free,
            is_picture,
            works_without_room,
            is_sign_in,
        }
    }

    fn class(&self, method: &Method) -> Class {
        match self.is_sign_in {
            true => Class::SignIn,
            false if method.is_safe() => Class::Reading,
            false => Class::Writing,
        }
    }
}

/// Adds what every answer carries.
fn dress(
    mut response: Response,
    doors: &Doors,
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
    headers::write(client, doors.lede.settings.image_proxy, headers);
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

/// One for each request. Counted, because nobody has to be kept from guessing it and asking the system for chance
/// costs every request; from a place of chance on and in long strides, so that those of two processes do not meet.
fn request_id() -> String {
    static NEXT: LazyLock<AtomicU64> =
        LazyLock::new(|| AtomicU64::new(RandomState::new().hash_one(0)));
    const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;
    format!("{:016x}", NEXT.fetch_add(STRIDE, Ordering::Relaxed))
}
