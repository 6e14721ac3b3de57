//! A database file with many items, of which one user has 100,000 unread.

use std::error::Error;
use std::path::Path;

use lede_bench_kit::words::Chance;
use lede_model::search::words;
use lede_store::{DatabaseLocation, Store};
use rusqlite::{Connection, params};

/// Number of feeds; the user subscribes to all of them.
pub(crate) const FEEDS: i64 = 200;
/// Number of unread items.
pub(crate) const UNREAD: i64 = 100_000;
/// 2026-01-01T00:00:00Z in milliseconds; items are a minute apart.
const FIRST: i64 = 1_767_225_600_000;

/// Japanese words, which are searched by two characters.
const JAPANESE: [&str; 8] = [
    "東京都",
    "新聞記事",
    "経済産業",
    "人工知能",
    "天気予報",
    "電車遅延",
    "選挙結果",
    "自動運転",
];

/// Recomputes the unread counts: the store maintains them only for rows that it inserts itself.
const COUNT: &str = "UPDATE subscription SET unread = (SELECT COUNT(*) FROM unread u
    WHERE u.user_id = subscription.user_id AND u.feed_id = subscription.feed_id)";

/// Recomputes the item counts of the feeds.
const COUNT_ITEMS: &str =
    "UPDATE feed SET items = (SELECT COUNT(*) FROM item i WHERE i.feed_id = feed.id)";

/// Adds two users with the same subscriptions and unread items. The program may be running.
pub(crate) fn add_people(path: &Path) -> Result<(), Box<dyn Error>> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(std::time::Duration::from_secs(10))?;
    connection.execute_batch(&format!(
        "BEGIN IMMEDIATE;
         INSERT INTO account (id, email, role, tokens_valid_from, created_at)
             VALUES (101, 'ben@example.org', 'member', 0, 0), (102, 'eve@example.org', 'member', 0, 0);
         INSERT INTO subscription (user_id, feed_id, created_at)
             SELECT a.id, f.id, 0 FROM account a, feed f WHERE a.id > 100;
         INSERT INTO unread (user_id, feed_id, sort_at, item_id)
             SELECT a.id, i.feed_id, i.sort_at, i.id FROM account a, item i WHERE a.id > 100;
         {COUNT} WHERE user_id > 100;
         COMMIT;"
    ))?;
    Ok(())
}

/// Makes all items read and old. The program must not be running.
pub(crate) fn make_old(path: &Path) -> Result<(), Box<dyn Error>> {
    let connection = Connection::open(path)?;
    connection.execute_batch(
        "PRAGMA synchronous = OFF; BEGIN;
         DELETE FROM unread;
         DELETE FROM mark;
         UPDATE subscription SET unread = 0;
         UPDATE item SET first_seen_at = id, sort_at = id;
         COMMIT; PRAGMA wal_checkpoint(TRUNCATE);",
    )?;
    Ok(())
}

/// Fills the file that the program created on its first start.
pub(crate) fn fill(path: &Path, items: i64, is_indexed: bool) -> Result<(), Box<dyn Error>> {
    let connection = Connection::open(path)?;
    connection.execute_batch(
        "PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; BEGIN;
         INSERT INTO category (user_id, name, position, created_at) SELECT id, 'Half', 0, 0 FROM account;",
    )?;
    let user: i64 = connection.query_row("SELECT MIN(id) FROM account", [], |row| row.get(0))?;
    for feed in 1..=FEEDS {
        connection.execute(
            "INSERT INTO feed (id, url, title, root_domain, status, created_at)
             VALUES (?1, 'https://feed' || ?1 || '.example/', 'Feed ' || ?1, 'feed' || ?1 || '.example', 'active', 0)",
            params![feed],
        )?;
        connection.execute(
            "INSERT INTO subscription (user_id, feed_id, created_at, category_id)
             VALUES (?1, ?2, 0, (SELECT MIN(id) FROM category WHERE ?2 % 2 = 0))",
            params![user, feed],
        )?;
    }
    let mut item = connection.prepare(
        "INSERT INTO item (id, feed_id, identity_key, url, title, author, excerpt, lede, published_at,
                           first_seen_at, sort_at, content_hash, language)
         VALUES (?1, ?2, 'key ' || ?1, 'https://feed.example/item/' || ?1, ?3, 'Ada Lovelace', ?4, ?5, ?6, ?6, ?6, x'00', 'en')",
    )?;
    let mut body = connection
        .prepare("INSERT INTO item_body (item_id, html, policy_version) VALUES (?1, ?2, 1)")?;
    let mut index = connection
        .prepare("INSERT INTO item_search (rowid, title, author, body) VALUES (?1, ?2, ?3, ?4)")?;
    let mut chance = Chance(7);
    for id in 1..=items {
        let feed = 1 + (chance.below(FEEDS.cast_unsigned())).cast_signed();
        let (mut title, mut text, mut lede) = (String::new(), String::new(), String::new());
        chance.words(9, &mut title);
        chance.sentences(1, &mut lede);
        // Bodies of typical length if they are indexed, short ones if they only fill the file.
        chance.sentences(if is_indexed { 25 } else { 7 }, &mut text);
        if is_indexed && id % 3 == 0 {
            text.push_str(JAPANESE[usize::try_from(chance.below(8))?]);
        }
        let excerpt = lede_model::content::excerpt(&text, 500);
        item.execute(params![id, feed, title, excerpt, lede, FIRST + id * 60_000])?;
        body.execute(params![id, format!("<p>{text}</p>")])?;
        if is_indexed {
            index.execute(params![id, words(&title), "ada lovelace", words(&text)])?;
        }
    }
    connection.execute(
        "INSERT INTO unread (user_id, feed_id, sort_at, item_id)
         SELECT ?1, feed_id, sort_at, id FROM item WHERE id > ?2",
        params![user, items - UNREAD],
    )?;
    connection.execute_batch(COUNT)?;
    connection.execute_batch(COUNT_ITEMS)?;
    connection.execute(
        "INSERT INTO mark (user_id, kind, sort_at, item_id, at)
         SELECT ?1, 1, sort_at, id, 0 FROM item WHERE id % 100 = 0",
        params![user],
    )?;
    connection.execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE);")?;
    drop((item, body, index));
    drop(connection);
    // A clean shutdown writes the query planner's statistics, as after a day of use.
    Store::open(&DatabaseLocation::File(path.to_owned()))?.close();
    Ok(())
}
