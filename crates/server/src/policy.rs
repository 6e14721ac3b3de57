//! Route policies: the rules that a route declares where it is registered.
//!
//! The middleware ([`crate::middleware`]) decides by the policy alone: who may call a route, which credentials it reads,
//! whether a write has to come from one of our pages, which limits apply and how an error is rendered. Nothing
//! compares paths. [`Routes`] registers a route only together with its policy, and [`RouteTable`] finds the policy
//! of a request. `docs/ROUTES.md` prints the table; a test compares it with the routes.

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
    /// Callers that are let through.
    pub access: Access,
    /// Credentials that are read, in this order. The first one that the request carries counts, even if it is wrong.
    pub schemes: &'static [Scheme],
    /// Protection of writes against pages of other sites.
    pub csrf: Csrf,
    /// The budget of requests.
    pub rate_limit: RateLimit,
    /// The permits that requests share while they are worked on.
    pub admission: AdmissionClass,
    /// Writes while the disk is full.
    pub full_disk: FullDisk,
    /// Size limit of the request body.
    pub max_body_bytes: usize,
    /// The shape of errors, of the middleware's as well as of the handler's.
    pub errors: ErrorFormat,
}

/// Callers that a route lets through.
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

/// A kind of credential.
#[derive(Debug, Clone, Copy)]
pub enum Scheme {
    /// The session cookie of a browser. Not read if the request has an `Authorization` header: the client meant that.
    Session,
    /// `Authorization: Bearer` with a token of this Lede.
    Bearer,
    /// An app password, in the form that another API defines.
    App(AppScheme),
}

/// The way in which clients of another API send an app password, such as `Authorization: GoogleLogin auth=…` or the
/// form field `api_key`. It is defined in the module of that API.
#[derive(Debug, Clone, Copy)]
pub struct AppScheme {
    /// Its name in the route table.
    pub name: &'static str,
    /// Reads and checks the credential.
    pub(crate) authenticate: Authenticate,
}

/// Reads a credential from a request and checks it. A function that reads the body puts it back, as `form_field` of
/// [`crate::middleware`] does.
pub(crate) type Authenticate =
    for<'a> fn(&'a AppState, &'a mut Request) -> BoxFuture<'a, Result<AppCredential, ApiError>>;

/// The outcome of an [`Authenticate`] function.
#[derive(Debug)]
#[cfg_attr(not(test), expect(dead_code, reason = "no API of apps is served yet"))]
pub(crate) enum AppCredential {
    /// The request has no such credential: the next scheme is tried.
    Absent,
    /// The credential is wrong.
    Wrong,
    /// An app password of this user and scope.
    Of(User, Scope),
}

/// Protection of writes against cross-site request forgery. Requests with a token or an app password need none: no
/// browser sends those by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Csrf {
    /// A form carries the token of its session, or before sign-in the secret of the browser's cookie.
    Forms,
    /// A write by session carries the session's token. The route takes no forms, so those without a session are left
    /// to the handler.
    Sessions,
    /// Nothing is checked: the route does not read cookies, or writes nothing.
    Exempt,
}

/// The budget that requests draw on. All but `Unlimited` count every request: by user, and by address before sign-in.
/// `SignIn`, `FeedWork` and `Search` have a second budget, which the handler draws on when it comes to the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateLimit {
    /// None.
    Unlimited,
    /// The general one.
    General,
    /// Images of items, of which a page has many; instead of the general budget of users.
    Pictures,
    /// Password checks, by address and by account.
    SignIn,
    /// Requests to other servers, and exports and imports.
    FeedWork,
    /// Full-text searches.
    Search,
}

/// The permits that requests share while they are worked on. See [`crate::middleware::admission`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdmissionClass {
    /// None: answered even under overload.
    Unlimited,
    /// Sign-in and what belongs to it.
    SignIn,
    /// Reading or writing, by the method.
    ByMethod,
}

/// Writes while the disk is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FullDisk {
    /// Refused with 507.
    RefuseWrites,
    /// Let through: needed for reading, or for making space.
    AllowWrites,
}

