//! Services to send items to: stored with the account and linked from each item.

use lede_testkit::http::Http;
use lede_testkit::{Reply, TestLede, on_each_engine};
use serde_json::{Value, json};

use crate::store::rows;

const PREFERENCES: &str = "/api/users/me/preferences";

fn service(name: &str, address: &str) -> Value {
    json!({ "name": name, "address": address })
}

async fn kept(reader: &Http) -> Value {
    reader.json(PREFERENCES).await["send_to"].clone()
}

#[tokio::test]
async fn usable_services_are_stored() {
    on_each_engine(async |lede: TestLede| {
        let admin = lede.admin().await;
        assert_eq!(kept(&admin).await, json!([]));
        let chosen = json!([
            service(" Keep ", " https://keep.example/add?u={url}&t={title} "),
            service("Mail", "mailto:me@example.org?subject={title}&body={url}"),
        ]);
        admin.patch(PREFERENCES, json!({ "send_to": chosen })).await.expect(200);
        let both = json!([
            service("Keep", "https://keep.example/add?u={url}&t={title}"),
            service("Mail", "mailto:me@example.org?subject={title}&body={url}"),
        ]);
        assert_eq!(kept(&admin).await, both);

        let good = "https://keep.example/?u={url}";
        let long = format!("{good}{}", "a".repeat(500));
        for (wrong, why) in [
            (service("Bad", "javascript:alert({url})"), "the address of a service must begin with https://, http:// or mailto:"),
            (service("Bad", "https://keep.example/"), "the address of a service must have {url} where the address of the item goes"),
            (service("Bad", "https://keep.example/?{url}{text}"), "nothing of an item goes in at {text}; only its url and its title do"),
            (service("Bad", "https://{url}/"), "the item goes into the address of a service only after the server’s name, or after the ? of mailto:"),
            (service("Bad", &long), "the address of a service has at most 500 characters"),
            (service(" ", good), "the service needs a name"),
            (service(&"a".repeat(41), good), "the name of a service has at most 40 characters"),
        ] {
            let list = json!({"send_to": [service("Good", good), wrong]});
            let refused = admin.patch(PREFERENCES, list).await.expect(400).json();
            assert_eq!(refused["fields"], json!({"send_to[1]": why}), "{wrong}");
            assert!(refused["field_codes"]["send_to[1]"].is_string(), "{refused}");
        }
        let crowd = json!({"send_to": vec![service("Keep", good); 13]});
        let refused = admin.patch(PREFERENCES, crowd).await.expect(400).json();
        assert_eq!(refused["fields"]["send_to"], "you can have 12 services, and no more");
        assert_eq!(kept(&admin).await, both);
        let most = json!({"send_to": vec![service("Keep", good); 12]});
        admin.patch(PREFERENCES, most).await.expect(200);
        admin.patch(PREFERENCES, json!({"send_to": []})).await.expect(200);
        assert_eq!(kept(&admin).await, json!([]));
    })
    .await;
}

#[tokio::test]
async fn an_open_item_links_to_each_service_and_to_none_where_there_is_none() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        let admin = lede.admin().await;
        let feed = "<rss version='2.0'><channel><title>Talk</title>
            <item><title>“Q&amp;amp;A” &amp;lt;b&amp;gt; 東京</title><guid>1</guid><link>https://site.example/?a=1&amp;b=2</link></item>
            <item><title>Nowhere</title><guid isPermaLink='false'>2</guid></item></channel></rss>";
        let url = lede.site.put("/feed.xml", Reply::body("application/rss+xml", feed));
        let added = admin.post("/api/feeds", json!({ "url": url })).await;
        let feed = added.expect(201).json()["id"].clone();
        let items = admin.json(&format!("/api/feeds/{feed}/items")).await["items"].clone();
        let id = |title: &str| {
            let mut all = items.as_array().unwrap().iter();
            let item = all.find(|item| item["title"].as_str().unwrap().contains(title));
            item.unwrap()["id"].clone()
        };
        let view = async |title: &str| browser.get(&format!("/items/{}/view", id(title))).await.expect(200).text;
        assert!(!view("東京").await.contains("class=\"send\""));

        let services = json!([
            service("Keep <b>", "https://keep.example/add?u={url}&t={title}"),
            service("Mail", "mailto:?subject={title}&body={url}"),
        ]);
        admin.patch(PREFERENCES, json!({ "send_to": services })).await.expect(200);
        let page = format!("/items/{}", id("東京"));
        for text in [view("東京").await, browser.get(&page).await.expect(200).text] {
            let link = "<a href=\"https://keep.example/add?u=https%3A%2F%2Fsite.example%2F%3Fa%3D1%26b%3D2&#38;t=%E2%80%9CQ%26A%E2%80%9D%20%3Cb%3E%20%E6%9D%B1%E4%BA%AC\" target=\"_blank\" rel=\"noopener noreferrer\" dir=\"auto\">Keep &#60;b&#62;</a>";
            assert!(text.contains(link), "{text}");
            let mail = "<a href=\"mailto:?subject=%E2%80%9CQ%26A%E2%80%9D%20%3Cb%3E%20%E6%9D%B1%E4%BA%AC&#38;body=https%3A%2F%2Fsite.example%2F%3Fa%3D1%26b%3D2\" dir=\"auto\">Mail</a>";
            assert!(text.contains(mail), "{text}");
        }
        assert!(!view("Nowhere").await.contains("class=\"send\""), "there is nothing to send");
    })
    .await;
}

