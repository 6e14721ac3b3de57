//! A real Chromium, driven from tests.
//!
//! It is the few commands of the DevTools protocol that our tests need, over two pipes: no port, no
//! WebSocket, no chromedriver that must match the browser, and nothing that outlives the test. What is
//! asked of an element waits until it is there, inside the page, so tests never sleep. Every function
//! gives a `Result`, so that `unwrap` in a test names the line that failed.

mod keys;
mod seen;
#[cfg(test)]
mod tests;
mod wire;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::time::Instant;

use keys::Stroke;
use wire::{Tab, Wire, network};

/// How long a page is waited for, where a test says nothing else. Generous: a busy machine must not
/// fail a test.
const PATIENCE: Duration = Duration::from_secs(10);

/// No sandbox, since containers have none to offer. Nothing but loopback is reached: no updates, no
/// proxy, no names. Pages of several contexts are all treated as if in the foreground.
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

/// Why the browser did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    /// It was not found, or ended before it answered.
    #[error("Chromium did not start: {0}")]
    NotStarted(String),
    /// It ended, or was dropped, before it answered.
    #[error("the browser is gone")]
    Gone,
    /// It answered with an error.
    #[error("{method}: {reason}")]
    Refused {
        /// The command of the DevTools protocol.
        method: String,
        /// What the browser said.
        reason: String,
    },
    /// The script threw.
    #[error("the script threw {0}")]
    Threw(String),
    /// The page could not be loaded.
    #[error("{url} could not be loaded: {reason}")]
    NotLoaded {
        /// Where the page should have gone.
        url: String,
        /// The browser's name for the reason.
        reason: String,
    },
    /// A condition did not become true in time.
    #[error("at {url}, waited {} s in vain for: {condition} (last: {last})", patience.as_secs())]
    InVain {
        /// What was waited for.
        condition: String,
        /// What it was instead, or what it threw, the last time.
        last: String,
        /// Where the page was.
        url: String,
        /// How long was waited.
        patience: Duration,
    },
    /// A key that [`Page::press`] does not know.
    #[error("there is no key '{0}'")]
    UnknownKey(String),
    /// The screenshot could not be written.
    #[error("{0} could not be written: {1}")]
    NotWritten(PathBuf, std::io::Error),
}

