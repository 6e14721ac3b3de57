//! Every route of Lede, on one page.
//!
//! A JSON endpoint states its path, parameters and every answer beside its handler; the same
//! statement routes it and describes it in `/openapi.json`, so that the two cannot differ.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{get, patch, post};
use lede_core::Lede;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::guard::admission::Admission;
use crate::guard::body::BodyRules;
use crate::guard::limits::Limits;
use crate::guard::{self, SetUpCode};
use crate::reader::{
    admin, app_passwords, categories, events, feeds, items, jobs, labels, lists, opml, preferences,
    proxy, rules, searches, sign_in, status, subscriptions, takeout,
};
use crate::{Doors, Settings, system, web};

/// Largest body of any request but an upload (hardening 5.5).
const MAX_BODY_BYTES: usize = 1024 * 1024;

#[derive(OpenApi)]
#[openapi(
    info(title = "Lede", description = "A news reader that does not bury the lede."),
    servers((url = "/")),
    security(("bearer" = []), ("session" = [])),
    modifiers(&Security),
    tags(
        (name = "sign-in", description = "Tokens and accounts"),
        (name = "feeds", description = "What you follow"),
        (name = "items", description = "What there is to read, and your marks on it"),
        (name = "search", description = "What you look for again and again"),
        (name = "rules", description = "What happens to new items by itself"),
        (name = "system", description = "For those who run Lede"),
    )
)]
struct Api;

struct Security;

impl Modify for Security {
    fn modify(&self, api: &mut utoipa::openapi::OpenApi) {
        let components = api.components.get_or_insert_default();
        components.add_security_scheme(
            "bearer",
            SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)),
        );
        let cookie = utoipa::openapi::security::ApiKeyValue::with_description(
            "lede_session",
            "The browser's session; writes also need X-CSRF-Token.",
        );
        let cookie = utoipa::openapi::security::ApiKey::Cookie(cookie);
        components.add_security_scheme("session", SecurityScheme::ApiKey(cookie));
    }
}

/// The JSON doors, with their description.
fn json() -> OpenApiRouter<Doors> {
    OpenApiRouter::with_openapi(Api::openapi())
        // Signing in: /auth/token, /api/auth/*, /api/users/me
        .routes(routes!(sign_in::token))
        .routes(routes!(sign_in::login))
        .routes(routes!(sign_in::logout))
        .routes(routes!(sign_in::me))
        .routes(routes!(sign_in::delete_me))
        // Passwords for apps: /api/app-passwords
        .routes(routes!(app_passwords::list, app_passwords::add))
        .routes(routes!(app_passwords::remove))
        // How the reader looks and behaves: /api/users/me/preferences
        .routes(routes!(preferences::show, preferences::set))
        // Everything of one's own: /api/users/me/export and /import
        .routes(routes!(takeout::export))
        .routes(routes!(takeout::import))
        // Feeds: /api/feeds, /api/feeds/discover, /api/feeds/refresh, /api/feeds/{id} and its /refresh, /enable and /favicon
        .routes(routes!(feeds::list, feeds::add))
        .routes(routes!(feeds::discover))
        .routes(routes!(feeds::refresh_all))
        .routes(routes!(
            feeds::show,
            feeds::set,
            feeds::move_to,
            feeds::remove
        ))
        .routes(routes!(feeds::refresh))
        .routes(routes!(feeds::enable))
        .routes(routes!(feeds::favicon))
        // How they are followed: /api/subscriptions, /api/subscriptions/{id} and its /settings and /resume
        .routes(routes!(subscriptions::list))
        .routes(routes!(subscriptions::remove))
        .routes(routes!(subscriptions::set))
        .routes(routes!(subscriptions::resume))
        // In which order: /api/categories, /api/categories/{id}, /api/categories/reorder
        .routes(routes!(categories::list, categories::add))
        .routes(routes!(categories::set, categories::remove))
        .routes(routes!(categories::reorder))
        // As a list: /api/feeds/export-opml, /api/feeds/import-opml, /api/imports/{id} and its /results
        .routes(routes!(opml::export))
        .merge(uploads())
        .routes(routes!(opml::progress))
        .routes(routes!(opml::results))
        // Lists: /api/feeds/{id}/items, /api/posts, /api/posts/{id}, …/read, /api/posts/mark-read, …/undo
        .routes(routes!(lists::of_feed))
        .routes(routes!(lists::posts))
        .routes(routes!(lists::post))
        .routes(routes!(lists::set_read))
        .routes(routes!(lists::mark_read))
        .routes(routes!(lists::undo))
        // Items: /api/items/{id} and its /article, /state and /labels, /api/events, /api/proxy
        .routes(routes!(items::show))
        .routes(routes!(items::article))
        .routes(routes!(items::put_state))
        .routes(routes!(labels::set_of_item))
        .routes(routes!(events::events))
        .routes(routes!(proxy::show))
        // Labels: /api/labels, /api/labels/{id}
        .routes(routes!(labels::list, labels::add))
        .routes(routes!(labels::set, labels::remove))
        // Searches: /api/searches, /api/searches/{id}
        .routes(routes!(searches::list, searches::add))
        .routes(routes!(searches::set, searches::remove))
        // Rules: /api/rules, /api/rules/preview, /api/rules/{id}
        .routes(routes!(rules::list, rules::add))
        .routes(routes!(rules::preview))
        .routes(routes!(rules::show, rules::set, rules::remove))
        // System: /health, /api/health, /api/status, /api/admin/*, /metrics
        .routes(routes!(jobs::list))
        .routes(routes!(jobs::retry))
        .routes(routes!(jobs::drop))
        .routes(routes!(system::health))
        .routes(routes!(system::api_health))
        .routes(routes!(status::show))
        .routes(routes!(admin::vacuum))
        .routes(routes!(admin::reprocess_summary))
        .routes(routes!(system::metrics))
}

