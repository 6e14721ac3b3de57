// @ts-check
// Live updates: new items are counted in a discreet bar, and never move what is being read.

import { ask } from "./api.js";
import { setAll, setFeed, setUnread, unreadIn } from "./counts.js";
import { isStill, shows } from "./list.js";
import { hasWaiting } from "./queue.js";
import { toast } from "./toast.js";
import { t, tCount } from "./i18n.js";

/** @typedef {{feed_id: number, new: number, unread: number, unread_total: number}} Arrived */
/** @typedef {{item_id: number, title: string, feed_title: string}} Notice */

/** Delay before connecting again after the server refused. */
const ASK_AGAIN_MS = 60_000;

/** Delay after the last change before saved searches and labels are counted again. */
const SEARCHES_MS = 2000;

const place = /** @type {HTMLElement | null} */ (document.querySelector(".news"));
/** True if no feed has delivered any item yet. */
const isAwaited = !!document.querySelector("[data-on-the-way]");
let waiting = 0;

/** @param {number} more */
function tell(more) {
  if (more <= 0 || !place) return;
  // The list is empty, so loading it again moves nothing.
  if (isAwaited) return void location.assign(place.dataset.show ?? "/");
  waiting += more;
  const link = document.createElement("a");
  link.href = place.dataset.show ?? "/";
  const words = document.createElement("strong");
  words.textContent = tCount("new", waiting);
  const show = document.createElement("span");
  show.className = "show";
  show.textContent = t("show");
  link.append(words, " — ", show);
  place.replaceChildren(link);
}

/** Shows the new items (key `.`). */
export function showNew() {
  place?.querySelector("a")?.click();
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let searchesDue;

/** Fetches all counts from the server. */
export async function recount() {
  clearTimeout(searchesDue);
  searchesDue = setTimeout(() => [count("search"), count("label")], SEARCHES_MS);
  const answer = await ask("/api/feeds").catch(() => null);
  // Pending marks are counted in the page, but not on the server.
  if (!answer || hasWaiting()) return;
  const feeds = await answer.json();
  setAll(feeds.map((/** @type {any} */ feed) => [String(feed.id), feed.unread_count]));
}

/**
 * Fetches the unread counts of saved searches or labels, which are slow, so nothing waits for them.
 * @param {"search" | "label"} what
 */
async function count(what) {
  if (!document.querySelector(`[data-unread-in^="${what}-"]`)) return;
  const answer = await ask(what === "search" ? "/api/searches" : "/api/labels").catch(() => null);
  if (!answer) return;
  for (const { id, unread_count: unread } of await answer.json()) setUnread(`${what}-${id}`, unread);
}

/** Fetches the changes that were missed while the page was hidden. */
async function catchUp() {
  const before = unreadIn("all");
  await recount();
  if (!isStill()) tell(unreadIn("all") - before);
}

/** @param {Arrived} arrived */
function take(arrived) {
  const feed = String(arrived.feed_id);
  if (!hasWaiting()) setFeed(feed, arrived.unread, arrived.unread_total);
  if (shows(feed)) tell(arrived.new);
}

/** @param {Notice} notice */
function takeNotice(notice) {
  toast(`${notice.feed_title}: ${notice.title}`, { label: t("show"), href: `/items/${notice.item_id}` });
}

/**
 * Listens only while the page is visible: browsers limit the number of connections to one server, and every tab
 * would use one.
 */
export function startLive() {
  if (!place) return;
  /** @type {EventSource | null} */
  let source = null;
  let hasListened = false;
  const listen = () => {
    if (source || document.hidden) return;
    const opened = new EventSource("/api/events");
    source = opened;
    opened.addEventListener("open", () => {
      // Items may have arrived before the first connection, on a page that waits for them.
      if (hasListened || isAwaited) catchUp();
      hasListened = true;
      place.dataset.listens = "";
    });
    opened.addEventListener("arrived", (event) => take(JSON.parse(event.data)));
    opened.addEventListener("notice", (event) => takeNotice(JSON.parse(event.data)));
    opened.addEventListener("counts", recount);
    opened.addEventListener("error", () => {
      // In other states the browser reconnects by itself.
      if (opened.readyState !== EventSource.CLOSED) return;
      if (source === opened) source = null;
      setTimeout(listen, ASK_AGAIN_MS);
    });
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      source?.close();
      source = null;
    } else {
      listen();
    }
  });
  // A page in the back/forward cache must not hold a connection.
  addEventListener("pagehide", () => source?.close());
  // A page restored from the back/forward cache shows outdated marks and counts.
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  listen();
  count("search");
}
