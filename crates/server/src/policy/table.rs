//! The route table: registration of routes with their policies, and lookup of the policy of a
//! request.

use std::collections::HashMap;
use std::fmt;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{self, MethodRouter};
use utoipa::openapi::{OpenApi, PathItem};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use super::{
    ADMIN_API, Access, AdmissionClass, Csrf, ErrorFormat, FullDisk, MAX_BODY_BYTES, PUBLIC,
    RateLimit, RoutePolicy, Scheme,
};
use crate::AppState;

/// Policy of a route that was registered without one. There is none; if one were added bypassing
/// [`Routes`], only administrators could call it.
const UNDECLARED: RoutePolicy = ADMIN_API;

/// Registers routes, each with its policy.
///
/// One line per route, so that `router.rs` reads as a table. An endpoint of the API declares method
/// and path at its handler, for `/openapi.json`; all others declare them here.
pub(crate) struct Routes {
    router: OpenApiRouter<AppState>,
    table: RouteTable,
}

impl Routes {
    /// Starts without routes; `api` has the general part of the OpenAPI description.
    pub(crate) fn new(api: OpenApi) -> Self {
        Self {
            router: OpenApiRouter::with_openapi(api),
            table: RouteTable::default(),
        }
    }

    /// Declares the policy of unknown paths below `path`.
    #[must_use]
    pub(crate) fn mount(mut self, path: &'static str, policy: RoutePolicy) -> Self {
        self.table.mounts.push((path, policy));
        self
    }

    /// Adds endpoints of the API that share a path: `routes!(show, change)`.
    #[must_use]
    pub(crate) fn api(
        mut self,
        policy: RoutePolicy,
        (schemas, paths, handlers): UtoipaMethodRouter<AppState>,
    ) -> Self {
        for (path, item) in &paths.paths {
            for method in methods(item) {
                self.table.declare(method, path, policy);
            }
        }
        let handlers = within(policy, handlers);
        self.router = self.router.routes((schemas, paths, handlers));
        self
    }

    /// Adds a route for GET and HEAD.
    #[must_use]
    pub(crate) fn get<H, T>(self, path: &str, policy: RoutePolicy, handler: H) -> Self
    where
        H: Handler<T, AppState>,
        T: 'static,
    {
        self.add(Method::GET, path, policy, routing::get(handler))
    }

    /// Adds a route for POST.
    #[must_use]
    pub(crate) fn post<H, T>(self, path: &str, policy: RoutePolicy, handler: H) -> Self
    where
        H: Handler<T, AppState>,
        T: 'static,
    {
        self.add(Method::POST, path, policy, routing::post(handler))
    }

    /// Adds a route for PATCH.
    #[must_use]
    pub(crate) fn patch<H, T>(self, path: &str, policy: RoutePolicy, handler: H) -> Self
    where
        H: Handler<T, AppState>,
        T: 'static,
    {
        self.add(Method::PATCH, path, policy, routing::patch(handler))
    }

    /// Adds a route for DELETE.
    #[must_use]
    pub(crate) fn delete<H, T>(self, path: &str, policy: RoutePolicy, handler: H) -> Self
    where
        H: Handler<T, AppState>,
        T: 'static,
    {
        self.add(Method::DELETE, path, policy, routing::delete(handler))
    }

    fn add(
        mut self,
        method: Method,
        path: &str,
        policy: RoutePolicy,
        handler: MethodRouter<AppState>,
    ) -> Self {
        self.table.declare(method, path, policy);
        self.router = self.router.route(path, within(policy, handler));
        self
    }

    /// Returns the router, the route table and the OpenAPI description.
    pub(crate) fn finish(self) -> (Router<AppState>, RouteTable, OpenApi) {
        let (router, api) = self.router.split_for_parts();
        (router, self.table, api)
    }
}

/// Applies the size limit of the policy if it differs from the default.
fn within(policy: RoutePolicy, handlers: MethodRouter<AppState>) -> MethodRouter<AppState> {
    match policy.max_body_bytes {
        MAX_BODY_BYTES => handlers,
        other => handlers.layer(DefaultBodyLimit::max(other)),
    }
}

