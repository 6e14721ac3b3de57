//! All routes of Lede with their policies.
//!
//! An endpoint of the JSON API declares its path, parameters and responses at its handler. The same
//! declaration routes it and describes it in `/openapi.json`, so that the two cannot differ.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use lede_core::Lede;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::routes;

use crate::api::constraints::Constraints;
use crate::api::{
    admin, app_passwords, categories, events, feeds, items, jobs, labels, lists, notifications,
    opml, preferences, proxy, rules, searches, sign_in, status, subscriptions, takeout,
};
use crate::input::opml::MAX_BODY_BYTES as OPML_BYTES;
use crate::input::takeout::MAX_BODY_BYTES as TAKEOUT_BYTES;
use crate::middleware::admission::Admission;
use crate::middleware::body::BodyRules;
use crate::middleware::limits::Limits;
use crate::middleware::{self, SetUpCode};
use crate::policy::RateLimit::{FeedWork, Search, SignIn};
use crate::policy::{
    ADMIN_API, ADMIN_PAGE, API, ASSET, FullDisk, HEALTH, MAX_BODY_BYTES, PAGE, PARTIAL, PICTURE,
    PUBLIC, PUBLIC_PAGE, RoutePolicy, RouteTable, Routes, SESSION_API, SIGN_IN_API, SIGN_IN_PAGE,
    UNKNOWN_API,
};
use crate::{AppState, Settings, system, web};

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

/// Routes of the JSON API.
fn api(routes: Routes) -> Routes {
    let feed_work = API.limited_by(FeedWork);
    let search = API.limited_by(Search);
    routes
        .mount("/api", UNKNOWN_API)
        // Sign-in: /auth/token, /api/auth/*, /api/users/me
        .api(SIGN_IN_API, routes!(sign_in::token))
        .api(SIGN_IN_API, routes!(sign_in::login))
        .api(SESSION_API, routes!(sign_in::logout))
        .api(SESSION_API, routes!(sign_in::me))
        .api(API, routes!(sign_in::delete_me))
        // App passwords: /api/app-passwords
        .api(API, routes!(app_passwords::list, app_passwords::add))
        .api(API, routes!(app_passwords::remove))
        // Preferences: /api/users/me/preferences
        .api(API, routes!(preferences::show, preferences::set))
        // Take-out: /api/users/me/export and /import
        .api(feed_work, routes!(takeout::export))
        .api(feed_work.taking(TAKEOUT_BYTES), routes!(takeout::import))
        // Feeds: /api/feeds, /api/feeds/discover, /api/feeds/refresh, /api/feeds/{id}, …/refresh, …/enable, …/favicon
        .api(API, routes!(feeds::list))
        .api(feed_work, routes!(feeds::add))
        .api(feed_work, routes!(feeds::discover))
        .api(feed_work, routes!(feeds::refresh_all))
        .api(API, routes!(feeds::show, feeds::set, feeds::remove))
        .api(feed_work, routes!(feeds::move_to))
        .api(feed_work, routes!(feeds::refresh))
        .api(feed_work, routes!(feeds::enable))
        .api(API, routes!(feeds::favicon))
        // Subscriptions: /api/subscriptions, /api/subscriptions/{id} and its /settings and /resume
        .api(API, routes!(subscriptions::list))
        .api(API, routes!(subscriptions::remove))
        .api(API, routes!(subscriptions::set))
        .api(feed_work, routes!(subscriptions::resume))
        // Categories: /api/categories, /api/categories/{id}, /api/categories/reorder
        .api(API, routes!(categories::list, categories::add))
        .api(API, routes!(categories::set, categories::remove))
        .api(API, routes!(categories::reorder))
        // OPML: /api/feeds/export-opml, /api/feeds/import-opml, /api/imports/{id} and its /results
        .api(API, routes!(opml::export))
        .api(feed_work.taking(OPML_BYTES), routes!(opml::import))
        .api(API, routes!(opml::progress))
        .api(API, routes!(opml::results))
        // Lists: /api/feeds/{id}/items, /api/posts, /api/posts/{id}, …/read, /api/posts/mark-read, …/undo
        .api(API, routes!(lists::of_feed))
        .api(search, routes!(lists::posts))
        .api(API, routes!(lists::post))
        .api(API, routes!(lists::set_read))
        .api(API, routes!(lists::mark_read))
        .api(API, routes!(lists::undo))
        // Items: /api/items/{id} and its /article, /state and /labels, /api/events, /api/proxy
        .api(API, routes!(items::show))
        .api(API, routes!(items::article))
        .api(API, routes!(items::put_state))
        .api(API, routes!(labels::set_of_item))
        .api(API, routes!(events::events))
        .api(API, routes!(proxy::show))
        // Notifications: /api/notifications, …/read, /api/notifications/{id}/read
        .api(API, routes!(notifications::list))
        .api(API, routes!(notifications::read_all))
        .api(API, routes!(notifications::read))
        // Labels: /api/labels, /api/labels/{id}
        .api(API, routes!(labels::list, labels::add))
        .api(API, routes!(labels::set, labels::remove))
        // Saved searches: /api/searches, /api/searches/{id}
        .api(search, routes!(searches::list))
        .api(API, routes!(searches::add))
        .api(API, routes!(searches::set, searches::remove))
        // Rules: /api/rules, /api/rules/preview, /api/rules/{id}
        .api(API, routes!(rules::list, rules::add))
        .api(search, routes!(rules::preview))
        .api(API, routes!(rules::show, rules::set, rules::remove))
        // System: /health, /api/health, /api/status, /api/admin/*, /metrics
        .api(HEALTH, routes!(system::health))
        .api(HEALTH, routes!(system::api_health))
        .api(API, routes!(status::show))
        .api(ADMIN_API, routes!(jobs::list))
        .api(ADMIN_API, routes!(jobs::retry))
        .api(ADMIN_API, routes!(jobs::drop))
        .api(ADMIN_API, routes!(admin::vacuum))
        .api(ADMIN_API, routes!(admin::reprocess_summary))
        .api(PUBLIC, routes!(system::metrics))
}

