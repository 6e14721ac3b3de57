//! Installation as a web app: manifest and icons.

use lede_store::Engine;
use lede_testkit::browser::Browser;
use lede_testkit::{Options, TestLede, on_each_engine};
use serde_json::json;

#[tokio::test]
async fn the_manifest_says_what_lede_is_in_the_readers_language() {
    on_each_engine(async |lede: TestLede| {
        for (accepted, description) in [
            ("en", "News that doesn’t bury the lede"),
            ("ja", "要点を埋もれさせないニュース"),
            ("pt-BR", "Notícias que vão direto ao ponto"),
        ] {
            let visitor = lede.visitor().with_header("accept-language", accepted);
            let answer = visitor.get("/manifest.webmanifest").await.expect(200);
            assert_eq!(answer.header("content-type"), "application/manifest+json");
            let manifest = answer.json();
            assert_eq!(manifest["description"], description);
            for (key, value) in [
                ("name", "Lede"),
                ("short_name", "Lede"),
                ("start_url", "/"),
                ("scope", "/"),
                ("display", "standalone"),
            ] {
                assert_eq!(manifest[key], value, "{key}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn pages_link_to_icons_of_the_declared_sizes_and_the_theme_colour() {
    let lede = TestLede::start(Engine::Sqlite, Options::default()).await;
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    page.goto(&lede.url("/auth/login")).await.unwrap();
    let sizes = page
        .eval(
            "(async () => {
                const manifest = await (await fetch(document.querySelector('link[rel=manifest]').href)).json();
                const icons = manifest.icons.map(({ src, sizes, purpose }) => [src, sizes, purpose]);
                icons.push([document.querySelector('link[rel=apple-touch-icon]').href, '180x180', 'apple']);
                return Promise.all(icons.map(async ([src, sizes, purpose]) => {
                    const picture = await createImageBitmap(await (await fetch(src)).blob());
                    return `${purpose} ${sizes}` + (sizes === `${picture.width}x${picture.height}` ? '' : ' (not so)');
                }));
            })()",
        )
        .await
        .unwrap();
    let expected = [
        "any 192x192",
        "any 512x512",
        "maskable 192x192",
        "maskable 512x512",
        "apple 180x180",
    ];
    assert_eq!(sizes, json!(expected));
    for scheme in ["light", "dark"] {
        page.set_scheme(scheme).await.unwrap();
        let differs = page
            .eval(
                "(() => {
                    const canvas = document.createElement('canvas').getContext('2d');
                    const bytes = (colour) => {
                        canvas.fillStyle = colour;
                        canvas.fillRect(0, 0, 1, 1);
                        return [...canvas.getImageData(0, 0, 1, 1).data];
                    };
                    const metas = [...document.querySelectorAll('meta[name=theme-color]')];
                    const told = bytes(metas.find((meta) => matchMedia(meta.media).matches).content);
                    const probe = document.body.appendChild(document.createElement('p'));
                    probe.style.color = 'var(--paper-2)';
                    const shown = bytes(getComputedStyle(probe).color);
                    return Math.max(...told.map((byte, place) => Math.abs(byte - shown[place])));
                })()",
            )
            .await
            .unwrap();
        assert!(differs.as_i64().unwrap() <= 1, "{scheme}: {differs}");
    }
    assert_eq!(page.complaints().await, Vec::<String>::new());
}
