// @ts-check
// Reading without a network: the service worker keeps the page and the newest unread items.

import { say, sayCount } from "./words.js";

/** Between two times of keeping what is newest. */
const KEEP_AGAIN_MS = 10 * 60_000;
/** When the page is idle after it was opened. */
const KEEP_AFTER_MS = 3000;

const line = /** @type {HTMLElement | null} */ (document.querySelector(".waiting"));
let waiting = 0;
/** They wait for somebody, and not for the network. */
let isSignedOut = false;

function tell() {
  if (!line) return;
  const said = [];
  if (!navigator.onLine) said.push(say("offline"));
  if (waiting > 0) said.push(sayCount(isSignedOut ? "kept-until" : "waiting", waiting));
  line.textContent = said.join(" ");
  line.hidden = said.length === 0;
}

/** So many marks wait for the server. @param {number} count @param {boolean} isOut */
export function tellWaiting(count, isOut) {
  waiting = count;
  isSignedOut = isOut;
  tell();
}

export async function startOffline() {
  addEventListener("online", tell);
  addEventListener("offline", tell);
  tell();
  if (!("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register("/sw.js");
    const worker = (await navigator.serviceWorker.ready).active;
    const keep = () => {
      if (navigator.onLine && !document.hidden) worker?.postMessage({ keep: location.href });
    };
    setTimeout(keep, KEEP_AFTER_MS);
    setInterval(keep, KEEP_AGAIN_MS);
  } catch {
    // Not over https, or the browser forbids it: there is a network, then.
  }
}