fn methods(item: &PathItem) -> impl Iterator<Item = Method> {
    let operations = [
        (Method::GET, &item.get),
        (Method::POST, &item.post),
        (Method::PUT, &item.put),
        (Method::PATCH, &item.patch),
        (Method::DELETE, &item.delete),
    ];
    operations
        .into_iter()
        .filter_map(|(method, operation)| operation.as_ref().map(|_| method))
}

#[derive(Debug, Clone)]
pub struct DeclaredRoute {
    /// GET also stands for HEAD.
    pub method: Method,
    /// Path with `{name}` for each parameter.
    pub path: String,
    pub policy: RoutePolicy,
}

/// All routes with their policies.
#[derive(Debug, Default)]
pub struct RouteTable {
    routes: HashMap<String, Vec<(Method, RoutePolicy)>>,
    mounts: Vec<(&'static str, RoutePolicy)>,
}

/// Policy that applies to a request.
pub(crate) struct Resolved<'a> {
    pub(crate) policy: &'a RoutePolicy,
    /// False for an unknown path, and for a method that the path does not support. The response is
    /// 404 or 405 then, for every caller.
    pub(crate) is_route: bool,
}

impl RouteTable {
    fn declare(&mut self, method: Method, path: &str, policy: RoutePolicy) {
        let routes = self.routes.entry(path.to_owned()).or_default();
        routes.push((method, policy));
    }

    /// Finds the policy of a request for `path` that the router matched to the route `matched`.
    ///
    /// An unsupported method has the policy of the route's first method. An unknown path has that
    /// of the nearest mount above it.
    pub(crate) fn resolve(
        &self,
        matched: Option<&str>,
        method: &Method,
        path: &str,
    ) -> Resolved<'_> {
        let Some(matched) = matched else {
            return Resolved {
                policy: self.unknown(path),
                is_route: false,
            };
        };
        let declared = self.routes.get(matched).map_or(&[][..], Vec::as_slice);
        let method = match *method {
            Method::HEAD => &Method::GET,
            _ => method,
        };
        let same = declared.iter().find(|(taken, _)| taken == method);
        match same.or(declared.first()) {
            Some((_, policy)) => Resolved {
                policy,
                is_route: same.is_some(),
            },
            None => Resolved {
                policy: &UNDECLARED,
                is_route: true,
            },
        }
    }

    fn unknown(&self, path: &str) -> &RoutePolicy {
        let is_below = |mount: &str| {
            let rest = path.strip_prefix(mount);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let above = self.mounts.iter().filter(|(mount, _)| is_below(mount));
        let nearest = above.max_by_key(|(mount, _)| mount.len());
        nearest.map_or(&PUBLIC, |(_, policy)| policy)
    }

    /// Returns all routes, ordered by path.
    pub fn routes(&self) -> Vec<DeclaredRoute> {
        let each = self.routes.iter().flat_map(|(path, methods)| {
            methods.iter().map(|(method, policy)| DeclaredRoute {
                method: method.clone(),
                path: path.clone(),
                policy: *policy,
            })
        });
        let mut routes: Vec<_> = each.collect();
        let order = |method: &Method| {
            let usual = ["GET", "POST", "PUT", "PATCH", "DELETE"];
            usual.iter().position(|name| *name == method.as_str())
        };
        routes.sort_by(|one, other| {
            let by_path = one.path.cmp(&other.path);
            by_path.then_with(|| order(&one.method).cmp(&order(&other.method)))
        });
        routes
    }
}

/// Formats the table as Markdown, for `docs/ROUTES.md`.
impl fmt::Display for RouteTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| route | access | credentials | CSRF | rate limit | permits | full disk | body | errors |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|---|")?;
        for route in self.routes() {
            let DeclaredRoute {
                method,
                path,
                policy,
            } = route;
            writeln!(f, "| {method} `{path}` | {policy} |")?;
        }
        for (path, policy) in &self.mounts {
            writeln!(f, "| unknown below `{path}` | {policy} |")?;
        }
        writeln!(f, "| unknown elsewhere | {PUBLIC} |")
    }
}

