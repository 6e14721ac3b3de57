//! The dashboard's HTML partials over HTTP, and their effect on the list of feeds.

use std::time::Duration;

use http::Method;
use lede_model::user::Role;
use lede_testkit::http::{Answer, Http};
use lede_testkit::{Options, Reply, TestLede, on_each_engine, on_each_engine_with};
use serde_json::{Value, json};

use crate::store::rows;

/// Submits the form for a new feed.
async fn add(who: &Http, name: &str, url: &str) -> Answer {
    who.form("/feeds", &[("name", name), ("url", url)]).await
}

async fn change(who: &Http, feed: &Value, name: &str, url: &str) -> Answer {
    let path = format!("/feeds/{feed}");
    let fields = [("name", name), ("url", url)];
    who.send_form(Method::PATCH, &path, &fields).await
}

/// The feed names in a list, in order.
fn names(list: &Answer) -> Vec<String> {
    let rows = list.text.split("class=\"feed-name\"").skip(1);
    rows.map(|row| row.split(['>', '<']).nth(1).unwrap().to_owned())
        .collect()
}

async fn listed(who: &Http, query: &str) -> Vec<String> {
    names(&who.get(&format!("/feeds{query}")).await.expect(200))
}

/// The user's feeds, as the JSON API lists them.
async fn feeds(who: &Http) -> Vec<Value> {
    who.json("/api/feeds").await.as_array().unwrap().clone()
}

#[track_caller]
fn is_retargeted(answer: &Answer, target: &str) {
    assert_eq!(answer.header("hx-retarget"), target);
    assert_eq!(answer.header("hx-reswap"), "innerHTML");
    assert!(answer.header("content-type").starts_with("text/html"));
}

#[track_caller]
fn is_done(answer: &Answer) {
    assert_eq!(answer.status.as_u16(), 204, "{}", answer.text);
    assert_eq!(answer.header("hx-trigger"), "refreshFeedList");
    assert_eq!(answer.text, "");
}