/// What takes files, which may be larger than other requests.
fn uploads() -> OpenApiRouter<Doors> {
    OpenApiRouter::new()
        .routes(routes!(opml::import))
        .layer(DefaultBodyLimit::max(opml::MAX_BODY_BYTES))
}

/// The pages for people.
fn html() -> Router<Doors> {
    Router::new()
        .route("/", get(web::reader::home))
        .route("/list", get(web::reader::more))
        .route("/offline", get(web::offline::newest))
        .route("/sw.js", get(web::offline::worker))
        .route("/items/{id}", get(web::reader::item))
        .route("/items/{id}/view", get(web::reader::view))
        .route("/items/{id}/article", post(web::reader::article))
        .route(
            "/items/{id}/labels",
            get(web::labels::of_item).post(web::labels::set_of_item),
        )
        .route(
            "/labels/{id}",
            get(web::labels::page).post(web::labels::rename),
        )
        .route("/labels/{id}/delete", post(web::labels::delete))
        .merge(managing())
        .route("/dashboard", get(web::dashboard::page))
        .route(
            "/feeds",
            get(web::dashboard::feeds::list).post(web::dashboard::feeds::add),
        )
        .route("/feeds/{id}/edit", get(web::dashboard::feeds::edit))
        .route(
            "/feeds/{id}",
            patch(web::dashboard::feeds::change).delete(web::dashboard::feeds::remove),
        )
        .route("/summaries/latest", get(web::dashboard::summaries::latest))
        .route("/summaries", post(web::dashboard::summaries::generate))
        .merge(settings())
        .merge(administration())
        .route("/setup", post(web::sign_in::set_up))
        .route(
            "/auth/login",
            get(web::sign_in::login_page).post(web::sign_in::login),
        )
        .route(
            "/auth/register",
            get(web::sign_in::register_page).post(web::sign_in::register),
        )
        .route("/auth/logout", post(web::sign_in::logout))
        .route("/auth/google/login", get(web::oidc::google_login))
        .route("/auth/google/callback", get(web::oidc::google_callback))
        .route("/auth/oidc/{provider}/login", get(web::oidc::login))
        .route("/auth/oidc/{provider}/callback", get(web::oidc::callback))
        .route("/openapi.json", get(system::open_api))
        .route("/openapi.yaml", get(system::open_api_yaml))
        .route("/swagger", get(system::swagger_redirect))
        .route("/swagger/", get(web::swagger::page))
        .route("/assets/{version}/{*path}", get(web::assets::serve))
        .route("/img/{day}/{signature}/{url}", get(web::images::show))
        .route("/my.css", get(web::style::show))
        .route("/favicon.ico", get(web::assets::favicon))
        .route("/manifest.webmanifest", get(web::manifest::show))
}

