//! Content proxy: the article on an item's page, fetched on behalf of a user.
//!
//! It cannot fetch arbitrary addresses. The address must belong to an item in a feed that the user
//! follows, its host must be one of these feeds' hosts, and its port the default one. All rules of
//! `net` apply as well; a known address is no reason to skip any.

use std::net::IpAddr;

use lede_feed::{clean, extract};
use lede_model::address::{AddressError, WebUrl};
use lede_model::content::CleanHtml;
use lede_model::ids::UserId;
use lede_net::{Conditions, FetchError, Purpose};
use lede_store::{StoreError, items, subscriptions};

use crate::cpu_pool::bounded;
use crate::{Lede, images};

/// Reasons why a page is not served.
#[derive(Debug, thiserror::Error)]
pub enum ProxyError {
    /// The address is malformed.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// No item in the user's feeds has this address.
    #[error("no item in your feeds has this address")]
    Unknown,
    /// An item has this address, but its host is not that of a followed feed.
    #[error("the address is not on a site of the feeds you follow")]
    OtherSite,
    /// The host is an IP address; only names can be compared with those of feeds.
    #[error("the host is written as a number")]
    Literal,
    #[error("the page is too large")]
    TooLarge,
    #[error(transparent)]
    NotAvailable(FetchError),
    /// Parsing the page took too long.
    #[error("the page cannot be read")]
    Unreadable,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Returns the article on the page at `url` for `user`, or the whole page if it has no article.
pub async fn page(lede: &Lede, user: UserId, url: &str) -> Result<CleanHtml, ProxyError> {
    let url = WebUrl::parse(url)?;
    let (found, followed) = lede
        .store
        .read(move |db| {
            let found = items::find_page(db, user, &url)?;
            Ok((found, subscriptions::of_user(db, user)?))
        })
        .await?;
    let url = found.ok_or(ProxyError::Unknown)?;
    let mut sites = followed.iter().flat_map(|subscription| {
        let feed = &subscription.feed;
        [Some(&feed.url), feed.site_url.as_ref()]
    });
    if !sites.any(|site| site.is_some_and(|site| site.host() == url.host())) {
        return Err(ProxyError::OtherSite);
    }
    if is_literal(url.host()) && !lede.net.settings().allow.opens(&url) {
        return Err(ProxyError::Literal);
    }
    let fetched = lede
        .net
        .fetch(&url, Purpose::Proxy, &Conditions::default())
        .await
        .map_err(|error| match error {
            FetchError::TooLarge(_) => ProxyError::TooLarge,
            error => ProxyError::NotAvailable(error),
        })?;
    let content_type = fetched.content_type.clone();
    let body = fetched.body().cloned().unwrap_or_default();
    let read = move || {
        let page = lede_feed::page_text(&body, content_type.as_deref());
        extract::article(&page, &url)
            .map_or_else(|| clean::html(&page, Some(&url)), |article| article.html)
    };
    let html = bounded(read).await.map_err(|_| ProxyError::Unreadable)?;
    Ok(images::for_reader(lede, user, html))
}

fn is_literal(host: &str) -> bool {
    host.starts_with('[') || host.parse::<IpAddr>().is_ok()
}
