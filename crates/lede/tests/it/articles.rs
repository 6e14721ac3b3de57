//! Full articles from their pages and icons of sites: everything fetched besides feeds.

use lede_core::worker;
use lede_testkit::http::Http;
use lede_testkit::{Options, Reply, TestLede, on_each_engine, on_each_engine_with};
use serde_json::{Value, json};

/// A page with an article of some length about `word`.
fn page(word: &str) -> Reply {
    let paragraph = format!(
        "<p>This is a sentence about {word}, long enough to be taken for prose, with a comma or two. \
         It is followed by another one, because articles have more than one sentence.</p>"
    );
    let html = format!(
        "<!doctype html><title>{word}</title><nav><a href=/>Home</a></nav><article><h1>{word}</h1>{}</article>",
        paragraph.repeat(8)
    );
    Reply::body("text/html", html)
}

/// A feed with one item that links to `/story` on the site and has `text` as its content.
fn feed(lede: &TestLede, text: &str) -> String {
    let link = format!("http://{}/story", lede.site.address());
    let xml = format!(
        "<rss version='2.0'><channel><title>Daily</title><item><title>Story</title><link>{link}</link>
         <guid>1</guid><description><![CDATA[<p>{text}</p>]]></description></item></channel></rss>"
    );
    lede.site
        .put("/feed.xml", Reply::body("application/rss+xml", xml))
}

/// Subscribes to the feed. Returns the feed and the id of its item.
async fn followed(ada: &Http, url: &str) -> (Value, String) {
    let added = ada.post("/api/feeds", json!({"url": url})).await;
    let feed = added.expect(201).json();
    let items = ada.json(&format!("/api/feeds/{}/items", feed["id"])).await;
    let item = items["items"][0]["id"].to_string();
    (feed, item)
}

async fn run_queues(lede: &TestLede) {
    worker::run_queues(&lede.lede).await.unwrap();
}

#[tokio::test]
async fn a_short_item_gets_its_article_from_the_queue() {
    on_each_engine(async |lede: TestLede| {
        lede.site.put("/story", page("lighthouses"));
        let ada = lede.admin().await;
        let url = feed(&lede, "A teaser.");
        let (feed_view, item) = followed(&ada, &url).await;
        let before = ada.json(&format!("/api/items/{item}")).await;
        assert_eq!(before["full_content"], Value::Null);
        assert_eq!(before["reading_minutes"], 1);
        assert!(
            lede.site.requests("/story").is_empty(),
            "nobody waits for it"
        );

        run_queues(&lede).await;
        let after = ada.json(&format!("/api/items/{item}")).await;
        let full = after["full_content"].as_str().unwrap();
        assert!(full.contains("lighthouses"));
        assert!(!full.contains("Home"));
        assert_eq!(after["content"], before["content"], "the feed's own stays");
        assert!(after["excerpt"].as_str().unwrap().contains("lighthouses"));
        assert_eq!(after["summary"], "A teaser.", "so does its summary");

        assert_eq!(after["reading_minutes"], 2);
        let listed = ada.get("/").await.expect(200).text;
        assert!(listed.contains("<span class=\"minutes\">2 min read</span>"));

        run_queues(&lede).await;
        assert_eq!(lede.site.requests("/story").len(), 1, "once");

        feed(&lede, "Another teaser.");
        let refresh = format!("/api/feeds/{}/refresh", feed_view["id"]);
        ada.post(&refresh, json!({})).await.expect(200);
        let changed = ada.json(&format!("/api/items/{item}")).await;
        assert_ne!(changed["content"], after["content"]);
        assert_eq!(
            changed["reading_minutes"], 2,
            "it is the article that is read"
        );
    })
    .await;
}