/// Pages for what somebody follows, and for what happens to it.
fn managing() -> Router<Doors> {
    use web::feeds::{access, add, category, feed, imports, manage};
    use web::rules;
    Router::new()
        .route("/add", get(add::form).post(add::look))
        .route("/add/preview", post(add::preview))
        .route("/add/follow", post(add::follow))
        .route("/add/starters", post(add::follow_starters))
        .route("/subscriptions", get(manage::page))
        .route("/subscriptions/arrange", post(manage::arrange))
        .route(
            "/subscriptions/import",
            post(imports::import).layer(DefaultBodyLimit::max(opml::MAX_BODY_BYTES)),
        )
        .route("/subscriptions/import-address", post(imports::import_from))
        .route("/imports/{id}", get(imports::progress))
        .route("/categories", post(manage::add_category))
        .route(
            "/categories/{id}",
            get(category::page).post(category::change),
        )
        .route("/categories/{id}/delete", post(category::delete))
        .route("/feeds/{id}", get(feed::page))
        .route("/feeds/{id}/settings", post(feed::settings))
        .route("/feeds/{id}/refresh", post(feed::refresh))
        .route("/feeds/{id}/resume", post(feed::resume))
        .route("/feeds/{id}/address", post(feed::move_to))
        .route("/feeds/{id}/access", post(access::set))
        .route("/feeds/{id}/access/forget", post(access::forget))
        .route("/feeds/{id}/unsubscribe", post(feed::unsubscribe))
        .route("/rules", get(rules::page).post(rules::add))
        .route("/rules/preview", post(rules::preview))
        .route("/rules/{id}", get(rules::edit).post(rules::change))
        .route("/rules/{id}/toggle", post(rules::toggle))
        .route("/rules/{id}/delete", post(rules::delete))
        .route("/rules/searches", post(rules::searches::add))
        .route(
            "/rules/searches/{id}",
            get(rules::searches::edit).post(rules::searches::change),
        )
        .route("/rules/searches/{id}/delete", post(rules::searches::delete))
}

/// What people choose for themselves.
fn settings() -> Router<Doors> {
    use web::settings::{account, keys, page, save, services, style};
    Router::new()
        .route("/settings", get(page).post(save))
        .route("/settings/keys", post(keys::save))
        .route("/settings/style", post(style::save))
        .route("/settings/services", post(services::add))
        .route("/settings/services/remove", post(services::remove))
        .route("/settings/password", post(account::change_password))
        .route("/settings/sessions/{id}/end", post(account::end_session))
        .route(
            "/settings/sessions/end-others",
            post(account::end_other_sessions),
        )
        .route("/settings/app-passwords", post(account::add_app_password))
        .route(
            "/settings/app-passwords/{id}/delete",
            post(account::remove_app_password),
        )
        .route(
            "/settings/import",
            post(account::import).layer(DefaultBodyLimit::max(takeout::MAX_BODY_BYTES)),
        )
        .route("/account", get(account::redirect))
        .route("/account/delete", post(account::delete))
}

/// What administrators do.
fn administration() -> Router<Doors> {
    use web::admin::{feeds, jobs, overview, status, users};
    Router::new()
        .route("/admin", get(overview::page))
        .route("/admin/users", get(users::page).post(users::add))
        .route("/admin/users/{id}/role", post(users::set_role))
        .route("/admin/users/{id}/password", post(users::set_password))
        .route("/admin/users/{id}/delete", post(users::remove))
        .route("/admin/feeds", get(feeds::page))
        .route("/admin/feeds/{id}/enable", post(feeds::enable))
        .route("/admin/feeds/{id}/disable", post(feeds::disable))
        .route("/admin/feeds/{id}/retry", post(feeds::retry))
        .route("/admin/status", get(status::page))
        .route("/admin/vacuum", post(status::vacuum))
        .route("/admin/jobs/retry", post(jobs::retry))
        .route("/admin/jobs/drop", post(jobs::drop))
}

/// The description of the JSON doors.
pub fn open_api() -> utoipa::openapi::OpenApi {
    let (_, mut api) = json().split_for_parts();
    api.info.version = env!("CARGO_PKG_VERSION").to_owned();
    api
}

/// All of it, behind the guard.
pub fn router(lede: Lede, settings: Settings, set_up_code: SetUpCode) -> Router {
    let (json, _) = json().split_for_parts();
    let description = serde_json::to_string(&open_api()).unwrap_or_default();
    let doors = Doors {
        lede,
        bodies: BodyRules::new(&settings.transport),
        settings: Arc::new(settings),
        limits: Arc::new(Limits::new()),
        admission: Arc::new(Admission::new()),
        set_up_code,
        open_api: description.into(),
    };
    json.merge(html())
        .fallback(web::not_found)
        .method_not_allowed_fallback(web::method_not_allowed)
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(middleware::from_fn_with_state(
            doors.clone(),
            guard::entrance,
        ))
        .with_state(doors)
}
