//! Following a feed has the same rules for every way in. The command line imports lists as the API does.

use lede_model::user::Role;
use lede_testkit::http::Http;
use lede_testkit::{Reply, TestLede, on_each_engine};
use serde_json::json;

use crate::opml;
use crate::store::rows;

#[derive(Debug, Clone, Copy)]
enum Way {
    Api,
    AddPage,
    Dashboard,
    Opml,
    Export,
}

const WAYS: [Way; 5] = [
    Way::Api,
    Way::AddPage,
    Way::Dashboard,
    Way::Opml,
    Way::Export,
];

async fn follow(who: &Http, way: Way, url: &str) {
    let answer = match way {
        Way::Api => who.post("/api/feeds", json!({"url": url})).await,
        Way::AddPage => who.form("/add/follow", &[("url", url)]).await,
        Way::Dashboard => who.form("/feeds", &[("name", "A"), ("url", url)]).await,
        Way::Opml => {
            opml::import(who, &format!("<outline xmlUrl='{url}'/>")).await;
            return;
        }
        Way::Export => {
            let document = json!({
                "format": "lede-export", "version": 1, "subscriptions": [{"feed_url": url}],
            });
            who.post("/api/users/me/import", document).await
        }
    };
    assert!(answer.status.as_u16() < 400, "{way:?}: {}", answer.text);
}

/// The columns of a feed that following it may change.
fn state(lede: &TestLede, url: &str) -> Vec<String> {
    let columns = "status, failures_in_a_row, next_fetch_at IS NULL, last_error";
    rows(
        lede.place(),
        &format!("SELECT {columns} FROM feed WHERE url = '{url}'"),
    )
}

fn audit_entries(lede: &TestLede, email: &str) -> usize {
    let entries = format!(
        "SELECT e.id FROM event e JOIN account a ON a.id = e.user_id
         WHERE e.event_type = 'feed_added' AND a.email = '{email}'"
    );
    rows(lede.place(), &entries).len()
}

#[tokio::test]
async fn a_stopped_feed_is_tried_once_for_a_member_and_left_alone_for_a_viewer() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        for (number, way) in WAYS.into_iter().enumerate() {
            let path = format!("/{number}.xml");
            let news = || Reply::rss("Daily", &[("One", "text")]);
            let url = lede.site.put(&path, news());
            let feed = ada.follow(&url).await["id"].clone();
            lede.site.put(&path, Reply::status(410));
            let refresh = format!("/api/feeds/{feed}/refresh");
            ada.post(&refresh, json!({})).await.expect(200);
            let stopped = state(&lede, &url);
            assert!(stopped[0].starts_with("stopped|"), "{stopped:?}");
            let requests = || lede.site.requests(&path).len();
            let before = requests();

            let viewer = format!("viewer{number}@example.org");
            let vera = lede.person(&viewer, Role::Viewer).await;
            follow(&vera, way, &url).await;
            lede.work().await;
            assert_eq!(audit_entries(&lede, &viewer), 1, "{way:?}");
            assert_eq!(
                (requests(), state(&lede, &url)),
                (before, stopped),
                "{way:?}"
            );

            let member = format!("member{number}@example.org");
            let mia = lede.person(&member, Role::Member).await;
            follow(&mia, way, &url).await;
            lede.work().await;
            lede.clock
                .advance(std::time::Duration::from_secs(30 * 24 * 3600));
            lede.work().await;
            assert_eq!(audit_entries(&lede, &member), 1, "{way:?}");
            assert_eq!(requests(), before + 1, "{way:?}");
            assert!(state(&lede, &url)[0].starts_with("stopped|"), "{way:?}");

            lede.site.put(&path, news());
            let late = format!("late{number}@example.org");
            let late = lede.person(&late, Role::Member).await;
            follow(&late, way, &url).await;
            lede.work().await;
            assert!(state(&lede, &url)[0].starts_with("active|0|"), "{way:?}");
        }
    })
    .await;
}
