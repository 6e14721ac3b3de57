// @ts-check
// Marking all items of the list as read, and undoing the last bulk mark.

import { sendJson } from "./api.js";
import { feedsOf } from "./counts.js";
import { t, tCount } from "./i18n.js";
import { isUnread, itemOf, rows } from "./item-elements.js";
import { listScope } from "./list-scope.js";
import { recount } from "./live.js";
import { showBulkRead, showBulkUndone } from "./marks.js";
import { toast, toastError } from "./toast.js";

/** Undoes the last bulk mark. @type {(() => void) | null} */
let undoLast = null;

/** Shows how many items were marked, with a button that undoes it. @param {number} count @param {() => void} undo */
export function toastMarked(count, undo) {
  undoLast = undo;
  toast(tCount("marked", count), { label: t("undo"), run: undoBulkMark });
}

/** Undoes the last bulk mark, once. */
export function undoBulkMark() {
  undoLast?.();
  undoLast = null;
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
  try {
    /** @type {import("./api.js").BulkMark} */
    const { marked, undo_id } = await sendJson("POST", "/api/posts/mark-read", requestFor(scope, unread));
    if (marked === 0 || undo_id === null) return void toast(t("nothing-unread"));
    // Other tabs do not know which rows have the label or match the search.
    if (label || isFixed) showBulkRead(null, isFixed ? Infinity : newest, []);
    else showBulkRead(feed ? [feed] : feedsOf(category), newest);
    toastMarked(marked, () => undoOnServer(undo_id));
    await recount();
  } catch (error) {
    toastError(error);
  }
}
