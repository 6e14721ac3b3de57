// @ts-check
// Read, unread, starred: on the screen at once, in every tab, and then on the server.

import { changeUnread } from "./counts.js";
import { enqueue } from "./queue.js";
import { say } from "./words.js";

/** @typedef {import("./queue.js").Marks} Marks */

const tabs = new BroadcastChannel("lede-marks");

/** What the server knows, from this page or another tab, that somebody read. @type {Set<string>} */
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

/** What the page shows of an item. @param {string} item @returns {Required<Marks> & {feed: string}} */
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
    if (state) state.textContent = marks.is_read ? "" : `${say("row-unread")} `;
    if (article) {
      if (marks.is_read) delete article.dataset.unread;
      else article.dataset.unread = "";
      article.dataset.marked = marks.is_read ? "read" : "unread";
      const words = article.querySelector(".mark-unread span");
      if (words) words.textContent = say(marks.is_read ? "mark-unread" : "mark-read");
    }
  }
  if (marks.is_starred !== undefined) {
    if (row && marks.is_starred) row.dataset.starred = "";
    else if (row) delete row.dataset.starred;
    article?.querySelector(".mark-star")?.setAttribute("aria-pressed", String(marks.is_starred));
  }
}

/**
 * Marks an item; what is the same already is left alone.
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
 * Somebody looks at an item, which is read then. What a sweep or a rule marked is read already and nobody has
 * seen it: the server is told all the same, once, and keeps the time that it has of what was read before.
 * @param {string} item
 */
export async function markSeen(item) {
  const seen = { is_read: true };
  if (!marksOf(item).is_read) return mark(item, seen);
  if (noted.has(item)) return;
  note(item, seen);
  await enqueue(Number(item), seen);
}

/** A mark that the server does not know yet: the page does, and counts it. @param {import("./queue.js").Waiting} waiting */
export function showWaiting({ item, is_read, is_starred, feed, change = 0 }) {
  const row = rowOf(String(item));
  const wasRead = row?.classList.contains("read");
  show(String(item), { is_read, is_starred });
  // A row that is as it was marked is counted so already.
  const by = !row || is_read === undefined ? change : Number(wasRead) - Number(is_read);
  if (feed && by) changeUnread(feed, by);
}

/** What was kept of an item may be older than what was marked since: the row knows. @param {string} item */
export const reflect = (item) => show(item, marksOf(item));

/** What the last sweep dimmed here. @type {string[]} */
let swept = [];

/** @param {string[] | null} feeds all when there is none @param {number} newest */
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

/** The server undid the sweep: so do this tab and the others. */
export function unsweep() {
  showUnswept();
  tabs.postMessage({ unswept: true });
}

/**
 * The server marked everything in these feeds read, up to an item: so do this tab and the others.
 * @param {string[] | null} feeds
 * @param {number} newest
 * @param {string[] | null} elsewhere the feeds as other tabs know them
 */
export function sweep(feeds, newest, elsewhere = feeds) {
  showSwept(feeds, newest);
  tabs.postMessage({ feeds: elsewhere, newest });
}

/** @param {() => void} recount asks the server for all counts */
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
