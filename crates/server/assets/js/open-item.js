// @ts-check
// The open item: opening and closing it, moving to the next one, and its entry in the history.

import { fetchArticle, prefetch, prepareArticle, readyArticle, showArticle } from "./article.js";
import { nameWindow } from "./counts.js";
import { t } from "./i18n.js";
import { isUnread, itemOf, rowOf } from "./item-elements.js";
import { loadNewer, loadOlder } from "./list-paging.js";
import { listUrl } from "./list-scope.js";
import { markSeen, updateArticleMarks } from "./marks.js";
import { keepPlaying, resumeInArticle } from "./media.js";
import { adjacentRow, focusSelectedRow, selectedRow, selectRow } from "./selection.js";
import { toast, toastError } from "./toast.js";

/** Part of the text that stays visible when paging. */
const OVERLAP_PX = 48;
/** Delay before a slow request is indicated. */
const BUSY_AFTER_MS = 150;
/** With fewer rows than this after the open one, older rows are requested. */
const ROWS_AHEAD = 3;

const app = /** @type {HTMLElement} */ (document.querySelector(".app"));
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const pane = document.getElementById("pane");
const wide = matchMedia("(min-width: 1100px)");
const phone = matchMedia("(max-width: 699px)");

/** Id of the open item. @type {string | null} */
let open = null;

/** Shows the column for items, or leaves its space to an empty list. @param {boolean} isShown */
export const showPane = (isShown) => app.toggleAttribute("data-without-pane", !isShown);

/** Id of the open item, if there is one. */
export const openItem = () => open;

/** True if items open beside the list, or over it on a phone; false if they open inside it. */
const opensInPane = () => phone.matches || (wide.matches && app.dataset.opening === "beside");

/** The item that shortcuts act on: the open one, or that of the selected row. */
export function currentItem() {
  /** @type {HTMLElement | null} */
  const alone = document.querySelector("article.alone");
  return alone?.dataset.item ?? open ?? itemOf(selectedRow());
}

/** An item counts as read once it was visible, that is, painted. @param {() => void} work */
const afterPaint = (work) => requestAnimationFrame(() => requestAnimationFrame(work));

/** Shows the title of an item that is being loaded, so that the pane never shows another one than the selected. @param {HTMLElement} row */
function showTitleInPane(row) {
  if (!pane) return;
  const title = Object.assign(document.createElement("h2"), { className: "article-title", textContent: row.querySelector(".title")?.textContent ?? "" });
  const article = Object.assign(document.createElement("div"), { className: "article" });
  article.append(title);
  pane.replaceChildren(article);
  pane.dataset.open = "";
}

/** @param {string} item @param {string} html */
function showInPane(item, html) {
  if (!pane) return;
  document.querySelector("li.opened")?.remove();
  showPane(true);
  showArticle(pane, html);
  pane.dataset.open = "";
  pane.setAttribute("aria-labelledby", `title-${item}`);
  if (document.activeElement !== pane) pane.focus({ preventScroll: true });
}

/** @param {HTMLElement} row @param {string} html */
function showInList(row, html) {
  if (pane) delete pane.dataset.open;
  document.querySelector("li.opened")?.remove();
  const container = document.createElement("li");
  container.className = "opened";
  row.after(container);
  showArticle(container, html);
}

/**
 * Moving between items adds no history entries: one step back leads to the list, unless the page began with an item.
 * @param {string} item
 * @param {boolean} wasOpen
 */
function recordInHistory(item, wasOpen) {
  const { isAfterList } = history.state ?? {};
  if (wasOpen) history.replaceState({ item, isAfterList }, "", listUrl(item));
  else history.pushState({ item, isAfterList: true }, "", listUrl(item));
}

/** Marks the painted item as read and requests those that are likely to be opened next. @param {string} item */
function afterOpening(item) {
  if (open !== item) return;
  markSeen(item);
  for (const row of [adjacentRow(1), adjacentRow(1, isUnread), adjacentRow(-1)]) prefetch(row?.dataset.item);
  if (!adjacentRow(ROWS_AHEAD)) loadOlder();
}

/**
 * Opens an item, and marks it as read once it has been painted.
 * @param {HTMLElement} row
 * @param {"key" | "pointer" | "history"} by
 */
