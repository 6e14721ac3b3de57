//! Search: both engines and the rules give the same results, and queries use the index.

mod plans;

use lede_model::ids::{CategoryId, FeedId, ItemId, UserId};
use lede_model::item::{ItemFilter, ItemSummary, Position};
use lede_model::label::LabelName;
use lede_model::mark::MarkChange;
use lede_model::schedule::FailurePolicy;
use lede_model::search::{FeedFacts, ItemFacts, ItemText, Query};
use lede_model::time::Timestamp;
use lede_store::ingest::{self, NewItem};
use lede_store::search::{self, Search};
use lede_store::{DatabaseLocation, Engine, Store, all_statements, feeds, labels, marks};
use lede_testkit::{TestStore, on_each_store};

use super::enrich::fill;
use super::{
    CLEANING, NOON, feed, follow, followed, ingest_items, item, list, minutes_after_noon, new_feed,
    person, rows, sqlite_rows,
};

/// Title, author and text of the searched items.
const TEXTS: [(&str, &str, &str); 18] = [
    (
        "The quick brown fox",
        "Ada Lovelace",
        "jumps over the lazy dog",
    ),
    (
        "Lazy dogs",
        "Grace Hopper",
        "the quick one and the brown one, never a fox",
    ),
    (
        "Rust 1.95 is out",
        "Ada",
        "a programming language for programmers",
    ),
    (
        "Programme of the week",
        "",
        "opera, theatre and programming",
    ),
    (
        "Café crème à la carte",
        "Zoë Ångström",
        "naïve CAFÉ society",
    ),
    ("don't stop", "O'Brien", "state-of-the-art, isn't it"),
    (
        "東京都の天気",
        "山田太郎",
        "今日の東京は晴れです。京都は雨でしょう。",
    ),
    ("京都観光", "鈴木", "東京から京都まで新幹線で"),
    ("日本語の本", "", "日本と中国の語学"),
    ("日", "本", "語"),
    ("ﾃｽﾄとテスト", "", "Rust言語で書いた"),
    ("中文新聞", "王小明", "今天的新聞，很短"),
    ("한국어 뉴스", "김철수", "오늘의 날씨는 맑음"),
    ("Привет, Ёлка", "Иван", "зимой и летом одним цветом"),
    ("हिन्दी में समाचार", "", "आज का मौसम"),
    ("Numbers 2026 3.54.1", "", "42 is the answer to 007"),
    ("😀 only signs …", "", "!!!"),
    (
        "Tail of titles",
        "Fox Quick",
        "title author body NEAR AND OR NOT",
    ),
];

fn texts() -> Vec<NewItem> {
    let news = TEXTS.iter().enumerate();
    let news = news.map(|(index, (title, author, text))| {
        let mut new = item(&index.to_string(), text);
        new.item.url = None;
        new.item.title = (*title).to_owned();
        new.item.author = Some((*author).to_owned());
        let days = u64::try_from(index).unwrap() * 24 * 3600;
        new.item.published_at = Some(NOON - std::time::Duration::from_secs(days));
        new
    });
    news.collect()
}

/// Queries of every kind; their results are compared, and not all may be empty.
const QUERIES: [&str; 63] = [
    "fox",
    "FOX quick",
    "quick brown",
    "\"quick brown\"",
    "\"brown quick\"",
    "\"lazy dog\"",
    "\"fox ada\"",
    "\"lazy dog\"*",
    "dog*",
    "program*",
    "programming",
    "-lovelace lazy",
    "lazy -\"quick brown\"",
    "the -title:lazy",
    "title:quick",
    "title:\"quick brown\"",
    "title:program*",
    "author:ada",
    "author:\"ada lovelace\"",
    "author:fox quick",
    "-author:fox quick",
    "fox OR rust",
    "title:rust OR author:hopper",
    "rust OR dogs programming OR lazy",
    "cafe creme",
    "\"CRÈME a la\"",
    "zoe angstrom",
    "don't",
    "\"o'brien\"",
    "state-of-the-art",
    "3.54.1",
    "3.54",
    "00*",
    "東京",
    "東京都",
    "京都",
    "都",
    "日",
    "日本",
    "日本語",
    "語",
    "本語",
    "\"東京 京都\"",
    "天気 OR 観光",
    "京都 -東京都",
    "title:京都",
    "author:山田",
    "テスト",
    "ﾃｽﾄ",
    "rust言語",
    "新聞",
    "今天的新聞",
    "뉴스",
    "한국",
    "어",
    "ёлка",
    "цвет*",
    "हिन्दी",
    "signs 😀",
    "near and or not",
    "quick AND brown",
    "lazy AND NOT \"quick brown\"",
    "\"AND\" near",
];

