//! Metrics and health: who may read them.

use super::*;

#[tokio::test]
async fn metrics_are_for_this_machine_and_holders_of_the_token() {
    let options = Options {
        metrics_token: Some("a token for the metrics".to_owned()),
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let proxied = lede.visitor().with_header(PROXY, "203.0.113.1");
        lede.visitor().get("/metrics").await.expect(200);
        assert_eq!(
            proxied.get("/metrics").await.expect(403).json()["code"],
            "forbidden"
        );
        proxied
            .with_token("another token")
            .get("/metrics")
            .await
            .expect(403);
        proxied.with_token("").get("/metrics").await.expect(403);
        let admin = lede.admin().await.with_header(PROXY, "203.0.113.1");
        admin.get("/metrics").await.expect(403);
        proxied
            .with_token("a token for the metrics")
            .get("/metrics")
            .await
            .expect(200);
    })
    .await;
    on_each_engine(async |lede: TestLede| {
        let proxied = lede.visitor().with_header(PROXY, "203.0.113.1");
        proxied.with_token("").get("/metrics").await.expect(403);
    })
    .await;
}

#[tokio::test]
async fn metrics_are_for_allowed_networks_as_far_as_an_address_is_believed() {
    let allowed = vec!["203.0.113.0/24".to_owned()];
    for (trusted, inside) in [(vec!["127.0.0.0/8".to_owned()], 200), (Vec::new(), 403)] {
        let options = Options {
            metrics_allowed: allowed.clone(),
            trusted_proxies: trusted,
            ..Options::default()
        };
        on_each_engine_with(options, async |lede: TestLede| {
            for (chain, status) in [
                ("203.0.113.9", inside),
                ("198.51.100.1", 403),
                ("203.0.113.9, 198.51.100.1", 403),
            ] {
                let client = lede.visitor().with_header(PROXY, chain);
                client.get("/metrics").await.expect(status);
            }
        })
        .await;
    }
}

#[tokio::test]
async fn metrics_can_be_read_by_prometheus_and_name_no_user() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let url = lede
            .site
            .put("/feed.xml", Reply::rss("Daily", &[("One", "text")]));
        ada.post("/api/feeds", json!({"url": url}))
            .await
            .expect(201);
        guess(&lede.visitor(), ADMIN).await.expect(401);
        lede.visitor().get("/nobody@example.org").await.expect(404);
        lede.visitor()
            .send(Method::from_bytes(b"BREW").unwrap(), "/", &[], Vec::new())
            .await;
        let answer = lede.visitor().get("/metrics").await.expect(200);
        assert!(
            answer
                .header("content-type")
                .starts_with("text/plain; version=0.0.4")
        );
        assert!(!answer.text.contains("# EOF"));
        let open = [(
            "accept",
            "application/openmetrics-text;version=1.0.0,text/plain;q=0.5",
        )];
        let open = lede
            .visitor()
            .send(Method::GET, "/metrics", &open, Vec::new())
            .await;
        let content_type = open.header("content-type");
        assert!(content_type.starts_with("application/openmetrics-text; version=1.0.0"));
        assert!(open.text.ends_with("# EOF\n"));
        let mut kinds = std::collections::BTreeMap::new();
        for line in answer.text.lines() {
            if let Some(comment) = line.strip_prefix("# ") {
                if let Some(kind) = comment.strip_prefix("TYPE ") {
                    let (name, kind) = kind.split_once(' ').unwrap();
                    kinds.insert(name.to_owned(), kind.to_owned());
                }
                continue;
            }
            let (series, value) = line.rsplit_once(' ').unwrap();
            assert!(value.parse::<f64>().is_ok(), "{line}");
            let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
            assert!(labels.ends_with('}'), "{line}");
            assert!(name.starts_with("lede_"), "{line}");
            assert!(!labels.contains('@') && !labels.contains("://"), "{line}");
            let family = kinds
                .keys()
                .find(|family| name.starts_with(family.as_str()));
            let family = family.unwrap_or_else(|| panic!("no type before {line}"));
            assert_eq!(
                kinds[family] == "counter",
                name.ends_with("_total"),
                "{line}"
            );
        }
        for series in [
            "lede_http_requests_total{method=\"POST\",route=\"/api/feeds\",status=\"201\"} 1",
            "lede_http_requests_total{method=\"GET\",route=\"unknown\",status=\"404\"} 1",
            "lede_sign_ins_total{outcome=\"failure\"} 1",
            "lede_items_upserted_total 1",
            "lede_http_request_duration_seconds_count{method=\"POST\",route=\"/api/feeds\"} 1",
            "lede_jobs_waiting{kind=\"icon\"} 1",
            "lede_jobs_oldest_age_seconds{kind=\"icon\"} 0",
            "lede_database_requests_waiting{use=\"read\"} 0",
        ] {
            assert!(
                answer.text.lines().any(|line| line == series),
                "{series}\n{}",
                answer.text
            );
        }
        assert!(answer.text.contains("method=\"other\""));
        assert!(answer.text.contains("lede_build_info{version="));
        assert!(
            answer
                .text
                .contains("lede_database_connections{use=\"write\"}")
        );
    })
    .await;
}

#[tokio::test]
async fn health_answers_without_sign_in() {
    on_each_engine(async |lede: TestLede| {
        let health = lede.visitor().json("/health").await;
        assert_eq!(
            (&health["status"], &health["db"]),
            (&json!("ok"), &json!("ok"))
        );
    })
    .await;
}
