//! Route policies: the rules that a route declares where it is registered.
//!
//! The middleware ([`crate::middleware`]) decides by the policy alone: who may call a route, which
//! credentials are read, how writes are protected against forgery, which limits apply and how
//! errors are rendered. Nothing compares paths. [`Routes`] registers a route only together with its
//! policy, and [`RouteTable`] finds the policy of a request. `docs/ROUTES.md` prints the table; a
//! test compares it with the routes.

mod table;

use axum::extract::Request;
use axum::response::Response;
use futures_util::future::BoxFuture;
use lede_model::app_password::Scope;
use lede_model::user::User;

use crate::AppState;
use crate::error::ApiError;
pub use table::{DeclaredRoute, RouteTable};
pub(crate) use table::{Resolved, Routes};

/// The rules of one route.
#[derive(Debug, Clone, Copy)]
pub struct RoutePolicy {
    /// Callers that are admitted.
    pub access: Access,
    /// Credentials that are read, in this order. The first one that the request carries counts, even
    /// if it is wrong.
    pub schemes: &'static [Scheme],
    /// Protection of writes against cross-site request forgery.
    pub csrf: Csrf,
    /// Budget that requests draw on.
    pub rate_limit: RateLimit,
    /// Permits that requests share while they are handled.
    pub admission: AdmissionClass,
    /// Treatment of writes while the disk is full.
    pub full_disk: FullDisk,
    /// Size limit of the request body, in bytes.
    pub max_body_bytes: usize,
    /// Format of errors, both of the middleware and of the handler.
    pub errors: ErrorFormat,
}

/// Callers that a route admits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everyone. The handler may still treat users differently.
    Anonymous,
    /// Users of every role, but not their app passwords.
    User,
    /// Administrators, but not their app passwords.
    Admin,
    /// Users of every role, and their app passwords of at least this scope.
    App(Scope),
}

/// A kind of credential that a route can accept.
#[derive(Debug, Clone, Copy)]
pub enum Scheme {
    /// The session cookie of a browser. Ignored if the request has an `Authorization` header: the
    /// client meant that.
    Session,
    /// `Authorization: Bearer` with a token issued by this instance.
    Bearer,
    /// An app password, in the form that another API defines.
    App(AppScheme),
}

/// Form in which clients of another API send an app password, such as `Authorization: GoogleLogin
/// auth=…` or the form field `api_key`. Defined in the module of that API.
#[derive(Debug, Clone, Copy)]
pub struct AppScheme {
    /// Name of the scheme in the route table.
    pub name: &'static str,
    pub(crate) authenticate: Authenticate,
}

/// Reads a credential from a request and checks it. A function that reads the body has to restore
/// it, as `form_field` of [`crate::middleware`] does.
pub(crate) type Authenticate =
    for<'a> fn(&'a AppState, &'a mut Request) -> BoxFuture<'a, Result<AppCredential, ApiError>>;

/// Result of an [`Authenticate`] function.
#[derive(Debug)]
#[cfg_attr(not(test), expect(dead_code, reason = "no API of apps is served yet"))]
pub(crate) enum AppCredential {
    /// The request has no such credential: the next scheme is tried.
    Absent,
    /// The credential is invalid; no other scheme is tried.
    Wrong,
    /// A valid app password of this user and scope.
    Of(User, Scope),
}

/// Protection of writes against cross-site request forgery. Requests with a token or an app
/// password need none: no browser sends those by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Csrf {
    /// A form carries the token of its session or, before sign-in, the secret of the browser's
    /// cookie.
    Forms,
    /// A write by session carries the session's token. The route accepts no forms, so requests
    /// without a session are left to the handler.
    Sessions,
    /// Nothing is checked: the route does not read cookies, or has no writes.
    Exempt,
}

/// Rate limit of a route. All but `Unlimited` count every request: by user, and by address before
/// sign-in. `SignIn`, `FeedWork` and `Search` have a second budget, which the handler draws on when
/// the costly work begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateLimit {
    /// Requests are not counted.
    Unlimited,
    /// The general budget of the user or the address.
    General,
    /// Images of items, of which a page has many; replaces the general budget of users.
    Pictures,
    /// Password checks, by address and by account.
    SignIn,
    /// Requests to other servers, and exports and imports.
    FeedWork,
    /// Full-text searches.
    Search,
}

/// Permits that requests share while they are handled. See [`crate::middleware::admission`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdmissionClass {
    /// No permit is needed: handled even under overload.
    Unlimited,
    /// The permits of sign-in, which a flood of other requests cannot use up.
    SignIn,
    /// The permits for reading or for writing, by the method.
    ByMethod,
}

/// Treatment of writes while the disk is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FullDisk {
    /// Refused with 507.
    RefuseWrites,
    /// Admitted: required for reading, or for freeing space.
    AllowWrites,
}