/// Formats the policy as cells of the Markdown table.
impl fmt::Display for RoutePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schemes: Vec<_> = self.schemes.iter().map(Scheme::name).collect();
        let schemes = match schemes.is_empty() {
            true => "–".to_owned(),
            false => schemes.join(", "),
        };
        let access = match self.access {
            Access::Anonymous => "anonymous".to_owned(),
            Access::User => "user".to_owned(),
            Access::Admin => "admin".to_owned(),
            Access::App(scope) => format!("user, app ({})", scope.as_str()),
        };
        let csrf = match self.csrf {
            Csrf::Forms => "forms",
            Csrf::Sessions => "sessions",
            Csrf::Exempt => "–",
        };
        let rate_limit = match self.rate_limit {
            RateLimit::Unlimited => "–",
            RateLimit::General => "general",
            RateLimit::Pictures => "pictures",
            RateLimit::SignIn => "sign-in",
            RateLimit::FeedWork => "feed work",
            RateLimit::Search => "search",
        };
        let admission = match self.admission {
            AdmissionClass::Unlimited => "–",
            AdmissionClass::SignIn => "sign-in",
            AdmissionClass::ByMethod => "by method",
        };
        let full_disk = match self.full_disk {
            FullDisk::RefuseWrites => "–",
            FullDisk::AllowWrites => "writes",
        };
        let mib = self.max_body_bytes / (1024 * 1024);
        let errors = self.errors.name();
        write!(
            f,
            "{access} | {schemes} | {csrf} | {rate_limit} | {admission} | {full_disk} | {mib} MiB | {errors}"
        )
    }
}

impl Scheme {
    fn name(&self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Bearer => "bearer",
            Self::App(scheme) => scheme.name,
        }
    }
}

impl ErrorFormat {
    fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Page => "page",
            Self::Partial => "partial",
            Self::Negotiated => "page or JSON",
            Self::PlainText => "text",
            Self::Xml => "XML",
            Self::Own(errors) => errors.name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{API, PAGE, UNKNOWN_API};
    use super::*;

    fn table() -> RouteTable {
        let mut table = RouteTable {
            mounts: vec![("/api", UNKNOWN_API), ("/api/own", ADMIN_API)],
            ..RouteTable::default()
        };
        table.declare(Method::GET, "/a", PAGE);
        table.declare(Method::POST, "/a", API);
        table
    }

    #[test]
    fn a_request_has_the_policy_of_its_route_and_method() {
        let table = table();
        for (method, errors, is_route) in [
            (Method::GET, "page", true),
            (Method::HEAD, "page", true),
            (Method::POST, "JSON", true),
            (Method::DELETE, "page", false),
        ] {
            let found = table.resolve(Some("/a"), &method, "/a");
            assert_eq!(found.policy.errors.name(), errors, "{method}");
            assert_eq!(found.is_route, is_route, "{method}");
        }
    }

    #[test]
    fn an_unknown_path_has_the_policy_of_the_nearest_mount() {
        let table = table();
        for (path, access, errors) in [
            ("/api", Access::Anonymous, "JSON"),
            ("/api/x/y", Access::Anonymous, "JSON"),
            ("/api/own/x", Access::Admin, "JSON"),
            ("/api/owner", Access::Anonymous, "JSON"),
            ("/apis", Access::Anonymous, "page or JSON"),
            ("/", Access::Anonymous, "page or JSON"),
        ] {
            let found = table.resolve(None, &Method::GET, path);
            assert!(!found.is_route);
            assert_eq!(found.policy.access, access, "{path}");
            assert_eq!(found.policy.errors.name(), errors, "{path}");
        }
    }

    #[test]
    fn a_route_without_a_policy_is_closed() {
        let found = table()
            .resolve(Some("/b"), &Method::GET, "/b")
            .policy
            .access;
        assert_eq!(found, Access::Admin);
    }
}
