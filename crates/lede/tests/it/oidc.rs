//! Sign-in through OpenID providers: a real one, and a fake one that misbehaves.

mod id_tokens;

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lede_core::Registration;
use lede_core::accounts::oidc::ProviderSettings;
use lede_model::secret::Secret;
use lede_model::user::Role;
use lede_store::users;
use lede_testkit::http::{Answer, Http};
use lede_testkit::oidc::OidcProvider;
use lede_testkit::{ADMIN, Options, PASSWORD, Reply, Site, TestLede, on_each_engine_with};
use ring::hmac;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};
use url::Url;

/// Redirect URI registered with the provider. The tests send its path and query to their own server.
pub(crate) const BACK: &str = "http://localhost:8080/auth/oidc/company/callback";
pub(crate) const LOGIN: &str = "/auth/oidc/company/login";

pub(crate) fn settings_of(provider: &OidcProvider) -> ProviderSettings {
    ProviderSettings {
        name: "company".to_owned(),
        issuer: provider.issuer.clone(),
        client_id: provider.client_id.clone(),
        client_secret: Some(Secret::new(provider.client_secret.clone())),
        redirect_url: BACK.to_owned(),
    }
}

pub(crate) fn options(registration: Registration, provider: ProviderSettings) -> Options {
    Options {
        registration,
        providers: vec![provider],
        ..Options::default()
    }
}

/// Starts a sign-in and returns the provider's address that the browser is redirected to.
async fn leave(browser: &Http, path: &str) -> Url {
    let answer = browser.get(path).await.expect(303);
    Url::parse(answer.header("location")).unwrap()
}

fn of_query(url: &Url, name: &str) -> String {
    let pair = url.query_pairs().find(|(found, _)| found == name);
    pair.unwrap_or_else(|| panic!("no {name} in {url}"))
        .1
        .into_owned()
}

/// Signs in at the real provider and returns the path and query of the redirect back.
async fn at_provider(mut address: Url, who: &str) -> String {
    address.query_pairs_mut().append_pair("login_hint", who);
    let server = address.socket_addrs(|| None).unwrap()[0];
    let answer = Http::new(server)
        .get(&address[url::Position::BeforePath..])
        .await;
    let back = Url::parse(answer.header("location"))
        .unwrap_or_else(|_| panic!("{}: {}", answer.status, answer.text));
    back[url::Position::BeforePath..].to_owned()
}

/// Signs in through the real provider, from start to callback.
pub(crate) async fn goes(browser: &Http, path: &str, who: &str) -> Answer {
    let back = at_provider(leave(browser, path).await, who).await;
    browser.get(&back).await
}

async fn with_password(lede: &TestLede, email: &str) -> Http {
    let browser = lede.visitor();
    let fields = [("email", email), ("password", PASSWORD)];
    let answer = browser.fill("/auth/login", "/auth/login", &fields).await;
    answer.expect(303);
    browser
}

async fn count(lede: &TestLede) -> i64 {
    lede.lede.store.read(users::count).await.unwrap()
}

#[track_caller]
fn is_page(answer: Answer, status: u16, words: &str) {
    let answer = answer.expect(status);
    assert!(answer.header("content-type").starts_with("text/html"));
    assert!(answer.text.contains(words), "{}", answer.text);
    assert!(!answer.header("set-cookie").contains("lede_session"));
}

#[tokio::test]
async fn where_registration_is_open_a_confirmed_address_makes_an_account() {
    let provider = OidcProvider::start(BACK);
    let options = options(Registration::Open, settings_of(&provider));
    on_each_engine_with(options, async |lede: TestLede| {
        lede.clock.catch_up();
        let browser = lede.visitor();
        let page = browser.get("/auth/login?next=/account").await.expect(200);
        assert!(page.text.contains("Continue with Company"));
        let address = leave(&browser, "/auth/oidc/company/login?next=/account").await;
        for (name, value) in [
            ("response_type", "code"),
            ("scope", "openid email profile"),
            ("redirect_uri", BACK),
            ("client_id", provider.client_id.as_str()),
            ("code_challenge_method", "S256"),
        ] {
            assert_eq!(of_query(&address, name), value);
        }
        assert_eq!(of_query(&address, "state").len(), 43);
        assert_eq!(of_query(&address, "nonce").len(), 43);
        assert_eq!(of_query(&address, "code_challenge").len(), 43);
        let back = at_provider(address, "ada").await;
        let answer = browser.get(&back).await.expect(303);
        assert_eq!(answer.header("location"), "/account");
        let cookie = answer.header("set-cookie");
        assert!(cookie.starts_with("lede_session=") && cookie.contains("HttpOnly"));
        let me = browser.json("/api/auth/me").await;
        assert_eq!(me["email"], "ada@example.com");
        assert_eq!(me["role"], "member");

        // The second sign-in finds the same account, from any browser.
        let other = lede.visitor();
        goes(&other, LOGIN, "ada").await.expect(303);
        assert_eq!(other.json("/api/auth/me").await["id"], me["id"]);
        assert_ne!(other.cookie("lede_session"), browser.cookie("lede_session"));

        // A subject without a verified email address gets no account.
        for who in ["eve", "nemo"] {
            let answer = goes(&lede.visitor(), LOGIN, who).await;
            is_page(answer, 403, "didn’t confirm an e-mail address");
        }
        assert_eq!(count(&lede).await, 2);
        // The account has no password that could be guessed.
        let body = json!({"email": "ada@example.com", "password": ""});
        lede.visitor().post("/auth/token", body).await.expect(401);
    })
    .await;
}

