//! Query plans of the lists: along an index, without a full scan or a sort.

use lede_model::schedule::FailurePolicy;
use lede_model::user::Role;
use lede_store::{DatabaseLocation, Engine, all_statements, feeds, users};
use lede_testkit::TestStore;

use super::{NOON, apart, follow, new_feed, rows, sqlite_rows};

/// Feeds of the filled store; enough that a page is a small part of any list.
const FEEDS: i64 = 100;

/// Ada follows a hundred feeds of two hundred items; half are unread, half read, some starred, some
/// labelled, and half of the feeds are in her category. Eve follows them too.
async fn filled(engine: Engine) -> TestStore {
    let kept = TestStore::open(engine);
    let made = kept.store.write(|db| {
        for email in ["ada@example.org", "eve@example.org"] {
            users::add(db, email, None, Role::Member, NOON)?;
        }
        let ada = users::find_by_email(db, "ada@example.org")?.unwrap().0;
        let eve = users::find_by_email(db, "eve@example.org")?.unwrap().0;
        for number in 0..FEEDS {
            let named = new_feed(&number.to_string());
            let feed = feeds::add(db, &named, FailurePolicy::Patient, NOON)?.id;
            follow(db, ada.id, feed)?;
            follow(db, eve.id, feed)?;
        }
        Ok(())
    });
    made.await.unwrap();
    for sql in [
        "INSERT INTO item (feed_id, identity_key, title, excerpt, lede, first_seen_at, sort_at, content_hash)
         SELECT f.id, 'k' || n, 't', 'An excerpt of some length, as items have it.', '', 0, n * 1000 + f.id, ''
         FROM feed f, (WITH RECURSIVE up (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < 200) SELECT n FROM up) numbers",
        "INSERT INTO unread (user_id, feed_id, sort_at, item_id)
         SELECT a.id, feed_id, sort_at, i.id FROM item i, account a WHERE i.id % 2 = 0",
        "INSERT INTO mark (user_id, kind, sort_at, item_id, at)
         SELECT a.id, 1, sort_at, i.id, 0 FROM item i, account a WHERE i.id % 20 = 0",
        "INSERT INTO label (user_id, name, name_key, created_at) SELECT id, 'l', 'l', 0 FROM account",
        "INSERT INTO item_label (label_id, sort_at, item_id, user_id, at)
         SELECT l.id, sort_at, i.id, l.user_id, 0 FROM item i, label l WHERE i.id % 3 = 0",
        // The order of reading differs from the order of dates.
        "INSERT INTO mark (user_id, kind, sort_at, item_id, at)
         SELECT a.id, 2, sort_at, i.id, i.id * 7919 % 10007 FROM item i, account a WHERE i.id % 2 = 1",
        "INSERT INTO notification (user_id, channel, item_id, item_was_unread, state, created_at)
         SELECT a.id, 1, i.id, TRUE, 1, 0 FROM item i, account a WHERE i.id % 40 = 0",
        "INSERT INTO category (user_id, name, position, created_at) SELECT id, 'c', 0, 0 FROM account",
        "UPDATE subscription SET category_id = (SELECT MIN(id) FROM category WHERE category.user_id = subscription.user_id)
         WHERE feed_id % 2 = 0",
    ] {
        rows(&kept.place, sql);
    }
    kept
}

/// The statements that return pages, with values for their parameters.
fn pages(engine: Engine) -> Vec<(String, Vec<i64>)> {
    let pages: Vec<_> = all_statements(engine)
        .into_iter()
        .filter(|(name, _)| *name == "PAGE")
        .map(|(_, sql)| {
            let last = (1..100)
                .take_while(|n| sql.contains(&format!("${n}")))
                .count();
            let beginning = if sql.contains("DESC") {
                i64::MAX
            } else {
                i64::MIN
            };
            let mut values = vec![1, beginning, beginning];
            values.extend((1..).take(last - 5));
            values.extend([51, 0]);
            (sql, values)
        })
        .collect();
    assert!(pages.len() >= 34);
    let named = |wanted: &str| {
        let mut all = all_statements(engine).into_iter();
        all.find(|(name, _)| *name == wanted).expect(wanted).1
    };
    // The unread ones are not here: finding them reads all notifications of a user, which are few.
    let notifications = (named("LIST_NOTIFICATIONS"), vec![1, i64::MAX, 51]);
    pages.into_iter().chain([notifications]).collect()
}

