// @ts-check
// Offline reading: the service worker caches the page and the newest unread items.

import { t, tCount } from "./i18n.js";

/** Interval of caching the newest items. */
const KEEP_AGAIN_MS = 10 * 60_000;
/** Delay after the page was opened, when it is idle. */
const KEEP_AFTER_MS = 3000;

const line = /** @type {HTMLElement | null} */ (document.querySelector(".waiting"));
let waiting = 0;
/** True if the marks wait for a sign-in, not for the network. */
let isSignedOut = false;

function tell() {
  if (!line) return;
  const said = [];
  if (!navigator.onLine) said.push(t("offline"));
  if (waiting > 0) said.push(tCount(isSignedOut ? "kept-until" : "waiting", waiting));
  line.textContent = said.join(" ");
  line.hidden = said.length === 0;
}

/** Shows the number of marks that wait for the server. @param {number} count @param {boolean} isOut */
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
    // Not over https, or the browser forbids it: offline reading is not available.
  }
}
