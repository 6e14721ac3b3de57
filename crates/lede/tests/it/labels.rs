//! Labels over the API and on pages: their owner, their names, and the items they are on.

use lede_model::user::Role;
use lede_testkit::http::Http;
use lede_testkit::{Reply, TestLede, on_each_engine};
use serde_json::{Value, json};

use crate::lists::{follow, titles};

/// Runs all futures concurrently and returns their results.
async fn at_once<T: Send + 'static>(
    work: impl Iterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let begun: tokio::task::JoinSet<T> = work.collect();
    begun.join_all().await
}

async fn label(who: &Http, name: &str) -> Value {
    let made = who.post("/api/labels", json!({"name": name})).await;
    made.expect(201).json()["id"].clone()
}

/// A page with a form; all forms of a session share its CSRF token.
const FORM: &str = "/add";

/// Sets the labels of an item and returns those that it has afterwards.
async fn put_on(who: &Http, item: &Value, labels: Value) -> Value {
    let path = format!("/api/items/{item}/labels");
    let set = who.put(&path, json!({"labels": labels})).await;
    set.expect(200).json()["labels"].clone()
}

/// Name and unread count of each label.
async fn shown(who: &Http) -> Vec<String> {
    let all = who.json("/api/labels").await;
    let line = |label: &Value| {
        format!(
            "{} {}",
            label["name"].as_str().unwrap(),
            label["unread_count"]
        )
    };
    all.as_array().unwrap().iter().map(line).collect()
}

#[tokio::test]
async fn labels_are_made_renamed_put_on_items_and_removed() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let ben = lede.person("ben@example.org", Role::Member).await;
        follow(&ada, &lede, "Daily", 3).await;
        assert_eq!(ada.json("/api/labels").await, json!([]));
        let page = ada.json("/api/posts").await;
        let (first, second) = (&page["posts"][0], &page["posts"][1]);
        assert_eq!(first["labels"], json!([]));
        let later = label(&ada, " Read  later ").await;
        // Missing labels are created, and names that differ only in case are one label.
        let has = put_on(
            &ada,
            &first["id"],
            json!(["READ LATER", "Zoo", "zoo", "äpfel"]),
        )
        .await;
        assert_eq!(has, json!(["Read later", "Zoo", "äpfel"]));
        assert_eq!(
            put_on(&ada, &first["id"], has.clone()).await,
            has,
            "twice is once"
        );
        put_on(&ada, &second["id"], json!(["zoo"])).await;
        assert_eq!(shown(&ada).await, ["Read later 1", "Zoo 2", "äpfel 1"]);
        let item = ada.json(&format!("/api/items/{}", first["id"])).await;
        assert_eq!(item["labels"], has);
        assert_eq!(ada.json("/api/posts").await["posts"][0]["labels"], has);
        let state = format!("/api/items/{}/state", first["id"]);
        ada.put(&state, json!({"is_read": true})).await.expect(200);
        assert_eq!(shown(&ada).await, ["Read later 0", "Zoo 1", "äpfel 0"]);

        let path = format!("/api/labels/{later}");
        let renamed = ada.put(&path, json!({"name": "read LATER"})).await;
        assert_eq!(
            renamed.expect(200).json(),
            json!({"id": later, "name": "read LATER", "unread_count": 0})
        );
        let taken = ada.put(&path, json!({"name": "ZOO"})).await.expect(409);
        assert_eq!(taken.json()["code"], "label_exists");
        // Other users have their own labels and cannot see these.
        assert_eq!(ben.json("/api/labels").await, json!([]));
        label(&ben, "Zoo").await;
        for answer in [
            ben.put(&path, json!({"name": "x"})).await,
            ben.put("/api/labels/1000000", json!({"name": "x"})).await,
            ben.delete(&path).await,
            ben.get(&format!("/api/posts?label_id={later}")).await,
            ben.post("/api/posts/mark-read", json!({"label_id": later}))
                .await,
            ben.put(
                &format!("/api/items/{}/labels", first["id"]),
                json!({"labels": []}),
            )
            .await,
        ] {
            answer.expect(404);
        }
        ada.delete(&path).await.expect(204);
        ada.delete(&path).await.expect(404);
        let item = ada.json(&format!("/api/items/{}", first["id"])).await;
        assert_eq!(item["labels"], json!(["Zoo", "äpfel"]));
        assert_eq!(put_on(&ada, &first["id"], json!([])).await, json!([]));
        assert_eq!(
            shown(&ada).await,
            ["Zoo 1", "äpfel 0"],
            "what is on nothing stays"
        );
        assert_eq!(ben.json("/api/labels").await[0]["name"], "Zoo");
    })
    .await;
}

