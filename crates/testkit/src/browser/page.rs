//! A page: navigation, input, and access to its content.
//!
//! Operations on an element wait inside the page until the page has loaded with its scripts and the
//! element exists: input to a partly loaded page is lost, and its content is not what users see.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::keys::Stroke;
use super::wire::{Tab, Wire, network};
use super::{BrowserError, seen, string};

/// Hides the next click from every element but the intended one. `clickMissed` ends this, and
/// returns the element that was hit instead.
const WATCH_CLICK: &str = r"(selector) => {
    const kinds = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick'];
    let missed = null, isDecided = false;
    const watch = (event) => {
        if (!isDecided) {
            isDecided = true;
            const element = document.querySelector(selector), hit = event.target;
            if (!element?.contains(hit) && hit?.closest?.('label')?.control !== element)
                missed = hit?.cloneNode?.().outerHTML ?? String(hit);
        }
        if (missed === null) return;
        event.preventDefault();
        event.stopImmediatePropagation();
    };
    for (const kind of kinds) window.addEventListener(kind, watch, { capture: true });
    window.clickMissed = () => {
        for (const kind of kinds) window.removeEventListener(kind, watch, { capture: true });
        delete window.clickMissed;
        return missed;
    };
}";

/// A page. Dialogs (`alert`, `confirm`) are accepted. Dropping it closes the page.
pub struct Page {
    pub(super) wire: Arc<Wire>,
    pub(super) session: String,
    pub(super) context: String,
    pub(super) tab: Arc<Tab>,
    pub(super) patience: Duration,
}

