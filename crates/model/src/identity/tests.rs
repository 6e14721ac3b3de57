//! Tests of the whole: sequences of fetched documents of many kinds.

use super::*;
use crate::content::CleanHtml;

/// An entry as publishers write them; fields that are not listed are the same for all.
#[derive(Debug, Clone, PartialEq)]
struct Post {
    guid: Option<String>,
    url: Option<String>,
    title: String,
    text: String,
    file: Option<String>,
    /// Days since the beginning of 2026.
    day: Option<i64>,
}

fn post(guid: Option<&str>, url: Option<&str>, title: &str) -> Post {
    Post {
        guid: guid.map(str::to_owned),
        url: url.map(str::to_owned),
        title: title.to_owned(),
        text: format!("About {title}"),
        file: None,
        day: None,
    }
}

impl Post {
    fn day(self, day: i64) -> Self {
        Self {
            day: Some(day),
            ..self
        }
    }

    fn text(self, text: &str) -> Self {
        Self {
            text: text.to_owned(),
            ..self
        }
    }

    fn file(self, url: &str) -> Self {
        Self {
            file: Some(url.to_owned()),
            ..self
        }
    }

    fn at(&self) -> Option<Timestamp> {
        let seconds = |day| 1_767_225_600 + day * 86_400;
        self.day.map(|day| Timestamp::from_seconds(seconds(day)))
    }

    fn item(&self) -> (CleanItem, Vec<Enclosure>, ContentHash) {
        let url = self.url.as_deref().unwrap_or_default();
        let hash = ContentHash::of([self.title.as_str(), url, self.text.as_str()]);
        let item = CleanItem {
            guid: self.guid.clone(),
            url: self.url.as_deref().map(|url| WebUrl::parse(url).unwrap()),
            title: self.title.clone(),
            author: None,
            html: html(&self.text),
            excerpt: String::new(),
            published_at: self.at(),
            hash,
        };
        let files = self.file.iter().map(|url| Enclosure {
            url: WebUrl::parse(url).unwrap(),
            mime_type: None,
            bytes: None,
            caption: None,
        });
        let stored = hash.with(self.file.as_deref());
        (item, files.collect(), stored)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this test stands where the sanitiser does"
)]
fn html(text: &str) -> CleanHtml {
    CleanHtml::assume_clean(text.to_owned())
}

/// A feed and its stored items, each with the post that it shows.
#[derive(Default)]
struct Feed {
    stored: Vec<(StoredItem, Post)>,
    trust: IdReliability,
}

impl Feed {
    /// Ingests a document as the store does. Returns the number of new items.
    fn fetch(&mut self, posts: &[Post]) -> usize {
        let items: Vec<_> = posts.iter().map(Post::item).collect();
        let entries = items.iter();
        let entries: Vec<Entry<'_>> = entries
            .map(|(item, files, hash)| Entry::new(item, files, *hash))
            .collect();
        let stored: Vec<StoredItem> = self.stored.iter().map(|(item, _)| item.clone()).collect();
        let Identified {
            keys,
            extended,
            trust,
        } = identify(&entries, &stored, self.trust);
        self.trust = trust;
        for (base, own) in extended {
            assert!(self.stored.iter().all(|(item, _)| item.key != own));
            self.find(&base).unwrap().0.key = own;
        }
        let mut new = 0;
        let mut seen = HashSet::new();
        for ((post, entry), key) in posts.iter().zip(&entries).zip(keys) {
            if !seen.insert(key.clone()) {
                continue;
            }
            match self.find(&key) {
                Some((item, _)) if item.source == Source::Removed => {}
                Some((item, shown)) => {
                    // The date of the first fetch stays.
                    item.url_key = entry.url.clone();
                    item.fragment = entry.fragment.map(str::to_owned);
                    item.title.clone_from(&post.title);
                    item.source = Source::Feed(entry.hash);
                    *shown = post.clone();
                }
                None => {
                    new += 1;
                    let item = StoredItem {
                        key,
                        url_key: entry.url.clone(),
                        fragment: entry.fragment.map(str::to_owned),
                        title: post.title.clone(),
                        published_at: post.at(),
                        source: Source::Feed(entry.hash),
                    };
                    self.stored.push((item, post.clone()));
                }
            }
        }
        new
    }

    fn find(&mut self, key: &str) -> Option<&mut (StoredItem, Post)> {
        self.stored.iter_mut().find(|(item, _)| item.key == key)
    }