#[tokio::test]
async fn an_invalid_label_is_refused_with_its_reason() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        follow(&ada, &lede, "Daily", 1).await;
        let item = ada.json("/api/posts").await["posts"][0]["id"].clone();
        let path = format!("/api/items/{item}/labels");
        for bad in ["", "  ", "a\nb", &"x".repeat(101)] {
            let refused = ada
                .post("/api/labels", json!({"name": bad}))
                .await
                .expect(400);
            assert!(refused.json()["fields"]["name"].is_string(), "{bad:?}");
            let refused = ada
                .put(&path, json!({"labels": ["good", bad]}))
                .await
                .expect(400);
            assert!(refused.json()["fields"]["labels"].is_string(), "{bad:?}");
        }
        let many: Vec<String> = (0..21).map(|n| format!("n{n:03}")).collect();
        let refused = ada.put(&path, json!({"labels": many})).await.expect(400);
        assert_eq!(
            refused.json()["fields"]["labels"],
            "an item can have at most 20 labels"
        );
        assert_eq!(
            ada.json("/api/labels").await,
            json!([]),
            "nothing is done by halves"
        );
        put_on(&ada, &item, json!(many[..20])).await;
        let same = ada
            .post("/api/labels", json!({"name": "N001"}))
            .await
            .expect(409);
        assert_eq!(same.json()["code"], "label_exists");
        for number in 20..200 {
            label(&ada, &format!("n{number:03}")).await;
        }
        let full = ada
            .post("/api/labels", json!({"name": "more"}))
            .await
            .expect(409);
        assert_eq!(full.json()["code"], "label_limit");
        assert!(
            full.json()["message"]
                .as_str()
                .unwrap()
                .contains("200 labels")
        );
        let full = ada
            .put(&path, json!({"labels": ["more"]}))
            .await
            .expect(409);
        assert_eq!(full.json()["code"], "label_limit");
        let rule = json!({"name": "x", "query": "a", "actions": {"label": "more"}});
        ada.post("/api/rules", rule).await.expect(409);
        let rule = json!({"name": "x", "query": "a", "actions": {"label": " "}});
        let refused = ada.post("/api/rules", rule).await.expect(400);
        assert!(refused.json()["fields"]["label"].is_string());
        assert_eq!(put_on(&ada, &item, json!(["n199"])).await, json!(["n199"]));
    })
    .await;
}

#[tokio::test]
async fn of_many_who_make_the_same_label_one_does() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        follow(&ada, &lede, "Daily", 8).await;
        let page = ada.json("/api/posts").await;
        let posts = page["posts"].as_array().unwrap();
        let made = at_once((0..8).map(|_| {
            let ada = ada.copied();
            async move { ada.post("/api/labels", json!({"name": "One"})).await }
        }))
        .await;
        let mut statuses: Vec<u16> = made.iter().map(|answer| answer.status.as_u16()).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409, 409, 409, 409, 409, 409, 409]);
        let put = posts.iter().map(|post| {
            let (ada, item) = (ada.copied(), post["id"].clone());
            async move { put_on(&ada, &item, json!(["Two", "one"])).await }
        });
        for has in at_once(put).await {
            assert_eq!(has, json!(["One", "Two"]));
        }
        assert_eq!(shown(&ada).await, ["One 8", "Two 8"]);
        // Each request fills the item up to the limit; together they do not exceed it.
        let item = &posts[0]["id"];
        let fill = (0..4).map(|who| {
            let (ada, item) = (ada.copied(), item.clone());
            let names: Vec<String> = (0..20).map(|n| format!("{who}-{n}")).collect();
            async move { put_on(&ada, &item, json!(names)).await }
        });
        at_once(fill).await;
        let shown = ada.json(&format!("/api/items/{item}")).await;
        assert_eq!(shown["labels"].as_array().unwrap().len(), 20);
    })
    .await;
}

