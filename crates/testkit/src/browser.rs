//! A real Chromium, driven from tests.
//!
//! Implements the few commands of the DevTools protocol that the tests need, over two pipes: no
//! port, no WebSocket, no chromedriver that must match the browser, and no process that outlives
//! the test. Operations on an element wait inside the page until it exists, so tests never sleep.
//! Every function returns a `Result`, so that `unwrap` in a test names the line that failed.

mod axe;
mod keys;
mod page;
mod seen;
#[cfg(test)]
mod tests;
mod wire;

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::{ChildStdin, ChildStdout};

use wire::{Tab, Wire};

pub use page::Page;

/// Default time for which a page is waited for. Generous, because a busy machine must not fail a test.
const PATIENCE: Duration = Duration::from_secs(60);

/// No sandbox, since containers do not support it. Only loopback is reachable: no updates, no
/// proxy, no host names. Pages of all contexts are treated as if in the foreground.
const FLAGS: [&str; 19] = [
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost , EXCLUDE ::1",
    "--window-size=1280,800",
    "--mute-audio",
];

/// Reason why a browser command failed.
#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    /// Chromium was not found, or exited before it answered.
    #[error("Chromium did not start: {0}")]
    NotStarted(String),
    /// The browser exited or was dropped before it answered.
    #[error("the browser is gone")]
    Gone,
    /// The browser answered with an error.
    #[error("{method}: {reason}")]
    Refused {
        /// The command of the DevTools protocol.
        method: String,
        /// The browser's error message.
        reason: String,
    },
    /// The script threw an exception.
    #[error("the script threw {0}")]
    Threw(String),
    #[error("{url} could not be loaded: {reason}")]
    NotLoaded {
        url: String,
        /// The browser's name of the network error.
        reason: String,
    },
    /// A condition did not become true in time.
    #[error("at {url}, waited {} s in vain for: {condition} (last: {last})", patience.as_secs())]
    InVain {
        condition: String,
        /// The last value of the condition, or the exception that it threw.
        last: String,
        /// Address of the page at that time.
        url: String,
        patience: Duration,
    },
    /// A key that [`Page::press`] does not know.
    #[error("there is no key '{0}'")]
    UnknownKey(String),
    /// The mouse moved, but no drag started.
    #[error("{0} cannot be dragged")]
    NotDragged(String),
    /// axe, which checks accessibility, was not found.
    #[error(
        "axe is missing: run through scripts/test or scripts/with-services, or set TEST_AXE ({0})"
    )]
    NoAxe(String),
    #[error("{0} could not be written: {1}")]
    NotWritten(PathBuf, std::io::Error),
}

/// A running Chromium with its own profile. Dropping it ends the process and removes the profile.
pub struct Browser {
    wire: Arc<Wire>,
    child: Child,
    profile: TempDir,
}

impl Browser {
    /// Starts the Chromium that `TEST_CHROMIUM` names, or the first on `PATH`.
    pub async fn start() -> Result<Browser, BrowserError> {
        let failed = |error: std::io::Error| BrowserError::NotStarted(error.to_string());
        let profile = TempDir::with_prefix("test-chromium-").map_err(failed)?;
        let log = profile.path().join("stderr.log");
        // The pipes must be file descriptors 3 and 4, which without unsafe code only a shell can set up.
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#)
            .arg(chromium()?)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            // A killed Chromium leaves temporary files; inside the profile they are removed with it.
            .env("TMPDIR", profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(&log).map_err(failed)?)
            .spawn()
            .map_err(failed)?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let stdin = stdin.expect("stdin was asked for above");
        let stdout = stdout.expect("stdout was asked for above");
        let wire = Wire::open(
            ChildStdin::from_std(stdin).map_err(failed)?,
            ChildStdout::from_std(stdout).map_err(failed)?,
        );
        let browser = Browser {
            wire,
            child,
            profile,
        };
        // Service workers have network settings of their own; see `Wire::welcome_worker`.
        let workers = json!({
            "autoAttach": true,
            "waitForDebuggerOnStart": true,
            "flatten": true,
            "filter": [{ "type": "service_worker" }],
        });
        match browser
            .wire
            .call(None, "Target.setAutoAttach", workers)
            .await
        {
            Ok(_) => Ok(browser),
            Err(error) => {
                let said = std::fs::read_to_string(&log).unwrap_or_default();
                Err(BrowserError::NotStarted(format!("{error}\n{said}")))
            }
        }
    }

    /// Opens an empty page in its own context: it shares no cookies and no storage with others.
    pub async fn page(&self) -> Result<Page, BrowserError> {
        let made = self
            .wire
            .call(None, "Target.createBrowserContext", json!({}))
            .await?;
        self.open(string(&made["browserContextId"])).await
    }

    /// Opens a second tab in the context of `page`. It closes with the first.
    pub async fn page_beside(&self, page: &Page) -> Result<Page, BrowserError> {
        self.open(page.context.clone()).await
    }

    async fn open(&self, context: String) -> Result<Page, BrowserError> {
        let wire = Arc::clone(&self.wire);
        let place = json!({ "url": "about:blank", "browserContextId": context });
        let made = wire.call(None, "Target.createTarget", place).await?;
        let target = json!({ "targetId": made["targetId"], "flatten": true });
        let attached = wire.call(None, "Target.attachToTarget", target).await?;
        let session = string(&attached["sessionId"]);
        let tab = Arc::<Tab>::default();
        wire.follow(&session, &context, Arc::clone(&tab));
        let page = Page {
            wire,
            session,
            context,
            tab,
            patience: PATIENCE,
        };
        for domain in ["Page", "Runtime", "Log", "Network", "Audits"] {
            page.call(&format!("{domain}.enable"), json!({})).await?;
        }
        page.call("Page.setLifecycleEventsEnabled", json!({ "enabled": true }))
            .await?;
        Ok(page)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // The helper processes exit a moment later, and may still write to the profile until then.
        for _ in 0..100 {
            if std::fs::remove_dir_all(self.profile.path()).is_ok() || !self.profile.path().exists()
            {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "tests find their programs by TEST_* variables; the program never reads them"
)]
fn chromium() -> Result<PathBuf, BrowserError> {
    if let Some(named) = std::env::var_os("TEST_CHROMIUM") {
        return Ok(named.into());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|file| file.is_file())
        .ok_or_else(|| {
            let advice = "there is none on PATH; run ./scripts/test, or set TEST_CHROMIUM";
            BrowserError::NotStarted(advice.to_owned())
        })
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