#[tokio::test]
async fn where_it_is_closed_a_provider_opens_only_accounts_that_were_linked_to_it() {
    let provider = OidcProvider::start(BACK);
    let options = options(Registration::Closed, settings_of(&provider));
    on_each_engine_with(options, async |lede: TestLede| {
        lede.clock.catch_up();
        let refused = goes(&lede.visitor(), LOGIN, "ada").await;
        is_page(refused, 403, "isn’t linked to an account here");

        let browser = lede.browser().await;
        let page = browser.get("/settings").await.expect(200);
        assert!(page.text.contains("Link Company"));
        let linked = goes(&browser, LOGIN, "ada").await.expect(303);
        assert_eq!(linked.header("location"), "/account");
        let page = browser.get("/settings").await.expect(200);
        assert!(page.text.contains("Company is linked"));
        goes(&browser, LOGIN, "ada").await.expect(303);

        let other = lede.visitor();
        let answer = goes(&other, LOGIN, "ada").await.expect(303);
        assert_eq!(answer.header("location"), "/");
        assert_eq!(other.json("/api/auth/me").await["email"], ADMIN);

        // An identity linked to one account cannot be linked to another.
        let _ = lede.person("ben@example.org", Role::Member).await;
        let ben = with_password(&lede, "ben@example.org").await;
        let refused = goes(&ben, LOGIN, "ada").await;
        is_page(refused, 409, "linked to another account here");
        assert_eq!(ben.json("/api/auth/me").await["email"], "ben@example.org");
        assert_eq!(count(&lede).await, 2);
    })
    .await;
}

#[tokio::test]
async fn an_address_alone_never_opens_an_account() {
    let provider = OidcProvider::start(BACK);
    let options = options(Registration::Open, settings_of(&provider));
    on_each_engine_with(options, async |lede: TestLede| {
        lede.clock.catch_up();
        let _ = lede.person("ada@example.com", Role::Member).await;
        let browser = lede.visitor();
        is_page(goes(&browser, LOGIN, "ada").await, 409, "already");
        browser.get("/api/auth/me").await.expect(401);
        // The first attempt did not link them.
        is_page(goes(&browser, LOGIN, "ada").await, 409, "already");
    })
    .await;
}

#[tokio::test]
async fn the_first_account_is_not_made_at_a_provider() {
    let provider = OidcProvider::start(BACK);
    let options = Options {
        is_empty: true,
        ..options(Registration::Open, settings_of(&provider))
    };
    on_each_engine_with(options, async |lede: TestLede| {
        lede.clock.catch_up();
        is_page(
            goes(&lede.visitor(), LOGIN, "ada").await,
            403,
            "isn’t linked",
        );
        assert_eq!(count(&lede).await, 0);
    })
    .await;
}

#[tokio::test]
async fn only_the_browser_that_began_comes_back_and_only_once() {
    let provider = OidcProvider::start(BACK);
    let two = ProviderSettings {
        name: "other".to_owned(),
        ..settings_of(&provider)
    };
    let mut options = options(Registration::Open, settings_of(&provider));
    options.providers.push(two);
    on_each_engine_with(options, async |lede: TestLede| {
        lede.clock.catch_up();
        let words = "started somewhere else, or too long ago";
        let browser = lede.visitor();
        let back = at_provider(leave(&browser, LOGIN).await, "ada").await;
        is_page(lede.visitor().get(&back).await, 400, words);
        let other = lede.visitor();
        leave(&other, LOGIN).await;
        is_page(other.get(&back).await, 400, words);
        let state = back
            .split("state=")
            .nth(1)
            .unwrap()
            .split('&')
            .next()
            .unwrap();
        is_page(browser.get(&back.replace(state, "guess")).await, 400, words);
        is_page(browser.get("/auth/oidc/company/callback").await, 400, words);
        is_page(
            browser.get("/auth/oidc/company/callback?code=x").await,
            400,
            words,
        );
        // None of these attempts consumed the state; the callback does.
        browser.get(&back).await.expect(303);
        browser.get("/api/auth/me").await.expect(200);
        let again = browser.without_cookies();
        is_page(browser.get(&back).await, 400, words);
        is_page(again.get(&back).await, 400, words);

        let browser = lede.visitor();
        let back = at_provider(leave(&browser, LOGIN).await, "ada").await;
        is_page(
            browser.get(&back.replace("/company/", "/other/")).await,
            400,
            words,
        );
        is_page(browser.get(&back).await, 400, words);

        let browser = lede.visitor();
        let back = at_provider(leave(&browser, LOGIN).await, "ada").await;
        lede.clock.advance(Duration::from_secs(11 * 60));
        is_page(browser.get(&back).await, 400, words);
        browser.get("/api/auth/me").await.expect(401);
    })
    .await;
}