fn found(page: &[ItemSummary]) -> Vec<String> {
    page.iter().map(|item| item.title.clone()).collect()
}

async fn asked(store: &Store, user: UserId, search: Search) -> Vec<ItemSummary> {
    let page = store.read(move |db| search::page(db, user, &search, None, 200));
    page.await.unwrap()
}

fn for_text(text: &str) -> Search {
    Search {
        query: Query::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")),
        ..Search::default()
    }
}

async fn found_by(store: &Store, user: UserId, text: &str) -> Vec<String> {
    found(&asked(store, user, for_text(text)).await)
}

#[tokio::test]
async fn both_engines_and_the_rules_find_the_same() {
    let mut by_engine = Vec::new();
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let kept = TestStore::open(engine);
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        ingest_items(store, feed, texts(), NOON).await;
        let all = list(store, user, ItemFilter::All).await;
        for (index, read, starred) in [(0, true, true), (3, true, false), (6, false, true)] {
            let (id, change) = (
                all[index].id,
                MarkChange {
                    read: Some(read),
                    starred: Some(starred),
                },
            );
            let set = store.write(move |db| marks::set(db, user, id, change, NOON));
            set.await.unwrap();
        }
        let labelled: Vec<ItemId> = all.iter().take(5).map(|item| item.id).collect();
        let labelled = store.write(move |db| {
            for (name, from) in [("Later", 0), ("Über  alles", 3)] {
                let name = LabelName::parse(name).unwrap();
                let label = labels::add(db, user, &name, NOON)?.id;
                labels::put_on(db, user, label, &labelled[from..], NOON)?;
            }
            Ok(())
        });
        labelled.await.unwrap();
        fill(store).await;

        let facts = FeedFacts {
            id: feed,
            title: "feed".to_owned(),
            host: "site.example".to_owned(),
            categories: Vec::new(),
        };
        let mut items = list(store, user, ItemFilter::All).await;
        items.sort_by_key(|item| std::cmp::Reverse(item.id));
        let mut answers = Vec::new();
        let beside = [
            "is:unread",
            "is:read",
            "is:starred -fox",
            "after:2026-03-10",
            "before:2026-03-10 -京都",
            "the is:unread before:2026-03-14",
            "feed:site -is:starred",
            "-feed:site",
            "is:read is:unread",
            "label:later",
            "LABEL:LATER is:unread",
            "the -label:later",
            "label:\"über alles\" the",
            "label:later label:\"ÜBER ALLES\"",
            "label:later lazy -ada",
            "-label:later is:starred",
            "feed:site -label:nobody",
            "label:nobody fox",
            "label:later -label:later",
        ];
        for text in QUERIES.into_iter().chain(beside) {
            let by_store = found_by(store, user, text).await;
            let query = Query::parse(text).unwrap();
            let by_rules: Vec<String> = items
                .iter()
                .filter(|item| {
                    let author = item.author.as_deref().unwrap_or_default();
                    let text = ItemText::new(&item.title, author, || item.excerpt.clone());
                    let labels = item.labels.iter();
                    let labels: Vec<String> = labels.map(|own| own.name.to_lowercase()).collect();
                    let facts = ItemFacts {
                        feed: &facts,
                        sort_at: item.sort_at,
                        is_unread: !item.is_read,
                        is_starred: item.is_starred,
                        labels: &labels,
                    };
                    query.matches(&text, &facts)
                })
                .map(|item| item.title.clone())
                .collect();
            assert_eq!(by_store, by_rules, "{engine:?}: {text}");
            let counted = {
                let search = for_text(text);
                store.read(move |db| search::count(db, user, &search, 3))
            };
            let counted = counted.await.unwrap();
            assert_eq!(counted, by_store.len().min(3) as i64, "{text}");
            answers.push((text, by_store));
        }
        let empty = answers.iter().filter(|(_, found)| found.is_empty());
        let empty: Vec<&str> = empty.map(|(text, _)| *text).collect();
        assert_eq!(
            empty,
            [
                "\"brown quick\"",
                "\"fox ada\"",
                "\"東京 京都\"",
                "-feed:site",
                "is:read is:unread",
                "label:nobody fox",
                "label:later -label:later"
            ]
        );
        by_engine.push(answers);
    }
    assert_eq!(by_engine[0], by_engine[1]);
}

