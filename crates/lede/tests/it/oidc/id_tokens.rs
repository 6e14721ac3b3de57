//! ID tokens and providers that must not be believed.

use super::*;

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