#[tokio::test]
async fn no_page_of_a_list_reads_a_whole_table_or_sorts_on_sqlite() {
    let kept = filled(Engine::Sqlite).await;
    let TestStore { store, place, .. } = kept;
    store.close();
    let DatabaseLocation::File(path) = &place else {
        unreachable!("SQLite is a file")
    };
    let file = rusqlite::Connection::open(path).unwrap();
    // A clean stop leaves statistics; a new file has none.
    for statistics in [
        "ANALYZE",
        "DELETE FROM sqlite_stat1; DELETE FROM sqlite_stat4; ANALYZE sqlite_schema",
    ] {
        file.execute_batch(statistics).unwrap();
        for (name, sql) in all_statements(Engine::Sqlite) {
            if name != "PAGE" && !name.starts_with("search_") {
                continue;
            }
            let plan = sqlite_rows(&file, &format!("EXPLAIN QUERY PLAN {sql}"));
            assert!(
                !plan.iter().any(|step| step.contains("BLOOM FILTER ON")),
                "a whole table is read into a filter: {plan:#?}\n{sql}"
            );
        }
        for (sql, _) in pages(Engine::Sqlite) {
            let plan: Vec<String> = sqlite_rows(&file, &format!("EXPLAIN QUERY PLAN {sql}"))
                .iter()
                .filter_map(|line| line.rsplit('|').next().map(str::to_owned))
                .collect();
            for step in &plan {
                // The page itself and the categories below one are small.
                let is_small = ["page", "below", "c", "CONSTANT"]
                    .iter()
                    .any(|name| step.split(' ').nth(1) == Some(name));
                assert!(
                    is_small || !step.starts_with("SCAN"),
                    "a whole table is read: {plan:#?}\n{sql}"
                );
                assert!(!step.contains("TEMP B-TREE"), "sorted: {plan:#?}\n{sql}");
            }
        }
    }
}

#[tokio::test]
async fn no_page_of_a_list_reads_a_whole_table_or_sorts_on_postgresql() {
    let kept = filled(Engine::Postgres).await;
    let DatabaseLocation::Server(url) = &kept.place else {
        unreachable!("PostgreSQL is a server")
    };
    apart(|| {
        let mut client = postgres::Client::connect(url.reveal(), postgres::NoTls).unwrap();
        // The same setting as the store's readers.
        client
            .batch_execute("ANALYZE; SET join_collapse_limit = 1")
            .unwrap();
        for (sql, values) in pages(Engine::Postgres) {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            client
                .batch_execute(&format!("PREPARE page AS {sql}"))
                .unwrap();
            let explained = format!(
                "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE page ({})",
                values.join(", ")
            );
            let answer = client.simple_query(&explained).unwrap();
            let plan = answer.iter().find_map(|message| match message {
                postgres::SimpleQueryMessage::Row(row) => row.get(0),
                _ => None,
            });
            let plan: serde_json::Value = serde_json::from_str(plan.unwrap()).unwrap();
            client.batch_execute("DEALLOCATE page").unwrap();
            check_node(&plan[0]["Plan"], &sql);
        }
    });
}

/// Asserts that no item and no unread row is read beyond those requested, and that no more than a
/// page is sorted. Stars are few: the planner may read them all.
fn check_node(node: &serde_json::Value, sql: &str) {
    let children = node["Plans"].as_array();
    if node["Node Type"] == "Seq Scan" {
        let table = node["Relation Name"].as_str().unwrap_or_default();
        assert!(
            !["item", "unread", "item_label"].contains(&table),
            "a whole table is read: {node:#}\n{sql}"
        );
    }
    if node["Node Type"] == "Sort" {
        for child in children.into_iter().flatten() {
            let rows = child["Actual Rows"].as_f64().unwrap_or(f64::MAX);
            assert!(rows <= 51.0, "sorted: {node:#}\n{sql}");
        }
    }
    for child in children.into_iter().flatten() {
        check_node(child, sql);
    }
}
