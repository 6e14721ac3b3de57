// @ts-check
// Live updates: new items are counted in a discreet bar, and never move what is being read.

import { requestJson } from "./api.js";
import { setAll, setFeed, setUnread, unreadIn } from "./counts.js";
import { t, tCount } from "./i18n.js";
import { acceptsItemsOf, acceptsNewItems, listUrl } from "./list-scope.js";
import { onLive } from "./live-connection.js";
import { hasQueuedMarks } from "./queue.js";

/** A feed has new items. @typedef {{feed_id: number, new: number, unread: number, unread_total: number}} Arrived */

/** Delay after the last change before saved searches and labels are counted again. */
const RECOUNT_MS = 2000;

/** @type {HTMLElement | null} */
const newsBar = document.querySelector(".news");
/** True if no feed has delivered any item yet. */
const isFirstFetch = () => !!document.querySelector("[data-on-the-way]");
let newItems = 0;

/** @param {number} more */
function announce(more) {
  if (more <= 0 || !newsBar) return;
  // The list is empty, so loading it again moves nothing.
  if (isFirstFetch()) return void location.assign(listUrl(null));
  newItems += more;
  const link = document.createElement("a");
  link.href = listUrl(null);
  const count = document.createElement("strong");
  count.textContent = tCount("new", newItems);
  const show = document.createElement("span");
  show.className = "show";
  show.textContent = t("show");
  link.append(count, " — ", show);
  newsBar.replaceChildren(link);
}

/** The list was loaded again, with its new items. */
export function clearNews() {
  newItems = 0;
  newsBar?.replaceChildren();
}

/** Shows the new items (key `.`). */
export function showNew() {
  newsBar?.querySelector("a")?.click();
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let recountTimer;

/** @param {string} path @returns {Promise<import("./api.js").Counted[] | null>} null if the request failed */
const fetchCounts = (path) => requestJson(path).catch(() => null);

/** Fetches all counts from the server. */
export async function recount() {
  clearTimeout(recountTimer);
  recountTimer = setTimeout(() => {
    recountTree("search");
    recountTree("label");
    recountStarred();
  }, RECOUNT_MS);
  const feeds = await fetchCounts("/api/feeds");
  // Pending marks are counted in the page, but not on the server.
  if (!feeds || hasQueuedMarks()) return;
  setAll(feeds.map((feed) => [String(feed.id), feed.unread_count]));
}

/**
 * Fetches the unread counts of saved searches or labels, which are slow, so nothing waits for them.
 * @param {"search" | "label"} kind
 */
async function recountTree(kind) {
  if (!document.querySelector(`[data-unread-in^="${kind}-"]`)) return;
  const counted = await fetchCounts(kind === "search" ? "/api/searches" : "/api/labels");
  for (const { id, unread_count } of counted ?? []) setUnread(`${kind}-${id}`, unread_count);
}

/** Fetches the number of starred items that are unread. */
async function recountStarred() {
  /** @type {{total: number | null} | null} */
  const found = await requestJson("/api/posts?starred_only=true&unread_only=true&limit=1").catch(() => null);
  if (found) setUnread("starred", found.total ?? 0);
}

/** Fetches the changes that were missed while the page was hidden. */
async function catchUp() {
  const before = unreadIn("all");
  await recount();
  if (acceptsNewItems()) announce(unreadIn("all") - before);
}

/** @param {Arrived} arrived */
function showArrived(arrived) {
  const feed = String(arrived.feed_id);
  if (!hasQueuedMarks()) setFeed(feed, arrived.unread, arrived.unread_total);
  if (acceptsItemsOf(feed)) announce(arrived.new);
}

export function startLive() {
  if (!newsBar) return;
  let wasConnected = false;
  onLive("open", () => {
    // Items may have arrived before the first connection, on a page that waits for them.
    if (wasConnected || isFirstFetch()) catchUp();
    wasConnected = true;
    newsBar.dataset.listens = "";
  });
  onLive("arrived", showArrived);
  onLive("counts", recount);
  // A page restored from the back/forward cache shows outdated marks and counts.
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  recountTree("search");
  recountStarred();
}