#[tokio::test]
async fn pages_follow_each_other_by_date() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        // Dated in another order than they arrive in: only the date counts.
        let news: Vec<NewItem> = (0..25_u64)
            .map(|n| {
                let mut new = item(&n.to_string(), if n % 5 == 0 { "other" } else { "word" });
                new.item.published_at = Some(NOON - std::time::Duration::from_secs(n * 7 % 25));
                new.item.url = None;
                new
            })
            .collect();
        ingest_items(store, feed, news, NOON).await;
        fill(store).await;
        for text in ["word", "is:unread -other", "feed:feed -other"] {
            let mut before = None;
            let mut seen: Vec<Position> = Vec::new();
            loop {
                let search = for_text(text);
                let page = store.read(move |db| search::page(db, user, &search, before, 7));
                let page = page.await.unwrap();
                seen.extend(page.iter().map(ItemSummary::position));
                match page.last() {
                    Some(last) if page.len() == 7 => before = Some(last.position()),
                    _ => break,
                }
            }
            assert_eq!(seen.len(), 20, "{text}");
            assert!(seen.is_sorted_by(|one, next| one > next), "{text}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_page_is_the_same_whether_the_newest_items_fill_it_or_not() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        // Feeds list the newest item first.
        let news: Vec<NewItem> = (0..100_u64)
            .map(|n| {
                let seldom = if n % 40 == 1 { "seldom" } else { "" };
                let old = if n > 80 { "old" } else { "" };
                let mut new = item(&n.to_string(), &format!("common {seldom} {old}"));
                new.item.url = None;
                new
            })
            .collect();
        ingest_items(store, feed, news, NOON).await;
        fill(store).await;
        for (text, limit, numbers) in [
            ("common", 3, &[0, 1, 2][..]),
            ("seldom", 1, &[1]),
            ("seldom", 2, &[1, 41]),
            ("seldom", 4, &[1, 41, 81]),
            ("old", 2, &[81, 82]),
            ("old seldom", 2, &[81]),
            ("common -seldom", 2, &[0, 2]),
            ("\"common seldom\"", 1, &[1]),
        ] {
            let search = for_text(text);
            let page = store.read(move |db| search::page(db, user, &search, None, limit));
            let page = page.await.unwrap();
            let titles: Vec<&str> = page.iter().map(|item| item.title.as_str()).collect();
            let wanted = numbers.iter().map(|n| format!("Title of {n}"));
            assert_eq!(titles, wanted.collect::<Vec<_>>(), "{text}");
        }
    })
    .await;
}

/// Creates a category, bypassing the store.
pub(super) fn category(
    place: &DatabaseLocation,
    user: UserId,
    name: &str,
    parent: Option<i64>,
) -> i64 {
    let parent = parent.map_or("NULL".to_owned(), |parent| parent.to_string());
    let sql = format!(
        "INSERT INTO category (user_id, name, parent_id, position, created_at)
         VALUES ({user}, '{name}', {parent}, 0, 0) RETURNING id"
    );
    rows(place, &sql)[0].parse().unwrap()
}

