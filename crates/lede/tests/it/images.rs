//! The image proxy: URLs that are valid for one user and a limited time, and for images only.

use std::time::Duration;

use lede_core::images::{self, ImageProxy};
use lede_model::address::WebUrl;
use lede_model::user::Role;
use lede_store::users;
use lede_testkit::{ADMIN, Options, Reply, TestLede, on_each_engine, on_each_engine_with};
use serde_json::json;

/// The smallest PNG: one transparent pixel.
pub(crate) const PIXEL: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\
    \0\0\0\rIDATx\x9cc\0\x01\0\0\x05\0\x01\r\n-\xb4\0\0\0\0IEND\xaeB`\x82";

async fn address_for_admin(lede: &TestLede, url: &str) -> String {
    let found = lede
        .lede
        .store
        .read(|db| users::find_by_email(db, ADMIN))
        .await
        .unwrap();
    images::address(
        &lede.lede,
        found.unwrap().0.id,
        &WebUrl::parse(url).unwrap(),
    )
}

#[tokio::test]
async fn an_items_pictures_are_asked_for_through_lede() {
    on_each_engine(async |lede: TestLede| {
        let html = r#"<p><img src="https://pictures.example/a.png" alt="A"></p>"#;
        let url = lede
            .site
            .put("/feed.xml", Reply::rss("News", &[("One", html)]));
        let reader = lede.admin().await;
        let feed = reader
            .post("/api/feeds", json!({"url": url}))
            .await
            .expect(201)
            .json()["id"]
            .clone();
        let item = reader.json(&format!("/api/feeds/{feed}/items")).await["items"][0]["id"].clone();
        let page = reader.get(&format!("/items/{item}")).await.expect(200);
        assert!(page.text.contains("src=\"/img/"), "{}", page.text);
        assert!(
            !page.text.contains("pictures.example"),
            "the publisher's address is not in the page"
        );
        let api = reader.json(&format!("/api/items/{item}")).await;
        assert!(
            api["content"]
                .as_str()
                .unwrap()
                .contains("pictures.example"),
            "programs fetch for themselves"
        );
    })
    .await;
}

#[tokio::test]
async fn a_plain_http_picture_is_fetched_by_lede_and_shown() {
    for (image_proxy, secure_is_ours) in [(ImageProxy::All, true), (ImageProxy::Http, false)] {
        let options = Options {
            image_proxy,
            ..Options::default()
        };
        on_each_engine_with(options, async |lede: TestLede| {
            let picture = lede.site.put("/a.png", Reply::body("image/png", PIXEL));
            assert!(picture.starts_with("http://"));
            let html = format!(
                r#"<p><img src="{picture}" alt="A" width="90" height="90"> <img src="https://pictures.example/b.png" alt="B"></p>"#
            );
            let feed = Reply::rss("News", &[("One", &html)]);
            let url = lede.site.put("/feed.xml", feed);
            let reader = lede.admin().await;
            let added = reader.post("/api/feeds", json!({"url": url})).await;
            let feed = added.expect(201).json()["id"].clone();
            let items = reader.json(&format!("/api/feeds/{feed}/items")).await;
            let page = format!("/items/{}", items["items"][0]["id"]);
            let page = reader.get(&page).await.expect(200);
            let ours: Vec<&str> = page.text.split("src=\"/img/").skip(1).collect();
            assert_eq!(ours.len(), 1 + usize::from(secure_is_ours), "{image_proxy:?}");
            let address = format!("/img/{}", ours[0].split('"').next().unwrap());
            let shown = reader.get(&address).await.expect(200);
            assert_eq!(shown.header("content-type"), "image/png");
            let policy = page.header("content-security-policy");
            assert_eq!(policy.contains("img-src 'self' data: https:;"), !secure_is_ours);
        })
        .await;
    }
}

#[tokio::test]
async fn a_picture_is_given_to_its_reader_only_and_not_for_ever() {
    on_each_engine(async |lede: TestLede| {
        let url = lede.site.put("/a.png", Reply::body("text/html", PIXEL));
        let address = address_for_admin(&lede, &url).await;
        let reader = lede.admin().await;
        let picture = reader.get(&address).await.expect(200);
        assert_eq!(
            picture.header("content-type"),
            "image/png",
            "by its content, not by its server's word"
        );
        assert_eq!(
            picture.header("content-security-policy"),
            "default-src 'none'; sandbox"
        );
        assert_eq!(
            picture.header("cache-control"),
            "private, max-age=86400, immutable"
        );

        lede.person("ben@example.org", Role::Member)
            .await
            .get(&address)
            .await
            .expect(404);
        lede.visitor().get(&address).await.expect(401);
        let parts: Vec<&str> = address.split('/').collect();
        for forged in [
            format!(
                "/img/{}/{}/{}",
                parts[2], "AAAAAAAAAAAAAAAAAAAAAA", parts[4]
            ),
            format!(
                "/img/{}/{}/{}",
                parts[2], parts[3], "aHR0cDovL2V4YW1wbGUub3JnLw"
            ),
            format!("/img/1/{}/{}", parts[3], parts[4]),
        ] {
            reader.get(&forged).await.expect(404);
        }
        lede.clock.advance(Duration::from_secs(48 * 3600));
        lede.admin().await.get(&address).await.expect(404);
        assert_eq!(lede.site.requests("/a.png").len(), 1);
    })
    .await;
}

#[tokio::test]
async fn what_is_not_a_picture_is_not_shown() {
    on_each_engine(async |lede: TestLede| {
        let reader = lede.admin().await;
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"/>";
        for (path, reply) in [
            ("/a.svg", Reply::body("image/svg+xml", svg)),
            (
                "/a.html",
                Reply::body("image/png", "<script>alert(1)</script>"),
            ),
            ("/gone.png", Reply::status(404)),
            (
                "/inside.png",
                Reply::status(302).with("location", "http://10.0.0.1/a.png"),
            ),
        ] {
            let address = address_for_admin(&lede, &lede.site.put(path, reply)).await;
            let answer = reader.get(&address).await.expect(502);
            assert_eq!(answer.text, "not available", "{path}");
        }
    })
    .await;
}
