//! Backups of a whole instance: written while it runs, restored into either engine, and refused if
//! they would lose data.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lede_core::backups::{self, BackupSettings};
use lede_core::worker;
use lede_model::daily_window::Nightly;
use lede_model::item::{List, Start};
use lede_model::mark::MarkChange;
use lede_model::warning::Warning;
use lede_store::archive::{self, ArchiveError, Existing, Inventory};
use lede_store::{DatabaseLocation, Engine, LATEST_SCHEMA, Store, lists, marks, settings, users};
use lede_testkit::{PASSWORD, Reply, TestLede, TestStore, on_each_engine, on_each_store};
use serde_json::json;
use tempfile::TempDir;

use crate::program::{Program, names_in};
use crate::store::{NOON, apart, followed, ingest_items, item, number, open, rows};

fn quiet(_: &str) {}

fn back_up(place: &DatabaseLocation, file: &Path) -> Result<Inventory, ArchiveError> {
    apart(|| archive::backup(place, file, Existing::Refused, &mut quiet))
}

fn restore(
    file: &Path,
    place: &DatabaseLocation,
    existing: Existing,
) -> Result<Inventory, ArchiveError> {
    let workshop = tempfile::tempdir().unwrap();
    apart(|| archive::restore(file, place, existing, workshop.path(), NOON, &mut quiet))
}

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kept/lede-backup.db");
    (folder, file)
}

