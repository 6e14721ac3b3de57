//! The content proxy: serves the pages of a user's own items, and cannot be used to fetch anything else.

use lede_model::user::Role;
use lede_testkit::http::{Answer, Http};
use lede_testkit::{Reply, TestLede, on_each_engine};
use serde_json::json;

/// Subscribes to a feed with an item for each of these links.
async fn follow(lede: &TestLede, reader: &Http, links: &[&str]) {
    let entry = |link: &&str| {
        format!("<item><title>{link}</title><guid>{link}</guid><link>{link}</link></item>")
    };
    let entries: String = links.iter().map(entry).collect();
    let feed = format!(
        "<rss version='2.0'><channel><title>Daily</title><link>https://site.example/</link>{entries}</channel></rss>"
    );
    let url = lede
        .site
        .put("/feed.xml", Reply::body("application/rss+xml", feed));
    reader
        .post("/api/feeds", json!({"url": url}))
        .await
        .expect(201);
}

async fn proxied(reader: &Http, url: &str) -> Answer {
    let url: String = url::form_urlencoded::byte_serialize(url.as_bytes()).collect();
    reader.get(&format!("/api/proxy?url={url}")).await
}

#[tokio::test]
async fn an_items_page_is_given_without_what_could_do_harm() {
    on_each_engine(async |lede: TestLede| {
        let prose = "<p>A sentence about lighthouses, long enough to be taken for prose, with a comma. \
                     And another, because articles have more than one.</p>";
        let page = format!(
            "<title>T</title><nav>Menu</nav><script>alert(1)</script><article><h1>Lights</h1>{}\
             <img src='https://pictures.example/a.png' onerror='alert(1)'></article>",
            prose.repeat(8)
        );
        let url = lede.site.put("/story", Reply::body("text/html", page));
        let short = lede
            .site
            .put("/short", Reply::body("text/html", "<p onclick=x()>Little"));
        let ada = lede.admin().await;
        follow(&lede, &ada, &[&url, &short]).await;

        let answer = proxied(&ada, &url).await.expect(200);
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; img-src 'self'"), "{policy}");
        assert!(policy.contains("sandbox"), "{policy}");
        assert!(answer.text.contains("lighthouses"));
        assert!(answer.text.contains("src=\"/img/"), "{}", answer.text);
        for harm in ["script", "onerror", "Menu", "pictures.example"] {
            assert!(!answer.text.contains(harm), "{harm}");
        }
        let spelled = format!("{url}/?utm_source=x#top");
        proxied(&ada, &spelled).await.expect(200);
        let little = proxied(&ada, &short).await.expect(200);
        assert_eq!(little.text.trim(), "<p>Little</p>", "a page with no article");
    })
    .await;
}

#[tokio::test]
async fn only_pages_of_items_that_one_follows_on_sites_of_ones_feeds_are_fetched() {
    on_each_engine(async |lede: TestLede| {
        let page = || Reply::body("text/html", "<p>Words");
        let (known, other) = (
            lede.site.put("/known", page()),
            lede.site.put("/other", page()),
        );
        let ada = lede.admin().await;
        let elsewhere = "https://elsewhere.example/story";
        follow(&lede, &ada, &[&known, elsewhere]).await;

        proxied(&ada, &known).await.expect(200);
        for unknown in [
            other.as_str(),
            "https://site.example/",
            "http://127.0.0.1/known",
        ] {
            let refused = proxied(&ada, unknown).await.expect(404).json();
            assert_eq!(refused["error"], "No item in your feeds has this address.");
        }
        let refused = proxied(&ada, elsewhere).await.expect(403).json();
        assert_eq!(
            refused["error"],
            "The address is not on a site of the feeds you follow."
        );
        for bad in [
            "",
            "words",
            "ftp://site.example/a",
            "javascript:alert(1)",
            "http://0x7f.1/",
        ] {
            let refused = proxied(&ada, bad).await.expect(400).json();
            assert!(refused["fields"]["url"].is_string(), "{bad}");
        }
        ada.get("/api/proxy").await.expect(400);
        let ben = lede.person("ben@example.org", Role::Member).await;
        proxied(&ben, &known).await.expect(404);
        proxied(&lede.visitor(), &known).await.expect(401);
        assert_eq!(lede.site.requests("/known").len(), 1);
        assert!(lede.site.requests("/other").is_empty());
    })
    .await;
}

#[tokio::test]
async fn numbers_instead_of_a_name_and_unusual_ports_are_refused_unless_the_operator_opened_them() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        // The feed's own host is such a literal address, with another port than the allowed one.
        let literal = "http://127.0.0.1:81/story";
        let named = "https://site.example:8443/story";
        follow(&lede, &ada, &[literal, named]).await;
        let refused = proxied(&ada, literal).await.expect(403).json();
        assert_eq!(
            refused["error"],
            "The host of the address is written as a number."
        );
        let refused = proxied(&ada, named).await.expect(400).json();
        assert_eq!(refused["error"], "Resource not available");
    })
    .await;
}

#[tokio::test]
async fn redirects_errors_and_what_is_too_large_are_not_handed_on() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let target = lede
            .site
            .put("/target", Reply::body("text/html", "<p>Words"));
        let moved = lede
            .site
            .put("/moved", Reply::status(302).with("location", &target));
        let gone = lede.site.put("/gone", Reply::status(404));
        let large = vec![b'x'; 5 * 1024 * 1024 + 1];
        let large = lede.site.put("/large", Reply::body("text/html", large));
        follow(&lede, &ada, &[&moved, &gone, &large]).await;
        for url in [&moved, &gone] {
            let refused = proxied(&ada, url).await.expect(400).json();
            assert_eq!(refused["error"], "Resource not available");
        }
        assert!(lede.site.requests("/target").is_empty());
        let refused = proxied(&ada, &large).await.expect(413).json();
        assert_eq!(refused["error"], "Content too large");
    })
    .await;
}
