//! The page of one's own account: linked providers, signing out, leaving.

use askama::Template;
use axum::Extension;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use lede_core::accounts::{self, oidc};

use super::page::render;
use super::{error_page, message};
use crate::Doors;
use crate::error::ApiError;
use crate::guard::{Client, Cookies, FormToken, PageReader};
use crate::reader::sign_in::leave;

struct LinkedProvider {
    name: String,
    label: String,
    is_linked: bool,
}

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage {
    csrf: String,
    email: String,
    role: &'static str,
    providers: Vec<LinkedProvider>,
}

/// `GET /account`
pub(crate) async fn page(
    State(doors): State<Doors>,
    who: PageReader,
    token: FormToken,
) -> Result<Response, ApiError> {
    let linked = accounts::linked_providers(&doors.lede, who.user.id).await?;
    let providers = oidc::providers(&doors.lede).map(|provider| LinkedProvider {
        is_linked: linked.contains(&provider.name),
        label: provider.label(),
        name: provider.name.clone(),
    });
    let page = AccountPage {
        csrf: token.value,
        role: who.user.role.as_str(),
        email: who.user.email,
        providers: providers.collect(),
    };
    Ok(render(StatusCode::OK, &page))
}

/// `POST /account/delete`
pub(crate) async fn delete(
    State(doors): State<Doors>,
    Extension(client): Extension<Client>,
    who: PageReader,
) -> Response {
    match leave(&doors, &who.user).await {
        Ok(()) => {
            let cookie = Cookies::of(&client).clear_session();
            (
                AppendHeaders([(header::SET_COOKIE, cookie)]),
                Redirect::to("/"),
            )
                .into_response()
        }
        Err(error) if error.status.is_server_error() => error_page(&error),
        Err(error) => message(
            error.status,
            &super::sign_in::sentence(&error.message),
            &error.action,
        ),
    }
}
