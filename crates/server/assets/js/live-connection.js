// @ts-check
// The connection for live updates. Other modules listen to its events.

/** Delay before connecting again after the server refused. */
const RECONNECT_MS = 60_000;

/** Handlers of events by name; `open` is called with each connection. @type {[string, (data: any) => void][]} */
const handlers = [];

/** @type {EventSource | null} */
let source = null;
/** True in the one tab that stays connected while it is hidden. */
let staysConnected = false;

/** Calls `handler` with the data of each event called `name`. @param {string} name @param {(data: any) => void} handler */
export function onLive(name, handler) {
  handlers.push([name, handler]);
}

function connect() {
  if (source || (document.hidden && !staysConnected)) return;
  const opened = new EventSource("/api/events");
  source = opened;
  for (const [name, handler] of handlers) {
    opened.addEventListener(name, (event) => handler("data" in event ? JSON.parse(event.data) : null));
  }
  opened.addEventListener("error", () => {
    // In other states the browser reconnects by itself.
    if (opened.readyState !== EventSource.CLOSED) return;
    if (source === opened) source = null;
    setTimeout(connect, RECONNECT_MS);
  });
}

function disconnect() {
  source?.close();
  source = null;
}

/** Stays connected while the page is hidden, unless another tab does. */
export function stayConnected() {
  navigator.locks?.request("lede-live", () => {
    staysConnected = true;
    connect();
    // Until the tab is closed.
    return new Promise(() => {});
  });
}

/**
 * Listens only while the page is visible: browsers limit the number of connections to one server, and every tab
 * would use one.
 */
export function startLiveConnection() {
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) connect();
    else if (!staysConnected) disconnect();
  });
  // A page in the back/forward cache must not hold a connection.
  addEventListener("pagehide", disconnect);
  connect();
}
