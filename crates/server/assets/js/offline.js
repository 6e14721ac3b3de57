// @ts-check
// Offline reading: the service worker caches the page and the newest unread items.

import { t, tCount } from "./i18n.js";

/** Interval of caching the newest items. */
const CACHE_EVERY_MS = 10 * 60_000;
/** Delay after the page was opened, when it is idle. */
const CACHE_AFTER_MS = 3000;

/** @type {HTMLElement | null} */
const statusLine = document.querySelector(".waiting");
let pending = 0;
/** True if the marks wait for a sign-in, not for the network. */
let isSignedOut = false;

function showStatus() {
  if (!statusLine) return;
  const sentences = [];
  if (!navigator.onLine) sentences.push(t("offline"));
  if (pending > 0) sentences.push(tCount(isSignedOut ? "kept-until" : "waiting", pending));
  statusLine.textContent = sentences.join(" ");
  statusLine.hidden = sentences.length === 0;
}

/** Shows the number of marks that wait for the server. @param {number} count @param {boolean} isOut */
export function showPending(count, isOut) {
  pending = count;
  isSignedOut = isOut;
  showStatus();
}

export async function startOffline() {
  addEventListener("online", showStatus);
  addEventListener("offline", showStatus);
  showStatus();
  if (!("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register("/sw.js");
    const worker = (await navigator.serviceWorker.ready).active;
    const cacheNewest = () => {
      if (navigator.onLine && !document.hidden) worker?.postMessage({ cachePage: location.href });
    };
    setTimeout(cacheNewest, CACHE_AFTER_MS);
    setInterval(cacheNewest, CACHE_EVERY_MS);
  } catch {
    // Not over https, or the browser forbids it: offline reading is not available.
  }
}
