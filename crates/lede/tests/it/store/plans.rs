//! How SQLite answers the lists: along an index, without reading a table or sorting.

use lede_model::schedule::FailurePolicy;
use lede_model::user::Role;
use lede_store::{Engine, Place, all_statements, feeds, intake, items, marks, users};
use lede_testkit::TestStore;

use super::{NOON, follow, item, minutes_after_noon, new_feed, sqlite_rows};

#[tokio::test]
async fn no_page_of_a_list_reads_a_whole_table_or_sorts() {
    let kept = TestStore::open(Engine::Sqlite);
    let TestStore { store, place, .. } = kept;
    // Some followers, 20 feeds of 100 items, some of them read and starred.
    for number in 0..20_u64 {
        let filled = store.write(move |db| {
            let user = match users::add(db, "ada@example.org", None, Role::Member, NOON)? {
                Some(user) => user,
                None => users::find_by_email(db, "ada@example.org")?.unwrap().0,
            };
            let feed = feeds::add(
                db,
                &new_feed(&number.to_string()),
                FailurePolicy::Patient,
                NOON,
            )?
            .id;
            follow(db, user.id, feed)?;
            let fetched: Vec<_> = (0..100).map(|n| item(&n.to_string(), "x")).collect();
            intake::take_in(db, feed, &fetched, 1, minutes_after_noon(number))?;
            let filter = lede_model::item::ItemFilter::Unread;
            for item in items::page(db, user.id, Some(feed), filter, None, 30)? {
                let change = lede_model::mark::MarkChange {
                    read: Some(true),
                    starred: Some(item.id.as_i64() % 3 == 0),
                };
                marks::set(db, user.id, item.id, change, NOON)?;
            }
            Ok(())
        });
        filled.await.unwrap();
    }
    store.close();
    let Place::File(path) = &place else {
        unreachable!("SQLite is a file")
    };
    let file = rusqlite::Connection::open(path).unwrap();
    let pages: Vec<_> = all_statements(Engine::Sqlite)
        .into_iter()
        .filter(|(name, _)| name.starts_with("PAGE_") || name.starts_with("WALK_"))
        .collect();
    assert_eq!(pages.len(), 11);
    // A clean stop leaves statistics; a young file has none.
    for statistics in [
        "ANALYZE",
        "DELETE FROM sqlite_stat1; DELETE FROM sqlite_stat4; ANALYZE sqlite_schema",
    ] {
        file.execute_batch(statistics).unwrap();
        for (name, sql) in &pages {
            let plan: Vec<String> = sqlite_rows(&file, &format!("EXPLAIN QUERY PLAN {sql}"))
                .iter()
                .filter_map(|line| line.rsplit('|').next().map(str::to_owned))
                .collect();
            for step in &plan {
                assert!(
                    !step.starts_with("SCAN"),
                    "{name} reads a whole table: {plan:#?}"
                );
                assert!(!step.contains("TEMP B-TREE"), "{name} sorts: {plan:#?}");
            }
        }
    }
}