    fn keys(&self) -> Vec<&str> {
        self.stored.iter().map(|(item, _)| &*item.key).collect()
    }

    fn titles(&self) -> Vec<&str> {
        self.stored.iter().map(|(_, post)| &*post.title).collect()
    }

    fn remove(&mut self, title: &str) {
        let (item, _) = self
            .stored
            .iter_mut()
            .find(|(_, post)| post.title == title)
            .unwrap();
        item.source = Source::Removed;
        item.title.clear();
        item.published_at = None;
        item.fragment = None;
    }
}

const PAGE: &str = "https://a.org/page";

fn guids(names: &[&str]) -> Vec<Post> {
    let at = |name: &&str| post(Some(name), Some(&format!("https://a.org/{name}")), name);
    names.iter().map(at).collect()
}

#[test]
fn the_id_counts_before_the_address_and_the_address_before_the_text() {
    let mut feed = Feed::default();
    feed.fetch(&[
        post(Some("7"), Some("https://a.org/x"), "a"),
        post(None, Some("https://a.org/y/?utm_source=f"), "b"),
        post(None, None, "c"),
    ]);
    assert_eq!(feed.keys()[..2], ["g:7", "u:a.org/y"]);
    assert!(feed.keys()[2].starts_with("c:"));
    assert!(!feed.trust.shares_keys);
}

#[test]
fn an_endless_id_is_kept_as_its_hash_and_no_key_is_too_long_for_an_index() {
    let mut feed = Feed::default();
    feed.fetch(&[post(Some(&"x".repeat(MAX_GUID_BYTES + 1)), None, "a")]);
    assert_eq!(feed.keys()[0].len(), 2 + 64);
    let long = "x".repeat(MAX_GUID_BYTES);
    let mut feed = Feed::default();
    feed.fetch(&["y", "z"].map(|path| {
        let url = format!("https://a.org/{}", path.repeat(2000));
        post(Some(&long), Some(&url), path)
    }));
    assert_eq!(feed.keys().len(), 2);
    assert!(feed.keys().iter().all(|key| key.len() < 2704));
}

#[test]
fn one_address_under_several_trusted_ids_is_several_items() {
    let mut feed = Feed::default();
    let live = |guid| post(Some(guid), Some("https://a.org/live"), "Live");
    feed.fetch(&["1", "2", "3"].map(live));
    assert_eq!(feed.keys(), ["g:1", "g:2", "g:3"]);
    assert_eq!(feed.fetch(&[live("4")]), 1, "alone in its document");
    assert_eq!(feed.trust, IdReliability::default());
}

#[test]
fn ids_that_are_made_anew_each_time_are_seen_through() {
    let fetch = |turn: &str| {
        ["x", "y", "z"].map(|path| {
            let guid = format!("{turn}{path}");
            post(Some(&guid), Some(&format!("https://a.org/{path}")), path)
        })
    };
    let mut feed = Feed::default();
    for turn in ["first", "second", "third"] {
        feed.fetch(&fetch(turn));
        assert_eq!(feed.stored.len(), 3, "after the {turn}");
    }
    assert!(!feed.trust.guids, "and this is remembered");
}

#[test]
fn a_site_that_moves_keeps_its_items_by_their_ids() {
    let mut feed = Feed::default();
    let at = |host: &str| {
        ["One", "Two", "Three", "Don't “quote” me"].map(|title| {
            let url = format!("https://{host}/{}", title.len());
            post(Some(title), Some(&url), title).day(1)
        })
    };
    feed.fetch(&at("old.org"));
    let mut moved = at("new.org").to_vec();
    moved[3].title = "Don’t \"Quote\" me".to_owned();
    moved[3].day = Some(2);
    assert_eq!(feed.fetch(&moved), 0);
    assert_eq!(feed.trust, IdReliability::default());
}

#[test]
fn an_id_with_another_link_and_another_title_is_another_item_whatever_share_of_the_fetch_it_is() {
    for stable in [vec![], guids(&["a", "b", "c", "d", "e", "f", "g"])] {
        let mut feed = Feed::default();
        for day in 1..=6 {
            let mut document = stable.clone();
            let url = format!("https://a.org/post-{day}");
            document.push(post(Some("same"), Some(&url), &format!("Post {day}")).day(day));
            feed.fetch(&document);
            assert_eq!(feed.trust.guids, day < 4, "three collisions by day {day}");
            assert_eq!(feed.fetch(&document), 0, "day {day}");
        }
        assert_eq!(feed.stored.len(), stable.len() + 6);
    }
}