#[tokio::test]
async fn the_frame_is_filled_from_its_address_and_loads_the_rest() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let page = ada.get("/dashboard?search=A%22%3Cb&status=error&page=3");
        let page = page.await.expect(200).text;
        for part in [
            r#"<form id="feed-filters""#,
            r##"hx-get="/feeds" hx-target="#feed-list-container" hx-trigger="change, submit"##,
            r#"name="search" type="search" maxlength="255" value="A&#34;&#60;b""#,
            r#"<option value="error" selected>"#,
            r##"<div id="feed-list-container" hx-get="/feeds" hx-trigger="load, refreshFeedList from:body" hx-include="#feed-filters">"##,
            r#"<input type="hidden" name="page" value="3" form="feed-filters">"#,
            r#"<div id="summary-container" hx-get="/summaries/latest" hx-trigger="load">"#,
            r##"hx-post="/feeds" hx-swap="none" hx-include="#feed-filters""##,
            r#"<div id="feed-add-form-errors" role="alert"></div>"#,
            "ada@example.org",
        ] {
            assert!(page.contains(part), "{part}");
        }
        let plain = ada.get("/dashboard?search=&status=&page=").await.expect(200);
        assert!(plain.text.contains(r#"<option value="all" selected>"#));
        for query in ["status=odd", "page=0", "page=x", "page=-1"] {
            let page = ada.get(&format!("/dashboard?{query}")).await.expect(400);
            assert!(page.text.contains("Invalid filter parameters"), "{query}");
            assert!(page.text.contains("feed-list-container"), "{query}");
            let list = ada.get(&format!("/feeds?{query}")).await.expect(400);
            assert!(list.text.contains("Invalid query parameters"), "{query}");
            assert!(!list.text.contains("<html"), "{query}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_feed_is_added_at_once_and_fetched_in_the_background() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let empty = ada.get("/feeds").await.expect(200);
        assert!(empty.text.contains("You aren’t following any feeds yet"));

        let url = lede
            .site
            .put("/feed.xml", Reply::rss("Daily", &[("One", "text")]));
        is_done(&add(&ada, "  My   daily ", &format!(" {url} ")).await);
        assert!(
            lede.site.requests("/feed.xml").is_empty(),
            "nobody waited for it"
        );
        let list = ada.get("/feeds?status=pending").await.expect(200);
        assert_eq!(names(&list), ["My daily"]);
        assert!(list.text.contains(&url));
        assert!(
            list.text.contains("hx-trigger=\"every 5s\""),
            "it looks again"
        );
        let feed = &feeds(&ada).await[0];
        assert_eq!(feed["next_fetch_why"], "it is new here");
        let noted = rows(
            lede.place(),
            "SELECT event_type, metadata FROM event WHERE event_type = 'feed_added'",
        );
        assert_eq!(
            noted,
            [format!("feed_added|{{\"feed_id\": {}}}", feed["id"])]
        );

        lede.work().await;
        assert_eq!(listed(&ada, "?status=pending").await, [""; 0]);
        let list = ada.get("/feeds?status=working").await.expect(200);
        assert_eq!(
            names(&list),
            ["My daily"],
            "the publisher's name does not replace it"
        );
        assert!(!list.text.contains("every 5s"));
        assert_eq!(feeds(&ada).await[0]["unread_count"], 1);
    })
    .await;
}

#[tokio::test]
async fn errors_of_a_new_feed_are_shown_below_the_form() {
    let options = Options {
        max_subscriptions: 1,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let ada = lede.admin().await;
        let long = "x".repeat(256);
        let odd = "Invalid URL format. Must start with http:// or https://";
        for (name, url, told) in [
            ("", "https://example.org/", "Feed name is required"),
            (" \u{3000}", "https://example.org/", "Feed name is required"),
            (
                &long,
                "https://example.org/",
                "Feed name must be less than 255 characters",
            ),
            (
                "a\u{1}b",
                "https://example.org/",
                "must not contain control characters",
            ),
            ("Name", "", "Feed URL is required"),
            ("Name", "example.org", odd),
            ("Name", "ftp://example.org/", odd),
            ("Name", "javascript:alert(1)", odd),
            ("Name", "https://", odd),
            ("Name", "http://a b/", odd),
            (
                "Name",
                "http://me:secret@example.org/",
                "user name or password",
            ),
            (
                "Name",
                &format!("https://example.org/{}", "x".repeat(2048)),
                "at most 2048",
            ),
        ] {
            let answer = add(&ada, name, url).await.expect(400);
            is_retargeted(&answer, "#feed-add-form-errors");
            assert!(answer.text.contains(told), "{name} {url}: {}", answer.text);
        }
        let both = add(&ada, "", "").await.expect(400).text;
        assert!(both.contains(r#"<li data-field="name">Feed name is required</li>"#));
        assert!(both.contains(r#"<li data-field="url">Feed URL is required</li>"#));
        ada.form("/feeds", &[]).await.expect(400);

        is_done(&add(&ada, &"x".repeat(255), "https://example.org/a").await);
        let full = add(&ada, "Other", "https://example.org/b")
            .await
            .expect(409);
        is_retargeted(&full, "#feed-add-form-errors");
        assert!(
            full.text.contains("which is the limit here"),
            "{}",
            full.text
        );
        let japanese = ada.with_header("accept-language", "ja");
        let answer = add(&japanese, "", "https://example.org/").await.expect(400);
        assert!(answer.text.contains("フィードの名前を入力してください"));
    })
    .await;
}

#[tokio::test]
async fn a_feed_is_followed_once_and_viewers_follow_what_is_known() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let url = lede
            .site
            .put("/feed.xml", Reply::rss("Daily", &[("One", "text")]));
        let vera = lede.person("vera@example.org", Role::Viewer).await;
        let refused = add(&vera, "Mine", &url).await.expect(403);
        is_retargeted(&refused, "#feed-add-form-errors");
        assert_eq!(rows(lede.place(), "SELECT id FROM feed"), [""; 0]);

        is_done(&add(&ada, "Daily", &url).await);
        let twice = add(&ada, "Again", &url).await.expect(409);
        is_retargeted(&twice, "#feed-add-form-errors");
        let told = r#"<li data-field="url">You have already added this feed</li>"#;
        assert!(twice.text.contains(told), "{}", twice.text);
        lede.work().await;

        is_done(&add(&vera, "Daily", &url).await);
        let feed = &feeds(&vera).await[0];
        assert_eq!(feed["unread_count"], 1, "what is here is there to read");
        let own = rows(
            lede.place(),
            "SELECT COALESCE(title, '-') FROM subscription ORDER BY id",
        );
        assert_eq!(own, ["Daily", "-"], "the publisher's name is nobody's own");
    })
    .await;
}

#[tokio::test]
async fn adding_a_feed_that_was_given_up_tries_it_again() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let url = lede.site.put("/feed.xml", Reply::status(410));
        is_done(&add(&ada, "Gone", &url).await);
        lede.work().await;
        let list = ada.get("/feeds?status=error").await.expect(200);
        assert_eq!(names(&list), ["Gone"]);
        assert!(list.text.contains("410"), "{}", list.text);
        assert!(list.text.contains("Lede has stopped trying."));

        lede.site
            .put("/feed.xml", Reply::rss("Back", &[("One", "text")]));
        let ben = lede.person("ben@example.org", Role::Member).await;
        is_done(&add(&ben, "Back", &url).await);
        lede.work().await;
        assert_eq!(listed(&ben, "?status=working").await, ["Back"]);
    })
    .await;
}

