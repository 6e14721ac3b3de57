//! The tree of feeds and categories.

use super::*;

#[tokio::test]
async fn the_tree_folds_and_is_rearranged_by_keyboard() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(3)).await;
    let admin = lede.admin().await;
    let category = admin
        .post("/api/categories", json!({"name": "Papers"}))
        .await;
    let category = category.expect(201).json()["id"].clone();
    page.goto(&lede.url("/")).await.unwrap();
    appears(&page, ".branch").await;
    page.eval("document.querySelector('.branches > .feed a').focus()")
        .await
        .unwrap();
    page.press("Alt+ArrowRight").await.unwrap();
    page.wait_for("document.querySelector('.toast')?.textContent === 'Moved'")
        .await
        .unwrap();
    let unread = format!("[data-unread-in=category-{category}]");
    page.wait_for(&format!(
        "document.querySelector('{unread}').firstElementChild.textContent === '3'"
    ))
    .await
    .unwrap();
    is_sound(&page, "the feed in its category").await;
    let feeds = admin.json("/api/feeds").await;
    assert_eq!(feeds[0]["category_id"], category);

    page.click(".fold").await.unwrap();
    page.wait_for("!document.querySelector('.branch .feed').checkVisibility()")
        .await
        .unwrap();
    page.goto(&lede.url("/?show=all")).await.unwrap();
    appears(&page, ".fold[aria-expanded=false]").await;
    assert!(!is_shown(&page, ".branch .feed").await, "it is remembered");
}

/// The tree from top to bottom; the content of a category follows it in brackets.
const TREE: &str = "(function names(list) {
    return [...list.children].map((node) => {
        const name = node.querySelector('.name').textContent;
        return node.matches('.branch') ? `${name} (${names(node.querySelector('ul'))})` : name;
    }).join(' ');
})(document.querySelector('.branches'))";

#[tokio::test]
async fn the_tree_is_rearranged_with_the_mouse() {
    let lede = lede(false).await;
    let admin = lede.admin().await;
    let mut feeds = Vec::new();
    for name in ["ada", "ben", "cid"] {
        let url = lede.site.put(&format!("/{name}.xml"), {
            Reply::rss(name, &[("One", "<p>Its text.</p>")])
        });
        let added = admin.post("/api/feeds", json!({ "url": url })).await;
        feeds.push(added.expect(201).json()["id"].clone());
    }
    let mut categories = Vec::new();
    for name in ["Arts", "Papers", "Science"] {
        let made = admin.post("/api/categories", json!({ "name": name })).await;
        categories.push(made.expect(201).json()["id"].clone());
    }
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;
    let feed = |at: usize| format!(".feed[data-feed='{}']", feeds[at]);
    let row = |at: usize| format!(".branch[data-category='{}'] > .branch-row", categories[at]);
    let steps = [
        // Into a category: onto it, and between its feeds.
        (
            feed(1),
            row(1),
            0.5,
            "Arts () Papers (ben) Science () ada cid",
        ),
        (
            feed(0),
            feed(1),
            0.2,
            "Arts () Papers (ada ben) Science () cid",
        ),
        (
            feed(2),
            feed(0),
            0.8,
            "Arts () Papers (ada cid ben) Science ()",
        ),
        // A category before another, into it, and out again at its upper edge.
        (
            row(2),
            row(0),
            0.2,
            "Science () Arts () Papers (ada cid ben)",
        ),
        (
            row(2),
            row(1),
            0.8,
            "Arts () Papers (ada cid ben Science ())",
        ),
        (
            feed(1),
            row(2),
            0.5,
            "Arts () Papers (ada cid Science (ben))",
        ),
        (
            row(2),
            row(0),
            0.2,
            "Science (ben) Arts () Papers (ada cid)",
        ),
        // Below everything: out of every category.
        (
            feed(1),
            ".branches".to_owned(),
            0.95,
            "Science () Arts () Papers (ada cid) ben",
        ),
    ];
    for (from, to, height, expected) in steps {
        page.drag(&from, &to, height).await.unwrap();
        page.wait_for("document.querySelector('.toast')?.textContent === 'Moved'")
            .await
            .unwrap();
        assert_eq!(page.eval(TREE).await.unwrap(), expected, "on the screen");
        page.goto(&lede.url("/")).await.unwrap();
        assert_eq!(page.eval(TREE).await.unwrap(), expected, "on the server");
    }
    // A category cannot be moved into its own descendant, and no request is sent.
    page.drag(&row(1), &feed(0), 0.5).await.unwrap();
    let last = page.eval(TREE).await.unwrap();
    assert_eq!(last, "Science () Arts () Papers (ada cid) ben");
    is_sound(&page, "the tree").await;
    let shown = admin.json("/api/feeds").await;
    let shown = shown.as_array().unwrap().iter();
    let shown: Vec<(&Value, &Value)> = shown
        .map(|feed| (&feed["title"], &feed["category_id"]))
        .collect();
    assert!(
        shown.contains(&(&json!("ada"), &categories[1])),
        "{shown:?}"
    );
    assert!(shown.contains(&(&json!("ben"), &Value::Null)), "{shown:?}");
    let list = admin.get("/api/feeds/export-opml").await.expect(200).text;
    let place = |name: &str| list.find(&format!("text=\"{name}\"")).unwrap();
    let order = ["Science", "Arts", "Papers", "ada", "cid", "ben"].map(place);
    assert!(order.is_sorted(), "{list}");
}
