//! Sign-in through OpenID providers: a real one, and a fake one that misbehaves.

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

/// A provider that signs any token.
struct Fake {
    site: Site,
    key: Ed25519KeyPair,
}

const CLIENT: &str = "lede";
const CLIENT_SECRET: &str = "a secret that both sides know";

impl Fake {
    async fn start() -> Self {
        let key = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
        let fake = Self {
            site: Site::start().await,
            key,
        };
        fake.publish(&json!({}));
        fake.publish_key("one", &fake.key);
        fake
    }

    fn issuer(&self) -> String {
        self.site.url("")
    }

    fn settings(&self) -> ProviderSettings {
        ProviderSettings {
            name: "company".to_owned(),
            issuer: self.issuer(),
            client_id: CLIENT.to_owned(),
            client_secret: Some(Secret::new(CLIENT_SECRET)),
            redirect_url: BACK.to_owned(),
        }
    }

    fn answers(&self, path: &str, body: &Value) {
        let reply = Reply::body("application/json", body.to_string());
        self.site.put(path, reply);
    }

    /// Publishes the provider's configuration: a valid one with `changes` merged into it.
    fn publish(&self, changes: &Value) {
        let mut metadata = json!({
            "issuer": self.issuer(),
            "authorization_endpoint": self.site.url("/auth"),
            "token_endpoint": self.site.url("/token"),
            "jwks_uri": self.site.url("/keys"),
        });
        merge(&mut metadata, changes);
        self.answers("/.well-known/openid-configuration", &metadata);
    }

    fn publish_key(&self, kid: &str, key: &Ed25519KeyPair) {
        let x = URL_SAFE_NO_PAD.encode(key.public_key());
        let key = json!({"kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": kid, "x": x});
        self.answers("/keys", &json!({"keys": [key]}));
    }

    /// The claims of a valid ID token.
    fn claims(&self, lede: &TestLede, nonce: &str) -> Value {
        let now = lede.clock.now().as_seconds();
        json!({
            "iss": self.issuer(), "sub": "grace", "aud": CLIENT, "nonce": nonce,
            "iat": now, "exp": now + 300,
            "email": "grace@example.com", "email_verified": true,
        })
    }

    /// Signs in from start to callback; `token` makes the ID token from valid claims.
    async fn goes(
        &self,
        lede: &TestLede,
        browser: &Http,
        token: impl FnOnce(Value) -> String,
    ) -> Answer {
        let address = leave(browser, LOGIN).await;
        let claims = self.claims(lede, &of_query(&address, "nonce"));
        let answer =
            json!({"id_token": token(claims), "access_token": "a", "token_type": "Bearer"});
        self.answers("/token", &answer);
        let state = of_query(&address, "state");
        browser
            .get(&format!("/auth/oidc/company/callback?code=c&state={state}"))
            .await
    }

    fn sign(&self, claims: &Value) -> String {
        signed(&json!({"alg": "EdDSA", "kid": "one"}), claims, |message| {
            self.key.sign(message).as_ref().to_vec()
        })
    }
}

fn signed(header: &Value, claims: &Value, sign: impl FnOnce(&[u8]) -> Vec<u8>) -> String {
    let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let message = format!("{}.{}", encode(header), encode(claims));
    let signature = sign(message.as_bytes());
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
}

fn with_hmac(secret: &[u8]) -> impl Fn(&[u8]) -> Vec<u8> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
    move |message| hmac::sign(&key, message).as_ref().to_vec()
}

/// Merges `changes` into `value`; null removes a field.
fn merge(value: &mut Value, changes: &Value) {
    let fields = value.as_object_mut().unwrap();
    for (name, change) in changes.as_object().unwrap() {
        if change.is_null() {
            fields.remove(name);
        } else {
            fields.insert(name.clone(), change.clone());
        }
    }
}