#[tokio::test]
async fn feeds_are_found_by_name_and_status_and_shown_by_the_twenty() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        for number in 0..45 {
            let url = format!("https://example.org/{number}");
            is_done(&add(&ada, &format!("Über {number:02} & <b>"), &url).await);
        }
        let first = ada.get("/feeds").await.expect(200);
        assert_eq!(names(&first).len(), 20);
        assert_eq!(names(&first)[0], "Über 00 &#38; &#60;b&#62;");
        assert!(first.text.contains("45 feeds"));
        assert!(first.text.contains("Page 1 of 3"));
        assert!(!first.text.contains("feeds-previous"));
        let next = r##"hx-get="/feeds?search=&#38;status=all&#38;page=2" hx-target="#feed-list-container" hx-include="#feed-filters""##;
        assert!(first.text.contains(next), "{}", first.text);
        let address = first.header("hx-replace-url");
        assert_eq!(address, "/dashboard?search=&status=all&page=1");

        // A link carries its own parameters and htmx appends those of the form: the first ones count.
        let second = listed(&ada, "?search=&status=all&page=2&search=x&status=error&page=1").await;
        assert_eq!(second[0], "Über 20 &#38; &#60;b&#62;");
        let last = ada.get("/feeds?page=99").await.expect(200);
        assert_eq!(names(&last).len(), 5, "beyond the end is the end");
        assert!(last.text.contains("Page 3 of 3"));
        assert!(!last.text.contains("feeds-next"));

        assert_eq!(listed(&ada, "?search=%C3%BCBER+1").await.len(), 10, "in capitals or not");
        assert_eq!(listed(&ada, "?search=%25").await, [""; 0], "no letter is special");
        assert_eq!(listed(&ada, "?status=pending").await.len(), 20);
        for query in ["?status=working", "?status=error", "?search=nothing"] {
            let list = ada.get(&format!("/feeds{query}")).await.expect(200);
            assert!(list.text.contains("No matching feeds"), "{query}");
        }
        let ben = lede.person("ben@example.org", Role::Member).await;
        assert_eq!(listed(&ben, "").await, [""; 0], "others' feeds are others'");
    })
    .await;
}

