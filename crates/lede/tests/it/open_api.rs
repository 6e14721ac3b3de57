//! The OpenAPI description, and the page to try it.

use lede_testkit::{TestLede, on_each_engine};
use serde_json::Value;

/// The schema that all errors share.
const ERROR: &str = "#/components/schemas/ErrorBody";

/// Every operation: method, path and its description.
pub(crate) fn operations(api: &Value) -> Vec<(String, String, Value)> {
    let paths = api["paths"].as_object().expect("paths");
    paths
        .iter()
        .flat_map(|(path, methods)| {
            methods
                .as_object()
                .expect("methods")
                .iter()
                .map(move |(method, operation)| {
                    (method.to_uppercase(), path.clone(), operation.clone())
                })
        })
        .collect()
}

#[tokio::test]
async fn the_description_is_complete_enough_to_write_a_client_from() {
    on_each_engine(async |lede: TestLede| {
        let answer = lede.visitor().get("/openapi.json").await.expect(200);
        assert_eq!(answer.header("content-type"), "application/json");
        let api = answer.json();
        assert!(
            api["openapi"].as_str().unwrap().starts_with("3.1."),
            "{}",
            api["openapi"]
        );
        assert_eq!(api["info"]["title"], "Lede");
        assert!(!api["info"]["version"].as_str().unwrap().is_empty());
        assert_eq!(
            api["servers"][0]["url"], "/",
            "relative to where it is served"
        );
        for name in ["error", "code", "message", "category", "action", "fields"] {
            let fields = &api["components"]["schemas"]["ErrorBody"]["properties"];
            assert!(fields[name].is_object(), "{name}");
        }
        let tags: Vec<&Value> = api["tags"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tag| &tag["name"])
            .collect();
        let mut ids = std::collections::BTreeSet::new();
        for (method, path, operation) in operations(&api) {
            let what = format!("{method} {path}");
            let id = operation["operationId"].as_str().unwrap_or_default();
            assert!(!id.is_empty() && ids.insert(id.to_owned()), "{what}: {id}");
            let own = operation["tags"]
                .as_array()
                .unwrap_or_else(|| panic!("{what} has no tags"));
            assert!(own.iter().all(|tag| tags.contains(&tag)), "{what}");
            assert!(
                !operation["summary"].as_str().unwrap_or_default().is_empty(),
                "{what}"
            );

            let responses = operation["responses"].as_object().unwrap();
            for (status, response) in responses {
                if status.starts_with('4') {
                    let schema = &response["content"]["application/json"]["schema"]["$ref"];
                    assert_eq!(schema, ERROR, "{what}: {status}");
                }
            }
            let has = |status: &str| responses.contains_key(status);
            // Only the health check is not rate-limited.
            assert_eq!(has("429"), !path.ends_with("/health"), "{what}");
            let is_open = operation["security"]
                .as_array()
                .is_some_and(|all| all.iter().any(|one| one == &serde_json::json!({})));
            if !is_open {
                assert!(has("401"), "{what}");
            }
            if method != "GET" {
                assert!(has("403"), "{what}: a cookie without its token");
            }
            if path.contains('{') {
                assert!(has("404") && has("400"), "{what}");
            }
            for parameter in operation["parameters"].as_array().unwrap_or(&Vec::new()) {
                let name = parameter["name"].as_str().unwrap();
                let is_in_path = path.contains(&format!("{{{name}}}"));
                assert_eq!(parameter["in"] == "path", is_in_path, "{what}: {name}");
                if is_in_path {
                    assert_eq!(parameter["schema"]["format"], "int64", "{what}");
                    assert_eq!(parameter["schema"]["minimum"], 1, "{what}");
                }
            }
            if operation["requestBody"].is_object() {
                assert!(has("400") && has("413") && has("415"), "{what}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn ids_that_no_row_can_have_are_refused_or_absent_but_never_a_failure() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        for id in [
            "0",
            "-1",
            "x",
            "1.5",
            "9223372036854775807",
            "9223372036854775808",
            "%00",
            "%FF",
        ] {
            for path in [
                format!("/api/feeds/{id}"),
                format!("/api/items/{id}"),
                format!("/api/feeds/{id}/items"),
            ] {
                let answer = ada.get(&path).await;
                let status = answer.status.as_u16();
                assert!(status == 400 || status == 404, "{path}: {status}");
                assert_eq!(answer.json()["category"], "validation", "{path}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn the_description_is_there_as_yaml_too() {
    on_each_engine(async |lede: TestLede| {
        let json = lede.visitor().get("/openapi.json").await.expect(200);
        let yaml = lede.visitor().get("/openapi.yaml").await.expect(200);
        assert_eq!(yaml.header("content-type"), "application/yaml");
        assert!(yaml.text == json.text, "JSON is YAML");
    })
    .await;
}

#[tokio::test]
async fn the_page_to_try_the_api_needs_nothing_from_elsewhere() {
    on_each_engine(async |lede: TestLede| {
        let visitor = lede.visitor();
        let moved = visitor.get("/swagger").await.expect(308);
        assert_eq!(moved.header("location"), "/swagger/");
        let page = visitor.get("/swagger/").await.expect(200);
        assert!(page.header("content-type").starts_with("text/html"));
        let addresses: Vec<&str> = ["src=\"", "href=\""]
            .iter()
            .flat_map(|attribute| page.text.split(attribute).skip(1))
            .filter_map(|rest| rest.split('"').next())
            .filter(|address| *address != "/openapi.json")
            .collect();
        assert!(
            addresses
                .iter()
                .any(|address| address.contains("swagger-ui-bundle.js"))
        );
        for address in addresses {
            assert!(address.starts_with("/assets/"), "{address}");
            let asset = visitor.get(address).await.expect(200);
            assert!(
                asset.header("cache-control").contains("immutable"),
                "{address}"
            );
        }
    })
    .await;
}