pub(super) fn put_into(place: &DatabaseLocation, user: UserId, feed: FeedId, category: i64) {
    rows(
        place,
        &format!(
            "UPDATE subscription SET category_id = {category}
             WHERE user_id = {user} AND feed_id = {feed}"
        ),
    );
}

#[tokio::test]
async fn people_search_what_they_follow_where_they_say() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, daily) = followed(store).await;
        let weekly = feed(store, "weekly").await;
        let foreign = feed(store, "foreign").await;
        let eve = person(store, "eve@example.org").await;
        store
            .write(move |db| {
                follow(db, ada, weekly)?;
                follow(db, eve, foreign)?;
                follow(db, eve, daily)
            })
            .await
            .unwrap();
        for (feed, name) in [(daily, "daily"), (weekly, "weekly"), (foreign, "foreign")] {
            let news = vec![item(name, "news of the day")];
            ingest_items(store, feed, news, NOON).await;
        }
        fill(store).await;
        let news = category(&kept.place, ada, "News", None);
        let world = category(&kept.place, ada, "The World", Some(news));
        let sport = category(&kept.place, ada, "Sport", None);
        put_into(&kept.place, ada, daily, world);
        put_into(&kept.place, ada, weekly, sport);
        let of_eve = category(&kept.place, eve, "News", None);
        put_into(&kept.place, eve, foreign, of_eve);
        rows(
            &kept.place,
            &format!(
                "UPDATE subscription SET title = 'My Weekly' WHERE user_id = {ada} AND feed_id = {weekly}"
            ),
        );
        let (daily_id, weekly_id) = (daily.to_string(), weekly.to_string());
        let (d, w) = ("Title of daily".to_owned(), "Title of weekly".to_owned());
        for (text, expected) in [
            ("news", vec![&w, &d]),
            ("category:news news", vec![&d]),
            ("category:\"the world\"", vec![&d]),
            ("category:SPORT", vec![&w]),
            ("category:wor", vec![]),
            ("-category:news", vec![&w]),
            (&format!("category:{news}"), vec![&d]),
            (&format!("category:{of_eve}"), vec![]),
            ("feed:\"my week\"", vec![&w]),
            ("feed:site.example news", vec![&w, &d]),
            (&format!("feed:{daily_id} is:unread"), vec![&d]),
            (&format!("feed:{weekly_id} news"), vec![&w]),
            (&format!("feed:{foreign}"), vec![]),
            (&format!("news feed:{foreign}"), vec![]),
        ] {
            let titles = found_by(store, ada, text).await;
            assert_eq!(titles.iter().collect::<Vec<_>>(), expected, "{text}");
        }
        for (feed, category, filter, expected) in [
            (Some(daily), None, ItemFilter::All, vec![&d]),
            (Some(foreign), None, ItemFilter::All, vec![]),
            (None, Some(news), ItemFilter::Unread, vec![&d]),
            (None, Some(of_eve), ItemFilter::All, vec![]),
            (Some(daily), Some(sport), ItemFilter::All, vec![]),
            (None, None, ItemFilter::Starred, vec![]),
        ] {
            let search = Search {
                feed,
                category: category.map(CategoryId::from),
                filter,
                ..for_text("news")
            };
            let titles = found(&asked(store, ada, search).await);
            assert_eq!(titles.iter().collect::<Vec<_>>(), expected);
        }
        assert_eq!(
            found_by(store, eve, "news").await,
            ["Title of foreign", "Title of daily"]
        );
    })
    .await;
}