#[tokio::test]
async fn an_id_token_that_is_not_for_this_sign_in_is_refused() {
    let fake = Fake::start().await;
    on_each_engine_with(
        options(Registration::Open, fake.settings()),
        async |lede: TestLede| {
            let browser = lede.visitor();
            let now = lede.clock.now().as_seconds();
            for (what, changes) in [
                ("another nonce", json!({"nonce": "another"})),
                ("no nonce", json!({"nonce": null})),
                ("another audience", json!({"aud": "elsewhere"})),
                ("other audiences", json!({"aud": ["elsewhere"]})),
                (
                    "several audiences and nobody in charge",
                    json!({"aud": [CLIENT, "elsewhere"]}),
                ),
                (
                    "issued to somebody else",
                    json!({"aud": [CLIENT, "elsewhere"], "azp": "elsewhere"}),
                ),
                (
                    "issued to somebody else, for us",
                    json!({"azp": "elsewhere"}),
                ),
                ("no audience", json!({"aud": null})),
                (
                    "another issuer",
                    json!({"iss": "https://accounts.google.com"}),
                ),
                ("no issuer", json!({"iss": null})),
                ("no subject", json!({"sub": null})),
                ("expired", json!({"exp": now - 61})),
                ("no end", json!({"exp": null})),
                ("from the future", json!({"iat": now + 61})),
                ("no beginning", json!({"iat": null})),
            ] {
                let answer = fake
                    .goes(&lede, &browser, |mut claims| {
                        merge(&mut claims, &changes);
                        fake.sign(&claims)
                    })
                    .await;
                assert_eq!(answer.status.as_u16(), 502, "{what}: {}", answer.text);
                is_page(answer, 502, "can’t be trusted");
            }
            assert_eq!(count(&lede).await, 1);
            // The same with valid tokens, including unusual ones.
            for changes in [
                json!({}),
                json!({"aud": [CLIENT]}),
                json!({"aud": [CLIENT, "elsewhere"], "azp": CLIENT}),
                json!({"exp": now - 59}),
            ] {
                let browser = lede.visitor();
                let answer = fake.goes(&lede, &browser, |mut claims| {
                    merge(&mut claims, &changes);
                    fake.sign(&claims)
                });
                answer.await.expect(303);
                assert_eq!(
                    browser.json("/api/auth/me").await["email"],
                    "grace@example.com"
                );
            }
            assert_eq!(count(&lede).await, 2);
        },
    )
    .await;
}

#[tokio::test]
async fn an_id_token_that_the_provider_did_not_sign_is_refused() {
    let fake = Fake::start().await;
    on_each_engine_with(
        options(Registration::Open, fake.settings()),
        async |lede: TestLede| {
            let browser = lede.visitor();
            let other = Ed25519KeyPair::from_seed_unchecked(&[8; 32]).unwrap();
            let public = fake.key.public_key().as_ref().to_vec();
            type Forge<'f> = Box<dyn Fn(&Value) -> String + 'f>;
            let head = |alg: &str| json!({"alg": alg, "kid": "one"});
            let by_hmac = |alg: &'static str, secret: Vec<u8>| -> Forge<'_> {
                Box::new(move |claims| signed(&head(alg), claims, with_hmac(&secret)))
            };
            let forgeries: Vec<(&str, Forge<'_>)> = vec![
                (
                    "alg none",
                    Box::new(|claims| signed(&head("none"), claims, |_| Vec::new())),
                ),
                (
                    "no signature",
                    Box::new(|claims| signed(&head("EdDSA"), claims, |_| Vec::new())),
                ),
                (
                    "the public key as a secret",
                    by_hmac("HS256", public.clone()),
                ),
                (
                    "the client's secret",
                    by_hmac("HS256", CLIENT_SECRET.into()),
                ),
                ("an HMAC as a signature", by_hmac("EdDSA", public.clone())),
                (
                    "an HMAC as an RSA signature",
                    by_hmac("RS256", public.clone()),
                ),
                (
                    "another key",
                    Box::new(|claims| {
                        signed(&head("EdDSA"), claims, |message| {
                            other.sign(message).as_ref().to_vec()
                        })
                    }),
                ),
                (
                    "a key that is not published",
                    Box::new(|claims| {
                        let head = json!({"alg": "EdDSA", "kid": "two"});
                        signed(&head, claims, |message| {
                            fake.key.sign(message).as_ref().to_vec()
                        })
                    }),
                ),
                (
                    "another algorithm than the key's",
                    Box::new(|claims| {
                        signed(&head("ES256"), claims, |message| {
                            fake.key.sign(message).as_ref().to_vec()
                        })
                    }),
                ),
                (
                    "changed after it was signed",
                    Box::new(|claims| {
                        let good = fake.sign(claims);
                        let mut changed = claims.clone();
                        merge(&mut changed, &json!({"sub": "ada"}));
                        let bad = fake.sign(&changed);
                        let (message, _) = bad.rsplit_once('.').unwrap();
                        format!("{message}.{}", good.rsplit_once('.').unwrap().1)
                    }),
                ),
                ("no token at all", Box::new(|_| "words".to_owned())),
            ];
            for (what, forge) in &forgeries {
                let answer = fake.goes(&lede, &browser, |claims| forge(&claims)).await;
                assert_eq!(answer.status.as_u16(), 502, "{what}: {}", answer.text);
                is_page(answer, 502, "can’t be trusted");
            }
            assert_eq!(count(&lede).await, 1);
        },
    )
    .await;
}