/// The shape of errors.
#[derive(Debug, Clone, Copy)]
pub enum ErrorFormat {
    /// The JSON shape of the API.
    Json,
    /// A page for clients that accept HTML, JSON for scripts. Without a session the answer leads to the sign-in page.
    Page,
    /// As `Page`, but a fragment for htmx, which puts it in the place of what it asked for.
    Partial,
    /// As `Page`, but 401 without a session.
    Negotiated,
    /// A line of text.
    PlainText,
    /// An XML document.
    Xml,
    /// The shape of another API.
    Own(OwnErrors),
}

/// Errors as another API defines them. The function makes the whole response, including the status: some APIs answer
/// 200 to everything.
#[derive(Debug, Clone, Copy)]
pub struct OwnErrors {
    /// Its name in the route table.
    pub name: &'static str,
    /// Makes the response.
    pub(crate) render: fn(&ApiError) -> Response,
}

/// Size limit of request bodies that are no uploads.
pub const MAX_BODY_BYTES: usize = 1024 * 1024;

/// The credentials of people: their browser's session, or a token that they had issued.
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

/// An endpoint of the JSON API for administrators, who may have to make space on the disk.
pub const ADMIN_API: RoutePolicy = RoutePolicy {
    access: Access::Admin,
    full_disk: FullDisk::AllowWrites,
    ..API
};

/// An endpoint of the JSON API about the caller's own sign-in.
pub const SESSION_API: RoutePolicy = RoutePolicy {
    admission: AdmissionClass::SignIn,
    full_disk: FullDisk::AllowWrites,
    ..API
};

/// An endpoint of the JSON API that takes a password and issues a token.
pub const SIGN_IN_API: RoutePolicy = RoutePolicy {
    access: Access::Anonymous,
    rate_limit: RateLimit::SignIn,
    ..SESSION_API
};

/// Unknown addresses of the JSON API.
pub const UNKNOWN_API: RoutePolicy = RoutePolicy {
    access: Access::Anonymous,
    ..API
};

/// A page for users, or a form of one.
pub const PAGE: RoutePolicy = RoutePolicy {
    csrf: Csrf::Forms,
    errors: ErrorFormat::Page,
    ..API
};

/// A part of a page for users, which htmx fetches.
pub const PARTIAL: RoutePolicy = RoutePolicy {
    errors: ErrorFormat::Partial,
    ..PAGE
};

/// A page for administrators.
pub const ADMIN_PAGE: RoutePolicy = RoutePolicy {
    access: Access::Admin,
    ..PAGE
};

/// A page that users and others see.
pub const PUBLIC_PAGE: RoutePolicy = RoutePolicy {
    access: Access::Anonymous,
    ..PAGE
};

/// Pages for signing in and out. They work on a full disk, so that people can read.
pub const SIGN_IN_PAGE: RoutePolicy = RoutePolicy {
    admission: AdmissionClass::SignIn,
    full_disk: FullDisk::AllowWrites,
    ..PUBLIC_PAGE
};

/// A document for everyone, such as the description of the API. Also the policy of unknown addresses.
pub const PUBLIC: RoutePolicy = RoutePolicy {
    errors: ErrorFormat::Negotiated,
    ..PUBLIC_PAGE
};

/// An image of an item.
pub const PICTURE: RoutePolicy = RoutePolicy {
    access: Access::User,
    rate_limit: RateLimit::Pictures,
    ..PUBLIC
};

/// A file of the program. It is the same for everyone, so no credential is read and nothing is counted.
pub const ASSET: RoutePolicy = RoutePolicy {
    schemes: &[],
    csrf: Csrf::Exempt,
    rate_limit: RateLimit::Unlimited,
    admission: AdmissionClass::Unlimited,
    full_disk: FullDisk::AllowWrites,
    ..PUBLIC
};

/// A health check, which answers whatever else happens.
pub const HEALTH: RoutePolicy = RoutePolicy {
    errors: ErrorFormat::Json,
    ..ASSET
};

impl RoutePolicy {
    /// The same with another budget.
    #[must_use]
    pub const fn limited_by(self, rate_limit: RateLimit) -> Self {
        Self { rate_limit, ..self }
    }

    /// The same for uploads up to this size.
    #[must_use]
    pub const fn taking(self, max_body_bytes: usize) -> Self {
        Self {
            max_body_bytes,
            ..self
        }
    }

    /// The same with writes let through while the disk is full.
    #[must_use]
    pub const fn on_a_full_disk(self) -> Self {
        Self {
            full_disk: FullDisk::AllowWrites,
            ..self
        }
    }
}
