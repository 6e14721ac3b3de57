//! Rate limits: which requests share a budget.

use super::*;

#[track_caller]
fn is_limited(answer: &Answer, limit: &str) -> Duration {
    assert_eq!(answer.status.as_u16(), 429, "{}", answer.text);
    let error = answer.json();
    assert_eq!(error["code"], "rate_limited");
    assert_eq!(error["category"], "system");
    assert_eq!(error["error"], error["message"]);
    assert_eq!(answer.header("x-ratelimit-limit"), limit);
    assert_eq!(answer.header("x-ratelimit-remaining"), "0");
    let wait: u64 = answer.header("retry-after").parse().unwrap();
    assert!((1..=61).contains(&wait), "{wait}");
    assert!(
        error["action"]
            .as_str()
            .unwrap()
            .contains(&format!("{wait} s"))
    );
    Duration::from_secs(wait)
}

#[tokio::test]
async fn passwords_are_guessed_five_times_a_minute_whatever_the_operator_switched_off() {
    for is_on in [true, false] {
        let options = Options {
            rate_limit_enabled: is_on,
            ..behind_a_proxy()
        };
        on_each_engine_with(options, async |lede: TestLede| {
            let from = |ip: &str| lede.visitor().with_header(PROXY, ip);
            // By address, across many accounts; the clock is not at the start of a second.
            lede.clock.advance(Duration::from_millis(10_300));
            for number in 0..5 {
                guess(&from("203.0.113.1"), &format!("{number}@example.org"))
                    .await
                    .expect(401);
            }
            let refused = guess(&from("203.0.113.1"), "5@example.org").await;
            let wait = is_limited(&refused, "5");
            lede.clock.advance(wait);
            guess(&from("203.0.113.1"), "5@example.org")
                .await
                .expect(401);

            // By account, from many addresses and in any spelling of the address.
            lede.clock.advance(Duration::from_secs(180));
            for (number, email) in [ADMIN, "ADA@example.org", " ada@example.org", ADMIN, ADMIN]
                .iter()
                .enumerate()
            {
                guess(&from(&format!("203.0.113.{}", 10 + number)), email)
                    .await
                    .expect(401);
            }
            let right = json!({"email": ADMIN, "password": PASSWORD});
            let refused = from("203.0.113.20")
                .post("/api/auth/login", right.clone())
                .await;
            let wait = is_limited(&refused, "5");
            let page = from("203.0.113.21")
                .fill(
                    "/auth/login",
                    "/auth/login",
                    &[("email", ADMIN), ("password", PASSWORD)],
                )
                .await
                .expect(429);
            assert!(
                page.text.contains("Too many requests")
                    && page.text.contains("action=\"/auth/login\"")
            );
            assert!(!page.header("retry-after").is_empty());
            lede.clock.advance(wait);
            from("203.0.113.22")
                .post("/api/auth/login", right)
                .await
                .expect(200);
        })
        .await;
    }
}

/// Sends requests until one is refused, and returns the number that passed.
async fn passes(client: &Http, path: &str, limit: u32) -> u32 {
    for number in 0..=limit {
        let answer = client.get(path).await;
        if answer.status.as_u16() == 429 {
            is_limited(&answer, &limit.to_string());
            return number;
        }
        assert_eq!(answer.header("x-ratelimit-limit"), limit.to_string());
        assert_eq!(
            answer.header("x-ratelimit-remaining"),
            (limit - number - 1).to_string()
        );
        assert!(!answer.header("x-ratelimit-reset").is_empty());
    }
    limit + 1
}

#[tokio::test]
async fn everybody_has_their_own_budget_of_requests() {
    on_each_engine_with(behind_a_proxy(), async |lede: TestLede| {
        let visitor = lede.visitor().with_header(PROXY, "203.0.113.1");
        assert_eq!(passes(&visitor, "/auth/login", 100).await, 100);
        visitor.get("/no/such/page").await.expect(429);
        visitor.get("/openapi.json").await.expect(429);
        // Assets and health checks are never limited.
        visitor.get("/health").await.expect(200);
        let asset = visitor.get("/assets/0/lede.css").await.expect(200);
        assert_eq!(asset.header("x-ratelimit-limit"), "");
        // Another address has another budget; entries that a client put to the left are not trusted.
        lede.visitor()
            .with_header(PROXY, "203.0.113.2")
            .get("/auth/login")
            .await
            .expect(200);
        lede.visitor()
            .with_header(PROXY, "203.0.113.3, 203.0.113.1")
            .get("/auth/login")
            .await
            .expect(429);
        // An IPv6 client usually has a whole /64 network, so that is the unit.
        let house = |ip: &str| lede.visitor().with_header(PROXY, ip);
        assert_eq!(
            passes(&house("2001:db8:0:1::1"), "/auth/login", 100).await,
            100
        );
        house("2001:db8:0:1:ffff::2")
            .get("/auth/login")
            .await
            .expect(429);
        house("2001:db8:0:2::1")
            .get("/auth/login")
            .await
            .expect(200);

        // A signed-in user is counted by account, from any address.
        let admin = lede.admin().await.with_header(PROXY, "203.0.113.1");
        assert_eq!(passes(&admin, "/api/auth/me", 200).await, 200);
        for (email, role) in [
            ("ben@example.org", Role::Member),
            ("vera@example.org", Role::Viewer),
        ] {
            let person = lede.person(email, role).await;
            assert_eq!(passes(&person, "/api/auth/me", 120).await, 120);
        }
        let waited = is_limited(&admin.get("/api/auth/me").await, "200");
        lede.clock.advance(waited);
        admin.get("/api/auth/me").await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn without_a_trusted_proxy_the_connection_is_the_address() {
    on_each_engine_with(limited(), async |lede: TestLede| {
        for number in 0..100 {
            lede.visitor()
                .with_header(PROXY, &format!("203.0.113.{number}"))
                .get("/auth/login")
                .await
                .expect(200);
        }
        lede.visitor()
            .with_header(PROXY, "203.0.113.200")
            .get("/auth/login")
            .await
            .expect(429);
    })
    .await;
}

#[tokio::test]
async fn feeds_are_added_ten_times_a_minute() {
    on_each_engine_with(limited(), async |lede: TestLede| {
        let ada = lede.admin().await;
        let body = json!({"url": "not an address"});
        for _ in 0..10 {
            ada.post("/api/feeds", body.clone()).await.expect(400);
        }
        let refused = ada.post("/api/feeds", body.clone()).await;
        let wait = is_limited(&refused, "10");
        ada.get("/api/feeds").await.expect(200);
        let ben = lede.person("ben@example.org", Role::Member).await;
        ben.post("/api/feeds", body.clone()).await.expect(400);
        lede.clock.advance(wait);
        ada.post("/api/feeds", body).await.expect(400);
    })
    .await;
}
