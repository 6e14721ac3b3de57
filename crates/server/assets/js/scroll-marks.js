// @ts-check
// Marking rows as read when they are scrolled past, if the user has chosen that.

import { toastMarked } from "./bulk-marks.js";
import { isUnread, itemOf, rows } from "./item-elements.js";
import { mark } from "./marks.js";

/** Interval of checking which rows were scrolled past. */
const CHECK_MS = 300;
/** Delay before their number is shown. */
const TOAST_AFTER_MS = 1000;

const main = /** @type {HTMLElement} */ (document.getElementById("main"));

/** Items that were marked since the last message. @type {string[]} */
let marked = [];
/** Items whose mark was undone, which are not marked again. @type {Set<string>} */
const excluded = new Set();
/** @type {ReturnType<typeof setTimeout> | undefined} */
let toastTimer;

function showMarked() {
  const items = marked;
  marked = [];
  toastMarked(items.length, () => {
    for (const item of items) {
      excluded.add(item);
      mark(item, { is_read: false });
    }
  });
}

function markPassed() {
  // Rows disappear behind the head of the list, which stays. Tolerates a fraction of a pixel.
  const top = (main.querySelector(".list-head") ?? main).getBoundingClientRect().bottom + 1;
  for (const row of rows().filter(isUnread)) {
    if (row.getBoundingClientRect().bottom > top) break;
    const item = itemOf(row);
    if (excluded.has(item)) continue;
    marked.push(item);
    mark(item, { is_read: true });
  }
  clearTimeout(toastTimer);
  if (marked.length > 0) toastTimer = setTimeout(showMarked, TOAST_AFTER_MS);
}

export function startScrollMarks() {
  let isScheduled = false;
  main.addEventListener("scroll", () => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      markPassed();
    }, CHECK_MS);
  });
}