/// Routes of the reading view and the dashboard.
fn reading(routes: Routes) -> Routes {
    use web::dashboard::{self, summaries};
    use web::{labels, notifications, offline, reader};
    let search = PAGE.limited_by(Search);
    routes
        // Public, because it shows the set-up page while there is no account. After that it
        // redirects to the sign-in page without a session.
        .get("/", PUBLIC_PAGE.limited_by(Search), reader::home)
        .get("/list", search, reader::more)
        .get("/list/page", search, reader::list)
        .get("/offline", PAGE, offline::newest)
        .get("/sw.js", PUBLIC, offline::worker)
        .get("/items/{id}", PAGE, reader::item)
        .get("/items/{id}/view", PAGE, reader::view)
        .post("/items/{id}/article", PARTIAL, reader::article)
        .post("/items/{id}/text", PARTIAL, reader::text)
        .get("/items/{id}/labels", PAGE, labels::of_item)
        .post("/items/{id}/labels", PAGE, labels::set_of_item)
        .get("/notifications", PARTIAL, notifications::list)
        .get("/labels/{id}", PAGE, labels::page)
        .post("/labels/{id}", PAGE, labels::rename)
        .post("/labels/{id}/delete", PAGE, labels::delete)
        .get("/dashboard", PAGE, dashboard::page)
        .get("/feeds", PARTIAL, dashboard::feeds::list)
        .post(
            "/feeds",
            PARTIAL.limited_by(FeedWork),
            dashboard::feeds::add,
        )
        .get("/feeds/{id}/edit", PARTIAL, dashboard::feeds::edit)
        .patch(
            "/feeds/{id}",
            PARTIAL.limited_by(FeedWork),
            dashboard::feeds::change,
        )
        .delete("/feeds/{id}", PARTIAL, dashboard::feeds::remove)
        .get("/summaries/latest", PARTIAL, summaries::latest)
        .post("/summaries", PARTIAL, summaries::generate)
}