#[test]
fn a_corrected_title_under_a_trusted_id_is_an_update() {
    let mut feed = Feed::default();
    feed.fetch(&[post(Some("1"), Some("https://a.org/x"), "Tpyo").day(1)]);
    let corrected = post(Some("1"), Some("https://a.org/x"), "Typo").day(2);
    assert_eq!(feed.fetch(&[corrected]), 0);
    feed.fetch(&[post(Some("2"), None, "Without link")]);
    assert_eq!(feed.fetch(&[post(Some("2"), None, "Without a link")]), 0);
    assert_eq!(feed.titles(), ["Typo", "Without a link"]);
}

#[test]
fn without_an_id_two_things_that_differ_make_another_item() {
    let at = |fragment: &str, title, day| {
        let url = format!("{PAGE}{fragment}");
        [post(None, Some(&url), title).day(day)]
    };
    for (second, new) in [
        (at("", "A", 1), 0),
        (at("", "B", 1), 0),
        (at("", "A", 2), 0),
        (at("#x", "A", 1), 0),
        (at("", "B", 2), 1),
        (at("#x", "B", 1), 1),
        (at("#x", "A", 2), 1),
    ] {
        let mut feed = Feed::default();
        feed.fetch(&at("", "A", 1));
        assert_eq!(feed.fetch(&second), new, "{second:?}");
    }
}

#[test]
fn http_and_https_are_one_address() {
    let mut feed = Feed::default();
    feed.fetch(&[post(None, Some("http://a.org/x"), "a")]);
    assert_eq!(feed.fetch(&[post(None, Some("https://a.org/x"), "a")]), 0);
}

#[test]
fn a_feed_may_keep_one_address_for_many_items() {
    let mut feed = Feed {
        trust: IdReliability {
            urls: false,
            ..IdReliability::default()
        },
        ..Feed::default()
    };
    feed.fetch(&[post(None, Some("https://a.org/live"), "a")]);
    assert!(feed.keys()[0].starts_with("c:"), "{:?}", feed.keys());
}

#[test]
fn entries_that_say_the_same_are_one_item_and_the_fragment_counts_when_only_it_differs() {
    let one = post(None, Some(PAGE), "A");
    let redated = one.clone().day(3);
    let elsewhere = post(None, Some(&format!("{PAGE}#2")), "A").text(&one.text);
    let mut feed = Feed::default();
    assert_eq!(feed.fetch(&[one.clone(), redated, one, elsewhere]), 2);
}

/// Documents whose entries share a base key.
fn shared() -> Vec<(&'static str, Vec<Post>)> {
    let numbers = 1..=30;
    let all = |make: fn(i64) -> Post| numbers.clone().map(make).collect::<Vec<_>>();
    vec![
        (
            "a newsletter archive",
            all(|n| post(None, Some(&format!("{PAGE}#{n}")), &format!("Issue {n}"))),
        ),
        (
            "comments",
            all(|n| {
                let url = format!("{PAGE}#comment-{n}");
                let comment = post(None, Some(&url), "Re: Post");
                comment.text(&format!("I think {n}")).day(n)
            }),
        ),
        (
            "one link for all",
            all(|n| post(None, Some(PAGE), &format!("News {n}"))),
        ),
        (
            "one link and few titles",
            all(|n| {
                let fixes = post(None, Some(PAGE), ["Fixes", "News"][n as usize % 2]);
                fixes.text(&format!("Change {n}")).day(n)
            }),
        ),
        (
            "a podcast with one id",
            all(|n| {
                let episode = post(Some("id"), Some(PAGE), "Episode").text("Listen!");
                episode.file(&format!("https://a.org/{n}.mp3")).day(n)
            }),
        ),
        (
            "one id without links",
            all(|n| post(Some("id"), None, &format!("Post {n}"))),
        ),
        (
            "one id and many links",
            all(|n| {
                let url = format!("https://a.org/{n}");
                post(Some("id"), Some(&url), &format!("Post {n}"))
            }),
        ),
        (
            "files alone",
            all(|n| post(None, None, "Track").file(&format!("https://a.org/{n}.mp3"))),
        ),
    ]
}

