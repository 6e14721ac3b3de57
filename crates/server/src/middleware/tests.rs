//! Policies for other APIs: routes with the authentication of Google Reader and Fever clients,
//! without any special case in the middleware.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::future::BoxFuture;
use lede_core::accounts::{app_passwords, begin_session, people};
use lede_model::app_password::Scope;
use lede_model::secret::Secret;
use lede_testkit::{ADMIN, TestLede, on_each_engine};
use serde_json::{Value, json};
use tower::ServiceExt as _;
use utoipa::openapi::OpenApi;

use super::{CurrentUser, SetUpCode, form_field};
use crate::error::{ApiError, FormBody};
use crate::policy::{
    API, Access, AppCredential, AppScheme, Csrf, ErrorFormat, OwnErrors, PUBLIC, RoutePolicy,
    Routes, Scheme,
};
use crate::router::assemble;
use crate::{AppState, Settings, Transport};

/// `Authorization: GoogleLogin auth=address/password`.
const GOOGLE_LOGIN: Scheme = Scheme::App(AppScheme {
    name: "GoogleLogin",
    authenticate: google_login,
});

fn google_login<'a>(
    app: &'a AppState,
    request: &'a mut Request,
) -> BoxFuture<'a, Result<AppCredential, ApiError>> {
    Box::pin(async move {
        let header = request.headers().get(header::AUTHORIZATION);
        let header = header.and_then(|value| value.to_str().ok());
        let Some(auth) = header.and_then(|value| value.strip_prefix("GoogleLogin auth=")) else {
            return Ok(AppCredential::Absent);
        };
        let (email, password) = auth.split_once('/').unwrap_or_default();
        let found = app_passwords::check(&app.lede, email, &Secret::new(password)).await?;
        Ok(found.map_or(AppCredential::Wrong, |(user, scope)| {
            AppCredential::Of(user, scope)
        }))
    })
}

/// The form field `api_key`.
const FEVER_KEY: Scheme = Scheme::App(AppScheme {
    name: "Fever key",
    authenticate: fever_key,
});

fn fever_key<'a>(
    app: &'a AppState,
    request: &'a mut Request,
) -> BoxFuture<'a, Result<AppCredential, ApiError>> {
    Box::pin(async move {
        let Some(key) = form_field(request, "api_key").await? else {
            return Ok(AppCredential::Absent);
        };
        let found = app_passwords::check_fever_key(&app.lede, &key).await?;
        Ok(found.map_or(AppCredential::Wrong, |(user, scope)| {
            AppCredential::Of(user, scope)
        }))
    })
}

const GOOGLE_READER: RoutePolicy = RoutePolicy {
    access: Access::App(Scope::Read),
    schemes: &[GOOGLE_LOGIN],
    csrf: Csrf::Exempt,
    errors: ErrorFormat::Own(OwnErrors {
        name: "Google Reader",
        render: |error| match error.status {
            StatusCode::UNAUTHORIZED => (error.status, "Error=BadAuthentication\n").into_response(),
            status => (status, "Error=Unknown\n").into_response(),
        },
    }),
    ..API
};

/// Sign-in by a form, without a session before or after.
const CLIENT_LOGIN: RoutePolicy = RoutePolicy {
    access: Access::Anonymous,
    schemes: &[],
    ..GOOGLE_READER
};

const FEVER: RoutePolicy = RoutePolicy {
    schemes: &[FEVER_KEY],
    errors: ErrorFormat::Own(OwnErrors {
        name: "Fever",
        render: |_| axum::Json(json!({"api_version": 3, "auth": 0})).into_response(),
    }),
    ..GOOGLE_READER
};

const WRITE: RoutePolicy = RoutePolicy {
    access: Access::App(Scope::Write),
    ..GOOGLE_READER
};

async fn name(who: CurrentUser) -> String {
    who.user.email
}

async fn client_login(
    State(app): State<AppState>,
    FormBody(fields): FormBody<Vec<(String, String)>>,
) -> Result<String, ApiError> {
    let field = |name| {
        let mut fields = fields.iter();
        let found = fields.find(|(found, _)| found == name);
        found.map_or("", |(_, value)| value.as_str())
    };
    let password = Secret::new(field("Passwd"));
    let found = app_passwords::check(&app.lede, field("Email"), &password).await?;
    let (user, _) = found.ok_or_else(ApiError::unauthorised)?;
    Ok(format!("Auth={}/{}\n", user.email, field("Passwd")))
}

async fn fever(
    who: CurrentUser,
    FormBody(fields): FormBody<Vec<(String, String)>>,
) -> axum::Json<Value> {
    axum::Json(json!({"auth": 1, "name": who.user.email, "fields": fields.len()}))
}