/// Routes of the pages for subscriptions and rules.
fn managing(routes: Routes) -> Routes {
    use web::feeds::{access, add, category, feed, imports, manage};
    use web::rules::{self, searches};
    let feed_work = PAGE.limited_by(FeedWork);
    routes
        .get("/add", PAGE, add::form)
        .post("/add", feed_work, add::discover_feeds)
        .post("/add/preview", PARTIAL.limited_by(FeedWork), add::preview)
        .post("/add/follow", feed_work, add::follow)
        .post("/add/starters", feed_work, add::follow_starters)
        .get("/subscriptions", PAGE, manage::page)
        .post("/subscriptions/arrange", PAGE, manage::arrange)
        .post(
            "/subscriptions/import",
            feed_work.taking(OPML_BYTES),
            imports::import,
        )
        .post(
            "/subscriptions/import-address",
            feed_work,
            imports::import_from,
        )
        .get("/imports/{id}", PAGE, imports::progress)
        .post("/categories", PAGE, manage::add_category)
        .get("/categories/{id}", PAGE, category::page)
        .post("/categories/{id}", PAGE, category::change)
        .post("/categories/{id}/delete", PAGE, category::delete)
        .get("/feeds/{id}", PAGE, feed::page)
        .post("/feeds/{id}/settings", PAGE, feed::settings)
        .post("/feeds/{id}/refresh", feed_work, feed::refresh)
        .post("/feeds/{id}/resume", feed_work, feed::resume)
        .post("/feeds/{id}/address", feed_work, feed::move_to)
        .post("/feeds/{id}/access", feed_work, access::set)
        .post("/feeds/{id}/access/forget", PAGE, access::remove)
        .post("/feeds/{id}/unsubscribe", PAGE, feed::unsubscribe)
        .get("/rules", PAGE, rules::page)
        .post("/rules", PAGE, rules::add)
        .post("/rules/preview", PARTIAL.limited_by(Search), rules::preview)
        .get("/rules/{id}", PAGE, rules::edit)
        .post("/rules/{id}", PAGE, rules::change)
        .post("/rules/{id}/toggle", PAGE, rules::toggle)
        .post("/rules/{id}/delete", PAGE, rules::delete)
        .post("/rules/searches", PAGE, searches::add)
        .get("/rules/searches/{id}", PAGE, searches::edit)
        .post("/rules/searches/{id}", PAGE, searches::change)
        .post("/rules/searches/{id}/delete", PAGE, searches::delete)
}

/// Routes of the settings pages and the account.
fn settings(routes: Routes) -> Routes {
    use web::settings::{account, keys, page, save, services, style};
    let import = PAGE.limited_by(FeedWork).taking(TAKEOUT_BYTES);
    routes
        .get("/settings", PAGE, page)
        .post("/settings", PAGE, save)
        .post("/settings/keys", PAGE, keys::save)
        .post("/settings/style", PAGE, style::save)
        .post("/settings/services", PAGE, services::add)
        .post("/settings/services/remove", PAGE, services::remove)
        .post(
            "/settings/password",
            PAGE.limited_by(SignIn),
            account::change_password,
        )
        .post("/settings/sessions/{id}/end", PAGE, account::end_session)
        .post(
            "/settings/sessions/end-others",
            PAGE,
            account::end_other_sessions,
        )
        .post("/settings/app-passwords", PAGE, account::add_app_password)
        .post(
            "/settings/app-passwords/{id}/delete",
            PAGE,
            account::remove_app_password,
        )
        .post("/settings/import", import, account::import)
        .get("/account", PAGE, account::redirect)
        .post("/account/delete", PAGE, account::delete)
}

/// Routes of the admin pages.
fn administration(routes: Routes) -> Routes {
    use web::admin::{feeds, jobs, overview, status, users};
    routes
        .get("/admin", ADMIN_PAGE, overview::page)
        .get("/admin/users", ADMIN_PAGE, users::page)
        .post("/admin/users", ADMIN_PAGE, users::add)
        .post("/admin/users/{id}/role", ADMIN_PAGE, users::set_role)
        .post(
            "/admin/users/{id}/password",
            ADMIN_PAGE,
            users::set_password,
        )
        .post("/admin/users/{id}/delete", ADMIN_PAGE, users::remove)
        .get("/admin/feeds", ADMIN_PAGE, feeds::page)
        .post("/admin/feeds/{id}/enable", ADMIN_PAGE, feeds::enable)
        .post("/admin/feeds/{id}/disable", ADMIN_PAGE, feeds::disable)
        .post(
            "/admin/feeds/{id}/retry",
            ADMIN_PAGE.limited_by(FeedWork),
            feeds::retry,
        )
        .get("/admin/status", ADMIN_PAGE, status::page)
        .post("/admin/vacuum", ADMIN_PAGE.on_a_full_disk(), status::vacuum)
        .post("/admin/jobs/retry", ADMIN_PAGE, jobs::retry)
        .post("/admin/jobs/drop", ADMIN_PAGE, jobs::drop)
}

