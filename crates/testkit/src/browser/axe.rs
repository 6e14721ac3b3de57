//! What axe (https://github.com/dequelabs/axe-core) finds in a page that some people could not use.

use super::{BrowserError, Page, string};

impl Page {
    /// Runs every rule of axe on what the page shows now, outside of `except` (a selector, or empty);
    /// gives a line for each finding.
    pub async fn barriers(&self, except: &str) -> Result<Vec<String>, BrowserError> {
        self.eval(&script()?).await?;
        let except = serde_json::Value::from(except);
        let found = self
            .eval(&format!(
                "axe.run({{ exclude: {except} ? [{except}] : [] }}, {{ resultTypes: ['violations'] }}).then((result) =>
                    result.violations.flatMap((rule) => rule.nodes.map((node) =>
                        `${{rule.id}}: ${{node.html}} (${{node.failureSummary}})`)))"
            ))
            .await?;
        let lines = found.as_array().map(Vec::as_slice).unwrap_or_default();
        Ok(lines.iter().map(string).collect())
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "tests find their programs by TEST_* variables; the program never reads them"
)]
fn script() -> Result<String, BrowserError> {
    let path = std::env::var_os("TEST_AXE")
        .ok_or_else(|| BrowserError::NoAxe("it is not set".to_owned()))?;
    let script = std::fs::read_to_string(path);
    // The script's own value would be the whole of axe.
    Ok(script.map_err(|error| BrowserError::NoAxe(error.to_string()))? + "\n;void 0")
}
