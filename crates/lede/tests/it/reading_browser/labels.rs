//! Labels in the reading view.

use super::*;

/// The labels of the open item.
async fn labels(page: &Page) -> Vec<String> {
    let js = "[...document.querySelectorAll('article .item-labels li')].map((label) => label.textContent)";
    serde_json::from_value(page.eval(js).await.unwrap()).unwrap()
}

async fn dialog_closes(page: &Page) {
    page.wait_for("!document.querySelector('dialog[open]')")
        .await
        .unwrap();
}

/// Waits until the tree shows this unread count for the only label.
async fn label_counts(page: &Page, unread: usize) {
    page.wait_for(&format!(
        "document.querySelector('[data-unread-in^=label-]')?.firstElementChild.textContent === '{unread}'"
    ))
    .await
    .unwrap();
}

#[tokio::test]
async fn an_item_is_labelled_by_keyboard_and_other_tabs_see_it() {
    let lede = lede(false).await;
    let (browser, page) = reader(&lede, many(3)).await;
    press_all(&page, &["j"]).await;
    opens(&page, "Item 1").await;
    all_sent(&page).await;
    let here = page.url().await.unwrap();
    let beside = browser.page_beside(&page).await.unwrap();
    beside.goto(&here).await.unwrap();
    page.look_at().await.unwrap();
    press_all(&page, &["l"]).await;
    appears(&page, "dialog.labels[open] #new-label").await;
    for scheme in ["light", "dark"] {
        page.set_scheme(scheme).await.unwrap();
        is_sound(&page, scheme).await;
        assert_eq!(page.barriers("").await.unwrap(), [""; 0], "{scheme}");
    }
    write(&page, "Later").await;
    press_all(&page, &["Enter"]).await;
    dialog_closes(&page).await;
    appears(&page, "article .item-labels a").await;
    assert_eq!(labels(&page).await, ["Later"]);
    appears(&page, "#tree-labels a").await;
    assert_eq!(page.barriers("").await.unwrap(), [""; 0], "with a label");
    // The other tab updates by itself.
    beside
        .wait_for("document.querySelector('article .item-labels')?.textContent === 'Later'")
        .await
        .unwrap();
    // The label is still there when the item is reopened, and its checkbox removes it.
    press_all(&page, &["j"]).await;
    opens(&page, "Item 2").await;
    assert_eq!(labels(&page).await, [""; 0]);
    press_all(&page, &["k"]).await;
    opens(&page, "Item 1").await;
    assert_eq!(labels(&page).await, ["Later"]);
    press_all(&page, &["l"]).await;
    appears(&page, "dialog.labels[open] input[type=checkbox]").await;
    assert_eq!(page.barriers("").await.unwrap(), [""; 0], "with boxes");
    press_all(&page, &["Shift+Tab", "Space", "Tab"]).await;
    write(&page, "b").await;
    press_all(&page, &["Enter"]).await;
    dialog_closes(&page).await;
    assert_eq!(labels(&page).await, ["b"]);
    press_all(&page, &["l"]).await;
    appears(&page, "dialog.labels[open]").await;
    press_all(&page, &["Escape"]).await;
    dialog_closes(&page).await;
    // An invalid label is reported in the dialog.
    page.eval("document.querySelector('.set-labels').click()")
        .await
        .unwrap();
    appears(&page, "dialog.labels[open] #new-label").await;
    page.eval("document.getElementById('new-label').removeAttribute('maxlength')")
        .await
        .unwrap();
    let long = "x".repeat(101);
    page.fill("#new-label", &long).await.unwrap();
    press_all(&page, &["Enter"]).await;
    appears(&page, "dialog.labels [role=alert]").await;
    assert_eq!(
        page.text("dialog.labels [role=alert]").await.unwrap(),
        "A label’s name must have 1 to 100 characters."
    );
    assert_eq!(page.barriers("").await.unwrap(), [""; 0], "with a problem");
    press_all(&page, &["Escape"]).await;
    dialog_closes(&page).await;
    is_sound(&page, "the end").await;
    page.offline(true).await.unwrap();
    press_all(&page, &["l"]).await;
    appears(&page, ".toast").await;
    assert!(page.text(".toasts").await.unwrap().contains("back online"));
}

#[tokio::test]
async fn a_label_has_its_list_which_is_marked_read_and_back() {
    let lede = lede(false).await;
    let items = follow(&lede, many(3)).await;
    let admin = lede.admin().await;
    for item in &items[..2] {
        let item = item.rsplit('/').next().unwrap();
        let path = format!("/api/items/{item}/labels");
        let later = json!({"labels": ["Later"]});
        admin.put(&path, later).await.expect(200);
    }
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;
    label_counts(&page, 2).await;
    page.click("#tree-labels a").await.unwrap();
    appears(&page, ".list-head[data-label]").await;
    let rows = "document.querySelectorAll('.item').length";
    assert_eq!(page.eval(rows).await.unwrap(), 2);
    is_sound(&page, "the list of a label").await;
    assert_eq!(page.barriers("").await.unwrap(), [""; 0]);
    press_all(&page, &["A"]).await;
    page.wait_for("document.querySelectorAll('.item.read').length === 2")
        .await
        .unwrap();
    counts(&page, 1).await;
    label_counts(&page, 0).await;
    press_all(&page, &["z"]).await;
    page.wait_for("document.querySelectorAll('.item:not(.read)').length === 2")
        .await
        .unwrap();
    label_counts(&page, 2).await;
    page.click(".list-tools a[href^='/labels/']").await.unwrap();
    appears(&page, "#name").await;
    is_sound(&page, "a label by itself").await;
    assert_eq!(
        page.barriers("").await.unwrap(),
        [""; 0],
        "a label by itself"
    );
    page.fill("#name", "Sooner").await.unwrap();
    press_all(&page, &["Enter"]).await;
    page.wait_for("document.querySelector('.list-head h1')?.textContent === 'Sooner'")
        .await
        .unwrap();
}
