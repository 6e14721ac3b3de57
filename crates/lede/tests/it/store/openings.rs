//! Opening a store: the schema is created once, and a store that cannot be opened is refused and
//! left unchanged.

use std::io::{Seek as _, SeekFrom, Write as _};

use lede_model::secret::Secret;
use lede_store::Engine;
use lede_store::{DatabaseLocation, LATEST_SCHEMA, OpenError, Store, ingest, settings, users};
use lede_testkit::postgres::{FreshSchema, fresh_schema_url};
use lede_testkit::{TestStore, on_each_store};
use tempfile::TempDir;

use super::{CLEANING, apart, feed, item, minutes_after_noon, number, open, person, rows};

/// Places for a new store, with the guards that remove them after the test.
fn empty_places() -> [(DatabaseLocation, Option<TempDir>, Option<FreshSchema>); 2] {
    let folder = tempfile::tempdir().unwrap();
    let file = DatabaseLocation::File(folder.path().join("below/lede.db"));
    let schema = fresh_schema_url();
    let server = DatabaseLocation::Server(Secret::new(schema.url.clone()));
    [(file, Some(folder), None), (server, None, Some(schema))]
}

const STEPS: &str = "SELECT version FROM schema_step ORDER BY version";

#[tokio::test]
async fn opening_again_changes_nothing() {
    on_each_store(async |kept: TestStore| {
        let TestStore { store, place, .. } = kept;
        let steps = rows(&place, STEPS);
        assert_eq!(steps.last(), Some(&LATEST_SCHEMA.to_string()));
        person(&store, "ada@example.org").await;
        store.close();
        let store = open(&place).unwrap();
        assert_eq!(rows(&place, STEPS), steps);
        assert_eq!(store.read(users::count).await.unwrap(), 1);
        store.close();
    })
    .await;
}

#[test]
fn openers_at_the_same_time_all_succeed() {
    for (place, _folder, _schema) in empty_places() {
        let stores: Vec<_> = std::thread::scope(|scope| {
            let openers: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| Store::open_beside(&place)))
                .collect();
            let opened = openers.into_iter().map(|opener| opener.join().unwrap());
            opened.collect()
        });
        for store in stores {
            store.unwrap().close();
        }
        assert_eq!(rows(&place, STEPS).len(), LATEST_SCHEMA as usize);
    }
}

#[tokio::test]
async fn a_database_of_a_newer_lede_is_refused_and_left_alone() {
    on_each_store(async |kept: TestStore| {
        let TestStore { store, place, .. } = kept;
        store
            .write(|db| settings::put_if_absent(db, "key", "x"))
            .await
            .unwrap();
        store.close();
        rows(&place, "INSERT INTO schema_step VALUES (9999)");
        let opened = [
            open(&place).map(drop),
            apart(|| Store::open_beside(&place)).map(drop),
            apart(|| Store::inspect(&place)).map(drop),
        ];
        for refused in opened {
            assert_eq!(
                refused.unwrap_err().to_string(),
                format!(
                    "the database was made by a newer Lede (schema 9999, this one knows {LATEST_SCHEMA}); \
                     start that version or restore an older backup"
                )
            );
        }
        assert_eq!(number(&place, "SELECT COUNT(*) FROM setting"), 1);
    })
    .await;
}

#[test]
fn a_change_of_the_schema_that_fails_leaves_nothing_on_postgresql() {
    let schema = fresh_schema_url();
    let place = DatabaseLocation::Server(Secret::new(schema.url.clone()));
    // The last table of the migration exists already, so everything before it succeeds.
    rows(&place, "CREATE TABLE setting (x INT)");
    let refused = open(&place).err().unwrap();
    assert!(
        matches!(refused, OpenError::Migration { version: 1, .. }),
        "{refused}"
    );
    let tables = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()";
    assert_eq!(rows(&place, tables), ["setting"]);
    rows(&place, "DROP TABLE setting");
    open(&place).unwrap().close();
}

#[tokio::test]
async fn one_server_has_the_file_and_others_work_beside_it() {
    let kept = TestStore::open(Engine::Sqlite);
    let refused = Store::open(&kept.place).err().unwrap();
    assert!(matches!(refused, OpenError::InUse(_)), "{refused}");

    let guest = Store::open_beside(&kept.place).unwrap();
    person(&guest, "ada@example.org").await;
    assert_eq!(kept.store.read(users::count).await.unwrap(), 1);
    person(&kept.store, "ben@example.org").await;
    assert_eq!(guest.read(users::count).await.unwrap(), 2);
    guest.close();

    let TestStore { store, place, .. } = kept;
    store.close();
    Store::open(&place).unwrap().close();
}

#[tokio::test]
async fn damage_is_found_by_inspecting_a_file_and_by_opening_it() {
    let kept = TestStore::open(Engine::Sqlite);
    let TestStore { store, place, .. } = kept;
    let feed = feed(&store, "feed").await;
    let fetched: Vec<_> = (0..200)
        .map(|number| item(&number.to_string(), &"text ".repeat(200)))
        .collect();
    store
        .write(move |db| ingest::ingest(db, feed, &fetched, CLEANING, minutes_after_noon(0)))
        .await
        .unwrap();
    store.close();
    let DatabaseLocation::File(path) = &place else {
        unreachable!("SQLite is a file")
    };
    let whole = std::fs::read(path).unwrap();
    for (what, offset, bytes) in [
        ("the header", 0, b"SQLite format 2".to_vec()),
        ("the schema", 100, vec![0xaa; 200]),
        ("pages in the middle", whole.len() / 2, vec![0xaa; 20_000]),
        ("an index that no longer fits", 0, Vec::new()),
        ("the end", whole.len() - 4096, vec![0; 4096]),
    ] {
        std::fs::write(path, &whole).unwrap();
        let mut file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
        if bytes.is_empty() {
            file.set_len(whole.len() as u64 / 2).unwrap();
        } else {
            file.seek(SeekFrom::Start(offset as u64)).unwrap();
            file.write_all(&bytes).unwrap();
        }
        drop(file);
        let damaged = std::fs::read(path).unwrap();
        let inspected = Store::inspect(&place).map(drop);
        assert!(std::fs::read(path).unwrap() == damaged, "{what}");
        // After a clean shutdown the check may run once the store is open.
        let opened = Store::open(&place).and_then(|store| {
            let found = store.check_while_serving(|| false);
            store.close();
            found
        });
        for refused in [inspected, opened] {
            let words = refused.expect_err(what).to_string();
            assert!(words.contains("is damaged ("), "{what}: {words}");
            assert!(words.ends_with("restore a backup, or move the file away to begin anew"));
            assert_eq!(words.lines().count(), 1, "{words}");
        }
        // The WAL of the damaged file must not be applied to the next one.
        for beside in ["db-wal", "db-shm"] {
            let _ = std::fs::remove_file(path.with_extension(beside));
        }
    }
    std::fs::write(path, &whole).unwrap();
    Store::open(&place).unwrap().close();
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    std::fs::create_dir(folder.path().join("lede.db")).unwrap();
    for (path, named) in [("file/data/lede.db", "file/data"), ("lede.db", "")] {
        let place = DatabaseLocation::File(folder.path().join(path));
        let refused = Store::open(&place).err().unwrap();
        let OpenError::NotWritable { folder: told, .. } = &refused else {
            panic!("{refused}")
        };
        assert_eq!(*told, folder.path().join(named), "{refused}");
    }
}