#[tokio::test]
async fn a_feed_is_edited_in_its_place() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let ben = lede.person("ben@example.org", Role::Member).await;
        let url = lede
            .site
            .put("/feed.xml", Reply::rss("Daily", &[("One", "text")]));
        for who in [&ada, &ben] {
            is_done(&add(who, "Mine", &url).await);
        }
        lede.work().await;
        let feed = feeds(&ada).await[0]["id"].clone();
        let form = ada
            .get(&format!("/feeds/{feed}/edit"))
            .await
            .expect(200)
            .text;
        for part in [
            format!("hx-patch=\"/feeds/{feed}\" hx-swap=\"none\" hx-include=\"#feed-filters\""),
            format!("<div id=\"feed-edit-form-errors-{feed}\" role=\"alert\"></div>"),
            "value=\"Mine\"".to_owned(),
            format!("value=\"{url}\""),
        ] {
            assert!(form.contains(&part), "{part}");
        }
        let target = format!("#feed-edit-form-errors-{feed}");
        let wrong = change(&ada, &feed, "", "nowhere").await.expect(400);
        is_retargeted(&wrong, &target);
        assert!(wrong.text.contains("Feed name is required"));
        assert!(wrong.text.contains("Invalid URL format"));

        is_done(&change(&ada, &feed, "Renamed", &url).await);
        assert_eq!(listed(&ada, "").await, ["Renamed"]);
        assert_eq!(listed(&ben, "").await, ["Mine"], "what others see stays");
        assert_eq!(
            feeds(&ada).await[0]["unread_count"],
            1,
            "nothing was forgotten"
        );
        is_done(&change(&ada, &feed, "Daily", &url).await);
        let own = rows(
            lede.place(),
            "SELECT COALESCE(title, '-') FROM subscription ORDER BY id",
        );
        assert_eq!(
            own,
            ["-", "Mine"],
            "the publisher's name is the publisher's"
        );

        let other = lede
            .site
            .put("/other.xml", Reply::rss("Other", &[("Two", "text")]));
        is_done(&change(&ada, &feed, "Moved", &other).await);
        assert!(
            lede.site.requests("/other.xml").is_empty(),
            "nobody waited for it"
        );
        assert_eq!(listed(&ada, "?status=pending").await, ["Moved"]);
        lede.work().await;
        assert_eq!(listed(&ada, "?status=working").await, ["Moved"]);
        let moved = &feeds(&ada).await[0];
        assert_ne!(moved["id"], feed, "the shared feed was not edited");
        assert_eq!(moved["feed_url"], other);
        assert_eq!(feeds(&ben).await[0]["feed_url"], url);

        is_done(&add(&ada, "Daily", &url).await);
        let taken = change(&ada, &moved["id"], "Moved", &url).await.expect(409);
        is_retargeted(&taken, &format!("#feed-edit-form-errors-{}", moved["id"]));
        let told = r#"<li data-field="url">A feed with this URL already exists</li>"#;
        assert!(taken.text.contains(told), "{}", taken.text);
    })
    .await;
}

#[tokio::test]
async fn a_feed_is_deleted_from_ones_own_list_only() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let ben = lede.person("ben@example.org", Role::Member).await;
        for who in [&ada, &ben] {
            is_done(&add(who, "Daily", "https://example.org/feed").await);
        }
        let feed = feeds(&ada).await[0]["id"].clone();
        is_done(
            &ada.delete(&format!("/feeds/{feed}?search=&status=all"))
                .await,
        );
        assert_eq!(listed(&ada, "").await, [""; 0]);
        assert_eq!(listed(&ben, "").await, ["Daily"]);

        for id in [feed.to_string(), "999999".to_owned()] {
            let gone = ada.delete(&format!("/feeds/{id}")).await.expect(404);
            is_retargeted(&gone, &format!("#feed-item-{id}-errors"));
            assert!(gone.text.contains("Feed not found"));
            let gone = ada.get(&format!("/feeds/{id}/edit")).await.expect(404);
            assert!(gone.text.contains("Feed not found"));
            let id = id.parse().unwrap();
            let gone = change(&ada, &id, "Name", "https://example.org/")
                .await
                .expect(404);
            is_retargeted(&gone, &format!("#feed-edit-form-errors-{id}"));
            assert!(gone.text.contains("Feed not found"));
        }
        let odd = ada.get("/feeds/odd/edit").await.expect(404);
        assert!(odd.text.contains("Feed not found"));
    })
    .await;
}

