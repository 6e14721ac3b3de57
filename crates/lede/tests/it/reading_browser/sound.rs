//! Playing the sound of items.

use super::*;

#[tokio::test]
async fn sound_goes_on_where_it_stopped() {
    let lede = lede(false).await;
    let feed = "<rss version='2.0'><channel><title>Talk</title><item><title>One</title><guid>1</guid>
        <enclosure url='https://site.example/1.mp3' type='audio/mpeg' length='1234'/></item></channel></rss>";
    let items = follow(&lede, Reply::body("application/rss+xml", feed)).await;
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;
    // There is no audio at the address, so the player's events are dispatched by hand.
    let after = |event: &str, seconds: &str| {
        format!(
            "(() => {{ const audio = document.querySelector('audio'); {seconds}
                audio.dispatchEvent(new Event('{event}')); return audio.currentTime; }})()"
        )
    };
    // The page listens to players before it listens for news.
    let visit = async || {
        page.goto(&items[0]).await.unwrap();
        let has_begun = "!!document.querySelector('.news[data-listens]')";
        page.wait_for(has_begun).await.unwrap();
    };
    visit().await;
    for (event, seconds, kept) in [
        ("pause", "audio.currentTime = 95.5;", 95.0),
        ("ended", "audio.currentTime = 3;", 0.0),
    ] {
        page.eval(&after(event, seconds)).await.unwrap();
        // A visit without playing does not lose the position.
        for _ in 0..2 {
            visit().await;
        }
        let place = page.eval(&after("loadedmetadata", "")).await.unwrap();
        assert_eq!(place.as_f64(), Some(kept), "after {event}");
    }
}

#[tokio::test]
async fn a_sound_goes_on_while_something_else_is_read() {
    let lede = lede(false).await;
    let feed = "<rss version='2.0'><channel><title>Talk</title>
        <item><title>Heard</title><guid>1</guid><pubDate>Sun, 01 Mar 2026 12:00:00 GMT</pubDate>
            <enclosure url='https://site.example/1.mp3' type='audio/mpeg' length='1234'/></item>
        <item><title>Read</title><guid>2</guid><pubDate>Sun, 01 Mar 2026 11:00:00 GMT</pubDate></item></channel></rss>";
    let (_browser, page) = reader(&lede, Reply::body("application/rss+xml", feed)).await;
    page.goto(&lede.url("/?show=all")).await.unwrap();
    press_all(&page, &["j"]).await;
    opens(&page, "Heard").await;
    // A stream created in the page, as there is no audio at the address.
    page.eval(
        "(async () => { const audio = document.querySelector('article audio'); audio.muted = true;
            audio.srcObject = new AudioContext().createMediaStreamDestination().stream; await audio.play(); })()",
    )
    .await
    .unwrap();
    let plays = |place: &str| format!("document.querySelector('{place} audio')?.paused === false");

    press_all(&page, &["j"]).await;
    opens(&page, "Read").await;
    page.wait_for(&plays(".playing")).await.unwrap();
    let name = "document.querySelector('.playing .name').innerText";
    assert_eq!(page.eval(name).await.unwrap(), "Heard");
    for scheme in ["light", "dark"] {
        page.set_scheme(scheme).await.unwrap();
        is_sound(&page, scheme).await;
        assert_eq!(page.barriers("").await.unwrap(), [""; 0], "{scheme}");
    }

    press_all(&page, &["k"]).await;
    opens(&page, "Heard").await;
    page.wait_for(&plays("article")).await.unwrap();
    assert!(!is_shown(&page, ".playing").await);

    press_all(&page, &["Escape"]).await;
    page.wait_for(&plays(".playing")).await.unwrap();
    page.click(".playing .stop").await.unwrap();
    page.wait_for("!document.querySelector('.playing audio')")
        .await
        .unwrap();
    assert!(!is_shown(&page, ".playing").await);
}