#[tokio::test]
async fn services_are_added_and_removed_without_script() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        let path = "/settings/services";
        for fields in [
            vec![("ready", "E-mail"), ("server", "")],
            vec![("ready", "linkding"), ("server", "links.example/mine/")],
            vec![
                ("name", "Own"),
                ("address", "http://localhost:9090/?u={url}"),
            ],
        ] {
            let added = browser.fill("/settings", path, &fields).await.expect(303);
            assert_eq!(added.header("location"), "/settings?done=service#services");
        }
        let own = service("Own", "http://localhost:9090/?u={url}");
        let linkding = service(
            "linkding",
            "https://links.example/mine/bookmarks/new?url={url}&title={title}",
        );
        let mail = service("E-mail", "mailto:?subject={title}&body={url}");
        assert_eq!(kept(&browser).await, json!([mail, linkding, own]));

        // A refused form keeps the typed values so that they can be corrected.
        for (fields, why, typed) in [
            (
                vec![("ready", "wallabag"), ("server", " ")],
                "Enter the address of your wallabag: it runs on your own server. Nothing changed.",
                "<option value=\"wallabag\" selected>",
            ),
            (
                vec![("ready", "wallabag"), ("server", "ftp://x.example")],
                "only http and https addresses can be followed, not ftp:",
                "value=\"ftp://x.example\"",
            ),
            (
                vec![("name", "Odd"), ("address", "javascript:{url}")],
                "The address of a service must begin with https://, http:// or mailto:.",
                "value=\"javascript:{url}\"",
            ),
            (
                vec![],
                "The service needs a name. Nothing changed.",
                "id=\"service-name\"",
            ),
        ] {
            let page = browser
                .fill("/settings", path, &fields)
                .await
                .expect(400)
                .text;
            assert!(page.contains(why) && page.contains(typed), "{why}: {page}");
        }
        let fields = [
            ("name", "Own"),
            ("address", "http://localhost:9090/?u={url}"),
        ];
        for _ in 3..12 {
            browser.fill("/settings", path, &fields).await.expect(303);
        }
        let full = browser
            .fill("/settings", path, &fields)
            .await
            .expect(400)
            .text;
        assert!(full.contains("You can have 12 services at most."));
        assert!(
            !full.contains("id=\"service-ready\""),
            "nothing is offered that cannot be had"
        );

        let remove = "/settings/services/remove";
        let gone = [
            ("name", "E-mail"),
            ("address", "mailto:?subject={title}&body={url}"),
        ];
        let removed = browser.fill("/settings", remove, &gone).await.expect(303);
        assert_eq!(
            removed.header("location"),
            "/settings?done=no-service#services"
        );
        browser.fill("/settings", remove, &gone).await.expect(404);
        let left = kept(&browser).await;
        assert_eq!((left.as_array().unwrap().len(), &left[0]), (11, &linkding));
    })
    .await;
}

#[tokio::test]
async fn settings_of_another_version_are_read_as_far_as_possible() {
    on_each_engine(async |lede: TestLede| {
        let admin = lede.admin().await;
        let kept = json!({
            "theme": "dark",
            "keys": {"of_tomorrow": "y", "star": "f", "undo": "two"},
            "send_to": [
                service("Bad", "javascript:alert({url})"),
                service("Later", "https://keep.example/?u={url}&x={excerpt}"),
                service("Keep", "https://keep.example/?u={url}"),
                {"kind": "of tomorrow"},
                7,
            ],
        });
        let sql = format!("UPDATE account SET preferences = '{kept}'");
        rows(lede.lede.store.place(), &sql);
        let shown = admin.json(PREFERENCES).await;
        assert_eq!(shown["theme"], "dark");
        assert_eq!(
            (&shown["keys"]["star"], &shown["keys"]["undo"]),
            (&json!("f"), &json!("z"))
        );
        let keep = service("Keep", "https://keep.example/?u={url}");
        assert_eq!(shown["send_to"], json!([keep]));
    })
    .await;
}