#[tokio::test]
async fn a_label_is_a_list_that_is_turned_searched_and_marked_read() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        follow(&ada, &lede, "Daily", 30).await;
        follow(&ada, &lede, "Weekly", 2).await;
        let later = label(&ada, "later").await;
        let all = ada.json("/api/posts?limit=200").await;
        for post in all["posts"].as_array().unwrap().iter().step_by(2) {
            put_on(&ada, &post["id"], json!(["later"])).await;
        }
        let list = format!("/api/posts?label_id={later}");
        let first = ada.json(&format!("{list}&limit=10")).await;
        assert_eq!(
            (&first["total"], &first["has_more"]),
            (&json!(16), &json!(true))
        );
        let cursor = first["next_cursor"].as_str().unwrap();
        let second = ada.json(&format!("{list}&limit=10&cursor={cursor}")).await;
        let mut found = titles(&first);
        found.extend(titles(&second));
        assert_eq!(found.len(), 16);
        let by_number = ada.json(&format!("{list}&limit=10&offset=10")).await;
        assert_eq!(titles(&by_number), titles(&second));
        let turned = ada.json(&format!("{list}&order=oldest&limit=200")).await;
        let mut reversed = titles(&turned);
        reversed.reverse();
        assert_eq!(reversed, found);
        // A cursor is valid only for the list it came from.
        ada.get(&format!("/api/posts?cursor={cursor}"))
            .await
            .expect(400);
        for with in ["feed_id=1", "category_id=1", "history=true"] {
            let refused = ada.get(&format!("{list}&{with}")).await.expect(400);
            assert!(refused.json()["fields"]["label_id"].is_string(), "{with}");
        }
        let state = format!("/api/items/{}/state", first["posts"][3]["id"]);
        ada.put(&state, json!({"is_read": true})).await.expect(200);
        let unread = ada
            .json(&format!("{list}&unread_only=true&limit=200"))
            .await;
        assert_eq!((titles(&unread).len(), &unread["total"]), (15, &json!(15)));
        lede_core::worker::run_queues(&lede.lede).await.unwrap();
        for (query, count) in [
            ("search=label:later", 16),
            ("search=label:LATER%20is:unread", 15),
            ("search=-label:later%20feed:daily", 16),
            ("search=label:other", 0),
            (&format!("search=weekly&label_id={later}"), 2),
        ] {
            let found = ada.json(&format!("/api/posts?limit=200&{query}")).await;
            assert_eq!(titles(&found).len(), count, "{query}");
        }
        // Saved searches count by label too.
        let kept = json!({"name": "Later", "query": "label:later"});
        let kept = ada.post("/api/searches", kept).await.expect(201);
        assert_eq!(kept.json()["unread_count"], 15);
        let marked = ada.post("/api/posts/mark-read", json!({"label_id": later}));
        let marked = marked.await.expect(200).json();
        assert_eq!(marked["marked"], 15);
        assert_eq!(shown(&ada).await, ["later 0"]);
        let left = ada.json("/api/posts?unread_only=true").await;
        assert_eq!(left["total"], 16, "what has no label stays unread");
        let undo = format!("/api/posts/mark-read/{}/undo", marked["undo_id"]);
        let undone = ada.post(&undo, json!({})).await.expect(200);
        assert_eq!(undone.json()["restored"], 15);
        assert_eq!(shown(&ada).await, ["later 15"]);
        let both = json!({"label_id": later, "all": true});
        ada.post("/api/posts/mark-read", both).await.expect(400);
    })
    .await;
}

