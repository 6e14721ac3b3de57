//! Encryption of stored credentials.

use super::*;

#[tokio::test]
async fn with_another_secret_it_can_no_longer_be_read_and_says_so() {
    on_each_engine(async |lede: TestLede| {
        let (ada, feed) = kept(&lede).await;
        let id = FeedId::from(feed["id"].as_i64().unwrap());
        let path = format!("/api/feeds/{id}");
        let settings = Settings {
            jwt_secret: Some(Secret::new("another secret, which is as long as it must be")),
            ..Settings::clone(&lede.lede.settings)
        };
        let (store, net) = (lede.lede.store.clone(), lede.lede.net.clone());
        let (clock, disk) = (lede.lede.clock.clone(), lede.lede.disk.clone());
        let changed = Lede::new(store, net, clock, disk, settings).await.unwrap();
        let asked = lede.site.request_count();
        lede.clock.advance(DAY);
        worker::run_once(&changed).await;
        assert_eq!(lede.site.request_count(), asked, "nothing is sent without it");
        let shown = ada.json(&path).await;
        assert_eq!(
            shown["last_error"],
            "the password kept for this feed can no longer be read because the instance's secret changed: enter it again"
        );
        assert_eq!(shown["last_fetch_status"], "unauthorized");
        let page = ada.get(&format!("/feeds/{id}")).await.expect(200).text;
        assert!(page.contains("href=\"#access\""), "the way to enter it");
        let user = account(&lede, ADMIN).await;
        assert_eq!(
            access::shown(&changed, user.id, id).await.unwrap(),
            access::VisibleCredentials::Unreadable
        );

        let mut entered = AccessChange::default();
        entered.set(Part::Username, Secret::new("ada")).unwrap();
        entered.set(Part::Password, Secret::new(WORD)).unwrap();
        assert!(access::change(&changed, &user, id, entered).await.unwrap());
        worker::run_once(&changed).await;
        let shown = ada.json(&path).await;
        assert_eq!((&shown["last_error"], &shown["status"]), (&Value::Null, &json!("active")));
    })
    .await;
}

#[tokio::test]
async fn what_is_sealed_for_one_feed_or_site_opens_for_no_other() {
    on_each_engine(async |lede: TestLede| {
        let (ada, feed) = kept(&lede).await;
        let other = lede.site.put("/other.xml", guarded());
        let body = json!({"url": other, "username": "ada", "password": "another"});
        ada.post("/api/feeds", body.clone()).await.expect(422);
        lede.site.put("/other.xml", news());
        let other = ada.post("/api/feeds", body).await.expect(201).json();
        let copy = format!(
            "UPDATE feed SET access = (SELECT access FROM feed WHERE id = {}) WHERE id = {}",
            feed["id"], other["id"]
        );
        rows(lede.place(), &copy);
        let evil = Site::start().await;
        let moved = format!(
            "UPDATE feed SET url = '{}' WHERE id = {}",
            evil.url("/x"),
            feed["id"]
        );
        rows(lede.place(), &moved);
        lede.clock.advance(DAY);
        lede.work().await;
        for id in [&feed["id"], &other["id"]] {
            let shown = ada.json(&format!("/api/feeds/{id}")).await;
            assert_eq!(shown["access"]["readable"], false);
            assert!(
                shown["last_error"]
                    .as_str()
                    .unwrap()
                    .contains("can no longer be read")
            );
        }
        assert_eq!(evil.request_count(), 0);
    })
    .await;
}

#[tokio::test]
async fn passwords_in_addresses_of_a_list_are_stored_encrypted() {
    on_each_engine(async |lede: TestLede| {
        let url = with_userinfo(&lede.site.put("/feed.xml", guarded()));
        let odd = "https://ada:s3cret-w%C3%B6rd@0x7f.1/";
        let schemeless = "ada:s3cret@news.example.org/feed";
        let list = format!(
            "<opml><body><outline text='Folder'>
               <outline text='My own name' xmlUrl='{url}' lede:notify='true'/></outline>
               <outline xmlUrl='{odd}'/><outline xmlUrl='{schemeless}'/>
               <outline text='Plain' xmlUrl='https://plain.example.org/'/></body></opml>"
        );
        let ada = lede.admin().await;
        let document = [("content-type", "text/x-opml")];
        let import = async || {
            ada.send(
                http::Method::POST,
                "/api/feeds/import-opml",
                &document,
                list.clone().into_bytes(),
            )
            .await
            .expect(200)
            .json()
        };
        let taken = import().await;
        assert_eq!(
            (&taken["imported"], &taken["failed"]),
            (&json!(2), &json!(2)),
            "{taken}"
        );
        assert!(!taken.to_string().contains("s3cret"), "{taken}");
        assert_eq!(import().await["existing"], 2);
        lede.work().await;
        let feeds = ada.json("/api/feeds").await;
        let feeds = feeds.as_array().unwrap();
        let mine = feeds
            .iter()
            .find(|feed| feed["has_access"] == true)
            .unwrap();
        assert_eq!(mine["title"], "My own name");
        assert_eq!(mine["last_fetch_status"], "success", "{mine}");
        assert_eq!(mine["unread_count"], 1);
        assert!(mine["category_id"].is_i64());
        assert_sealed(&lede);
        let results = ada
            .get(&format!("/api/imports/{}/results", taken["id"]))
            .await;
        assert!(!results.text.contains("s3cret"));
    })
    .await;
}
