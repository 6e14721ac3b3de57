//! Accounts and sign-in: expiry, and that deleting an account leaves no row behind.

use std::time::Duration;

use lede_model::item::{List, Start};
use lede_model::mark::MarkChange;
use lede_model::user::Role;
use lede_store::identities::{self, Attempt};
use lede_store::{Engine, ingest, items, lists, marks, sessions, tokens, users};
use lede_testkit::{TestStore, on_each_store};

use super::{CLEANING, NOON, feed, follow, item, minutes_after_noon, number, person, rows};

#[tokio::test]
async fn an_account_that_is_deleted_leaves_no_row_in_any_table() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let ada = person(store, "ada@example.org").await;
        let ben = person(store, "ben@example.org").await;
        let feed = feed(store, "feed").await;
        for (user, byte) in [(ada, 1_u8), (ben, 2)] {
            let filled = store.write(move |db| {
                follow(db, user, feed)?;
                let fetched = [item("a", "x"), item("b", "x")];
                ingest::ingest(db, feed, &fetched, CLEANING, NOON)?;
                items::fan_out_on_follow(db, user, feed)?;
                let page = lists::page(db, user, List::default(), Start::FIRST, 1)?;
                let change = MarkChange {
                    read: Some(true),
                    starred: Some(true),
                };
                marks::set(db, user, page[0].id, change, NOON)?;
                sessions::add(db, &[byte; 32], user, "csrf", NOON)?;
                let subject = byte.to_string();
                identities::add(
                    db,
                    user,
                    "company",
                    "https://issuer.example",
                    &subject,
                    NOON,
                )?;
                let attempt = Attempt {
                    link_to: Some(user),
                    ..attempt()
                };
                let hour = minutes_after_noon(60);
                identities::add_attempt(db, &[byte; 32], &[0; 32], &attempt, NOON, hour)
            });
            filled.await.unwrap();
            // Rows of tables that nothing else in this test fills.
            for row in [
                "category (user_id, name, position, created_at) VALUES ({user}, 'c', 0, 0)",
                "saved_search (user_id, name, query, position, created_at)
                     VALUES ({user}, 's', 'q', 0, 0)",
                "rule (user_id, name, enabled, mark_read, star, hide, notify, created_at)
                     VALUES ({user}, 'r', TRUE, TRUE, FALSE, FALSE, FALSE, 0)",
                "label (user_id, name, name_key, created_at) VALUES ({user}, 'l', 'l', 0)",
                "item_label (label_id, sort_at, item_id, user_id, at)
                     SELECT l.id, i.sort_at, i.id, {user}, 0 FROM label l, item i WHERE l.user_id = {user}",
                "notification (user_id, channel, item_id, item_was_unread, state, created_at)
                     SELECT {user}, 1, MIN(id), TRUE, 0, 0 FROM item",
                "bulk_mark (user_id, marked_at) VALUES ({user}, 0)",
                "import (user_id, created_at) VALUES ({user}, 0)",
                "event (user_id, event_type, created_at) VALUES ({user}, 'user_login', 0)",
                "app_password (user_id, name, scope, password_hash, fever_key_hash, created_at)
                     VALUES ({user}, 'a', 'read', '{user}', '{user}', 0)",
            ] {
                let row = row.replace("{user}", &user.to_string());
                rows(&kept.place, &format!("INSERT INTO {row}"));
            }
        }
        // From the catalogue, so that a table added later is found and must be filled above.
        let tables = match store.engine() {
            Engine::Sqlite => {
                "SELECT t.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
                 WHERE t.type = 'table' AND c.name = 'user_id' ORDER BY 1"
            }
            Engine::Postgres => {
                "SELECT table_name FROM information_schema.columns
                 WHERE table_schema = current_schema() AND column_name = 'user_id' ORDER BY 1"
            }
        };
        let tables = rows(&kept.place, tables);
        assert!(tables.len() >= 6, "{tables:?}");
        let count = |table: &str, user: lede_model::ids::UserId| {
            let sql = format!("SELECT COUNT(*) FROM {table} WHERE user_id = {user}");
            number(&kept.place, &sql)
        };
        let before: Vec<i64> = tables.iter().map(|table| count(table, ben)).collect();
        for table in &tables {
            assert!(count(table, ada) > 0, "this test puts nothing into {table}");
        }
        store.write(move |db| users::delete(db, ada)).await.unwrap();
        for (table, kept_rows) in tables.iter().zip(before) {
            assert_eq!(count(table, ada), 0, "{table}");
            assert_eq!(count(table, ben), kept_rows, "{table}");
        }
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM account"), 1);
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM item"), 2);
    })
    .await;
}

fn attempt() -> Attempt {
    Attempt {
        provider: "company".to_owned(),
        nonce: "nonce".to_owned(),
        pkce_verifier: "verifier".to_owned(),
        return_to: "/".to_owned(),
        link_to: None,
    }
}

