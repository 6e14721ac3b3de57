//! Events that a page has reported: loaded documents, errors, drags and opened tabs.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

/// State of one page, updated in the order of the browser's events.
#[derive(Default)]
pub(super) struct Seen {
    /// Ids of the navigations whose `load` event has fired.
    pub(super) loaded: HashSet<String>,
    pub(super) complaints: Vec<String>,
    /// Data of the current drag.
    pub(super) dragged: Option<Value>,
    /// Addresses that the page opened in other tabs.
    pub(super) opened: Vec<String>,
    /// Method and address by request id: failure events do not repeat them.
    requests: HashMap<String, String>,
}

impl Seen {
    /// Records one event. Events that tests do not need are ignored.
    pub(super) fn note(&mut self, method: &str, event: &Value) {
        match method {
            "Page.lifecycleEvent" if event["name"] == "load" => {
                self.loaded.insert(text(&event["loaderId"]).to_owned());
            }
            "Runtime.consoleAPICalled" if event["type"] == "error" || event["type"] == "assert" => {
                self.complain(format!("console: {}", arguments(&event["args"])));
            }
            "Runtime.exceptionThrown" => {
                let thrown = exception(&event["exceptionDetails"]);
                self.complain(format!("uncaught: {thrown}"));
            }
            "Input.dragIntercepted" => self.dragged = Some(event["data"].clone()),
            "Page.windowOpen" => self.opened.push(text(&event["url"]).to_owned()),
            "Log.entryAdded" => self.note_log(&event["entry"]),
            "Audits.issueAdded" => self.note_issue(&event["issue"]),
            "Network.requestWillBeSent" => {
                let request = &event["request"];
                let line = format!("{} {}", text(&request["method"]), text(&request["url"]));
                self.requests
                    .insert(text(&event["requestId"]).to_owned(), line);
            }
            "Network.responseReceived" => {
                let status = event["response"]["status"].as_u64().unwrap_or_default();
                if status >= 500 {
                    let request = self.request(event);
                    self.complain(format!("network: {request} answered {status}"));
                }
            }
            "Network.loadingFailed" => self.note_failure(event),
            _ => {}
        }
    }

    /// Records a message of the browser. Messages with source `network` report every 404; failures
    /// are recorded by [`Seen::note_failure`] instead. Messages about the Content Security Policy
    /// are also reported as issues, with more detail.
    fn note_log(&mut self, entry: &Value) {
        let message = text(&entry["text"]);
        if entry["level"] == "error"
            && entry["source"] != "network"
            && !message.contains("Content Security Policy")
        {
            self.complain(format!("browser: {message}"));
        }
    }

    fn note_issue(&mut self, issue: &Value) {
        let details = &issue["details"]["contentSecurityPolicyIssueDetails"];
        if details.is_object() {
            let directive = text(&details["violatedDirective"]);
            let place = &details["sourceCodeLocation"];
            let what = details["blockedURL"].as_str().map_or_else(
                || text(&details["contentSecurityPolicyViolationType"]).to_owned(),
                str::to_owned,
            );
            let place = match place["url"].as_str() {
                Some(url) => format!(" at {url}:{}", place["lineNumber"]),
                None => String::new(),
            };
            self.complain(format!("csp: {directive} forbids {what}{place}"));
        }
    }

    /// Records a failed request, unless the page cancelled it (by navigating, or with an
    /// `AbortController`) or the policy blocked it, which [`Seen::note_issue`] records.
    fn note_failure(&mut self, event: &Value) {
        if event["canceled"] == true
            || event["errorText"] == "net::ERR_ABORTED"
            || event["blockedReason"] == "csp"
        {
            return;
        }
        let request = self.request(event);
        let reason = text(&event["errorText"]);
        self.complain(format!("network: {request} failed: {reason}"));
    }

    fn request(&self, event: &Value) -> String {
        let known = self.requests.get(text(&event["requestId"]));
        known.map_or_else(|| "a request".to_owned(), Clone::clone)
    }

    fn complain(&mut self, complaint: String) {
        self.complaints.push(complaint);
    }
}

/// Formats an exception, with its stack if there is one.
pub(super) fn exception(details: &Value) -> String {
    let exception = &details["exception"];
    let thrown = exception["description"].as_str().map(str::to_owned);
    let value = exception.get("value").map(Value::to_string);
    thrown
        .or(value)
        .unwrap_or_else(|| text(&details["text"]).to_owned())
}

/// Formats the arguments of a `console` call.
fn arguments(arguments: &Value) -> String {
    let list = arguments.as_array().map(Vec::as_slice).unwrap_or_default();
    let words = list.iter().map(|argument| match &argument["value"] {
        Value::String(string) => string.clone(),
        Value::Null => text(&argument["description"]).to_owned(),
        other => other.to_string(),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
