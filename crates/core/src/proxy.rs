//! The content proxy: the article on an item's page, fetched on behalf of a reader.
//!
//! It is no way to fetch anything else. The address must be that of an item in a feed that the person
//! follows, its host one of those feeds' hosts, its port the usual one; then come all the rules of
//! `net`, because being known is no reason to skip any (hardening 1.14).

use std::net::IpAddr;

use lede_feed::{clean, extract};
use lede_model::address::{AddressError, WebUrl};
use lede_model::content::CleanHtml;
use lede_model::ids::UserId;
use lede_net::{Conditions, FetchError, Purpose};
use lede_store::{StoreError, items, subscriptions};

use crate::bounded::bounded;
use crate::{Lede, images};

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum ProxyError {
    /// It is no address.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// No item in a feed that the person follows has it.
    #[error("no item in your feeds has this address")]
    Unknown,
    /// An item has it, but it leads elsewhere.
    #[error("the address is not on a site of the feeds you follow")]
    OtherSite,
    /// An address in numbers; names can be compared with those of feeds.
    #[error("the host is written as a number")]
    Literal,
    /// The page is larger than what is handed on.
    #[error("the page is too large")]
    TooLarge,
    /// The page could not be fetched.
    #[error(transparent)]
    NotAvailable(FetchError),
    /// The page took too long to be read.
    #[error("the page cannot be read")]
    Unreadable,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The article on the page at `url` as `user` may see it; where the page has none, all of the page.
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