async fn fail() -> ApiError {
    ApiError::not_found("<This & that>")
}

fn app(lede: &TestLede) -> Router {
    let format = |errors| RoutePolicy { errors, ..PUBLIC };
    let routes = Routes::new(OpenApi::default())
        .mount("/reader", GOOGLE_READER)
        .post("/accounts/ClientLogin", CLIENT_LOGIN, client_login)
        .get("/reader/api/0/user-info", GOOGLE_READER, name)
        .post("/reader/api/0/edit-tag", WRITE, name)
        .post("/fever/", FEVER, fever)
        .get("/users-only", API, name)
        .get("/text", format(ErrorFormat::PlainText), fail)
        .get("/xml", format(ErrorFormat::Xml), fail)
        .get("/partial", format(ErrorFormat::Partial), fail);
    let settings = Settings {
        trusted_proxies: Vec::new(),
        cors_origins: Vec::new(),
        rate_limit_enabled: true,
        metrics_allowed: Vec::new(),
        metrics_token: None,
        transport: Transport::default(),
        in_force: Vec::new(),
    };
    assemble(routes, lede.lede.clone(), settings, SetUpCode::new())
}

struct Answer {
    status: u16,
    headers: HeaderMap,
    text: String,
}

impl Answer {
    async fn of(response: Response) -> Self {
        let (head, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        Self {
            status: head.status.as_u16(),
            headers: head.headers,
            text: String::from_utf8(bytes.to_vec()).unwrap(),
        }
    }

    fn content_type(&self) -> &str {
        self.headers[header::CONTENT_TYPE].to_str().unwrap()
    }
}

async fn send(app: &Router, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    post(app, method, path, headers, "").await
}

async fn post(
    app: &Router,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    form: &str,
) -> Answer {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    if !form.is_empty() {
        request = request.header("content-type", "application/x-www-form-urlencoded");
    }
    let request = request.body(Body::from(form.to_owned())).unwrap();
    Answer::of(app.clone().oneshot(request).await.unwrap()).await
}

async fn app_password(lede: &TestLede, scope: Scope) -> String {
    let owner = people::find(&lede.lede, 1).await.unwrap().unwrap();
    let (_, password) = app_passwords::add(&lede.lede, &owner, "Phone", scope)
        .await
        .unwrap();
    password.reveal().to_owned()
}

#[tokio::test]
async fn google_reader_clients_sign_in_by_form_and_show_their_own_header() {
    on_each_engine(async |lede: TestLede| {
        let app = app(&lede);
        let read = app_password(&lede, Scope::Read).await;
        let write = app_password(&lede, Scope::Write).await;

        // Neither session nor token, and another origin: accepted, because there is no cookie to
        // misuse.
        let elsewhere = [("origin", "https://app.example")];
        let form = format!("Email={ADMIN}&Passwd={read}");
        let login = post(&app, "POST", "/accounts/ClientLogin", &elsewhere, &form).await;
        assert_eq!(
            (login.status, login.text),
            (200, format!("Auth={ADMIN}/{read}\n"))
        );
        let form = format!("Email={ADMIN}&Passwd=wrong");
        let login = post(&app, "POST", "/accounts/ClientLogin", &elsewhere, &form).await;
        let refused = (401, "Error=BadAuthentication\n".to_owned());
        assert_eq!((login.status, login.text), refused);

        let path = "/reader/api/0/user-info";
        let auth = |password: &str| format!("GoogleLogin auth={ADMIN}/{password}");
        let answer = send(&app, "GET", path, &[("authorization", &auth(&read))]).await;
        assert_eq!((answer.status, answer.text.as_str()), (200, ADMIN));
        for headers in [
            &[][..],
            &[("authorization", auth("wrong").as_str())],
            &[("authorization", "GoogleLogin auth=")],
            &[("authorization", "Bearer words")],
        ] {
            let answer = send(&app, "GET", path, headers).await;
            assert!(answer.content_type().starts_with("text/plain"));
            assert!(!answer.headers.contains_key("www-authenticate"));
            assert_eq!((answer.status, answer.text), refused, "{headers:?}");
        }

        let path = "/reader/api/0/edit-tag";
        let answer = send(&app, "POST", path, &[("authorization", &auth(&write))]).await;
        assert_eq!((answer.status, answer.text.as_str()), (200, ADMIN));
        let answer = send(&app, "POST", path, &[("authorization", &auth(&read))]).await;
        assert_eq!(
            (answer.status, answer.text.as_str()),
            (403, "Error=Unknown\n")
        );

        // Rate-limit errors have the API's format too, with the time to wait.
        let answers = async {
            loop {
                let answer = send(&app, "GET", "/reader/api/0/user-info", &[]).await;
                if answer.status == 429 {
                    return answer;
                }
            }
        };
        let limited = answers.await;
        assert_eq!(limited.text, "Error=Unknown\n");
        assert!(limited.headers.contains_key("retry-after"));
        assert_eq!(limited.headers["x-ratelimit-limit"], "100");
        lede.clock.advance(std::time::Duration::from_secs(120));

        // So do unknown addresses and methods. Other routes ignore the header.
        let answer = send(&app, "GET", "/reader/api/0/no-such", &[]).await;
        assert_eq!(
            (answer.status, answer.text.as_str()),
            (404, "Error=Unknown\n")
        );
        let answer = send(&app, "DELETE", "/reader/api/0/user-info", &[]).await;
        assert_eq!(
            (answer.status, answer.text.as_str()),
            (405, "Error=Unknown\n")
        );
        let answer = send(
            &app,
            "GET",
            "/users-only",
            &[("authorization", &auth(&write))],
        )
        .await;
        assert_eq!(answer.status, 401);
        assert_eq!(answer.content_type(), "application/json");
    })
    .await;
}

#[tokio::test]
async fn fever_clients_show_a_key_in_each_form() {
    on_each_engine(async |lede: TestLede| {
        let app = app(&lede);
        let password = app_password(&lede, Scope::Read).await;
        let key = app_passwords::fever_key(ADMIN, &password);
        let elsewhere = [("origin", "https://app.example")];
        let form = format!("api_key={key}&items=1");
        let answer = post(&app, "POST", "/fever/?api", &elsewhere, &form).await;
        let expected = json!({"auth": 1, "name": ADMIN, "fields": 2});
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(
            serde_json::from_str::<Value>(&answer.text).unwrap(),
            expected
        );

        for form in ["", "api_key=wrong", "items=1"] {
            let answer = post(&app, "POST", "/fever/?api", &[], form).await;
            let expected = json!({"api_version": 3, "auth": 0});
            assert_eq!(answer.status, 200, "{form}");
            assert_eq!(
                serde_json::from_str::<Value>(&answer.text).unwrap(),
                expected
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_route_reads_no_credential_that_it_does_not_name() {
    on_each_engine(async |lede: TestLede| {
        let app = app(&lede);
        let owner = people::find(&lede.lede, 1).await.unwrap().unwrap();
        let session = begin_session(&lede.lede, owner.id).await.unwrap();
        let cookie = format!("lede_session={}", session.id);
        let answer = send(&app, "GET", "/users-only", &[("cookie", &cookie)]).await;
        assert_eq!(answer.status, 200);
        let answer = send(
            &app,
            "GET",
            "/reader/api/0/user-info",
            &[("cookie", &cookie)],
        )
        .await;
        assert_eq!(answer.status, 401);
        let answer = send(
            &app,
            "POST",
            "/reader/api/0/edit-tag",
            &[("cookie", &cookie)],
        )
        .await;
        assert_eq!(answer.status, 401);
    })
    .await;
}

#[tokio::test]
async fn errors_have_the_shape_that_the_route_declares() {
    on_each_engine(async |lede: TestLede| {
        let app = app(&lede);
        let text = send(&app, "GET", "/text", &[("accept", "text/html")]).await;
        assert!(text.content_type().starts_with("text/plain"));
        assert!(text.text.starts_with("<This & that> was not found. "));
        let xml = send(&app, "GET", "/xml", &[]).await;
        assert!(xml.content_type().starts_with("application/xml"));
        let error = "<error code=\"not_found\">&lt;This &amp; that&gt; was not found. ";
        assert!(xml.text.contains(error), "{}", xml.text);
        let partial = send(&app, "GET", "/partial", &[("hx-request", "true")]).await;
        assert!(partial.content_type().starts_with("text/html"));
        let error = "<p class=\"error\" role=\"alert\"><strong>&#60;This &#38; that&#62;";
        assert!(partial.text.starts_with(error), "{}", partial.text);
        let page = send(&app, "GET", "/partial", &[("accept", "text/html")]).await;
        assert!(page.text.contains("<h1>"), "{}", page.text);
        let json = send(&app, "GET", "/partial", &[]).await;
        assert_eq!(json.content_type(), "application/json");
        for answer in [text, xml, partial, page, json] {
            assert_eq!(answer.status, 404);
        }
    })
    .await;
}
