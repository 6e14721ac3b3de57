//! Password checks and account deletion, shared by the JSON API and the pages.

use lede_core::Registration;
use lede_core::accounts;
use lede_core::metrics::Metrics;
use lede_model::secret::Secret;
use lede_model::user::{OWNER, User};

use crate::AppState;
use crate::error::{ApiError, leave_error, sign_in_error};
use crate::middleware::Client;

/// Checks a password, within the rate limits on sign-in attempts.
pub(crate) async fn check_password(
    app: &AppState,
    client: &Client,
    email: &str,
    password: String,
) -> Result<User, ApiError> {
    let account = match app.lede.settings.registration {
        Registration::SingleUser => OWNER,
        Registration::Open | Registration::Closed => email,
    };
    app.limits.sign_in(app, client, account)?;
    let signed_in = accounts::sign_in(&app.lede, email, &Secret::new(password)).await;
    let outcome = if signed_in.is_ok() {
        "success"
    } else {
        "failure"
    };
    Metrics::count(&app.lede.metrics.http.sign_ins, outcome);
    signed_in.map_err(sign_in_error)
}

/// Deletes the account of `user`. Feeds and items that are shared with other users stay.
pub(crate) async fn leave(app: &AppState, user: &User) -> Result<(), ApiError> {
    accounts::leave(&app.lede, user).await.map_err(leave_error)
}