#[tokio::test]
async fn what_is_hidden_is_not_found_and_in_no_list() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        ingest_items(
            store,
            feed,
            vec![item("a", "word"), item("b", "word")],
            NOON,
        )
        .await;
        fill(store).await;
        let all = list(store, user, ItemFilter::All).await;
        let (hidden, sort_at) = (all[0].id, all[0].sort_at.as_ms());
        let star = MarkChange {
            read: None,
            starred: Some(true),
        };
        let starred = store.write(move |db| marks::set(db, user, hidden, star, NOON));
        starred.await.unwrap();
        rows(
            &kept.place,
            &format!(
                "INSERT INTO mark (user_id, kind, sort_at, item_id, at)
                 VALUES ({user}, 3, {sort_at}, {hidden}, 0)"
            ),
        );
        let sql = format!("DELETE FROM unread WHERE user_id = {user} AND item_id = {hidden}");
        rows(&kept.place, &sql);
        for filter in [ItemFilter::All, ItemFilter::Unread] {
            assert_eq!(list(store, user, filter).await.len(), 1, "{filter:?}");
        }
        assert_eq!(list(store, user, ItemFilter::Starred).await.len(), 0);
        for (text, count) in [
            ("word", 1),
            ("is:starred", 0),
            ("is:unread", 1),
            ("feed:feed", 1),
            ("after:2020 -xyz", 1),
        ] {
            assert_eq!(found_by(store, user, text).await.len(), count, "{text}");
        }
    })
    .await;
}

#[tokio::test]
async fn no_query_is_an_error_of_an_engine() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        ingest_items(store, feed, texts(), NOON).await;
        fill(store).await;
        let mut hostile: Vec<String> = [
            "\"",
            "NEAR(a b)",
            "NEAR(",
            "*",
            "a*b*",
            "a:b",
            "a\0b",
            "\0",
            "😀",
            ":",
            "--",
            "-",
            "^a",
            "{title}:x",
            "title : x",
            "a' OR '1'='1",
            "'a':*A & !b",
            "a <-> b",
            "a & | !",
            "(",
            ")",
            "\\",
            "%",
            "_",
            "a + b",
            "\"a\"\"b\"",
            "-\"",
            "rowid:1",
            "$1",
            "?1",
            "author:\"'\"",
            "title:* x",
            "a -*",
            "is:unread -😀",
            "\u{202e}abc",
            "ﷺ",
            "\u{fdfa}*",
            "'",
            "''",
            "x'';--",
            "AND",
            "NOT",
            "OR OR OR",
            "a AND",
            "\u{3000}",
            "㍿",
            "🇯🇵日本",
        ]
        .map(str::to_owned)
        .to_vec();
        // Random combinations of pieces that have a meaning in some query language.
        let pieces = [
            "a",
            "title:",
            "author:",
            "\"",
            "*",
            "-",
            "OR",
            " ",
            "日",
            "本語",
            "NEAR",
            "(",
            ")",
            ":",
            "'",
            "&",
            "|",
            "!",
            "<->",
            "\\",
            "is:unread",
            "feed:x",
            "+",
            "^",
            "{",
            "}",
            ",",
            "😀",
            "é",
            "\0",
        ];
        let mut state = 1_u64;
        for _ in 0..400 {
            let mut text = String::new();
            for _ in 0..12 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
            }
            hostile.push(text);
        }
        hostile.push("\"".repeat(500));
        hostile.push("'\"".repeat(250));
        hostile.push("語".repeat(500));
        hostile.push("a".repeat(500));
        hostile.push("-a ".repeat(31) + "b");
        hostile.push("a OR ".repeat(31) + "b");
        hostile.push("a\" ".repeat(30));
        hostile.push("ﷺ".repeat(500));
        let mut understood = 0;
        for text in hostile {
            let Ok(query) = Query::parse(&text) else {
                continue;
            };
            understood += 1;
            let search = Search {
                query,
                ..Search::default()
            };
            let page = store.read(move |db| search::page(db, user, &search, None, 50));
            page.await.unwrap_or_else(|error| panic!("{text}: {error}"));
        }
        assert!(understood > 100, "{understood}");
    })
    .await;
}