#[tokio::test]
async fn there_is_a_place_for_the_digest_that_says_what_is_missing() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let latest = ada.get("/summaries/latest").await.expect(200);
        assert!(latest.text.contains("aren’t available on this server yet"));
        assert!(
            !latest.text.contains("hx-post=\"/summaries\""),
            "it can only fail"
        );
        let none = "No articles found from the last 24 hours";
        let answer = ada.form("/summaries", &[]).await.expect(404);
        assert!(answer.text.contains(none), "{}", answer.text);

        let url = lede
            .site
            .put("/feed.xml", Reply::rss("Daily", &[("One", "text")]));
        ada.post("/api/feeds", json!({ "url": url }))
            .await
            .expect(201);
        let answer = ada.form("/summaries", &[]).await.expect(503);
        assert!(
            answer
                .text
                .contains("AI service is temporarily unavailable")
        );

        lede.clock.advance(Duration::from_secs(25 * 3600));
        let answer = ada.form("/summaries", &[]).await.expect(404);
        assert!(answer.text.contains(none), "{}", answer.text);
    })
    .await;
}

#[tokio::test]
async fn who_is_no_longer_signed_in_comes_back_to_the_whole_page() {
    on_each_engine(async |lede: TestLede| {
        let visitor = lede.visitor();
        let page = visitor.get("/dashboard?status=error").await.expect(303);
        let login = "/auth/login?next=%2Fdashboard%3Fstatus%3Derror";
        assert_eq!(page.header("location"), login);
        let script = visitor
            .with_header("hx-request", "true")
            .with_header("hx-current-url", &lede.url("/dashboard?status=error"));
        for path in ["/feeds", "/feeds/1/edit", "/summaries/latest"] {
            let answer = script.get(path).await.expect(401);
            assert_eq!(answer.header("hx-redirect"), login, "{path}");
        }
        let answer = script.delete("/feeds/1").await.expect(401);
        assert_eq!(answer.header("hx-redirect"), login);
    })
    .await;
}

#[tokio::test]
async fn by_cookie_a_change_needs_the_token_of_the_session() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        let token = browser.get("/dashboard").await.expect(200).csrf_token();
        add(&browser, "Daily", "https://example.org/feed")
            .await
            .expect(403);
        let with_token = browser.with_header("x-csrf-token", &token);
        is_done(&add(&with_token, "Daily", "https://example.org/feed").await);
        let feed = feeds(&lede.admin().await).await[0]["id"].clone();
        let path = format!("/feeds/{feed}");
        browser.delete(&path).await.expect(403);
        is_done(&with_token.delete(&path).await);
    })
    .await;
}

#[tokio::test]
async fn adding_is_limited_like_everywhere() {
    let options = Options {
        rate_limit_enabled: true,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let ada = lede.admin().await;
        for number in 0..10 {
            is_done(&add(&ada, "Name", &format!("https://example.org/{number}")).await);
        }
        let answer = add(&ada, "Name", "https://example.org/more")
            .await
            .expect(429);
        is_retargeted(&answer, "#feed-add-form-errors");
        assert!(
            answer.text.contains("Too many requests."),
            "{}",
            answer.text
        );
        assert!(answer.text.contains("try again"));
    })
    .await;
}

#[tokio::test]
async fn the_dashboard_speaks_the_language_that_its_reader_chose() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        for (language, heading) in [("ja", "最新の要約"), ("pt", "Último resumo")] {
            let json = [("content-type", "application/json")];
            let body = json!({ "language": language }).to_string().into_bytes();
            let path = "/api/users/me/preferences";
            let chosen = ada.send(Method::PATCH, path, &json, body).await;
            chosen.expect(200);
            let page = ada.get("/dashboard").await.expect(200);
            assert!(page.text.contains(heading), "{language}");
        }
    })
    .await;
}
