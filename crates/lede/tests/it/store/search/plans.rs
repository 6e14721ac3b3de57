//! Query plans of searches.

use super::*;

/// Twenty feeds of a hundred items, all with the same words.
async fn filled(engine: Engine) -> TestStore {
    let kept = TestStore::open(engine);
    let store = &kept.store;
    let user = person(store, "ada@example.org").await;
    for number in 0..20_u64 {
        let filled = store.write(move |db| {
            let new = new_feed(&number.to_string());
            let feed = feeds::add(db, &new, FailurePolicy::Patient, NOON)?.id;
            follow(db, user, feed)?;
            let news = (0..100).map(|n| item(&n.to_string(), "some words"));
            let news: Vec<NewItem> = news.collect();
            ingest::ingest(db, feed, &news, CLEANING, minutes_after_noon(number)).map(drop)
        });
        filled.await.unwrap();
    }
    while fill(store).await > 0 {}
    assert_eq!(asked(store, user, for_text("some")).await.len(), 200);
    kept
}

/// The planner knows that a word is in every text, but not the cost of reading one.
#[tokio::test]
async fn postgresql_looks_words_up_in_the_index_however_frequent_they_are() {
    let kept = filled(Engine::Postgres).await;
    let asks = all_statements(Engine::Postgres).into_iter();
    let asks: Vec<_> = asks
        .filter(|(name, _)| ["search_words", "search_newest"].contains(name))
        .collect();
    assert!(asks.iter().any(|(name, _)| *name == "search_newest"));
    // Enough rows that reading all of them would be expensive.
    rows(
        &kept.place,
        "INSERT INTO item (feed_id, identity_key, title, excerpt, lede, first_seen_at, sort_at, content_hash)
         SELECT f.id, 'k' || n, 't', '', '', 0, n, '' FROM feed f, generate_series(1, 1000) n;
         INSERT INTO item_search (item_id, words) SELECT id, 'some:1 words:2' FROM item ON CONFLICT DO NOTHING;
         ANALYZE",
    );
    for (name, sql) in asks {
        let last = (3..100).take_while(|n| sql.contains(&format!("${n}")));
        let rest = ", 51".repeat(last.count());
        for plans in ["force_custom_plan", "force_generic_plan"] {
            // The same setting as the store's readers.
            let explained = rows(
                &kept.place,
                &format!(
                    "SET join_collapse_limit = 1; SET plan_cache_mode = {plans}; PREPARE ask AS {sql};
                     EXPLAIN EXECUTE ask (1, '''some'''{rest})"
                ),
            );
            let explained = explained.join("\n");
            let way = match name {
                "search_words" => "Bitmap Index Scan on item_search_words",
                // By ids, which are bounded; with few distinct dates the planner may start from those.
                _ => "using item_search_pkey on item_search d",
            };
            assert!(explained.contains(way), "{plans}: {explained}\n{sql}");
            assert!(
                !explained.contains("Seq Scan on item_search"),
                "every text is read ({plans}): {explained}\n{sql}"
            );
        }
    }
}

#[tokio::test]
async fn a_search_walks_the_index_and_neither_reads_a_table_nor_sorts() {
    let kept = filled(Engine::Sqlite).await;
    let TestStore { store, place, .. } = kept;
    store.close();
    let DatabaseLocation::File(path) = &place else {
        unreachable!("SQLite is a file")
    };
    let file = rusqlite::Connection::open(path).unwrap();
    let statements: Vec<_> = all_statements(Engine::Sqlite)
        .into_iter()
        .filter(|(name, _)| {
            let prefixes = ["search_", "rules_", "OLDEST_", "LISTENING", "summaries"];
            prefixes.iter().any(|prefix| name.starts_with(prefix))
        })
        .collect();
    for statistics in [
        "ANALYZE",
        "DELETE FROM sqlite_stat1; DELETE FROM sqlite_stat4; ANALYZE sqlite_schema",
    ] {
        file.execute_batch(statistics).unwrap();
        for (name, sql) in &statements {
            let plan: Vec<String> = sqlite_rows(&file, &format!("EXPLAIN QUERY PLAN {sql}"))
                .iter()
                .filter_map(|line| line.rsplit('|').next().map(str::to_owned))
                .collect();
            for step in &plan {
                // The only full scans are that of the index, which stops with the page, and that of
                // the rows that a statement supplies itself.
                let may_scan = [
                    "SCAN item_search VIRTUAL TABLE",
                    "SCAN hit",
                    "SCAN 2 CONSTANT ROWS",
                ];
                assert!(
                    !step.starts_with("SCAN") || may_scan.iter().any(|scan| step.starts_with(scan)),
                    "{name} reads a whole table: {plan:#?} {sql}"
                );
                // Lists with another order are sorted; they are as long as the starred, labelled or
                // unread items or those of the feeds, and only their ids are read. The best results
                // are among all matches.
                let may_sort = matches!(
                    *name,
                    "search_starred"
                        | "search_labelled"
                        | "search_unread"
                        | "search_feeds"
                        | "search_best"
                );
                assert!(
                    may_sort || !step.contains("TEMP B-TREE"),
                    "{name} sorts: {plan:#?}"
                );
                assert!(
                    !step.contains(" u USING PRIMARY KEY (user_id=?)"),
                    "{name} reads all that is unread for each item: {plan:#?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn the_oldest_items_bound_what_is_looked_at() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        let none = store.read(move |db| search::oldest_unread(db, user));
        assert_eq!(none.await.unwrap(), None);
        ingest_items(store, feed, vec![item("a", "word")], NOON).await;
        ingest_items(store, feed, vec![item("b", "word")], minutes_after_noon(60)).await;
        fill(store).await;
        let all = list(store, user, ItemFilter::All).await;
        let (newer, older) = (all[0].id, all[1].id);
        let bounds = store.read(move |db| {
            Ok((
                search::oldest_unread(db, user)?,
                search::oldest_since(db, minutes_after_noon(30))?,
                search::oldest_since(db, Timestamp::from_ms(i64::MAX))?,
            ))
        });
        assert_eq!(bounds.await.unwrap(), (Some(older), Some(newer), None));
        let search = Search {
            oldest: Some(newer),
            ..for_text("word")
        };
        assert_eq!(asked(store, user, search).await.len(), 1);
        let search = Search {
            from: Some(minutes_after_noon(30)),
            ..for_text("word")
        };
        assert_eq!(asked(store, user, search).await[0].id, newer);
    })
    .await;
}