/// A running Chromium with a profile of its own; dropping it ends it and removes the profile.
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
        // The pipes must be file descriptors 3 and 4, which only a shell can arrange without unsafe code.
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#)
            .arg(chromium()?)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            // A killed Chromium leaves files there; inside the profile they go with it.
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
        // Service workers have a network of their own; see `Wire::welcome_worker`.
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

    /// Opens an empty page in a context of its own: it shares no cookies and no storage with others.
    pub async fn page(&self) -> Result<Page, BrowserError> {
        let wire = Arc::clone(&self.wire);
        let made = wire
            .call(None, "Target.createBrowserContext", json!({}))
            .await?;
        let context = string(&made["browserContextId"]);
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
        // Its helpers notice a moment later, and may still write to the profile until then.
        for _ in 0..100 {
            if std::fs::remove_dir_all(self.profile.path()).is_ok() || !self.profile.path().exists()
            {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// One page. Dialogs (`alert`, `confirm`) are answered with yes. Dropping it closes it.
pub struct Page {
    wire: Arc<Wire>,
    session: String,
    context: String,
    tab: Arc<Tab>,
    patience: Duration,
}

impl Page {
    /// From now on everything waits so long, and not 10 seconds.
    pub fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Goes to `url` and waits until it has loaded with everything it names. A 404 is a page too.
    pub async fn goto(&self, url: &str) -> Result<(), BrowserError> {
        let not_loaded = |reason: &str| BrowserError::NotLoaded {
            url: url.to_owned(),
            reason: reason.to_owned(),
        };
        let mut seen = self.tab.seen.subscribe();
        let went = self.call("Page.navigate", json!({ "url": url })).await?;
        if let Some(reason) = went["errorText"].as_str() {
            return Err(not_loaded(reason));
        }
        // Going to another fragment of the same document loads nothing.
        let Some(navigation) = went["loaderId"].as_str() else {
            return Ok(());
        };
        let loaded = seen.wait_for(|seen| seen.loaded.contains(navigation));
        match tokio::time::timeout(self.patience, loaded).await {
            Ok(_) => Ok(()),
            Err(_) => Err(not_loaded("its load event did not come in time")),
        }
    }

    /// What the expression `js` gives, as JSON; a promise is awaited. `undefined` is null.
    pub async fn eval(&self, js: &str) -> Result<Value, BrowserError> {
        let asked = json!({
            "expression": js,
            "awaitPromise": true,
            "returnByValue": true,
            "userGesture": true,
        });
        let mut answer = self.call("Runtime.evaluate", asked).await?;
        match answer.get("exceptionDetails") {
            Some(details) => Err(BrowserError::Threw(seen::exception(details))),
            None => Ok(answer["result"]["value"].take()),
        }
    }

    /// Waits until the expression `js` is true, over navigations too. It may `await`.
    pub async fn wait_for(&self, js: &str) -> Result<(), BrowserError> {
        self.until(js, js).await.map(drop)
    }

    /// Clicks with the mouse in the middle of the first element that `selector` finds, once it is
    /// visible and nothing covers it.
    pub async fn click(&self, selector: &str) -> Result<(), BrowserError> {
        let js = format!(
            r"(() => {{
                const element = document.querySelector({});
                if (!element) throw 'there is none';
                element.scrollIntoView({{ block: 'center', inline: 'center', behavior: 'instant' }});
                const box = element.getClientRects()[0];
                if (!box) throw 'it is not visible';
                const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
                const hit = document.elementFromPoint(x, y);
                if (!element.contains(hit) && hit?.closest('label')?.control !== element)
                    throw 'it is covered by ' + (hit ? hit.cloneNode().outerHTML : 'the edge of the window');
                return [x, y];
            }})()",
            quoted(selector)
        );
        let place = self
            .until(&js, &format!("{selector} can be clicked"))
            .await?;
        for (kind, buttons) in [("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 0)] {
            let pressing = kind != "mouseMoved";
            let event = json!({
                "type": kind,
                "x": place[0],
                "y": place[1],
                "button": if pressing { "left" } else { "none" },
                "buttons": buttons,
                "clickCount": u8::from(pressing),
            });
            self.call("Input.dispatchMouseEvent", event).await?;
        }
        Ok(())
    }

    /// Replaces what is in a field by `text`, as if typed. Lists, dates, colours and ranges are set.
    pub async fn fill(&self, selector: &str, text: &str) -> Result<(), BrowserError> {
        let js = format!(
            r"(() => {{
                const field = document.querySelector({}), text = {};
                if (!field) throw 'there is none';
                if (field.disabled || field.readOnly) throw 'it is locked';
                field.scrollIntoView({{ block: 'center', behavior: 'instant' }});
                field.focus();
                if (document.activeElement !== field) throw 'it takes no focus';
                const picked = ['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range'];
                if (field.matches('select') || picked.includes(field.type)) {{
                    field.value = text;
                    for (const name of ['input', 'change'])
                        field.dispatchEvent(new Event(name, {{ bubbles: true }}));
                    return 'set';
                }}
                if (field.select) field.select();
                else getSelection().selectAllChildren(field);
                return 'selected';
            }})()",
            quoted(selector),
            quoted(text)
        );
        let how = self
            .until(&js, &format!("{selector} can be filled"))
            .await?;
        if how == "set" {
            return Ok(());
        }
        if text.is_empty() {
            return self.press("Delete").await;
        }
        self.call("Input.insertText", json!({ "text": text }))
            .await
            .map(drop)
    }

    /// Presses and releases a key, named as in `KeyboardEvent.key`: `Enter`, `j`, `?`, `Shift+Tab`,
    /// `Control+k`. Modifiers are `Alt`, `Control`, `Meta` and `Shift`.
    pub async fn press(&self, key: &str) -> Result<(), BrowserError> {
        let stroke = Stroke::parse(key).ok_or_else(|| BrowserError::UnknownKey(key.to_owned()))?;
        for event in stroke.events() {
            self.call("Input.dispatchKeyEvent", event).await?;
        }
        Ok(())
    }

    /// The visible text of the first element that `selector` finds, once there is one.
    pub async fn text(&self, selector: &str) -> Result<String, BrowserError> {
        let element = format!("document.querySelector({})", quoted(selector));
        let js = format!("{element} && {{ text: {element}.innerText ?? {element}.textContent }}");
        let found = self.until(&js, &format!("{selector} is there")).await?;
        Ok(string(&found["text"]).trim().to_owned())
    }

    /// Where the page is.
    pub async fn url(&self) -> Result<String, BrowserError> {
        Ok(string(&self.eval("location.href").await?))
    }

    /// Writes what is in the window to a PNG file.
    pub async fn screenshot(&self, path: impl AsRef<Path>) -> Result<(), BrowserError> {
        let path = path.as_ref();
        let shot = self
            .call("Page.captureScreenshot", json!({ "format": "png" }))
            .await?;
        let data = shot["data"].as_str().unwrap_or_default();
        let not_written = |error| BrowserError::NotWritten(path.to_owned(), error);
        let png = BASE64_STANDARD
            .decode(data)
            .map_err(|error| not_written(std::io::Error::other(error)))?;
        std::fs::write(path, png).map_err(not_written)
    }

    /// The size of the window in CSS pixels; a mobile one has touch, and two device pixels for each.
    pub async fn set_viewport(
        &self,
        width: u32,
        height: u32,
        mobile: bool,
    ) -> Result<(), BrowserError> {
        let metrics = json!({
            "width": width,
            "height": height,
            "deviceScaleFactor": if mobile { 2 } else { 1 },
            "mobile": mobile,
        });
        self.call("Emulation.setDeviceMetricsOverride", metrics)
            .await?;
        let touch = json!({ "enabled": mobile });
        self.call("Emulation.setTouchEmulationEnabled", touch)
            .await
            .map(drop)
    }

    /// What `prefers-color-scheme` says: `dark` or `light`.
    pub async fn set_scheme(&self, scheme: &str) -> Result<(), BrowserError> {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        let media = json!({ "features": [feature] });
        self.call("Emulation.setEmulatedMedia", media)
            .await
            .map(drop)
    }

    /// Cuts the page and its service workers off the network, or joins them again.
    pub async fn offline(&self, offline: bool) -> Result<(), BrowserError> {
        self.tab.offline.store(offline, Ordering::Relaxed);
        for session in self.wire.sessions_of(&self.context) {
            let conditions = network(offline);
            let told = self
                .wire
                .call(
                    Some(&session),
                    "Network.emulateNetworkConditions",
                    conditions,
                )
                .await;
            // A worker may end at any time, and then has no network either.
            if session == self.session {
                told?;
            }
        }
        Ok(())
    }

    /// What went wrong since this was last asked: errors on the console, uncaught exceptions, violations
    /// of the Content Security Policy, answers of 500 and above, and requests that failed.
    pub async fn complaints(&self) -> Vec<String> {
        // What the page did so far is reported before it answers this.
        let _ = self.eval("new Promise((done) => setTimeout(done))").await;
        let mut complaints = Vec::new();
        self.tab
            .seen
            .send_modify(|seen| complaints = std::mem::take(&mut seen.complaints));
        complaints
    }

    async fn call(&self, method: &str, params: Value) -> Result<Value, BrowserError> {
        self.wire.call(Some(&self.session), method, params).await
    }

    /// What `js` gives as soon as that is true; `condition` says in words what is waited for.
    async fn until(&self, js: &str, condition: &str) -> Result<Value, BrowserError> {
        let deadline = Instant::now() + self.patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let polling = format!(
                r"(async () => {{
                    const end = performance.now() + {};
                    const change = () => new Promise((done) => {{
                        const observer = new MutationObserver(done);
                        observer.observe(document, {{ subtree: true, childList: true, attributes: true, characterData: true }});
                        setTimeout(done, 50); // Not everything that changes is in the document.
                    }});
                    for (;;) {{
                        let last;
                        try {{
                            const value = await ({js}
                            );
                            if (value) return {{ value }};
                            last = String(value);
                        }} catch (thrown) {{
                            last = String(thrown);
                        }}
                        if (performance.now() > end) return {{ last }};
                        await change();
                    }}
                }})()",
                left.as_millis()
            );
            let last = match self.eval(&polling).await {
                Ok(mut found) => match found.get_mut("value") {
                    Some(value) => return Ok(value.take()),
                    None => string(&found["last"]),
                },
                // The page went elsewhere meanwhile: ask the new one.
                Err(BrowserError::Refused { reason, .. }) if !left.is_zero() => {
                    tokio::task::yield_now().await;
                    reason
                }
                Err(error) => return Err(error),
            };
            if deadline <= Instant::now() {
                return Err(BrowserError::InVain {
                    condition: condition.to_owned(),
                    last,
                    patience: self.patience,
                    url: self.url().await.unwrap_or_default(),
                });
            }
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let context = json!({ "browserContextId": self.context });
        self.wire
            .tell(None, "Target.disposeBrowserContext", context);
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

/// A string as JavaScript writes it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