export async function openRow(row, by) {
  const item = itemOf(row);
  const wasOpen = open !== null;
  open = item;
  if (by !== "history") recordInHistory(item, wasOpen);
  const slow = setTimeout(() => pane?.setAttribute("aria-busy", "true"), BUSY_AFTER_MS);
  try {
    selectRow(row);
    keepPlaying();
    const isInPane = pane !== null && opensInPane();
    const ready = readyArticle(item);
    if (ready === undefined && isInPane) showTitleInPane(row);
    const html = ready ?? (await fetchArticle(item));
    if (open !== item) return;
    if (isInPane) showInPane(item, html);
    else showInList(row, html);
    resumeInArticle();
    updateArticleMarks(item);
    nameWindow(document.getElementById(`title-${item}`)?.textContent?.trim());
    // Last: it needs the position of the row and so a layout, which is then computed only once.
    if (!isInPane) row.scrollIntoView({ block: "start" });
    else if (by === "key") row.scrollIntoView({ block: "nearest" });
    afterPaint(() => afterOpening(item));
  } catch (error) {
    if (open !== item) return;
    returnToList();
    if (navigator.onLine) toastError(error);
    else toast(t("not-kept"));
  } finally {
    clearTimeout(slow);
    pane?.removeAttribute("aria-busy");
  }
}

/** Closes the open item and leaves the list as it was. */
export function closeItem() {
  if (!open) return;
  open = null;
  nameWindow();
  keepPlaying();
  document.querySelector("li.opened")?.remove();
  if (pane && "open" in pane.dataset) {
    delete pane.dataset.open;
    pane.removeAttribute("aria-labelledby");
    pane.replaceChildren(Object.assign(document.createElement("p"), { className: "pane-empty" }));
  }
}

/** Closes the open item, and moves the focus to its row. */
export function returnToList() {
  if (!open) return;
  closeItem();
  focusSelectedRow();
}

/** Returns to the list (`Esc` and the back button). */
export function goBack() {
  if (!open) return;
  if (history.state?.isAfterList) history.back();
  else {
    returnToList();
    history.replaceState(null, "", listUrl(null));
  }
}

/** Opens the next item in a direction. @param {number} by @param {boolean} onlyUnread */
export async function openAdjacent(by, onlyUnread) {
  const matches = onlyUnread ? isUnread : undefined;
  const row = adjacentRow(by, matches) ?? (by < 0 && (await loadNewer()) ? adjacentRow(by, matches) : null);
  if (row) openRow(row, "key");
  else if (by > 0) loadOlder();
}

/** The element that scrolls what is being read: the open item, or the list. */
export const scroller = () => (open && pane && opensInPane() ? pane : main);

/** Moves the focus from a button of the open item to its text, so that keys scroll it. */
export const focusArticle = () => scroller().focus({ preventScroll: true });

/**
 * Scrolls the open item; at its end opens the next unread one, at its beginning the one before.
 * @param {number} by
 * @returns true if one is open
 */
export function scrollOrAdvance(by) {
  const article = document.querySelector("article:not(.alone)");
  if (!open || !article) return false;
  const box = scroller();
  const visible = box.getBoundingClientRect();
  const { top, bottom } = article.getBoundingClientRect();
  const hasMore = by > 0 ? bottom > visible.bottom + 1 : top < visible.top - 1;
  if (hasMore) box.scrollBy(0, by * (box.clientHeight - OVERLAP_PX));
  else openAdjacent(by, by > 0);
  return true;
}

/** Opens the item of a row, or closes it. @param {HTMLElement} row @param {"key" | "pointer"} by */
export function toggleRow(row, by) {
  if (open === itemOf(row)) goBack();
  else openRow(row, by);
}

/** Opens the selected item, or closes it. */
export function toggleSelected() {
  const row = selectedRow() ?? adjacentRow(1);
  if (row) toggleRow(row, "key");
}

/** The layout changed: shows the open item in its new place. */
function reopen() {
  const row = rowOf(open);
  if (row) openRow(row, "history");
}

/** Takes over an item that the server rendered into the page. @param {HTMLElement} article */
function adoptRendered(article) {
  const item = itemOf(article);
  if (article.parentElement) prepareArticle(article.parentElement);
  if (!article.classList.contains("alone")) {
    open = item;
    const row = rowOf(item);
    if (row) {
      selectRow(row);
      row.scrollIntoView({ block: "center" });
      if (!opensInPane()) reopen();
    }
  }
  afterPaint(() => markSeen(item));
}

export function startOpening() {
  wide.addEventListener("change", reopen);
  phone.addEventListener("change", reopen);
  /** @type {HTMLElement | null} */
  const article = document.querySelector("article[data-item]");
  if (article) adoptRendered(article);
  else prefetch(adjacentRow(1)?.dataset.item);
}
