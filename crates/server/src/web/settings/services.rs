//! Services that items can be sent to: presets and the user's own.

use std::borrow::Cow;

use axum::response::Response;
use lede_core::preferences;
use lede_model::share_target::{
    READY_MADE, ReadyMade, ShareTarget, ShareTargetError, check_number,
};
use serde::Deserialize;

use super::{FormOutcome, SettingsRequest, done};
use crate::error::{ApiError, FormBody};
use crate::web::page::Page;

/// A preset in the form.
pub(super) struct Offer {
    /// Value of the form's option.
    pub(super) name: &'static str,
    pub(super) label: Cow<'static, str>,
    pub(super) needs_server: bool,
    pub(super) is_chosen: bool,
}

/// Returns all presets, with the submitted one selected.
pub(super) fn offers(page: &Page, outcome: &FormOutcome) -> Vec<Offer> {
    let offer = |ready: &'static ReadyMade| Offer {
        name: ready.name,
        label: label(page, ready),
        needs_server: ready.needs_server(),
        is_chosen: outcome.typed("ready") == Some(ready.name),
    };
    READY_MADE.iter().map(offer).collect()
}

/// Returns the name of a preset in the user's language.
fn label(page: &Page, ready: &'static ReadyMade) -> Cow<'static, str> {
    match ready.is_mail() {
        true => page.t("settings-service-mail"),
        false => Cow::Borrowed(ready.name),
    }
}

/// A preset, with the address of its server if it needs one, or a service of the user's own.
#[derive(Deserialize)]
pub(crate) struct ServiceForm {
    #[serde(default)]
    ready: String,
    #[serde(default)]
    server: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    address: String,
}

impl ServiceForm {
    fn service(&self, page: &Page) -> Result<ShareTarget, ShareTargetError> {
        match ReadyMade::find(&self.ready) {
            Some(ready) => ready.service(&label(page, ready), &self.server),
            None => ShareTarget::new(&self.name, &self.address),
        }
    }

    fn typed(self) -> Vec<(String, String)> {
        let fields = [
            ("ready", self.ready),
            ("server", self.server),
            ("name", self.name),
            ("address", self.address),
        ];
        let typed = fields.into_iter().filter(|(_, text)| !text.is_empty());
        typed.map(|(name, text)| (name.to_owned(), text)).collect()
    }
}

/// `POST /settings/services`: adds a service.
pub(crate) async fn add(
    visit: SettingsRequest,
    FormBody(form): FormBody<ServiceForm>,
) -> Result<Response, ApiError> {
    let added = match form.service(&visit.page) {
        Ok(service) => {
            let add = preferences::change(&visit.app.lede, visit.user().id, move |chosen| {
                chosen.send_to.push(service.clone());
                check_number(&chosen.send_to)
            });
            add.await?.map(drop)
        }
        Err(error) => Err(error),
    };
    match added {
        Ok(()) => Ok(done("service")),
        Err(error) => {
            let why = visit.page.translate(&error);
            visit.mend("services", &why, form.typed(), Vec::new()).await
        }
    }
}

/// `POST /settings/services/remove`: removes a service. It is identified by its content, so that an
/// outdated page does not remove another one.
pub(crate) async fn remove(
    visit: SettingsRequest,
    FormBody(form): FormBody<ServiceForm>,
) -> Result<Response, ApiError> {
    let remove = preferences::change(&visit.app.lede, visit.user().id, move |chosen| {
        let is_meant = |service: &ShareTarget| {
            service.name() == form.name && service.address() == form.address
        };
        let place = chosen.send_to.iter().position(is_meant).ok_or(())?;
        chosen.send_to.remove(place);
        Ok(())
    });
    match remove.await? {
        Ok(_) => Ok(done("no-service")),
        Err(()) => {
            let gone = ApiError::not_found("The service");
            visit.refuse("services", gone).await
        }
    }
}
