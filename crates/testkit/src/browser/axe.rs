//! Accessibility checks with axe (https://github.com/dequelabs/axe-core).

use super::{BrowserError, Page, string};

impl Page {
    /// Runs every rule of axe on the present content of the page, outside of `except` (a selector,
    /// or empty). Returns a line for each violation.
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
    // Otherwise the value of the script would be the whole axe object.
    Ok(script.map_err(|error| BrowserError::NoAxe(error.to_string()))? + "\n;void 0")
}
