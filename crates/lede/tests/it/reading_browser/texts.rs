//! The two texts of an item, players of embeds, search results, and marking a long list as read.

use lede_core::worker;
use lede_testkit::Reply;

use super::{appears, counts, is_sound, lede, many, opens, press_all, reader};

#[tokio::test]
async fn a_key_switches_between_the_text_of_the_feed_and_the_article() {
    let lede = lede(false).await;
    let link = format!("http://{}/story", lede.site.address());
    let sentence = "<p>The page has a longer text about the same thing, with a comma or two, and more than one sentence. \
                    This is another one, because articles have several of them.</p>";
    lede.site.put(
        "/story",
        Reply::body(
            "text/html",
            format!("<article><h1>Story</h1>{}</article>", sentence.repeat(8)),
        ),
    );
    let xml = format!(
        "<rss version='2.0'><channel><title>Daily</title><item><title>Story</title><link>{link}</link><guid>1</guid>
         <description>My own opinion of this, which is nowhere on the page that I write about here.</description>
         </item></channel></rss>"
    );
    let (_browser, page) = reader(&lede, Reply::body("application/rss+xml", xml)).await;
    worker::run_queues(&lede.lede).await.unwrap();
    press_all(&page, &["j"]).await;
    opens(&page, "Story").await;
    appears(&page, ".texts [value=feed][aria-pressed=true]").await;
    let text = "document.querySelector('.article .text').textContent";
    page.wait_for(&format!("{text}.includes('My own opinion')"))
        .await
        .unwrap();
    press_all(&page, &["w"]).await;
    page.wait_for(&format!("{text}.includes('longer text')"))
        .await
        .unwrap();
    appears(&page, ".texts [value=full][aria-pressed=true]").await;
    is_sound(&page, "the full text").await;
    // The feed remembers it.
    page.goto(&lede.url("/?show=all")).await.unwrap();
    press_all(&page, &["j"]).await;
    page.wait_for("document.querySelector('.texts [value=full][aria-pressed=true]') !== null")
        .await
        .unwrap();
    press_all(&page, &["w"]).await;
    page.wait_for(&format!("{text}.includes('My own opinion')"))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_player_is_loaded_by_a_click_and_not_before() {
    let lede = lede(false).await;
    let text = "<iframe src='https://www.youtube.com/embed/dQw4w9WgXcQ' title='A talk'></iframe>
                <iframe src='https://charts.example.org/embed/1' title='A chart'></iframe>";
    let (_browser, page) = reader(&lede, Reply::rss("Daily", &[("Film", text)])).await;
    press_all(&page, &["j"]).await;
    opens(&page, "Film").await;
    appears(&page, ".play-here").await;
    let count = "document.querySelectorAll('.play-here').length";
    assert_eq!(page.eval(count).await.unwrap(), 1, "only of known hosts");
    let frames = "document.querySelectorAll('iframe').length";
    assert_eq!(page.eval(frames).await.unwrap(), 0);
    let links = "document.querySelectorAll('.lede-embed > a').length";
    assert_eq!(page.eval(links).await.unwrap(), 2);
    page.click(".play-here").await.unwrap();
    let frame = "document.querySelector('iframe')";
    page.wait_for(&format!("{frame} !== null")).await.unwrap();
    let source = page.eval(&format!("{frame}.src")).await.unwrap();
    assert_eq!(source, "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ");
    let sandbox = page.eval(&format!("{frame}.sandbox.length > 0")).await;
    assert_eq!(sandbox.unwrap(), true);
}

#[tokio::test]
async fn a_result_shows_where_it_matched_in_its_row_and_in_its_text() {
    let lede = lede(false).await;
    let text = format!(
        "<p>{}Then the lighthouse appears.</p>",
        "Nothing to see yet. ".repeat(60)
    );
    let (_browser, page) = reader(&lede, Reply::rss("Daily", &[("Story", &text)])).await;
    worker::run_queues(&lede.lede).await.unwrap();
    page.goto(&lede.url("/?q=lighthouse")).await.unwrap();
    assert_eq!(page.text(".item mark").await.unwrap(), "lighthouse");
    press_all(&page, &["j"]).await;
    opens(&page, "Story").await;
    page.wait_for("CSS.highlights.get('found')?.size === 1")
        .await
        .unwrap();
    page.click("details.order > summary").await.unwrap();
    page.click("details.order li:last-child a").await.unwrap();
    page.wait_for("location.search.includes('order=relevance')")
        .await
        .unwrap();
    appears(&page, ".item mark").await;
}

#[tokio::test]
async fn a_long_list_is_marked_after_a_question_and_can_be_undone_later() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(230)).await;
    counts(&page, 230).await;
    press_all(&page, &["A"]).await;
    appears(&page, "dialog.confirm-marks").await;
    is_sound(&page, "the question").await;
    page.click("dialog.confirm-marks button[value='']")
        .await
        .unwrap();
    page.wait_for("!document.querySelector('dialog.confirm-marks').open")
        .await
        .unwrap();
    counts(&page, 230).await;
    press_all(&page, &["A"]).await;
    appears(&page, "dialog.confirm-marks").await;
    page.click("dialog.confirm-marks input").await.unwrap();
    page.click("dialog.confirm-marks .primary").await.unwrap();
    let none = "document.querySelector('[data-unread-in=all]').hidden";
    page.wait_for(none).await.unwrap();
    // The button stays when the message is gone, in another list and on another page load.
    page.goto(&lede.url("/?show=all")).await.unwrap();
    appears(&page, ".undo-mark").await;
    page.click(".undo-mark").await.unwrap();
    counts(&page, 230).await;
    page.wait_for("document.querySelector('.undo-mark').hidden")
        .await
        .unwrap();
    press_all(&page, &["A"]).await;
    page.wait_for(none).await.unwrap();
}
