// @ts-check
// Marks (read, starred): applied to the page at once, then to other tabs and the server.

import { changeUnread } from "./counts.js";
import { enqueue } from "./queue.js";
import { t } from "./i18n.js";

/** @typedef {import("./queue.js").Marks} Marks */

const tabs = new BroadcastChannel("lede-marks");

/** Items that the server knows to have been read, by this page or another tab. @type {Set<string>} */
const noted = new Set();
/** @param {string} item @param {Marks} marks */
function note(item, { is_read }) {
  if (is_read === true) noted.add(item);
  else if (is_read === false) noted.delete(item);
}

/** @param {string} item @returns {HTMLElement | null} */
const rowOf = (item) => document.querySelector(`.item[data-item="${item}"]`);
/** @param {string} item @returns {HTMLElement | null} */
const articleOf = (item) => document.querySelector(`article[data-item="${item}"]`);

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
      const words = article.querySelector(".mark-unread span");
      if (words) words.textContent = t(marks.is_read ? "mark-unread" : "mark-read");
    }
  }
  if (marks.is_starred !== undefined) {
    if (row && marks.is_starred) row.dataset.starred = "";
    else if (row) delete row.dataset.starred;
    article?.querySelector(".mark-star")?.setAttribute("aria-pressed", String(marks.is_starred));
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
  note(item, marks);
  const change = isRead ? (marks.is_read ? -1 : 1) : 0;
  if (change) changeUnread(before.feed, change);
  tabs.postMessage({ item, marks, feed: before.feed, change });
  await enqueue(Number(item), marks, { feed: before.feed, change });
}

/**
 * Marks an item as read because the user sees it. An item that a bulk mark or a rule marked is read, but was not
 * seen: it is sent to the server once, which keeps the time of an item that was read before.
 * @param {string} item
 */
export async function markSeen(item) {
  const seen = { is_read: true };
  if (!marksOf(item).is_read) return mark(item, seen);
  if (noted.has(item)) return;
  note(item, seen);
  await enqueue(Number(item), seen);
}

/** Shows and counts a mark that the server does not know yet. @param {import("./queue.js").Waiting} waiting */
export function showWaiting({ item, is_read, is_starred, feed, change = 0 }) {
  const row = rowOf(String(item));
  const wasRead = row?.classList.contains("read");
  show(String(item), { is_read, is_starred });
  // A row that has the mark already is counted accordingly.
  const by = !row || is_read === undefined ? change : Number(wasRead) - Number(is_read);
  if (feed && by) changeUnread(feed, by);
}

/** Updates an article from its row: its cached HTML may be older than the marks. @param {string} item */
export const reflect = (item) => show(item, marksOf(item));

/** Items that the last bulk mark changed in this page. @type {string[]} */
let swept = [];

/** @param {string[] | null} feeds null for all @param {number} newest */
function showSwept(feeds, newest) {
  swept = [];
  for (const row of document.querySelectorAll(".item:not(.read)")) {
    const { item = "", feed = "" } = /** @type {HTMLElement} */ (row).dataset;
    if (Number(item) > newest || feeds?.includes(feed) === false) continue;
    swept.push(item);
    show(item, { is_read: true });
  }
}

function showUnswept() {
  for (const item of swept) {
    show(item, { is_read: false });
    noted.delete(item);
  }
  swept = [];
}

/** The server undid the bulk mark: shows that in this tab and the others. */
export function unsweep() {
  showUnswept();
  tabs.postMessage({ unswept: true });
}

/**
 * The server marked everything in these feeds as read, up to an item: shows that in this tab and the others.
 * @param {string[] | null} feeds
 * @param {number} newest
 * @param {string[] | null} elsewhere the feeds for other tabs
 */
export function sweep(feeds, newest, elsewhere = feeds) {
  showSwept(feeds, newest);
  tabs.postMessage({ feeds: elsewhere, newest });
}

/** @param {() => void} recount fetches all counts from the server */
export function startMarks(recount) {
  tabs.addEventListener("message", ({ data }) => {
    if ("newest" in data || "unswept" in data) {
      if (data.unswept) showUnswept();
      else showSwept(data.feeds, data.newest);
      recount();
      return;
    }
    show(data.item, data.marks);
    note(data.item, data.marks);
    if (data.change) changeUnread(data.feed, data.change);
  });
}