#[tokio::test]
async fn there_is_one_first_account_until_everybody_has_left() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..10 {
            let (store, email) = (store.clone(), format!("{number}@example.org"));
            tasks.spawn(async move {
                let added = store.write(move |db| users::add_first(db, &email, "hash", NOON));
                added.await.unwrap()
            });
        }
        let made: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
        assert_eq!(made.len(), 1);
        assert_eq!(made[0].role, Role::Admin);
        assert_eq!(store.read(users::count).await.unwrap(), 1);
        let id = made[0].id;
        store.write(move |db| users::delete(db, id)).await.unwrap();
        let again = store.write(|db| users::add_first(db, "next@example.org", "hash", NOON));
        assert!(again.await.unwrap().is_some());
        let taken =
            store.write(|db| users::add(db, "next@example.org", Some("other"), Role::Member, NOON));
        assert!(taken.await.unwrap().is_none(), "an address has one account");
    })
    .await;
}

#[tokio::test]
async fn a_session_ends_unused_or_old_or_with_its_password_or_role() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let user = person(store, "ada@example.org").await;
        let begin = async |byte: u8| {
            let begun = store.write(move |db| sessions::add(db, &[byte; 32], user, "csrf", NOON));
            begun.await.unwrap();
        };
        let is_good = async |byte: u8, used_after, begun_after| {
            let found =
                store.read(move |db| sessions::find(db, &[byte; 32], used_after, begun_after));
            found.await.unwrap().is_some()
        };
        let before = NOON - Duration::from_millis(1);
        begin(1).await;
        assert!(is_good(1, before, before).await);
        assert!(!is_good(1, NOON, before).await, "unused since noon");
        assert!(!is_good(1, before, NOON).await, "begun at noon");
        assert!(!is_good(9, before, before).await);
        let used = minutes_after_noon(5);
        store
            .write(move |db| sessions::touch(db, &[1; 32], used))
            .await
            .unwrap();
        assert!(is_good(1, NOON, before).await);
        store
            .write(move |db| sessions::delete_expired(db, NOON, before))
            .await
            .unwrap();
        assert!(is_good(1, NOON, before).await, "valid ones are not removed");

        begin(2).await;
        store
            .write(move |db| users::set_role(db, user, Role::Member, used))
            .await
            .unwrap();
        assert!(is_good(2, before, before).await, "the role is what it was");
        store
            .write(move |db| users::rehash(db, user, "stronger"))
            .await
            .unwrap();
        assert!(is_good(2, before, before).await);
        store
            .write(move |db| users::set_role(db, user, Role::Viewer, used))
            .await
            .unwrap();
        assert!(!is_good(1, before, before).await && !is_good(2, before, before).await);
        begin(3).await;
        store
            .write(move |db| users::set_password(db, user, "new", used))
            .await
            .unwrap();
        assert!(!is_good(3, before, before).await);
        let valid_from = store.read(move |db| tokens::valid_from(db, user)).await;
        assert_eq!(valid_from.unwrap(), used, "tokens from before are void");
    })
    .await;
}

#[tokio::test]
async fn a_sign_in_at_a_provider_comes_back_once_in_time_and_to_its_browser() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let hour = minutes_after_noon(60);
        let begin = async || {
            let begun = store.write(move |db| {
                identities::add_attempt(db, &[1; 32], &[2; 32], &attempt(), NOON, hour)
            });
            begun.await.unwrap();
        };
        let take = async |state: u8, browser: u8, now| {
            let taken = store
                .write(move |db| identities::take_attempt(db, &[state; 32], &[browser; 32], now));
            taken.await.unwrap()
        };
        begin().await;
        assert_eq!(take(1, 9, NOON).await, None, "another browser");
        assert_eq!(take(9, 2, NOON).await, None, "another state");
        assert_eq!(take(1, 2, hour).await, None, "too late");
        assert_eq!(take(1, 2, NOON).await, Some(attempt()));
        assert_eq!(take(1, 2, NOON).await, None, "once");
    })
    .await;
}

#[tokio::test]
async fn a_revoked_token_stays_void_until_it_would_have_ended() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let user = person(store, "ada@example.org").await;
        let is_revoked = async || {
            let holder = store.read(move |db| tokens::holder(db, "jti", user.as_i64()));
            holder.await.unwrap().unwrap().is_revoked
        };
        assert!(!is_revoked().await);
        let hour = minutes_after_noon(60);
        for _ in 0..2 {
            store
                .write(move |db| tokens::revoke(db, "jti", hour))
                .await
                .unwrap();
        }
        for (now, expected) in [(minutes_after_noon(59), true), (hour, false)] {
            store
                .write(move |db| tokens::delete_expired(db, now))
                .await
                .unwrap();
            assert_eq!(is_revoked().await, expected);
        }
    })
    .await;
}
