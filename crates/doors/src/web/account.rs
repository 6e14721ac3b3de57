//! The page of one's own account: linked providers, signing out, leaving.

use std::borrow::Cow;

use askama::Template;
use axum::Extension;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use lede_core::accounts::{self, oidc};
use lede_model::user::Role;

use super::page::Page;
use crate::Doors;
use crate::error::ApiError;
use crate::guard::{Client, Cookies, PageReader};
use crate::reader::sign_in::leave;

struct LinkedProvider {
    name: String,
    label: String,
    is_linked: bool,
}

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage {
    page: Page,
    role: Cow<'static, str>,
    providers: Vec<LinkedProvider>,
}

/// `GET /account`
pub(crate) async fn page(
    State(doors): State<Doors>,
    who: PageReader,
    page: Page,
) -> Result<Response, ApiError> {
    let linked = accounts::linked_providers(&doors.lede, who.user.id).await?;
    let providers = oidc::providers(&doors.lede).map(|provider| LinkedProvider {
        is_linked: linked.contains(&provider.name),
        label: provider.label(),
        name: provider.name.clone(),
    });
    let shown = AccountPage {
        role: page.say(match who.user.role {
            Role::Admin => "role-admin",
            Role::Member => "role-member",
            Role::Viewer => "role-viewer",
        }),
        providers: providers.collect(),
        page: page.clone(),
    };
    Ok(page.answer(StatusCode::OK, &shown))
}

/// `POST /account/delete`
pub(crate) async fn delete(
    State(doors): State<Doors>,
    Extension(client): Extension<Client>,
    who: PageReader,
    page: Page,
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
        Err(error) => page.error(&error),
    }
}
