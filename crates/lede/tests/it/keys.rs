//! Keyboard shortcuts chosen by the user, over the API and with a form.

use lede_testkit::{TestLede, on_each_engine};
use serde_json::{Value, json};

const PREFERENCES: &str = "/api/users/me/preferences";

#[tokio::test]
async fn keys_are_chosen_all_or_none() {
    on_each_engine(async |lede: TestLede| {
        let admin = lede.admin().await;
        let keys = async || admin.json(PREFERENCES).await["keys"].clone();
        let defaults = keys().await;
        assert_eq!(
            (&defaults["next"], &defaults["send"]),
            (&json!("j"), &json!("e"))
        );
        assert_eq!(admin.json(PREFERENCES).await["shortcuts"], true);

        let chosen = json!({"keys": {"next": "k", "previous": "j", "star": "ж", "undo": null}});
        let said = admin.patch(PREFERENCES, chosen).await.expect(200).json();
        assert_eq!(said["keys"], keys().await);
        for (action, key) in [
            ("next", "k"),
            ("previous", "j"),
            ("star", "ж"),
            ("open", "o"),
        ] {
            assert_eq!(said["keys"][action], key, "{action}");
        }
        assert_eq!(said["keys"]["undo"], Value::Null);

        for (wrong, why) in [
            (
                json!({"star": "t"}),
                "the key t is that of both star and theme; give one of them another",
            ),
            (
                json!({"star": "x", "theme": "x"}),
                "the key x is that of both star and theme; give one of them another",
            ),
            (
                json!({"star": "F1"}),
                "the key of star must be a single letter, digit or sign",
            ),
            (
                json!({"star": " "}),
                "the key of star must be a single letter, digit or sign",
            ),
            (
                json!({"star": "g"}),
                "the key g begins those of places and cannot be that of star",
            ),
            (json!({"fly": "f"}), "there is no action called fly"),
        ] {
            let refused = admin
                .patch(PREFERENCES, json!({"theme": "dark", "keys": wrong}))
                .await;
            let refused = refused.expect(400).json();
            assert_eq!(refused["fields"], json!({ "keys": why }), "{wrong}");
            assert!(refused["field_codes"]["keys"].is_string(), "{refused}");
        }
        for wrong in [json!({"star": 1}), json!("j"), json!(["j"])] {
            admin
                .patch(PREFERENCES, json!({ "keys": wrong }))
                .await
                .expect(400);
        }
        // A refused change stores nothing, and other changes leave the shortcuts alone.
        let said = admin
            .patch(PREFERENCES, json!({"shortcuts": false}))
            .await
            .expect(200)
            .json();
        assert_eq!(
            (&said["keys"]["star"], &said["theme"]),
            (&json!("ж"), &json!("system"))
        );
        assert_eq!(said["shortcuts"], false);

        admin
            .patch(PREFERENCES, json!({"keys": {}}))
            .await
            .expect(200);
        assert_eq!(keys().await, defaults);
        // The answer can be sent back unchanged.
        admin
            .patch(PREFERENCES, json!({ "keys": defaults }))
            .await
            .expect(200);
        assert_eq!(keys().await, defaults);
    })
    .await;
}

#[tokio::test]
async fn keys_are_chosen_without_script() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        let all = browser.json(PREFERENCES).await["keys"].clone();
        let form = |changes: &[(&str, &str)]| {
            let mut keys = all.clone();
            for (action, key) in changes {
                keys[*action] = json!(key);
            }
            keys
        };
        let send = async |keys: &Value| {
            let fields = keys.as_object().unwrap().iter();
            let fields: Vec<(&str, &str)> = fields
                .map(|(name, key)| (name.as_str(), key.as_str().unwrap()))
                .collect();
            browser.fill("/settings", "/settings/keys", &fields).await
        };
        let field = |page: &str, action: &str| {
            let input = page.split(&format!("<input id=\"key-{action}\"")).nth(1).unwrap();
            input.split('>').next().unwrap().to_owned()
        };

        let saved = send(&form(&[("star", "f"), ("undo", "")])).await.expect(303);
        assert_eq!(saved.header("location"), "/settings?done=keys#keyboard");
        let page = browser.get("/settings?done=keys").await.expect(200).text;
        assert!(page.contains("Keys saved."));
        assert!(field(&page, "star").contains("value=\"f\""));
        assert!(field(&page, "undo").contains("value=\"\""));
        assert!(!page.contains("aria-invalid"));

        // The help of the reading view lists the current shortcuts, and the script receives them.
        let reader = browser.get("/").await.expect(200).text;
        assert!(reader.contains("<kbd>f</kbd></dt><dd>star or unstar</dd>"));
        assert!(reader.contains("<kbd>Shift</kbd>+<kbd>A</kbd></dt><dd>mark all read"));
        assert!(reader.contains("<kbd>o</kbd> <kbd>Enter</kbd></dt>"));
        assert!(!reader.contains("<dd>undo</dd>"));
        assert!(reader.contains("&#34;f&#34;:&#34;star&#34;"));

        // A refusal names the shortcut, keeps the typed value in the form and changes nothing.
        for (changes, why, wrong) in [
            (vec![("star", "j")], "The key j is used for both “next item” and “star or unstar”: choose another for one of them. Nothing changed.", vec!["next", "star"]),
            (vec![("undo", "ctrl")], "The key for “undo” must be a single letter, digit or sign. Nothing changed.", vec!["undo"]),
            (vec![("undo", "g")], "The key g starts the shortcuts for places, so it can’t be used for “undo”. Nothing changed.", vec!["undo"]),
        ] {
            let page = send(&form(&changes)).await.expect(400).text;
            assert!(page.contains(&format!("role=\"alert\">{why}<")), "{why}");
            assert_eq!(page.matches("aria-invalid").count(), wrong.len(), "{why}");
            for action in wrong {
                assert!(field(&page, action).contains("aria-invalid"), "{action}");
            }
            for (action, typed) in changes {
                assert!(field(&page, action).contains(&format!("value=\"{typed}\"")));
            }
            assert_eq!(browser.json(PREFERENCES).await["keys"]["star"], "f");
        }

        let fields = [("group", "looks"), ("language", "ja")];
        browser.fill("/settings", "/settings", &fields).await.expect(303);
        let page = send(&form(&[("star", "j")])).await.expect(400).text;
        assert!(page.contains("キー j が「次の記事」と「スター」の両方に使われています。"));
        let fields = [("group", "looks"), ("language", "")];
        browser.fill("/settings", "/settings", &fields).await.expect(303);

        let path = "/settings/keys";
        let defaults = [("star", "j"), ("defaults", "true")];
        browser.fill("/settings", path, &defaults).await.expect(303);
        assert_eq!(browser.json(PREFERENCES).await["keys"], all);
        let fields = [("group", "keyboard"), ("shortcuts", "false")];
        let off = browser.fill("/settings", "/settings", &fields).await.expect(303);
        assert_eq!(off.header("location"), "/settings?done=keyboard#keyboard");
        let reader = browser.get("/").await.expect(200).text;
        assert!(!reader.contains("data-keys"));
        assert!(reader.contains("Single-key shortcuts are turned off."));
        assert!(!reader.contains("<kbd>j</kbd>") && !reader.contains("<kbd>g</kbd>"));
        assert!(reader.contains("<dt> <kbd>Enter</kbd></dt>") && reader.contains("<kbd>Esc</kbd>"));
    })
    .await;
}