#[test]
fn entries_that_share_a_key_are_items_of_their_own_however_the_document_changes() {
    for (name, posts) in shared() {
        let mut feed = Feed::default();
        let mut known = 0;
        for window in [5..15, 5..15, 8..14, 13..14, 0..20, 3..4, 10..30, 0..30] {
            let mut document = posts[window.clone()].to_vec();
            if window.start % 2 == 0 {
                document.reverse();
            }
            let before: Vec<Post> = feed.stored.iter().map(|(_, post)| post.clone()).collect();
            known += feed.fetch(&document);
            let after: Vec<Post> = feed.stored.iter().map(|(_, post)| post.clone()).collect();
            assert_eq!(after[..before.len()], before, "{name}: overwritten");
            assert!(document.iter().all(|post| after.contains(post)), "{name}");
        }
        assert_eq!(known, posts.len(), "{name}");
    }
}

#[test]
fn entries_that_share_a_key_may_be_dated_anew_and_updated() {
    for (name, posts) in shared() {
        let mut feed = Feed::default();
        feed.fetch(&posts);
        let redated: Vec<Post> = posts.iter().map(|post| post.clone().day(99)).collect();
        assert_eq!(feed.fetch(&redated), 0, "{name}: dated anew");
        if !["files alone", "a podcast with one id"].contains(&name) {
            let said_more = |post: &Post| post.clone().text(&format!("{} and more", post.text));
            let updated: Vec<Post> = posts.iter().map(said_more).collect();
            assert_eq!(feed.fetch(&updated), 0, "{name}: updated");
        }
    }
}

#[test]
fn an_entry_alone_that_another_one_joins_stays_the_same_item() {
    for (name, posts) in shared() {
        let mut feed = Feed::default();
        feed.fetch(&posts[3..4]);
        assert_eq!(feed.keys()[0].find(EXTENDS), None, "{name}");
        assert_eq!(feed.fetch(&posts[2..4]), 1, "{name}");
        assert_eq!(feed.stored[0].1, posts[3], "{name}");
        assert_eq!(feed.fetch(&posts[2..4]), 0, "{name}");
        assert_eq!(feed.fetch(&posts[2..3]), 0, "{name}");
    }
}

#[test]
fn an_item_that_was_stored_for_many_stays_one_of_them() {
    for (name, posts) in shared() {
        // As stored by a version that merged entries with one key: only the first of the document.
        let mut feed = Feed::default();
        feed.fetch(&posts[..1]);
        assert_eq!(feed.fetch(&posts), posts.len() - 1, "{name}");
        assert_eq!(feed.stored[0].1, posts[0], "{name}");
        assert_eq!(feed.fetch(&posts), 0, "{name}");
    }
}

#[test]
fn items_with_the_keys_of_earlier_versions_are_found() {
    let mut feed = Feed::default();
    let posts = guids(&["x", "y"]).into_iter().map(|post| Post {
        guid: Some("1".to_owned()),
        ..post
    });
    let posts: Vec<Post> = posts.collect();
    feed.fetch(&posts);
    feed.stored[0].0.key = "g:1".to_owned();
    assert_eq!(
        feed.keys(),
        ["g:1", "g:1\na.org/y"],
        "as earlier versions chose them"
    );
    assert_eq!(feed.fetch(&posts), 0);
}

#[test]
fn what_was_removed_stays_away_and_keeps_nothing_else_away() {
    for (name, posts) in shared() {
        let mut feed = Feed::default();
        feed.fetch(&posts[..20]);
        for (item, _) in &mut feed.stored[..10] {
            *item = StoredItem {
                source: Source::Removed,
                title: String::new(),
                published_at: None,
                fragment: None,
                ..item.clone()
            };
        }
        assert_eq!(feed.fetch(&posts[..20]), 0, "{name}: it stays away");
        assert_eq!(feed.fetch(&posts[5..25]), 5, "{name}");
        assert_eq!(feed.fetch(&posts[25..26]), 1, "{name}");
    }
    let mut feed = Feed::default();
    feed.fetch(&guids(&["a"]));
    feed.remove("a");
    assert_eq!(feed.fetch(&guids(&["a"])), 0);
}

#[test]
fn an_import_is_no_evidence_and_gives_way() {
    let mut feed = Feed::default();
    feed.fetch(&guids(&["a"]));
    let (item, _) = &mut feed.stored[0];
    item.source = Source::Import;
    item.title = "Something else".to_owned();
    item.url_key = None;
    assert_eq!(feed.fetch(&guids(&["a"])), 0);
    assert_eq!(feed.titles(), ["a"]);
    assert_eq!(feed.trust, IdReliability::default());
}