#[tokio::test]
async fn a_rule_labels_what_comes() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let url = lede
            .site
            .put("/feed.xml", Reply::rss("Feed", &[("Old", "rust")]));
        let feed = ada
            .post("/api/feeds", json!({"url": url}))
            .await
            .expect(201);
        let feed = feed.json()["id"].clone();
        let rule = json!({"name": "Rust", "query": "rust", "actions": {"label": " To  read "}});
        let rule = ada.post("/api/rules", rule).await.expect(201).json();
        assert_eq!(rule["actions"]["label"], "To read");
        assert_eq!(shown(&ada).await, ["To read 0"], "it is there at once");
        let news = [("New", "rust"), ("Other", "go"), ("Old", "rust")];
        lede.site.put("/feed.xml", Reply::rss("Feed", &news));
        let refresh = format!("/api/feeds/{feed}/refresh");
        ada.post(&refresh, json!({})).await.expect(200);
        assert_eq!(shown(&ada).await, ["To read 1"]);
        let found = ada.json("/api/posts").await;
        let has = |title: &str| {
            let posts = found["posts"].as_array().unwrap();
            posts.iter().find(|post| post["title"] == title).unwrap()["labels"].clone()
        };
        assert_eq!((has("New"), has("Other")), (json!(["To read"]), json!([])));
        // Deleting a label deletes a rule that does nothing but add it.
        let label = ada.json("/api/labels").await[0]["id"].clone();
        ada.delete(&format!("/api/labels/{label}"))
            .await
            .expect(204);
        assert_eq!(ada.json("/api/rules").await, json!([]));
    })
    .await;
}

#[tokio::test]
async fn labels_are_changed_by_plain_forms() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        follow(&ada, &lede, "Daily", 2).await;
        let item = ada.json("/api/posts").await["posts"][0]["id"].clone();
        let browser = lede.browser().await;
        let path = format!("/items/{item}/labels");
        let form = browser.get(&path).await.expect(200).text;
        assert!(
            form.contains("name=\"label\"") && !form.contains("checkbox"),
            "{form}"
        );
        let sent = browser
            .fill(FORM, &path, &[("label", "Later"), ("label", "  ")])
            .await;
        assert_eq!(
            sent.expect(303).header("location"),
            format!("/items/{item}")
        );
        let shown = browser
            .get(&format!("/items/{item}"))
            .await
            .expect(200)
            .text;
        let later = ada.json("/api/labels").await[0]["id"].clone();
        assert!(shown.contains(&format!(
            "<a href=\"/?label={later}\" dir=\"auto\">Later</a>"
        )));
        let form = browser.get(&path).await.expect(200).text;
        assert!(form.contains("value=\"Later\" checked"), "{form}");
        let long = "x".repeat(101);
        let refused = browser
            .fill(FORM, &path, &[("label", "Later"), ("label", &long)])
            .await;
        let refused = refused.expect(400).text;
        assert!(refused.contains("1 to 100 characters") && refused.contains(&long));
        assert!(
            refused.contains("value=\"Later\" checked"),
            "nothing of it is lost"
        );

        let list = browser
            .get(&format!("/?label={later}"))
            .await
            .expect(200)
            .text;
        assert!(
            list.contains("Daily 1") && !list.contains("Daily 0"),
            "only what has it"
        );
        let empty = label(&ada, "Empty").await;
        let list = browser
            .get(&format!("/?label={empty}"))
            .await
            .expect(200)
            .text;
        assert!(list.contains("Nothing has this label yet"));
        let page = format!("/labels/{later}");
        let taken = browser
            .fill(FORM, &page, &[("name", "EMPTY")])
            .await
            .expect(409)
            .text;
        assert!(taken.contains("You already have a label with that name."));
        let renamed = browser
            .fill(FORM, &page, &[("name", "Sooner")])
            .await
            .expect(303);
        assert_eq!(renamed.header("location"), format!("/?label={later}"));
        assert!(browser.get(&page).await.expect(200).text.contains("Sooner"));
        let deleted = browser.fill(FORM, &format!("{page}/delete"), &[]).await;
        assert_eq!(deleted.expect(303).header("location"), "/");
        for gone in [
            page.as_str(),
            &format!("/?label={later}"),
            "/labels/1000000",
        ] {
            browser.get(gone).await.expect(404);
        }
        browser.get("/items/1000000/labels").await.expect(404);
        // The rule form accepts a label, and the list of rules shows it.
        let rule = [
            ("name", "R"),
            ("query", "a"),
            ("label", "Empty"),
            ("enabled", "yes"),
        ];
        browser.fill(FORM, "/rules", &rule).await.expect(303);
        let rules = browser.get("/rules").await.expect(200).text;
        assert!(rules.contains("adds the label “Empty”"), "{rules}");
        let wrong = [("name", "R"), ("query", "a"), ("label", long.as_str())];
        let wrong = browser.fill(FORM, "/rules", &wrong).await.expect(400).text;
        assert!(wrong.contains("1 to 100 characters"));
    })
    .await;
}