#[tokio::test]
async fn both_texts_are_found_and_a_preview_sees_what_a_rule_would_have_seen() {
    on_each_engine(async |lede: TestLede| {
        lede.site.put("/story", page("lighthouses"));
        let ada = lede.admin().await;
        let url = feed(&lede, "A teaser about oysters.");
        followed(&ada, &url).await;
        run_queues(&lede).await;
        for (query, found) in [
            ("oysters", 1),
            ("lighthouses", 1),
            ("oysters AND lighthouses", 1),
            ("oysters NOT lighthouses", 0),
            ("whales", 0),
        ] {
            let page = ada
                .json(&format!("/api/posts?search={}", query.replace(' ', "%20")))
                .await;
            assert_eq!(page["total"], found, "{query}");
        }
        let item = ada.json("/api/posts").await["posts"][0]["id"].clone();
        let state = format!("/api/items/{item}/state");
        ada.put(&state, json!({"is_read": true})).await.expect(200);
        for (query, matched) in [
            ("oysters", 1),
            ("lighthouses", 0),
            ("oysters -lighthouses", 1),
            ("title:story is:unread", 1),
            ("is:read oysters", 0),
            ("oysters OR lighthouses", 1),
        ] {
            let preview = ada
                .post("/api/rules/preview", json!({"query": query}))
                .await;
            let preview = preview.expect(200).json();
            assert_eq!(preview["matched"], matched, "{query}");
            let shown = preview["items"].as_array().unwrap().len();
            assert_eq!(json!(shown), preview["matched"], "{query}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_item_says_by_which_hash_its_summary_is_asked_for_anew() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let url = feed(&lede, "Text.");
        let (_, item) = followed(&ada, &url).await;
        let hash = ada.json(&format!("/api/items/{item}")).await["content_hash"].clone();
        let path = "/api/admin/reprocess-summary";
        let body = json!({"content_hash": hash});
        // Well formed, but this version writes no summaries.
        ada.post(path, body).await.expect(409);
    })
    .await;
}

#[tokio::test]
async fn a_long_item_and_one_whose_reader_declined_are_left_alone() {
    on_each_engine(async |lede: TestLede| {
        lede.site.put("/story", page("lighthouses"));
        let ada = lede.admin().await;
        let long = "Enough words. ".repeat(200);
        let url = feed(&lede, &long);
        let (feed_view, _) = followed(&ada, &url).await;
        run_queues(&lede).await;
        assert!(lede.site.requests("/story").is_empty());

        let settings = format!(
            "/api/subscriptions/{}/settings",
            feed_view["subscription_id"]
        );
        let changed = ada.put(&settings, json!({"full_text": false})).await;
        assert_eq!(changed.expect(200).json()["full_text"], false);
        feed(&lede, "Now a teaser.");
        let refresh = format!("/api/feeds/{}/refresh", feed_view["id"]);
        ada.post(&refresh, json!({})).await.expect(200);
        run_queues(&lede).await;
        assert!(lede.site.requests("/story").is_empty());
        for refused in [json!(15), json!(45), json!(750), json!(-30)] {
            ada.put(&settings, json!({"fetch_interval_minutes": refused}))
                .await
                .expect(400);
        }
        let changed = ada
            .put(&settings, json!({"fetch_interval_minutes": 90}))
            .await;
        let changed = changed.expect(200).json();
        assert_eq!(changed["fetch_interval_minutes"], 90);
        assert_eq!(changed["full_text"], false, "what is absent stays");
    })
    .await;
}

#[tokio::test]
async fn an_article_that_cannot_be_had_costs_nothing_and_is_tried_again_after_a_day() {
    on_each_engine(async |lede: TestLede| {
        lede.site.put("/story", Reply::status(500));
        let ada = lede.admin().await;
        let url = feed(&lede, "A teaser.");
        let (feed_view, item) = followed(&ada, &url).await;
        run_queues(&lede).await;
        let article = format!("/api/items/{item}/article");
        let answer = ada.post(&article, json!({})).await.expect(200).json();
        assert_eq!(answer["full_content"], Value::Null);
        assert_eq!(lede.site.requests("/story").len(), 1, "tried today");
        let feed_now = ada.json(&format!("/api/feeds/{}", feed_view["id"])).await;
        assert_eq!(feed_now["status"], "active");
        assert_eq!(feed_now["last_error"], Value::Null);

        lede.site.put("/story", page("lighthouses"));
        lede.clock
            .advance(std::time::Duration::from_secs(25 * 3600));
        let ada = lede.admin().await;
        let answer = ada.post(&article, json!({})).await.expect(200).json();
        assert!(
            answer["full_content"]
                .as_str()
                .unwrap()
                .contains("lighthouses")
        );
    })
    .await;
}

#[tokio::test]
async fn a_page_that_says_less_than_the_feed_is_not_taken() {
    on_each_engine(async |lede: TestLede| {
        lede.site.put("/story", page("x"));
        let ada = lede.admin().await;
        let url = feed(&lede, &"Longer than the page. ".repeat(65));
        let (_, item) = followed(&ada, &url).await;
        let shorter = "<article><p>Only a few words here, though enough of them to be an article at \
            all, which takes two hundred characters, so this goes on a little, and then a little \
            more, until it is long enough for that.</p></article>";
        lede.site
            .put("/story", Reply::body("text/html", shorter.to_owned()));
        run_queues(&lede).await;
        assert_eq!(lede.site.requests("/story").len(), 1);
        let after = ada.json(&format!("/api/items/{item}")).await;
        assert_eq!(after["full_content"], Value::Null);
    })
    .await;
}

#[tokio::test]
async fn an_operator_switches_articles_off() {
    let options = Options {
        fetches_articles: false,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        lede.site.put("/story", page("lighthouses"));
        let ada = lede.admin().await;
        let url = feed(&lede, "A teaser.");
        let (_, item) = followed(&ada, &url).await;
        run_queues(&lede).await;
        ada.post(&format!("/api/items/{item}/article"), json!({}))
            .await
            .expect(200);
        assert!(lede.site.requests("/story").is_empty());
    })
    .await;
}

#[tokio::test]
async fn the_page_offers_the_article_and_shows_it() {
    on_each_engine(async |lede: TestLede| {
        lede.site.put("/story", page("lighthouses"));
        let ada = lede.admin().await;
        let url = feed(&lede, "A teaser.");
        let (_, item) = followed(&ada, &url).await;
        let browser = lede.browser().await;
        let path = format!("/items/{item}");
        let text = browser.get(&path).await.expect(200).text;
        assert!(text.contains(r#"hx-trigger="load""#), "{text}");
        let action = format!("{path}/article");
        browser.fill(&path, &action, &[]).await.expect(303);
        let text = browser.get(&path).await.expect(200).text;
        assert!(text.contains("lighthouses"));
        assert!(!text.contains("Fetch full article"));
    })
    .await;
}

#[tokio::test]
async fn enclosures_tags_and_comments_of_an_item_are_stored() {
    on_each_engine(async |lede: TestLede| {
        let xml = "<rss version='2.0' xmlns:media='http://search.yahoo.com/mrss/'><channel><title>Pod</title>
            <item><title>Episode</title><guid>1</guid><description>Talk.</description>
            <category>Sea</category><category><![CDATA[<b>Lights</b>]]></category><category>Sea</category>
            <comments>https://site.example/talk</comments>
            <media:thumbnail url='https://site.example/small.jpg'/>
            <enclosure url='https://site.example/1.mp3' type='audio/mpeg' length='1234'/>
            <enclosure url='javascript:alert(1)' type='audio/mpeg'/>
            </item></channel></rss>";
        let url = lede
            .site
            .put("/feed.xml", Reply::body("application/rss+xml", xml));
        let ada = lede.admin().await;
        let (_, item) = followed(&ada, &url).await;
        let item = ada.json(&format!("/api/items/{item}")).await;
        assert_eq!(item["categories"], json!(["Sea", "Lights"]));
        assert_eq!(item["comments_url"], "https://site.example/talk");
        assert_eq!(item["image_url"], "https://site.example/small.jpg");
        assert_eq!(
            item["enclosures"],
            json!([{"url": "https://site.example/1.mp3", "mime_type": "audio/mpeg", "size": 1234}])
        );
    })
    .await;
}

#[tokio::test]
async fn the_icon_of_a_site_is_found_checked_and_served_to_its_followers() {
    on_each_engine(async |lede: TestLede| {
        let html = "<link rel=icon href=/drawing.svg type=image/svg+xml>
            <link rel=icon href=/script.png><link rel=apple-touch-icon href=/touch.png>";
        lede.site.put("/", Reply::body("text/html", html));
        lede.site.put(
            "/script.png",
            Reply::body("image/png", "<script>alert(1)</script>"),
        );
        lede.site.put("/touch.png", Reply::picture());
        let ada = lede.admin().await;
        let url = feed(&lede, "A teaser.");
        let (feed_view, _) = followed(&ada, &url).await;
        assert_eq!(feed_view["favicon_url"], Value::Null);
        run_queues(&lede).await;
        let path = format!("/api/feeds/{}/favicon", feed_view["id"]);
        let feeds = ada.json("/api/feeds").await;
        assert_eq!(feeds[0]["favicon_url"], path.as_str());
        let icon = ada.get(&path).await.expect(200);
        assert_eq!(icon.header("content-type"), "image/gif");
        assert_eq!(
            icon.header("content-security-policy"),
            "default-src 'none'; sandbox"
        );
        assert_eq!(icon.header("x-content-type-options"), "nosniff");
        assert!(lede.site.requests("/drawing.svg").is_empty());

        lede.clock
            .advance(std::time::Duration::from_secs(31 * 24 * 3600));
        lede.site.put("/touch.png", Reply::status(404));
        run_queues(&lede).await;
        let ada = lede.admin().await;
        ada.get(&path).await.expect(200);
        assert_eq!(
            lede.site.requests("/touch.png").len(),
            2,
            "looked for again, and the old one kept"
        );
    })
    .await;
}

/// Sets the texts of one item: the feed's, which has a link to `page` and these further elements.
fn feed_with(lede: &TestLede, page: &str, text: &str, more: &str) -> String {
    let xml = format!(
        "<rss version='2.0'><channel><title>Daily</title><item><title>Story</title><link>{page}</link>
         <guid>1</guid><description><![CDATA[{text}]]></description>{more}</item></channel></rss>"
    );
    lede.site
        .put("/feed.xml", Reply::body("application/rss+xml", xml))
}

#[tokio::test]
async fn the_text_of_the_feed_is_replaced_only_by_more_of_it() {
    let own = "<p>An opinion about it that is nowhere on the page, but ends here.</p>";
    let same = "<p>This is a sentence about lighthouses, long enough to be taken for pro…</p>";
    let file = "<enclosure url='https://site.example.org/1.mp3' type='audio/mpeg'/>";
    for (text, more, shows_article) in [(same, "", true), (own, "", false), (same, file, false)] {
        on_each_engine(async |lede: TestLede| {
            lede.site.put("/story", page("lighthouses"));
            let ada = lede.admin().await;
            let link = format!("http://{}/story", lede.site.address());
            let (feed, item) = followed(&ada, &feed_with(&lede, &link, text, more)).await;
            run_queues(&lede).await;
            let browser = lede.browser().await;
            let path = format!("/items/{item}");
            let shown = browser.get(&path).await.expect(200).text;
            let is_article = |shown: &str| shown.contains("articles have more than one sentence");
            assert_eq!(is_article(&shown), shows_article, "{text} {more}");
            // A user's choice is remembered, and both texts stay.
            let switch = format!("{path}/text");
            for (choice, expected) in [("full", true), ("feed", false), ("full", true)] {
                browser
                    .fill(&path, &switch, &[("text", choice)])
                    .await
                    .expect(303);
                let shown = browser.get(&path).await.expect(200).text;
                assert_eq!(is_article(&shown), expected, "{choice}");
            }
            // Without full text the feed's is shown at once.
            let settings = format!("/api/subscriptions/{}/settings", feed["subscription_id"]);
            ada.put(&settings, json!({"full_text": false}))
                .await
                .expect(200);
            let shown = browser.get(&path).await.expect(200).text;
            assert!(!is_article(&shown));
        })
        .await;
    }
}