/// Fills the store: a user with read and starred items, and at least one row in every table.
async fn fill(kept: &TestStore) {
    let (user, feed) = followed(&kept.store).await;
    let fetched = (0..120)
        .map(|number| item(&number.to_string(), &format!("text's «{number}» 日本")))
        .collect();
    ingest_items(&kept.store, feed, fetched, NOON).await;
    kept.store
        .write(move |db| {
            let page = lists::page(db, user, List::default(), Start::FIRST, 30)?;
            for item in page {
                let change = MarkChange {
                    read: Some(true),
                    starred: Some(item.id.as_i64() % 2 == 0),
                };
                marks::set(db, user, item.id, change, NOON)?;
            }
            settings::put(db, "key", "value")
        })
        .await
        .unwrap();
    // The parent has the higher id, as after a user moved a category.
    for sql in [
        "INSERT INTO category (user_id, name, parent_id, position, created_at)
         SELECT id, 'inner', NULL, 0, 5 FROM account",
        "INSERT INTO category (user_id, name, parent_id, position, created_at)
         SELECT id, 'outer', NULL, 1, 5 FROM account",
        "UPDATE category SET parent_id = (SELECT o.id FROM category o WHERE o.name = 'outer')
         WHERE name = 'inner'",
        "UPDATE subscription SET category_id = (SELECT id FROM category WHERE name = 'inner'), notify = TRUE",
        "INSERT INTO mark_import (subscription_id, exported_at, imported_at) SELECT id, 5, 6 FROM subscription",
        "INSERT INTO pending_mark (mark_import_id, identity_key, is_read, read_at, is_hidden)
         SELECT id, 'g:yet to come', TRUE, 5, FALSE FROM mark_import",
        "INSERT INTO event (user_id, event_type, metadata, created_at)
         SELECT id, 'user_login', NULL, 5 FROM account",
        // The last id was assigned, and its row is deleted.
        "INSERT INTO event (user_id, event_type, metadata, created_at)
         SELECT id, 'user_login', '{}', 6 FROM account",
        "DELETE FROM event WHERE created_at = 6",
        "INSERT INTO identity (issuer, subject, provider, user_id, created_at)
         SELECT 'https://id.example', 's', 'company', id, 5 FROM account",
        "INSERT INTO session (id_hash, user_id, csrf_token, created_at, used_at)
         SELECT {bytes}, id, 'token', 5, 6 FROM account",
        "INSERT INTO revoked_token (jti, expires_at) VALUES ('j', 9)",
        "INSERT INTO sign_in_attempt (state_hash, browser_hash, provider, nonce, pkce_verifier, return_to, expires_at)
         VALUES ({bytes}, {bytes}, 'company', 'n', 'v', '/', 9)",
        "INSERT INTO icon (feed_id, content_type, bytes) SELECT id, 'image/png', {bytes} FROM feed",
        "INSERT INTO tombstone (feed_id, identity_key, url_key, removed_at) SELECT id, 'g:gone', NULL, 9 FROM feed",
        "INSERT INTO job (kind, key, run_after) VALUES ('icon', 1, 9)",
        "INSERT INTO saved_search (user_id, name, query, position, created_at)
         SELECT id, 'n', 'q', 0, 5 FROM account",
        "INSERT INTO label (user_id, name, name_key, created_at) SELECT id, 'Später', 'später', 5 FROM account",
        "INSERT INTO item_label (label_id, sort_at, item_id, user_id, at)
         SELECT l.id, i.sort_at, i.id, l.user_id, 5 FROM label l, item i",
        "INSERT INTO rule (user_id, name, enabled, query, feed_id, category_id, mark_read, star, hide, notify, created_at)
         SELECT user_id, 'r', TRUE, NULL, feed_id, category_id, TRUE, FALSE, TRUE, FALSE, 5 FROM subscription",
        "INSERT INTO notification (user_id, channel, item_id, rule_id, item_was_unread, state, created_at)
         SELECT a.id, 1, i.id, (SELECT MIN(id) FROM rule), TRUE, 0, 5 FROM account a CROSS JOIN item i WHERE i.identity_key = 'g:7'",
        "INSERT INTO bulk_mark (user_id, marked_at) SELECT id, 5 FROM account",
        "INSERT INTO bulk_mark_part (bulk_mark_id, items) SELECT id, {bytes} FROM bulk_mark",
        "INSERT INTO import (user_id, created_at) SELECT id, 5 FROM account",
        "INSERT INTO import_entry (import_id, place, url, details) SELECT id, 0, 'https://a.example/', '{}' FROM import",
        "INSERT INTO cleanup_log (executed_at, posts_removed, full_content_cleared, unread_removed,
                                  bytes_freed, duration_ms, notes)
         VALUES (1, 2, 3, 4, 5, 6, 'notes')",
        "INSERT INTO app_password (user_id, name, scope, password_hash, fever_key_hash, created_at)
         SELECT id, 'Phone', 'read', {bytes}, {bytes}, 5 FROM account",
    ] {
        // A zero byte and invalid UTF-8, which only a byte column can hold.
        let bytes = match kept.store.engine() {
            Engine::Sqlite => "x'00ff27'",
            Engine::Postgres => "'\\x00ff27'::BYTEA",
        };
        rows(&kept.place, &sql.replace("{bytes}", bytes));
    }
}

/// The rows of each table, in one form for both engines.
fn contents(place: &DatabaseLocation) -> Vec<(String, Vec<String>)> {
    let text = |column: &String| match column.split_once('|').unwrap() {
        (name, "BOOLEAN") => format!("CASE WHEN \"{name}\" THEN 1 ELSE 0 END"),
        (name, "BLOB") => match place {
            DatabaseLocation::File(_) => format!("lower(hex(\"{name}\"))"),
            DatabaseLocation::Server(_) => format!("encode(\"{name}\", 'hex')"),
        },
        (name, _) => format!("\"{name}\""),
    };
    let read = |(table, columns): (String, Vec<String>)| {
        let columns: Vec<String> = columns.iter().map(text).collect();
        let mut found = rows(
            place,
            &format!("SELECT {} FROM {table}", columns.join(", ")),
        );
        found.sort();
        (table, found)
    };
    archive_tables().into_iter().map(read).collect()
}

/// Every table of the schema with its columns and their types, without an engine's internal tables.
fn archive_tables() -> Vec<(String, Vec<String>)> {
    let kept = TestStore::open(Engine::Sqlite);
    let names = rows(
        &kept.place,
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'
             AND name NOT LIKE 'item_search%' AND name <> 'search_queue' ORDER BY name",
    );
    let columns = |name: &String| {
        let sql = format!("SELECT name, type FROM pragma_table_info('{name}') ORDER BY cid");
        rows(&kept.place, &sql)
    };
    let tables = names.iter().map(|name| (name.clone(), columns(name)));
    tables.collect()
}