impl Page {
    /// Sets the maximum wait of all operations; the default is a minute.
    pub fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Navigates to `url` and waits until it has loaded with all subresources. A 404 counts as loaded.
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
        // Navigation to another fragment of the same document loads nothing.
        let Some(navigation) = went["loaderId"].as_str() else {
            return Ok(());
        };
        let loaded = seen.wait_for(|seen| seen.loaded.contains(navigation));
        match tokio::time::timeout(self.patience, loaded).await {
            Ok(_) => Ok(()),
            Err(_) => Err(not_loaded("its load event did not come in time")),
        }
    }

    /// Evaluates the expression `js` and returns its value as JSON. A promise is awaited;
    /// `undefined` becomes null.
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

    /// Waits until the page has loaded and the expression `js` is true, also across navigations.
    /// The expression may `await`.
    pub async fn wait_for(&self, js: &str) -> Result<(), BrowserError> {
        self.until(js, js).await.map(drop)
    }

    /// Brings this page to the front of the tabs in its window.
    pub async fn look_at(&self) -> Result<(), BrowserError> {
        self.call("Page.bringToFront", json!({})).await.map(drop)
    }

    /// Clicks in the middle of the first element that matches `selector`, once it is visible and
    /// not covered. If the page moved in between, the wrong element does not receive the click, and
    /// it is retried at the new position.
    pub async fn click(&self, selector: &str) -> Result<(), BrowserError> {
        let deadline = Instant::now() + self.patience;
        loop {
            let place = self.place(selector, 0.5, "center").await?;
            self.mouse("mouseMoved", &place, false).await?;
            let watch = format!("({WATCH_CLICK})({})", quoted(selector));
            // The page has navigated away; there is nothing to click any more.
            match self.eval(&watch).await {
                Err(BrowserError::Refused { .. }) => continue,
                watched => watched?,
            };
            self.mouse("mousePressed", &place, true).await?;
            self.mouse("mouseReleased", &place, false).await?;
            // If the click started a navigation, the watcher is gone.
            let missed = match self.eval("window.clickMissed?.()").await {
                Err(BrowserError::Refused { .. }) => return Ok(()),
                missed => missed?,
            };
            if missed.is_null() {
                return Ok(());
            }
            if deadline <= Instant::now() {
                return Err(BrowserError::InVain {
                    condition: format!("{selector} is clicked"),
                    last: string(&missed),
                    patience: self.patience,
                    url: self.url().await.unwrap_or_default(),
                });
            }
        }
    }

    /// Drags the first element that matches `from` to the one that matches `to`. `height` 0 is the
    /// upper edge of the target, 1 the lower one.
    pub async fn drag(&self, from: &str, to: &str, height: f64) -> Result<(), BrowserError> {
        // Otherwise the browser waits for the window system, and there is none.
        let intercept = json!({ "enabled": true });
        self.call("Input.setInterceptDrags", intercept).await?;
        self.tab.seen.send_modify(|seen| seen.dragged = None);
        // Both must be in the window: if the page scrolls while the mouse is down, another element
        // is dragged.
        self.place(to, height, "nearest").await?;
        let start = self.place(from, 0.5, "nearest").await?;
        let goal = self.place(to, height, "nearest").await?;
        self.mouse("mouseMoved", &start, false).await?;
        self.mouse("mousePressed", &start, true).await?;
        let mut seen = self.tab.seen.subscribe();
        // The first movement starts the drag, if the element can be dragged.
        self.mouse("mouseMoved", &goal, true).await?;
        let taken = seen.wait_for(|seen| seen.dragged.is_some());
        let data = match tokio::time::timeout(self.patience, taken).await {
            Ok(Ok(seen)) => seen.dragged.clone(),
            _ => None,
        };
        let data = data.ok_or_else(|| BrowserError::NotDragged(from.to_owned()))?;
        for kind in ["dragEnter", "dragOver", "drop"] {
            let event = json!({ "type": kind, "x": goal[0], "y": goal[1], "data": data });
            self.call("Input.dispatchDragEvent", event).await?;
        }
        self.mouse("mouseReleased", &goal, false).await
    }

    /// Returns the coordinates of the first element that matches `selector`, once it is visible and
    /// not covered: in the middle of its width, and at the fraction `height` of its height. `block`
    /// is the scroll position.
    async fn place(&self, selector: &str, height: f64, block: &str) -> Result<Value, BrowserError> {
        let js = format!(
            r"(() => {{
                const element = document.querySelector({});
                if (!element) throw 'there is none';
                element.scrollIntoView({{ block: '{block}', inline: 'center', behavior: 'instant' }});
                const box = element.getClientRects()[0];
                if (!box) throw 'it is not visible';
                const [x, y] = [box.x + box.width / 2, box.y + box.height * {height}];
                const hit = document.elementFromPoint(x, y);
                if (!element.contains(hit) && hit?.closest('label')?.control !== element)
                    throw 'it is covered by ' + (hit ? hit.cloneNode().outerHTML : 'the edge of the window');
                return [x, y];
            }})()",
            quoted(selector)
        );
        let condition = format!("{selector} can be clicked");
        self.until(&js, &condition).await
    }

    async fn mouse(&self, kind: &str, place: &Value, is_down: bool) -> Result<(), BrowserError> {
        let is_press = kind != "mouseMoved";
        let event = json!({
            "type": kind,
            "x": place[0],
            "y": place[1],
            "button": if is_press || is_down { "left" } else { "none" },
            "buttons": u8::from(is_down),
            "clickCount": u8::from(is_press),
        });
        self.call("Input.dispatchMouseEvent", event).await.map(drop)
    }

    /// Replaces the content of a field by `text`, as if typed. The value of selects, dates, colours
    /// and ranges is set directly.
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

    /// Returns the visible text of the first element that matches `selector`, once it exists.
    pub async fn text(&self, selector: &str) -> Result<String, BrowserError> {
        let element = format!("document.querySelector({})", quoted(selector));
        let js = format!("{element} && {{ text: {element}.innerText ?? {element}.textContent }}");
        let found = self.until(&js, &format!("{selector} is there")).await?;
        Ok(string(&found["text"]).trim().to_owned())
    }

    pub async fn url(&self) -> Result<String, BrowserError> {
        Ok(string(&self.eval("location.href").await?))
    }

    /// Returns the addresses that the page has opened in other tabs since the last call; waits for
    /// the first one.
    pub async fn opened(&self) -> Result<Vec<String>, BrowserError> {
        let mut seen = self.tab.seen.subscribe();
        let any = seen.wait_for(|seen| !seen.opened.is_empty());
        if tokio::time::timeout(self.patience, any).await.is_err() {
            return Err(BrowserError::InVain {
                condition: "another tab is opened".to_owned(),
                last: "there is none".to_owned(),
                patience: self.patience,
                url: self.url().await.unwrap_or_default(),
            });
        }
        let mut opened = Vec::new();
        self.tab
            .seen
            .send_modify(|seen| opened = std::mem::take(&mut seen.opened));
        Ok(opened)
    }

    /// Writes the visible part of the page to a PNG file.
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

    /// Sets the size of the window in CSS pixels; a mobile one has touch, and two device pixels per
    /// CSS pixel.
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

    /// Sets the value of `prefers-color-scheme`: `dark` or `light`.
    pub async fn set_scheme(&self, scheme: &str) -> Result<(), BrowserError> {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        let media = json!({ "features": [feature] });
        self.call("Emulation.setEmulatedMedia", media)
            .await
            .map(drop)
    }

    /// Disconnects the page and its service workers from the network, or reconnects them.
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

    /// Grants or denies the permission to show notifications in this page's browser profile.
    pub async fn set_notifications(&self, is_allowed: bool) -> Result<(), BrowserError> {
        let setting = if is_allowed { "granted" } else { "denied" };
        let asked = json!({
            "permission": { "name": "notifications" },
            "setting": setting,
            "browserContextId": self.context,
        });
        self.wire.call(None, "Browser.setPermission", asked).await?;
        Ok(())
    }

    /// Returns the errors since the last call: errors on the console, uncaught exceptions,
    /// violations of the Content Security Policy, responses with 500 and above, and failed requests.
    pub async fn complaints(&self) -> Vec<String> {
        // Events of the page so far are reported before the answer to this.
        let _ = self.eval("new Promise((done) => setTimeout(done))").await;
        let mut complaints = Vec::new();
        self.tab
            .seen
            .send_modify(|seen| complaints = std::mem::take(&mut seen.complaints));
        complaints
    }

    pub(super) async fn call(&self, method: &str, params: Value) -> Result<Value, BrowserError> {
        self.wire.call(Some(&self.session), method, params).await
    }

    /// Returns the value of `js` as soon as it is truthy; `condition` describes it in error messages.
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
                            if (document.readyState !== 'complete') throw 'the page has not loaded';
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
                // The page has navigated in between: evaluate on the new one.
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
            .notify(None, "Target.disposeBrowserContext", context);
    }
}

/// Quotes a string for JavaScript.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
