// @ts-check
// Marking many items as read, and undoing the last bulk mark for ten minutes.

import { sendJson } from "./api.js";
import { feedsOf, unreadIn } from "./counts.js";
import { t, tCount } from "./i18n.js";
import { isUnread, itemOf, rows } from "./item-elements.js";
import { reloadList } from "./list-navigation.js";
import { listScope } from "./list-scope.js";
import { recount } from "./live.js";
import { showBulkRead, showBulkUndone } from "./marks.js";
import { toast, toastError } from "./toast.js";
import { goToFeed } from "./tree.js";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Items that the server marks by their ids at once. */
const MAX_IDS = 1000;

/** Above this number of items the user is asked first. */
const ASK_ABOVE = 200;
/** Set if the user does not want to be asked. */
const NOT_ASKED_KEY = "lede-mark-all-unasked";

/** As long as the server can undo a bulk mark (`core::reading::UNDO_FOR`). */
const UNDO_MS = 600_000;
/** The last bulk mark on the server, for a page that is loaded again. */
const UNDO_KEY = "lede-undo";

/** Undoes the last bulk mark. @type {(() => void) | null} */
let undoLast = null;
/** Ends the time in which it can be undone. @type {ReturnType<typeof setTimeout> | undefined} */
let undoTimer;

/** Shows the undo button in the head of the list while there is something to undo. */
export function showUndo() {
  document.querySelector(".undo-mark")?.toggleAttribute("hidden", !undoLast);
}

/** @param {(() => void) | null} undo @param {number} [ms] */
function offerUndo(undo, ms = UNDO_MS) {
  undoLast = undo;
  clearTimeout(undoTimer);
  if (undo) undoTimer = setTimeout(() => offerUndo(null), ms);
  else sessionStorage.removeItem(UNDO_KEY);
  showUndo();
}

/** Shows how many items were marked, with a button that undoes it. @param {number} count @param {() => void} undo */
export function toastMarked(count, undo) {
  sessionStorage.removeItem(UNDO_KEY);
  offerUndo(undo);
  toast(tCount("marked", count), { label: t("undo"), run: undoBulkMark });
}

/** Undoes the last bulk mark, once. */
export function undoBulkMark() {
  const undo = undoLast;
  offerUndo(null);
  undo?.();
}

/** Offers to undo what was marked before the page was loaded again. */
export function startBulkMarks() {
  /** @type {{id?: number, until?: number}} */
  const { id, until = 0 } = JSON.parse(sessionStorage.getItem(UNDO_KEY) ?? "{}");
  if (id && until > Date.now()) offerUndo(() => undoOnServer(id, showBulkUndone), until - Date.now());
}

/** The unread count of the list. @param {import("./list-scope.js").ListScope} scope */
function unreadOf({ feed, category, label }) {
  return unreadIn(feed ?? (category && `category-${category}`) ?? (label && `label-${label}`) ?? "all");
}

/** Asks whether to mark that many items. @param {number} count @returns {Promise<boolean>} */
async function isConfirmed(count) {
  /** @type {HTMLDialogElement | null} */
  const dialog = document.querySelector("dialog.confirm-marks");
  const question = dialog?.querySelector("h2");
  if (count <= ASK_ABOVE || !dialog || !question || localStorage.getItem(NOT_ASKED_KEY)) return true;
  question.textContent = tCount("mark-all-ask", count);
  dialog.returnValue = "";
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  const isYes = dialog.returnValue === "yes";
  if (isYes && dialog.querySelector("input")?.checked) localStorage.setItem(NOT_ASKED_KEY, "true");
  return isYes;
}

/** @param {number} undoId @param {() => unknown} showUndone */
async function undoOnServer(undoId, showUndone) {
  try {
    await sendJson("POST", `/api/posts/mark-read/${undoId}/undo`);
    await showUndone();
    await recount();
  } catch (error) {
    toastError(error);
  }
}

/**
 * Marks items on the server. Returns true if any was unread.
 * @param {object} body
 * @param {() => unknown} showMarked
 * @param {() => unknown} showUndone
 */
async function send(body, showMarked, showUndone = showBulkUndone) {
  try {
    /** @type {import("./api.js").BulkMark} */
    const { marked, undo_id } = await sendJson("POST", "/api/posts/mark-read", body);
    if (marked === 0 || undo_id === null) {
      toast(t("nothing-unread"));
      return false;
    }
    await showMarked();
    toastMarked(marked, () => undoOnServer(undo_id, showUndone));
    sessionStorage.setItem(UNDO_KEY, JSON.stringify({ id: undo_id, until: Date.now() + UNDO_MS }));
    await recount();
    return true;
  } catch (error) {
    toastError(error);
    return false;
  }
}

/**
 * A feed, category, label or search, or else everything; up to the item `newest`, and only before a time or an item.
 * @typedef {{feed?: string, category?: string, label?: string, query?: string, newest?: number, before?: string, olderThan?: string}} MarkedScope
 */

/** @param {MarkedScope} scope */
function bodyOf({ feed, category, label, query, newest, before, olderThan }) {
  const limits = { newest_id: newest, before, older_than_id: olderThan && Number(olderThan) };
  if (feed) return { feed_id: Number(feed), ...limits };
  if (category) return { category_id: Number(category), ...limits };
  if (label) return { label_id: Number(label), ...limits };
  if (query) return { search: query, ...limits };
  return { all: true, ...limits };
}

/** Marks the items of a scope as read. @param {MarkedScope} scope */
export function markScope(scope) {
  const { feed, category, label, query, newest = Infinity, before, olderThan } = scope;
  // Which rows are concerned is not known here.
  const isPartial = label || query || before || olderThan;
  if (isPartial) return send(bodyOf(scope), reloadList, reloadList);
  return send(bodyOf(scope), () => showBulkRead(feed ? [feed] : feedsOf(category), newest));
}

/** Marks these rows as read. @param {HTMLElement[]} marked */
async function markRows(marked) {
  const items = marked.filter(isUnread).map(itemOf);
  if (items.length === 0) return void toast(t("nothing-unread"));
  await send({ post_ids: items.slice(0, MAX_IDS).map(Number) }, () => showBulkRead(null, Infinity, items));
}

/** Marks all items of the list as read, up to the newest that this page knows; in a limited search and the history,
 * those that are shown. */
export async function markAll() {
  const scope = listScope();
  if (!scope) return;
  if (scope.isFixed && !scope.query) return markRows(rows());
  if (!scope.query && !(await isConfirmed(unreadOf(scope)))) return;
  const isMarked = await markScope(scope);
  if (isMarked && scope.feed && document.querySelector("[data-next-after-mark-all]")) goToFeed(1);
}

/** Marks the items of the list that are older than some days. @param {number} days */
export function markOlder(days) {
  const scope = listScope();
  const before = new Date(Date.now() - days * DAY_MS).toISOString();
  if (scope) markScope({ ...scope, before });
}

/**
 * Marks the items above or below one in the list. Older ones need not be loaded; of those, items with exactly the same
 * date stay unread.
 * @param {string | null} item
 * @param {"above" | "below"} side
 */
export function markBeside(item, side) {
  const scope = listScope();
  const all = rows();
  const at = all.findIndex((row) => itemOf(row) === item);
  if (!scope || !item || at < 0) return;
  const isOlder = (side === "above") === scope.isOldestFirst;
  const isLoaded = !document.querySelector(side === "above" ? "ol.items > .newer" : "ol.items > .more");
  if (isOlder && !isLoaded && !scope.isFixed) return void markScope({ ...scope, olderThan: item });
  markRows(side === "above" ? all.slice(0, at) : all.slice(at + 1));
}