#[tokio::test]
async fn from_either_engine_into_the_other_and_back_nothing_is_lost() {
    on_each_store(async |kept: TestStore| {
        fill(&kept).await;
        let before = contents(&kept.place);
        for (table, rows) in &before {
            assert!(!rows.is_empty(), "{table} is empty: fill it above");
        }
        let (_folder, first) = folder();
        let made = back_up(&kept.place, &first).unwrap();
        assert_eq!(made.schema, LATEST_SCHEMA);
        let count = |inventory: &Inventory, table: &str| {
            let found = inventory.rows.iter().find(|(name, _)| name == table);
            found.unwrap().1
        };
        assert_eq!(count(&made, "item"), 120);

        let other = match kept.store.engine() {
            Engine::Sqlite => Engine::Postgres,
            Engine::Postgres => Engine::Sqlite,
        };
        let other = TestStore::open(other).closed();
        let restored = restore(&first, &other.place, Existing::Refused).unwrap();
        assert_eq!(restored.rows, made.rows);
        assert_eq!(contents(&other.place), before);

        let (_folder, second) = folder();
        back_up(&other.place, &second).unwrap();
        let back = TestStore::open(kept.store.engine()).closed();
        restore(&second, &back.place, Existing::Refused).unwrap();
        assert_eq!(contents(&back.place), before);

        // Ids continue after the highest ever assigned, even if its row is deleted, and search works again.
        let last = number(&kept.place, "SELECT MAX(id) FROM event") + 1;
        for place in [&other.place, &back.place] {
            rows(
                place,
                "INSERT INTO event (user_id, event_type, metadata, created_at)
                 SELECT id, 'user_login', NULL, 7 FROM account",
            );
            let next = number(place, "SELECT MAX(id) FROM event");
            assert_eq!(next, last + 1);
            assert!(number(place, "SELECT COUNT(*) FROM search_queue") >= 120);
            let store = open(place).unwrap();
            let waiting = store.write(|db| lede_store::search::waiting(db, 1000));
            let waiting = waiting.await.unwrap();
            assert!(waiting.iter().filter(|one| one.text.is_some()).count() >= 120);
            store.close();
        }
    })
    .await;
}

#[tokio::test]
async fn a_backup_beside_a_writer_is_one_moment_and_the_writer_goes_on() {
    on_each_store(async |kept: TestStore| {
        let (user, feed) = followed(&kept.store).await;
        let is_over = Arc::new(AtomicBool::new(false));
        let writing = {
            let (store, is_over) = (kept.store.clone(), Arc::clone(&is_over));
            tokio::spawn(async move {
                let mut written = 0;
                while !is_over.load(Ordering::SeqCst) {
                    let guid = written.to_string();
                    ingest_items(&store, feed, vec![item(&guid, "text")], NOON).await;
                    written += 1;
                }
                written
            })
        };
        let place = kept.place.clone();
        let (_folder, file) = folder();
        let made = tokio::task::spawn_blocking({
            let file = file.clone();
            move || back_up(&place, &file)
        });
        let made = made.await.unwrap().unwrap();
        is_over.store(true, Ordering::SeqCst);
        let written: i64 = writing.await.unwrap();
        assert!(written > 0);
        let archive = DatabaseLocation::File(file.clone());
        let count = |table: &str| number(&archive, &format!("SELECT COUNT(*) FROM {table}"));
        assert_eq!(count("item"), count("item_body"));
        assert_eq!(
            count("item"),
            count("unread"),
            "each is unread for its one reader"
        );
        assert!(made.rows.contains(&("item".to_owned(), count("item"))));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let folder = file.parent().unwrap();
        assert_eq!(
            names_in(folder),
            ["lede-backup.db"],
            "nothing half-made stays"
        );
        assert!(
            kept.store
                .read(move |db| users::find(db, user))
                .await
                .unwrap()
                .is_some()
        );
    })
    .await;
}

