//! The credentials of a pass are sent to its own origin only.

use lede_model::credentials::{OriginCredentials, Part, typed};
use lede_net::{Conditions, FetchError, Fetched, Net, Purpose};

use crate::site::{Site, answer, ok, redirect, settings};

/// `ada:päss` in UTF-8 for HTTP Basic, in lower case as [`Site`] reports request heads.
const BASIC: &str = "authorization: basic ywrhonddphnz";
const SHOWN: [&str; 3] = [BASIC, "cookie: session=s3cret", "user-agent: my own reader"];

/// Returns a pass with every kind of credential, for the origin of `site`.
fn pass(site: &Site) -> OriginCredentials {
    let address = format!("http://ada:p%C3%A4ss@127.0.0.1:{}/", site.port);
    let (home, mut access) = typed(&address).unwrap();
    for (part, value) in [
        (Part::Cookie, "session=s3cret"),
        (Part::UserAgent, "My own reader"),
    ] {
        access.set(part, &value.to_owned().into()).unwrap();
    }
    OriginCredentials::new(&home, access)
}

/// Starts a site that requires a password and redirects some of its paths.
async fn guarded(elsewhere: String) -> Site {
    Site::answering_by(move |head| {
        if !head.contains(BASIC) {
            return answer("401 Unauthorized", "WWW-Authenticate: Basic\r\n", "");
        }
        match head.split(' ').nth(1) {
            Some("/away") => redirect(302, &elsewhere),
            Some("/moved") => redirect(301, &elsewhere),
            Some("/inside") => redirect(302, "/feed"),
            _ => ok("secret news"),
        }
    })
    .await
}

async fn fetch(
    net: &Net,
    site: &Site,
    path: &str,
    pass: &OriginCredentials,
) -> Result<Fetched, FetchError> {
    net.fetch_feed(&site.url(path), &Conditions::default(), 1, Some(pass))
        .await
}

#[tokio::test]
async fn a_server_that_asks_for_a_password_is_shown_it_and_nobody_else_is() {
    let mut other = Site::answering(ok("elsewhere")).await;
    let mut site = guarded(other.url("/feed").to_string()).await;
    let net = Net::new(settings(&format!("{},{}", site.entry(), other.entry()))).unwrap();
    let pass = pass(&site);

    let none = Conditions::default();
    let refused = net.fetch(&site.url("/feed"), Purpose::Feed, &none).await;
    assert_eq!(
        refused.unwrap_err().to_string(),
        "the server answered 401 Unauthorized"
    );
    site.requests();

    fetch(&net, &site, "/inside", &pass).await.unwrap();
    for head in [site.request().await, site.request().await] {
        for shown in SHOWN {
            assert!(head.contains(shown), "{shown}: {head}");
        }
    }
    for path in ["/away", "/moved"] {
        let fetched = fetch(&net, &site, path, &pass).await.unwrap();
        assert_eq!(fetched.url, other.url("/feed"));
        assert!(site.request().await.contains(BASIC));
        let head = other.request().await;
        assert!(!head.contains("authorization") && !head.contains("cookie"));
        assert!(head.contains("user-agent: lede"), "our own name: {head}");
    }
}

#[tokio::test]
async fn a_pass_is_shown_at_home_only_whichever_way_leads_there() {
    let mut site = guarded(String::new()).await;
    let home = site.url("/feed").to_string();
    let mut between = Site::answering_by(move |_| redirect(302, &home)).await;
    let net = Net::new(settings(&format!("{},{}", site.entry(), between.entry()))).unwrap();
    let pass = pass(&site);
    let fetched = fetch(&net, &between, "/", &pass).await.unwrap();
    assert_eq!(fetched.url, site.url("/feed"));
    let head = between.request().await;
    assert!(!head.contains("authorization") && !head.contains("cookie"));
    assert!(site.request().await.contains(BASIC));
}