#[tokio::test]
async fn a_provider_that_contradicts_itself_is_not_believed() {
    let fake = Fake::start().await;
    on_each_engine_with(options(Registration::Open, fake.settings()), async |lede: TestLede| {
        let browser = lede.visitor();
        let hour = Duration::from_secs(3601);
        // Claims that are only at the userinfo endpoint, and those of another subject.
        fake.publish(&json!({"userinfo_endpoint": fake.site.url("/userinfo")}));
        let bare = |mut claims: Value| {
            merge(&mut claims, &json!({"email": null, "email_verified": null}));
            fake.sign(&claims)
        };
        let info = |sub: &str, verified: bool| json!({"sub": sub, "email": "grace@example.com", "email_verified": verified});
        fake.answers("/userinfo", &info("ada", true));
        is_page(fake.goes(&lede, &browser, bare).await, 502, "can’t be trusted");
        fake.answers("/userinfo", &info("grace", false));
        is_page(fake.goes(&lede, &browser, bare).await, 403, "didn’t confirm");
        fake.site.put("/userinfo", Reply::status(500));
        is_page(fake.goes(&lede, &browser, bare).await, 502, "can’t be reached");

        // Another issuer in the callback (RFC 9207), then an error from the token endpoint.
        let address = leave(&browser, LOGIN).await;
        let state = of_query(&address, "state");
        let back = format!("/auth/oidc/company/callback?code=c&state={state}&iss=https%3A%2F%2Fevil.example");
        is_page(browser.get(&back).await, 502, "can’t be trusted");
        let address = leave(&browser, LOGIN).await;
        fake.site.put("/token", Reply::status(400));
        let state = of_query(&address, "state");
        let back = format!("/auth/oidc/company/callback?code=c&state={state}");
        is_page(browser.get(&back).await, 502, "can’t be reached");

        // A configuration with the wrong issuer.
        fake.publish(&json!({"issuer": "https://evil.example"}));
        lede.clock.advance(hour);
        is_page(browser.get(LOGIN).await, 502, "can’t be reached");
        fake.publish(&json!({"authorization_endpoint": "not an address"}));
        is_page(browser.get(LOGIN).await, 502, "can’t be reached");
        fake.publish(&json!({}));
        fake.answers("/keys", &json!({"keys": "none"}));
        lede.clock.advance(hour);
        is_page(browser.get(LOGIN).await, 502, "can’t be reached");
        fake.publish_key("one", &fake.key);
        assert_eq!(count(&lede).await, 1);
    })
    .await;
}

#[tokio::test]
async fn new_keys_are_fetched_but_not_at_every_strangers_wish() {
    let fake = Fake::start().await;
    on_each_engine_with(
        options(Registration::Open, fake.settings()),
        async |lede: TestLede| {
            fake.publish_key("one", &fake.key);
            let browser = lede.visitor();
            fake.goes(&lede, &browser, |claims| fake.sign(&claims))
                .await
                .expect(303);
            let new = Ed25519KeyPair::from_seed_unchecked(&[9; 32]).unwrap();
            fake.publish_key("two", &new);
            let by_new = |claims: Value| {
                let head = json!({"alg": "EdDSA", "kid": "two"});
                signed(&head, &claims, |message| {
                    new.sign(message).as_ref().to_vec()
                })
            };
            let fetched = fake.site.requests("/keys").len();
            let other = lede.visitor();
            for _ in 0..3 {
                fake.goes(&lede, &other, by_new).await.expect(502);
            }
            assert_eq!(fake.site.requests("/keys").len(), fetched);
            lede.clock.advance(Duration::from_secs(61));
            fake.goes(&lede, &other, by_new).await.expect(303);
            assert_eq!(fake.site.requests("/keys").len(), fetched + 1);
            // A key that the provider no longer publishes is rejected.
            let third = lede.visitor();
            fake.goes(&lede, &third, |claims| fake.sign(&claims))
                .await
                .expect(502);
        },
    )
    .await;
}

#[tokio::test]
async fn the_secret_is_shown_the_way_the_provider_asks() {
    let fake = Fake::start().await;
    for (methods, in_header) in [
        (Value::Null, true),
        (json!(["client_secret_post", "client_secret_basic"]), true),
        (json!(["client_secret_post"]), false),
    ] {
        fake.publish(&json!({"token_endpoint_auth_methods_supported": methods}));
        on_each_engine_with(
            options(Registration::Open, fake.settings()),
            async |lede: TestLede| {
                fake.goes(&lede, &lede.visitor(), |claims| fake.sign(&claims))
                    .await
                    .expect(303);
                let asked = fake.site.requests("/token").pop().unwrap();
                assert_eq!(asked.contains_key("authorization"), in_header, "{methods}");
            },
        )
        .await;
    }
}