#[tokio::test]
async fn a_backup_never_takes_the_place_of_a_file_unasked() {
    on_each_store(async |kept: TestStore| {
        let (_folder, file) = folder();
        back_up(&kept.place, &file).unwrap();
        let before = std::fs::read(&file).unwrap();
        let refused = back_up(&kept.place, &file).unwrap_err();
        assert!(matches!(refused, ArchiveError::Exists(_)), "{refused}");
        assert!(std::fs::read(&file).unwrap() == before);
        followed(&kept.store).await;
        apart(|| archive::backup(&kept.place, &file, Existing::Replaced, &mut quiet)).unwrap();
        let archive = DatabaseLocation::File(file);
        assert_eq!(number(&archive, "SELECT COUNT(*) FROM account"), 1);
        if let DatabaseLocation::File(database) = &kept.place {
            for act in [
                apart(|| archive::backup(&kept.place, database, Existing::Replaced, &mut quiet)),
                restore(database, &kept.place, Existing::Replaced),
            ] {
                let refused = act.unwrap_err();
                assert!(matches!(refused, ArchiveError::IsDatabase(_)), "{refused}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn restoring_is_refused_while_a_server_runs_and_over_existing_data() {
    on_each_store(async |kept: TestStore| {
        let (_folder, file) = folder();
        fill(&kept).await;
        back_up(&kept.place, &file).unwrap();
        let refused = restore(&file, &kept.place, Existing::Replaced).unwrap_err();
        assert!(matches!(refused, ArchiveError::InUse), "{refused}");
        let kept = kept.closed();
        rows(
            &kept.place,
            "UPDATE setting SET value = 'newer' WHERE key = 'key'",
        );
        let refused = restore(&file, &kept.place, Existing::Refused).unwrap_err();
        assert!(matches!(refused, ArchiveError::NotEmpty(_)), "{refused}");
        assert_eq!(
            rows(&kept.place, "SELECT value FROM setting WHERE key = 'key'"),
            ["newer"]
        );

        let restored = restore(&file, &kept.place, Existing::Replaced).unwrap();
        let value = "SELECT value FROM setting WHERE key = 'key'";
        assert_eq!(rows(&kept.place, value), ["value"]);
        match (&kept.place, restored.kept_aside) {
            (DatabaseLocation::File(_), Some(aside)) => {
                assert!(aside.ends_with("lede.before-restore-2026-03-14T120000.db"));
                assert_eq!(rows(&DatabaseLocation::File(aside), value), ["newer"]);
            }
            (DatabaseLocation::Server(_), None) => {}
            (_, aside) => panic!("{aside:?}"),
        }
        open(&kept.place).unwrap().close();
    })
    .await;
}

#[tokio::test]
async fn a_guest_who_still_has_the_file_open_is_not_cut_off() {
    let kept = TestStore::open(Engine::Sqlite).closed();
    let guest = Store::open_beside(&kept.place).unwrap();
    followed(&guest).await;
    let (_folder, file) = folder();
    back_up(&kept.place, &file).unwrap();
    let refused = restore(&file, &kept.place, Existing::Replaced).unwrap_err();
    assert!(matches!(refused, ArchiveError::InUse), "{refused}");
    guest.close();
    restore(&file, &kept.place, Existing::Replaced).unwrap();
}

#[tokio::test]
async fn what_is_no_whole_backup_is_refused_and_changes_nothing() {
    on_each_store(async |kept: TestStore| {
        fill(&kept).await;
        let (_folder, file) = folder();
        back_up(&kept.place, &file).unwrap();
        let whole = std::fs::read(&file).unwrap();
        let kept = kept.closed();
        let before = contents(&kept.place);
        let damage = |at: usize, bytes: &[u8]| {
            let mut damaged = whole.clone();
            damaged[at..at + bytes.len()].copy_from_slice(bytes);
            damaged
        };
        let newer = {
            std::fs::write(&file, &whole).unwrap();
            rows(
                &DatabaseLocation::File(file.clone()),
                "INSERT INTO schema_step VALUES (9999)",
            );
            std::fs::read(&file).unwrap()
        };
        let foreign = {
            let path = file.with_file_name("foreign.db");
            let theirs = rusqlite::Connection::open(&path).unwrap();
            theirs.execute_batch("CREATE TABLE theirs (x)").unwrap();
            std::fs::read(&path).unwrap()
        };
        for (bytes, words) in [
            (damage(0, b"SQLite format 2"), "file is not a database"),
            (damage(whole.len() / 2, &[0xaa; 9000]), "damaged"),
            (whole[..whole.len() / 2].to_vec(), "damaged"),
            (b"a letter".to_vec(), "not a database"),
            (Vec::new(), "there is nothing in it"),
            (newer, "a newer Lede made it: its schema is 9999"),
            (foreign, "another program"),
        ] {
            std::fs::write(&file, bytes).unwrap();
            let refused = restore(&file, &kept.place, Existing::Replaced)
                .unwrap_err()
                .to_string();
            assert!(refused.contains(words), "{words}: {refused}");
            assert!(refused.contains("take another one"), "{refused}");
        }
        let absent = restore(
            &file.with_file_name("absent"),
            &kept.place,
            Existing::Replaced,
        );
        assert!(absent.is_err());
        assert_eq!(contents(&kept.place), before);
    })
    .await;
}

#[tokio::test]
async fn a_backup_that_lacks_something_or_has_something_added_is_refused_by_its_name() {
    on_each_store(async |kept: TestStore| {
        fill(&kept).await;
        let (_folder, file) = folder();
        back_up(&kept.place, &file).unwrap();
        let whole = std::fs::read(&file).unwrap();
        let kept = kept.closed();
        let before = contents(&kept.place);
        for (harm, words) in [
            ("DROP TABLE mark", "the table mark is missing"),
            ("DROP INDEX mark_read", "the index mark_read is missing"),
            ("DROP TRIGGER unread_forgets_item", "the trigger unread_forgets_item is missing"),
            ("ALTER TABLE label DROP COLUMN created_at", "the table label is not the one that Lede made"),
            (
                "CREATE TRIGGER evil AFTER INSERT ON event BEGIN DELETE FROM account; END",
                "Lede did not make the trigger evil",
            ),
            (
                "DROP TRIGGER unread_forgets_item;
                 CREATE TRIGGER unread_forgets_item AFTER DELETE ON item BEGIN DELETE FROM account; END",
                "the trigger unread_forgets_item is not the one that Lede made",
            ),
            (
                "CREATE TRIGGER evil AFTER INSERT ON event BEGIN DELETE FROM account; END;
                 PRAGMA writable_schema = ON;
                 UPDATE sqlite_schema SET name = 'sqlite_evil', sql = replace(sql, 'evil', 'sqlite_evil')
                 WHERE name = 'evil'",
                "Lede did not make the trigger sqlite_evil",
            ),
            ("CREATE VIEW mine AS SELECT 1", "Lede did not make the view mine"),
            ("CREATE TABLE mine (x)", "Lede did not make the table mine"),
            (
                "PRAGMA foreign_keys = OFF; DELETE FROM feed",
                "a row of the table subscription points to one of feed that is gone",
            ),
        ] {
            std::fs::write(&file, &whole).unwrap();
            let archive = rusqlite::Connection::open(&file).unwrap();
            archive.execute_batch(harm).unwrap();
            drop(archive);
            let refused = restore(&file, &kept.place, Existing::Replaced).unwrap_err();
            assert!(refused.to_string().contains(words), "{words}: {refused}");
            let checked = Store::inspect(&DatabaseLocation::File(file.clone())).unwrap_err();
            assert!(checked.to_string().contains(words), "{words}: {checked}");
        }
        assert_eq!(contents(&kept.place), before);
        // SQLite's statistics for its planner are accepted, and so is an additional index.
        std::fs::write(&file, &whole).unwrap();
        let archive = rusqlite::Connection::open(&file).unwrap();
        let harmless = "ANALYZE; CREATE INDEX mine ON item (author)";
        archive.execute_batch(harmless).unwrap();
        drop(archive);
        restore(&file, &kept.place, Existing::Replaced).unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_backup_of_0_1_0_is_restored_on_both_engines() {
    let (_folder, file) = folder();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    // The schema of 0.1.0, as its first migration creates it.
    let old = rusqlite::Connection::open(&file).unwrap();
    let words = [
        ("{id}", "INTEGER PRIMARY KEY AUTOINCREMENT"),
        ("{int}", "INTEGER"),
        ("{bytes}", "BLOB"),
        ("{clustered}", "WITHOUT ROWID"),
        ("{unread_account}", ""),
        ("{unread_item}", ""),
        (
            "{unread_triggers}",
            "CREATE TRIGGER unread_forgets_item AFTER DELETE ON item BEGIN
                 DELETE FROM unread WHERE item_id = old.id;
             END;
             CREATE TRIGGER unread_forgets_account AFTER DELETE ON account BEGIN
                 DELETE FROM unread WHERE user_id = old.id;
             END",
        ),
        (
            "{search_table}",
            "CREATE VIRTUAL TABLE item_search USING fts5(
                 title, author, body, content = '', contentless_delete = 1, tokenize = 'ascii');
             CREATE TRIGGER item_search_forgets AFTER DELETE ON item BEGIN
                 DELETE FROM item_search WHERE rowid = old.id;
             END",
        ),
    ];
    let schema = include_str!("../../../store/migrations/0001_schema.sql");
    let schema = words
        .iter()
        .fold(schema.to_owned(), |text, (word, spelling)| {
            text.replace(word, spelling)
        });
    old.execute_batch(&schema).unwrap();
    old.execute_batch(
        "CREATE TABLE schema_step (version BIGINT PRIMARY KEY);
         INSERT INTO schema_step VALUES (1);
         INSERT INTO account (email, role, tokens_valid_from, created_at) VALUES ('ada@example.org', 'admin', 0, 0)",
    )
    .unwrap();
    drop(old);
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let kept = TestStore::open(engine).closed();
        restore(&file, &kept.place, Existing::Refused).unwrap();
        let store = open(&kept.place).unwrap();
        assert_eq!(store.read(users::count).await.unwrap(), 1);
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM category"), 0);
        store.close();
    }
}

#[tokio::test]
async fn each_night_there_is_one_and_the_oldest_goes() {
    on_each_engine(async |lede: TestLede| {
        let folder = tempfile::tempdir().unwrap();
        let settings = BackupSettings {
            folder: folder.path().join("backups"),
            nightly: Nightly::new(4, jiff::tz::TimeZone::UTC).unwrap(),
            keep: 2,
        };
        let make = async || backups::make_if_due(&lede.lede, &settings).await.unwrap();
        for day in ["14", "15", "16"] {
            assert!(
                make()
                    .await
                    .unwrap()
                    .ends_with(format!("lede-2026-03-{day}.db"))
            );
            assert_eq!(make().await, None, "one a day");
            lede.clock.advance(Duration::from_secs(24 * 3600));
        }
        assert_eq!(
            names_in(&settings.folder),
            ["lede-2026-03-15.db", "lede-2026-03-16.db"]
        );
        // From noon to three at night: the new day's backup is not due yet, but the missed one is.
        lede.clock.advance(Duration::from_secs(15 * 3600));
        assert!(make().await.unwrap().ends_with("lede-2026-03-17.db"));
        assert_eq!(make().await, None);

        // A failure is recorded until a backup succeeds, and deletes nothing.
        lede.clock.advance(Duration::from_secs(3600));
        let in_the_way = BackupSettings {
            folder: settings.folder.join("lede-2026-03-17.db"),
            ..settings.clone()
        };
        let warning = || {
            lede.lede
                .store
                .read(|db| settings::messages::<Warning>(db, backups::WARNING))
        };
        backups::make_if_due(&lede.lede, &in_the_way)
            .await
            .unwrap_err();
        let words = warning().await.unwrap()[0].to_string();
        assert!(
            words.starts_with("No backup was made on 2026-03-18: "),
            "{words}"
        );
        assert_eq!(names_in(&settings.folder).len(), 2);
        make().await.unwrap();
        assert_eq!(warning().await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn the_commands_move_an_instance_from_one_engine_to_the_other() {
    let schema = lede_testkit::postgres::fresh_schema_url();
    let file = Program::new().with("APP_PASSWORD", PASSWORD);
    let server = Program::new()
        .with("DATABASE_URL", &*schema.url)
        .with("APP_PASSWORD", PASSWORD);
    let nothing = file.run(&["backup", "lede-backup.db"]).await;
    assert_eq!(nothing.code, Some(1));
    assert!(
        nothing.stderr.contains("no database to back up yet"),
        "{}",
        nothing.stderr
    );

    let running = file.start(&[]).await;
    let made = file.run(&["backup", "lede-backup.db"]).await;
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    assert!(
        made.stdout
            .starts_with("lede-backup.db is a complete backup, schema "),
        "{}",
        made.stdout
    );
    assert!(
        made.stdout.contains("  account                  1\n"),
        "{}",
        made.stdout
    );
    let again = file.run(&["backup", "lede-backup.db"]).await;
    assert_eq!(again.code, Some(1));
    assert!(again.stderr.contains("--force"), "{}", again.stderr);
    let refused = file.run(&["restore", "lede-backup.db", "--force"]).await;
    assert_eq!(refused.code, Some(1));
    assert!(
        refused
            .stderr
            .contains("stop every server and worker first"),
        "{}",
        refused.stderr
    );
    let owner = running.signed_in("", PASSWORD).await.unwrap();
    let me = owner.json("/api/auth/me").await;
    assert!(running.stop().await.success());

    let archive = file.path("lede-backup.db");
    let restored = server.run(&["restore", archive.to_str().unwrap()]).await;
    assert_eq!(restored.code, Some(0), "{}", restored.stderr);
    assert!(
        restored
            .stdout
            .contains("was restored into the PostgreSQL database")
    );
    let running = server.start(&[]).await;
    let owner = running.signed_in("", PASSWORD).await.unwrap();
    assert_eq!(owner.json("/api/auth/me").await, me);
    let refused = server
        .run(&["restore", archive.to_str().unwrap(), "--force"])
        .await;
    assert!(
        refused.stderr.contains("Lede is running on this database"),
        "{}",
        refused.stderr
    );
    assert!(running.stop().await.success());
}

#[tokio::test]
async fn after_a_restore_every_item_is_in_the_index_or_waits_for_it() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let url = lede
            .site
            .put("/feed.xml", Reply::rss("Daily", &[("Giraffes", "tall")]));
        ada.post("/api/feeds", json!({"url": url}))
            .await
            .expect(201);
        worker::run_queues(&lede.lede).await.unwrap();
        let (_folder, file) = folder();
        back_up(lede.lede.store.place(), &file).unwrap();
        let kept = TestStore::open(lede.lede.store.engine()).closed();
        restore(&file, &kept.place, Existing::Refused).unwrap();
        let store = open(&kept.place).unwrap();
        let waiting = store.write(|db| lede_store::search::waiting(db, 10));
        let waits = waiting.await.unwrap().iter().any(|one| one.text.is_some());
        let sql = match &kept.place {
            DatabaseLocation::File(_) => {
                "SELECT COUNT(*) FROM item_search WHERE item_search MATCH 'giraffes'"
            }
            DatabaseLocation::Server(_) => {
                "SELECT COUNT(*) FROM item_search WHERE words @@ 'giraffes'::tsquery"
            }
        };
        assert!(waits || number(&kept.place, sql) == 1);
        store.close();
    })
    .await;
}
