//! Connection to the browser: commands out, answers and events in.
//!
//! Messages are JSON, each terminated by a NUL, on the two pipes of `--remote-debugging-pipe`. One
//! task writes and one reads, so a caller waits only for its own answer. Events of a page are
//! interpreted in `seen`.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot, watch};

use super::BrowserError;
use super::seen::Seen;

/// Longer than any wait in a test; it only prevents a hung page from hanging the test suite.
const ANSWER_LIMIT: Duration = Duration::from_secs(90);

/// State of one page, for its own events and those of its service workers.
#[derive(Default)]
pub(super) struct Tab {
    pub(super) seen: watch::Sender<Seen>,
    pub(super) offline: AtomicBool,
}

pub(super) struct Wire {
    out: mpsc::UnboundedSender<Vec<u8>>,
    next_id: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: HashMap<u64, oneshot::Sender<Value>>,
    /// By session: the browser context, and the page that its events belong to.
    sessions: HashMap<String, (String, Arc<Tab>)>,
    /// The reader has ended, so no more answers will arrive.
    gone: bool,
}

impl Wire {
    pub(super) fn open(stdin: ChildStdin, stdout: ChildStdout) -> Arc<Wire> {
        let (out, messages) = mpsc::unbounded_channel();
        let wire = Arc::new(Wire {
            out,
            next_id: AtomicU64::new(1),
            state: Mutex::default(),
        });
        tokio::spawn(write(stdin, messages));
        tokio::spawn(read(stdout, Arc::clone(&wire)));
        wire
    }

    /// Routes the events of `session` to `tab`, which belongs to the browser context `context`.
    pub(super) fn follow(&self, session: &str, context: &str, tab: Arc<Tab>) {
        self.state()
            .sessions
            .insert(session.to_owned(), (context.to_owned(), tab));
    }

    /// Sends a command and waits for its answer. `None` as the session is the browser itself.
    pub(super) async fn call(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<Value, BrowserError> {
        let (sender, answer) = oneshot::channel();
        self.send(session, method, params, Some(sender));
        let mut answer = tokio::time::timeout(ANSWER_LIMIT, answer)
            .await
            .map_err(|_| BrowserError::Refused {
                method: method.to_owned(),
                reason: format!("no answer within {} s", ANSWER_LIMIT.as_secs()),
            })?
            .map_err(|_| BrowserError::Gone)?;
        match answer.get("error") {
            Some(error) => Err(BrowserError::Refused {
                method: method.to_owned(),
                reason: error["message"].as_str().unwrap_or_default().to_owned(),
            }),
            None => Ok(answer["result"].take()),
        }
    }

    /// Sends a command without waiting for its answer.
    pub(super) fn notify(&self, session: Option<&str>, method: &str, params: Value) {
        self.send(session, method, params, None);
    }

    /// Returns the sessions of a browser context: its page and its service workers.
    pub(super) fn sessions_of(&self, context: &str) -> Vec<String> {
        let state = self.state();
        let of_it = state.sessions.iter().filter(|(_, (its, _))| its == context);
        of_it.map(|(session, _)| session.clone()).collect()
    }

    fn send(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
        answer: Option<oneshot::Sender<Value>>,
    ) {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        if let Some(answer) = answer {
            let mut state = self.state();
            if state.gone {
                return; // Dropping `answer` notifies the caller.
            }
            state.waiting.insert(id, answer);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        let _ = self.out.send(bytes); // Only fails when the browser is gone, which `read` reports.
    }

    fn receive(&self, mut message: Value) {
        if let Some(id) = message["id"].as_u64() {
            let waiting = self.state().waiting.remove(&id);
            if let Some(waiting) = waiting {
                let _ = waiting.send(message);
            }
            return;
        }
        let params = message["params"].take();
        let method = message["method"].as_str().unwrap_or_default();
        let Some(session) = message["sessionId"].as_str() else {
            match method {
                "Target.attachedToTarget" => self.welcome_worker(&params),
                "Target.detachedFromTarget" => {
                    let left = params["sessionId"].as_str().unwrap_or_default();
                    self.state().sessions.remove(left);
                }
                _ => {}
            }
            return;
        };
        if method == "Page.javascriptDialogOpening" {
            // An open dialog would block the page for ever.
            self.notify(
                Some(session),
                "Page.handleJavaScriptDialog",
                json!({ "accept": true }),
            );
        }
        let tab = self
            .state()
            .sessions
            .get(session)
            .map(|(_, tab)| Arc::clone(tab));
        if let Some(tab) = tab {
            tab.seen.send_modify(|seen| seen.note(method, &params));
        }
    }

    /// Attaches a new service worker, which is paused until this resumes it. It belongs to the page
    /// of its context, but its network must be disabled separately, and it reports its own errors.
    fn welcome_worker(&self, params: &Value) {
        let target = &params["targetInfo"];
        let Some(session) = params["sessionId"].as_str() else {
            return;
        };
        if target["type"] != "service_worker" {
            return;
        }
        let context = target["browserContextId"].as_str().unwrap_or_default();
        let tab = {
            let mut tabs = self.state();
            let its = tabs.sessions.values().find(|(its, _)| its == context);
            let tab = its.map(|(_, tab)| Arc::clone(tab));
            if let Some(tab) = &tab {
                tabs.sessions
                    .insert(session.to_owned(), (context.to_owned(), Arc::clone(tab)));
            }
            tab
        };
        if let Some(tab) = tab {
            for domain in ["Runtime.enable", "Log.enable", "Network.enable"] {
                self.notify(Some(session), domain, json!({}));
            }
            let offline = tab.offline.load(Ordering::Relaxed);
            self.notify(
                Some(session),
                "Network.emulateNetworkConditions",
                network(offline),
            );
        }
        self.notify(Some(session), "Runtime.runIfWaitingForDebugger", json!({}));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the parameters of `Network.emulateNetworkConditions`: offline, or unthrottled.
pub(super) fn network(offline: bool) -> Value {
    json!({ "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 })
}

async fn write(mut stdin: ChildStdin, mut messages: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(message) = messages.recv().await {
        if stdin.write_all(&message).await.is_err() {
            return;
        }
    }
}

async fn read(stdout: ChildStdout, wire: Arc<Wire>) {
    let mut reader = BufReader::new(stdout);
    let mut message = Vec::new();
    while let Ok(1..) = reader.read_until(0, &mut message).await {
        if message.last() == Some(&0) {
            message.pop();
        }
        if let Ok(value) = serde_json::from_slice(&message) {
            wire.receive(value);
        }
        message.clear();
    }
    let mut state = wire.state();
    state.gone = true;
    state.waiting.clear(); // Dropping the senders notifies all callers.
    state.sessions.clear();
}