/// Routes of the sign-in pages and of public documents.
fn public(routes: Routes) -> Routes {
    use web::{assets, images, manifest, oidc, sign_in, style, swagger};
    let password = SIGN_IN_PAGE.limited_by(SignIn);
    let set_up = RoutePolicy {
        full_disk: FullDisk::RefuseWrites,
        ..password
    };
    routes
        .post("/setup", set_up, sign_in::set_up)
        .get("/auth/login", SIGN_IN_PAGE, sign_in::login_page)
        .post("/auth/login", password, sign_in::login)
        .get("/auth/register", SIGN_IN_PAGE, sign_in::register_page)
        .post("/auth/register", password, sign_in::register)
        .post("/auth/logout", SIGN_IN_PAGE, sign_in::logout)
        .get("/auth/google/login", SIGN_IN_PAGE, oidc::google_login)
        .get("/auth/google/callback", SIGN_IN_PAGE, oidc::google_callback)
        .get("/auth/oidc/{provider}/login", SIGN_IN_PAGE, oidc::login)
        .get(
            "/auth/oidc/{provider}/callback",
            SIGN_IN_PAGE,
            oidc::callback,
        )
        .get("/openapi.json", PUBLIC, system::open_api)
        .get("/openapi.yaml", PUBLIC, system::open_api_yaml)
        .get("/swagger", PUBLIC, system::swagger_redirect)
        .get("/swagger/", PUBLIC_PAGE, swagger::page)
        .get("/assets/{version}/{*path}", ASSET, assets::serve)
        .get("/img/{day}/{signature}/{url}", PICTURE, images::show)
        .get("/my.css", PAGE, style::show)
        .get("/favicon.ico", PUBLIC, assets::favicon)
        .get("/manifest.webmanifest", PUBLIC, manifest::show)
}

fn routes() -> Routes {
    let routes = Routes::new(Api::openapi());
    public(administration(settings(managing(reading(api(routes))))))
}

/// Returns all routes with their policies.
pub fn route_table() -> RouteTable {
    let (_, table, _) = routes().finish();
    table
}

/// Returns the OpenAPI description of the JSON API.
pub fn open_api() -> utoipa::openapi::OpenApi {
    let (_, _, api) = routes().finish();
    completed(api)
}

/// Adds to the description of all routes what none of them declares itself.
fn completed(mut api: utoipa::openapi::OpenApi) -> utoipa::openapi::OpenApi {
    Constraints.modify(&mut api);
    api.info.version = env!("CARGO_PKG_VERSION").to_owned();
    api
}

/// Builds the application: all routes behind the middleware.
pub fn router(lede: Lede, settings: Settings, set_up_code: SetUpCode) -> Router {
    assemble(routes(), lede, settings, set_up_code)
}

/// Builds the application with the given routes.
pub(crate) fn assemble(
    routes: Routes,
    lede: Lede,
    settings: Settings,
    set_up_code: SetUpCode,
) -> Router {
    let (router, table, api) = routes.finish();
    let description = serde_json::to_string(&completed(api)).unwrap_or_default();
    let app = AppState {
        lede,
        bodies: BodyRules::new(&settings.transport),
        settings: Arc::new(settings),
        limits: Arc::new(Limits::new()),
        admission: Arc::new(Admission::new()),
        routes: Arc::new(table),
        set_up_code,
        open_api: description.into(),
    };
    router
        .fallback(web::not_found)
        .method_not_allowed_fallback(web::method_not_allowed)
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(from_fn_with_state(app.clone(), middleware::apply))
        .with_state(app)
}
