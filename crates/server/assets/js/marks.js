// @ts-check
// Marks (read, starred): applied to the page at once, then to other tabs and the server.

import { changeUnread } from "./counts.js";
import { elements } from "./dom.js";
import { t } from "./i18n.js";
import { articleOf, itemOf, rowOf } from "./item-elements.js";
import { recount } from "./live.js";
import { enqueue } from "./queue.js";

/** @typedef {import("./api.js").Marks} Marks */

/**
 * A message to the other tabs: marks of an item; everything in `feeds` (null for all) up to the item `newest` is read, or
 * of that only `items`; the last bulk mark was undone.
 * @typedef {{type: "marks", item: string, marks: Marks, feed: string, change: number}
 *   | {type: "bulk", feeds: string[] | null, newest: number, items: string[] | null}
 *   | {type: "bulk-undone"}} TabMessage
 */

const tabs = new BroadcastChannel("lede-marks");

/** @param {TabMessage} message */
const notifyTabs = (message) => tabs.postMessage(message);

/** Items that the server knows to have been seen, by this page or another tab. @type {Set<string>} */
const seen = new Set();

/** @param {string} item @param {Marks} marks */
function recordSeen(item, { is_read }) {
  if (is_read === true) seen.add(item);
  else if (is_read === false) seen.delete(item);
}

/** The marks of an item as the page shows them. @param {string} item @returns {Required<Marks> & {feed: string}} */
export function marksOf(item) {
  const row = rowOf(item);
  const article = articleOf(item);
  const shown = row ?? article;
  return {
    is_read: row ? row.classList.contains("read") : !(article && "unread" in article.dataset),
    is_starred: row ? "starred" in row.dataset : article?.querySelector(".mark-star")?.getAttribute("aria-pressed") === "true",
    feed: shown?.dataset.feed ?? "",
  };
}

/** @param {string} item @param {Marks} marks */
function show(item, marks) {
  const row = rowOf(item);
  const article = articleOf(item);
  if (marks.is_read !== undefined) {
    row?.classList.toggle("read", marks.is_read);
    const state = row?.querySelector(".state");
    if (state) state.textContent = marks.is_read ? "" : `${t("row-unread")} `;
    if (article) {
      if (marks.is_read) delete article.dataset.unread;
      else article.dataset.unread = "";
      article.dataset.marked = marks.is_read ? "read" : "unread";
      const label = article.querySelector(".mark-unread span");
      if (label) label.textContent = t(marks.is_read ? "mark-unread" : "mark-read");
    }
  }
  if (marks.is_starred !== undefined) {
    if (row && marks.is_starred) row.dataset.starred = "";
    else if (row) delete row.dataset.starred;
    const star = article?.querySelector(".mark-star");
    star?.setAttribute("aria-pressed", String(marks.is_starred));
    const label = star?.querySelector("span");
    if (label) label.textContent = t(marks.is_starred ? "starred" : "star");
  }
}

/**
 * Marks an item. Marks that it has already are not sent again.
 * @param {string} item
 * @param {Marks} marks
 */
export async function mark(item, marks) {
  const before = marksOf(item);
  const isRead = marks.is_read !== undefined && marks.is_read !== before.is_read;
  const isStarred = marks.is_starred !== undefined && marks.is_starred !== before.is_starred;
  if (!isRead && !isStarred) return;
  show(item, marks);
  recordSeen(item, marks);
  const change = isRead ? (marks.is_read ? -1 : 1) : 0;
  if (change) changeUnread(before.feed, change);
  notifyTabs({ type: "marks", item, marks, feed: before.feed, change });
  await enqueue(Number(item), marks, { feed: before.feed, change });
}

/**
 * Marks an item as read because the user sees it. An item that a bulk mark or a rule marked is read, but was not
 * seen: it is sent to the server once, which keeps the time of an item that was read before.
 * @param {string} item
 */
export async function markSeen(item) {
  const read = { is_read: true };
  if (!marksOf(item).is_read) return mark(item, read);
  if (seen.has(item)) return;
  recordSeen(item, read);
  await enqueue(Number(item), read);
}

/** Shows and counts a mark that the server does not know yet. @param {import("./queue.js").QueuedMark} queued */
export function showQueued({ item, is_read, is_starred, feed, change = 0 }) {
  const row = rowOf(String(item));
  const wasRead = row?.classList.contains("read");
  show(String(item), { is_read, is_starred });
  // A row that has the mark already is counted accordingly.
  const by = !row || is_read === undefined ? change : Number(wasRead) - Number(is_read);
  if (feed && by) changeUnread(feed, by);
}

/** Updates an article from its row: its cached HTML may be older than the marks. @param {string} item */
export const updateArticleMarks = (item) => show(item, marksOf(item));

/** Items that the last bulk mark changed in this page. @type {string[]} */
let bulkMarked = [];

/** @param {string[] | null} feeds null for all @param {number} newest @param {string[] | null} items null for all */
function applyBulkRead(feeds, newest, items) {
  bulkMarked = [];
  for (const row of elements(".item:not(.read)")) {
    const item = itemOf(row);
    if (Number(item) > newest || feeds?.includes(row.dataset.feed ?? "") === false || items?.includes(item) === false) continue;
    bulkMarked.push(item);
    show(item, { is_read: true });
  }
}

function applyBulkUndone() {
  for (const item of bulkMarked) {
    show(item, { is_read: false });
    seen.delete(item);
  }
  bulkMarked = [];
}

/**
 * The server marked everything in these feeds as read, up to an item, or of that only `items`: shows that in this tab
 * and the others.
 * @param {string[] | null} feeds null for all
 * @param {number} newest
 * @param {string[] | null} items
 */
export function showBulkRead(feeds, newest, items = null) {
  applyBulkRead(feeds, newest, items);
  notifyTabs({ type: "bulk", feeds, newest, items });
}

/** The server undid the bulk mark: shows that in this tab and the others. */
export function showBulkUndone() {
  applyBulkUndone();
  notifyTabs({ type: "bulk-undone" });
}

/** @param {TabMessage} message */
function applyMessage(message) {
  if (message.type === "marks") {
    show(message.item, message.marks);
    recordSeen(message.item, message.marks);
    if (message.change) changeUnread(message.feed, message.change);
    return;
  }
  if (message.type === "bulk") applyBulkRead(message.feeds, message.newest, message.items);
  else applyBulkUndone();
  recount();
}

/** Applies the marks of other tabs. */
export function startMarks() {
  tabs.addEventListener("message", ({ data }) => applyMessage(data));
}