#[tokio::test]
async fn linking_needs_the_session_that_asked_for_it() {
    let provider = OidcProvider::start(BACK);
    let options = options(Registration::Closed, settings_of(&provider));
    on_each_engine_with(options, async |lede: TestLede| {
        lede.clock.catch_up();
        let browser = lede.browser().await;
        let back = at_provider(leave(&browser, LOGIN).await, "ada").await;
        browser
            .fill("/settings", "/auth/logout", &[])
            .await
            .expect(303);
        is_page(browser.get(&back).await, 400, "started somewhere else");

        // Another site cannot start linking either: it could have chosen the identity at the provider.
        let browser = lede.browser().await;
        let sent = browser.with_header("sec-fetch-site", "cross-site");
        is_page(sent.get(LOGIN).await, 400, "started somewhere else");
        let page = browser.get("/settings").await.expect(200);
        assert!(page.text.contains("Link Company"));
        // Without a session there is nothing to link: a link on another site may start a sign-in.
        leave(
            &lede.visitor().with_header("sec-fetch-site", "cross-site"),
            LOGIN,
        )
        .await;
    })
    .await;
}

#[tokio::test]
async fn who_says_no_at_the_provider_is_not_signed_in() {
    let provider = OidcProvider::start(BACK);
    let options = options(Registration::Open, settings_of(&provider));
    on_each_engine_with(options, async |lede: TestLede| {
        lede.clock.catch_up();
        let browser = lede.visitor();
        is_page(goes(&browser, LOGIN, "deny").await, 400, "cancelled");
        // A code beside an error is ignored.
        let back = at_provider(leave(&browser, LOGIN).await, "ada").await;
        let answer = browser.get(&format!("{back}&error=access_denied")).await;
        is_page(answer, 400, "cancelled");
        browser.get("/api/auth/me").await.expect(401);
        goes(&browser, LOGIN, "ada").await.expect(303);
    })
    .await;
}

#[tokio::test]
async fn a_client_without_a_secret_signs_in_too() {
    let provider = OidcProvider::start(BACK);
    let settings = ProviderSettings {
        client_id: provider.public_client_id.clone(),
        client_secret: None,
        ..settings_of(&provider)
    };
    on_each_engine_with(
        options(Registration::Open, settings),
        async |lede: TestLede| {
            lede.clock.catch_up();
            goes(&lede.visitor(), LOGIN, "ada").await.expect(303);
        },
    )
    .await;
}

#[tokio::test]
async fn google_has_addresses_of_its_own() {
    let back = "http://localhost:8080/auth/google/callback";
    let provider = OidcProvider::start(back);
    let settings = ProviderSettings {
        name: "google".to_owned(),
        redirect_url: back.to_owned(),
        ..settings_of(&provider)
    };
    on_each_engine_with(
        options(Registration::Open, settings),
        async |lede: TestLede| {
            lede.clock.catch_up();
            let browser = lede.visitor();
            let answer = goes(&browser, "/auth/google/login", "ada")
                .await
                .expect(303);
            assert_eq!(answer.header("location"), "/");
            browser.get("/api/auth/me").await.expect(200);
            is_page(browser.get(LOGIN).await, 404, "isn’t set up here");
        },
    )
    .await;
}

#[tokio::test]
async fn when_the_provider_is_down_the_password_still_works() {
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let settings = ProviderSettings {
        name: "company".to_owned(),
        issuer: format!("http://127.0.0.1:{port}"),
        client_id: "lede".to_owned(),
        client_secret: None,
        redirect_url: BACK.to_owned(),
    };
    on_each_engine_with(
        options(Registration::Closed, settings),
        async |lede: TestLede| {
            let browser = lede.visitor();
            is_page(browser.get(LOGIN).await, 502, "Company can’t be reached");
            let page = browser.get("/auth/login").await.expect(200);
            assert!(page.text.contains("Continue with Company"));
            with_password(&lede, ADMIN).await;
        },
    )
    .await;
}
