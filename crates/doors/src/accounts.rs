//! Signing in and leaving, for the API and the pages.

use lede_core::Registration;
use lede_core::accounts;
use lede_core::metrics::Metrics;
use lede_model::secret::Secret;
use lede_model::user::{OWNER, User};

use crate::Doors;
use crate::error::{ApiError, leave_error, sign_in_error};
use crate::guard::Client;

/// Checks a password, within the limits on guessing.
pub(crate) async fn check_password(
    doors: &Doors,
    client: &Client,
    email: &str,
    password: String,
) -> Result<User, ApiError> {
    let account = match doors.lede.settings.registration {
        Registration::SingleUser => OWNER,
        Registration::Open | Registration::Closed => email,
    };
    doors.limits.sign_in(doors, client, account)?;
    let signed_in = accounts::sign_in(&doors.lede, email, &Secret::new(password)).await;
    let outcome = if signed_in.is_ok() {
        "success"
    } else {
        "failure"
    };
    Metrics::count(&doors.lede.metrics.sign_ins, outcome);
    signed_in.map_err(sign_in_error)
}

/// Deletes an account.
pub(crate) async fn leave(doors: &Doors, user: &User) -> Result<(), ApiError> {
    accounts::leave(&doors.lede, user)
        .await
        .map_err(leave_error)
}