/// Format in which a route sends its errors.
#[derive(Debug, Clone, Copy)]
pub enum ErrorFormat {
    /// The JSON body of the API.
    Json,
    /// An HTML page for clients that accept HTML, JSON for scripts. Without a session the response
    /// leads to the sign-in page.
    Page,
    /// As `Page`, but a fragment for htmx, which inserts it in place of the requested one.
    Partial,
    /// As `Page`, but 401 without a session.
    Negotiated,
    /// A line of plain text.
    PlainText,
    /// An XML document.
    Xml,
    /// The format of another API.
    Own(OwnErrors),
}

/// Errors in the format of another API. The function makes the whole response, including the
/// status: some APIs respond with 200 to everything.
#[derive(Debug, Clone, Copy)]
pub struct OwnErrors {
    /// Name of the format in the route table.
    pub name: &'static str,
    pub(crate) render: fn(&ApiError) -> Response,
}

/// Size limit of request bodies that are not uploads.
pub const MAX_BODY_BYTES: usize = 1024 * 1024;

/// Credentials of users: the session of a browser, or a token that was issued to them.
const PEOPLE: &[Scheme] = &[Scheme::Bearer, Scheme::Session];

/// An endpoint of the JSON API for users.
pub const API: RoutePolicy = RoutePolicy {
    access: Access::User,
    schemes: PEOPLE,
    csrf: Csrf::Sessions,
    rate_limit: RateLimit::General,
    admission: AdmissionClass::ByMethod,
    full_disk: FullDisk::RefuseWrites,
    max_body_bytes: MAX_BODY_BYTES,
    errors: ErrorFormat::Json,
};

/// An endpoint of the JSON API for administrators, who may have to free disk space.
pub const ADMIN_API: RoutePolicy = RoutePolicy {
    access: Access::Admin,
    full_disk: FullDisk::AllowWrites,
    ..API
};

/// An endpoint of the JSON API for the caller's own session.
pub const SESSION_API: RoutePolicy = RoutePolicy {
    admission: AdmissionClass::SignIn,
    full_disk: FullDisk::AllowWrites,
    ..API
};

/// An endpoint of the JSON API that accepts a password and issues a token.
pub const SIGN_IN_API: RoutePolicy = RoutePolicy {
    access: Access::Anonymous,
    rate_limit: RateLimit::SignIn,
    ..SESSION_API
};

/// Unknown paths of the JSON API.
pub const UNKNOWN_API: RoutePolicy = RoutePolicy {
    access: Access::Anonymous,
    ..API
};

/// A page for users, or a form on one.
pub const PAGE: RoutePolicy = RoutePolicy {
    csrf: Csrf::Forms,
    errors: ErrorFormat::Page,
    ..API
};

/// A fragment of a page for users, which htmx fetches.
pub const PARTIAL: RoutePolicy = RoutePolicy {
    errors: ErrorFormat::Partial,
    ..PAGE
};

/// A page for administrators.
pub const ADMIN_PAGE: RoutePolicy = RoutePolicy {
    access: Access::Admin,
    ..PAGE
};

/// A page for users and for clients that are not signed in.
pub const PUBLIC_PAGE: RoutePolicy = RoutePolicy {
    access: Access::Anonymous,
    ..PAGE
};

/// Pages for signing in and out. They work on a full disk, so that users can still read.
pub const SIGN_IN_PAGE: RoutePolicy = RoutePolicy {
    admission: AdmissionClass::SignIn,
    full_disk: FullDisk::AllowWrites,
    ..PUBLIC_PAGE
};

/// A public document, such as the OpenAPI description. Also the policy of unknown paths.
pub const PUBLIC: RoutePolicy = RoutePolicy {
    errors: ErrorFormat::Negotiated,
    ..PUBLIC_PAGE
};

/// An image of an item, which has its own budget.
pub const PICTURE: RoutePolicy = RoutePolicy {
    access: Access::User,
    rate_limit: RateLimit::Pictures,
    ..PUBLIC
};

/// A static file of the program. It is the same for every client, so no credential is read and
/// nothing is counted.
pub const ASSET: RoutePolicy = RoutePolicy {
    schemes: &[],
    csrf: Csrf::Exempt,
    rate_limit: RateLimit::Unlimited,
    admission: AdmissionClass::Unlimited,
    full_disk: FullDisk::AllowWrites,
    ..PUBLIC
};

/// A health check, which responds under overload and on a full disk too.
pub const HEALTH: RoutePolicy = RoutePolicy {
    errors: ErrorFormat::Json,
    ..ASSET
};

impl RoutePolicy {
    /// Returns the policy with another rate limit.
    #[must_use]
    pub const fn limited_by(self, rate_limit: RateLimit) -> Self {
        Self { rate_limit, ..self }
    }

    /// Returns the policy with another size limit, for uploads.
    #[must_use]
    pub const fn taking(self, max_body_bytes: usize) -> Self {
        Self {
            max_body_bytes,
            ..self
        }
    }

    /// Returns the policy with writes admitted while the disk is full.
    #[must_use]
    pub const fn on_a_full_disk(self) -> Self {
        Self {
            full_disk: FullDisk::AllowWrites,
            ..self
        }
    }
}
