// @ts-check
// Marking all items of the list as read, and undoing the last bulk mark for ten minutes.

import { sendJson } from "./api.js";
import { feedsOf, unreadIn } from "./counts.js";
import { t, tCount } from "./i18n.js";
import { isUnread, itemOf, rows } from "./item-elements.js";
import { listScope } from "./list-scope.js";
import { recount } from "./live.js";
import { showBulkRead, showBulkUndone } from "./marks.js";
import { toast, toastError } from "./toast.js";

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
  if (id && until > Date.now()) offerUndo(() => undoOnServer(id), until - Date.now());
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

/** @param {number} undoId */
async function undoOnServer(undoId) {
  try {
    await sendJson("POST", `/api/posts/mark-read/${undoId}/undo`);
    showBulkUndone();
    await recount();
  } catch (error) {
    toastError(error);
  }
}

/** The request that marks the items of a list. @param {import("./list-scope.js").ListScope} scope @param {number[]} unread */
function requestFor({ feed, category, label, newest, isFixed }, unread) {
  if (isFixed) return { post_ids: unread };
  if (feed) return { feed_id: Number(feed), newest_id: newest };
  if (category) return { category_id: Number(category), newest_id: newest };
  if (label) return { label_id: Number(label), newest_id: newest };
  return { all: true, newest_id: newest };
}

/** Marks all items of the list as read, up to the newest that this page knows; in a search, those that are shown. */
export async function markAll() {
  const scope = listScope();
  if (!scope) return;
  const { feed, category, label, newest, isFixed } = scope;
  const unread = rows().filter(isUnread).map((row) => Number(itemOf(row)));
  if (isFixed && unread.length === 0) return void toast(t("nothing-unread"));
  if (!isFixed && !(await isConfirmed(unreadOf(scope)))) return;
  try {
    /** @type {import("./api.js").BulkMark} */
    const { marked, undo_id } = await sendJson("POST", "/api/posts/mark-read", requestFor(scope, unread));
    if (marked === 0 || undo_id === null) return void toast(t("nothing-unread"));
    // Other tabs do not know which rows have the label or match the search.
    if (label || isFixed) showBulkRead(null, isFixed ? Infinity : newest, []);
    else showBulkRead(feed ? [feed] : feedsOf(category), newest);
    toastMarked(marked, () => undoOnServer(undo_id));
    sessionStorage.setItem(UNDO_KEY, JSON.stringify({ id: undo_id, until: Date.now() + UNDO_MS }));
    await recount();
  } catch (error) {
    toastError(error);
  }
}
