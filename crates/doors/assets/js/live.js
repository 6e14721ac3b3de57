// @ts-check
// What comes while the page is open: counted in a discreet bar, never moving what is being read.

import { ask } from "./api.js";
import { setAll, setFeed, setUnread, unreadIn } from "./counts.js";
import { isStill, shows } from "./list.js";
import { hasWaiting } from "./queue.js";
import { toast } from "./toast.js";
import { say, sayCount } from "./words.js";

/** @typedef {{feed_id: number, new: number, unread: number, unread_total: number}} Arrived */
/** @typedef {{item_id: number, title: string, feed_title: string}} Notice */

/** How long after a refusal the page asks again to be told. */
const ASK_AGAIN_MS = 60_000;

/** How long after the last change kept searches and labels are counted anew. */
const SEARCHES_MS = 2000;

const place = /** @type {HTMLElement | null} */ (document.querySelector(".news"));
/** Nothing has come from any feed so far. */
const isAwaited = !!document.querySelector("[data-on-the-way]");
let waiting = 0;

/** @param {number} more */
function tell(more) {
  if (more <= 0 || !place) return;
  // Whoever waits for the first of it has nothing that could move.
  if (isAwaited) return void location.assign(place.dataset.show ?? "/");
  waiting += more;
  const link = document.createElement("a");
  link.href = place.dataset.show ?? "/";
  const words = document.createElement("strong");
  words.textContent = sayCount("new", waiting);
  const show = document.createElement("span");
  show.className = "show";
  show.textContent = say("show");
  link.append(words, " — ", show);
  place.replaceChildren(link);
}

/** Shows what has come: what `.` does. */
export function showNew() {
  place?.querySelector("a")?.click();
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let searchesDue;

/** All counts, as the server has them. */
export async function recount() {
  clearTimeout(searchesDue);
  searchesDue = setTimeout(() => [count("search"), count("label")], SEARCHES_MS);
  const answer = await ask("/api/feeds").catch(() => null);
  // What waits to be sent is counted here and not there.
  if (!answer || hasWaiting()) return;
  const feeds = await answer.json();
  setAll(feeds.map((/** @type {any} */ feed) => [String(feed.id), feed.unread_count]));
}

/** What kept searches find, or what is labelled, that is not read: it takes its time, so that nobody waits for it. @param {"search" | "label"} what */
async function count(what) {
  if (!document.querySelector(`[data-unread-in^="${what}-"]`)) return;
  const answer = await ask(what === "search" ? "/api/searches" : "/api/labels").catch(() => null);
  if (!answer) return;
  for (const { id, unread_count: unread } of await answer.json()) setUnread(`${what}-${id}`, unread);
}

/** Nobody told this page what came while nobody looked at it. */
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
  toast(`${notice.feed_title}: ${notice.title}`, { label: say("show"), href: `/items/${notice.item_id}` });
}

/**
 * Only a page that is looked at listens: browsers have few connections to one server, and every tab would
 * take one.
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
      // Who waits may have begun to listen a moment too late.
      if (hasListened || isAwaited) catchUp();
      hasListened = true;
      place.dataset.listens = "";
    });
    opened.addEventListener("arrived", (event) => take(JSON.parse(event.data)));
    opened.addEventListener("notice", (event) => takeNotice(JSON.parse(event.data)));
    opened.addEventListener("counts", recount);
    opened.addEventListener("error", () => {
      // Otherwise the browser connects again by itself.
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
  // A page that the browser keeps for "back" must not keep a connection.
  addEventListener("pagehide", () => source?.close());
  // A page that comes back from the browser's memory shows marks and counts of before.
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  listen();
  count("search");
}
