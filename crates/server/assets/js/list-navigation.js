// @ts-check
// Changing the list without loading the page: the tree, its position and the focus stay, and the old list is shown
// until the new one is there. Links and the search form are those of a page without script.

import { prefetch } from "./article.js";
import { showUndo } from "./bulk-marks.js";
import { requestHtml } from "./api.js";
import { nameWindow } from "./counts.js";
import { closest, elements, fragment } from "./dom.js";
import { localiseTimes } from "./i18n.js";
import { list, rowOf } from "./item-elements.js";
import { startPaging } from "./list-paging.js";
import { listScope, listUrl } from "./list-scope.js";
import { clearNews } from "./live.js";
import { closeItem, openItem, openRow, returnToList, showPane } from "./open-item.js";
import { adjacentRow, selectRow } from "./selection.js";
import { showInTree } from "./tree.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/** @type {HTMLFormElement | null} */
const searchForm = document.querySelector("form.search");

/** The URL of a list, whichever item is open. @param {string} url */
function withoutItem(url) {
  const { pathname, searchParams } = new URL(url, location.href);
  searchParams.delete("item");
  const query = searchParams.toString();
  return query ? `${pathname}?${query}` : pathname;
}

/** The list that is shown, as in the address bar: it may differ from `listUrl`, which omits defaults. */
let shown = withoutItem(location.href);
/** Number of the last request: only its response is shown. */
let latest = 0;

/** A search is limited to the feed, category or label of the list. */
function updateSearchForm() {
  const head = main.querySelector(".list-head");
  const scope = searchForm?.querySelector("input[type=hidden]");
  const field = searchForm?.querySelector("input[type=search]");
  if (!(head instanceof HTMLElement) || !(scope instanceof HTMLInputElement) || !(field instanceof HTMLInputElement)) return;
  const { feed, category, label, search = "", searchHint = "" } = head.dataset;
  scope.name = feed ? "feed" : category ? "category" : label ? "label" : "";
  scope.value = feed ?? category ?? label ?? "";
  field.value = search;
  field.placeholder = searchHint;
}

/** @param {string} html */
function replaceList(html) {
  const loaded = fragment(html);
  localiseTimes(loaded);
  const { activeElement } = document;
  const isTab = !!closest(activeElement, ".tabs");
  const isInside = main.contains(activeElement);
  // A notice of the server's health is not part of the list.
  for (const part of [...main.children]) if (!part.matches(".warning")) part.remove();
  main.append(loaded);
  clearNews();
  showUndo();
  updateSearchForm();
  startPaging();
  showInTree(main.querySelector(".list-head")?.getAttribute("data-tree") ?? "/");
  /** @type {HTMLElement | null} */
  const focused = isTab ? main.querySelector(".tabs [aria-current]") : isInside ? main : null;
  focused?.focus({ preventScroll: true });
}

/** Shows a list in place of another one. @param {string} html @param {number} scrollTop */
function showAnother(html, scrollTop) {
  shown = withoutItem(location.href);
  closeItem();
  replaceList(html);
  main.scrollTop = scrollTop;
  showPane(!!list());
  nameWindow();
}

/**
 * Loads a list in the background. Resolves to its HTML, or to null if another one was requested meanwhile. The whole
 * page is loaded instead if that fails: it can say why.
 * @param {string} url
 */
async function fetchList(url) {
  latest += 1;
  const request = latest;
  main.setAttribute("aria-busy", "true");
  try {
    const html = await requestHtml(`/list/page${new URL(url, location.href).search}`);
    return request === latest ? html : null;
  } catch {
    if (request === latest) location.assign(url);
    return null;
  } finally {
    if (request === latest) main.removeAttribute("aria-busy");
  }
}

/** Shows another list. @param {string} url */
async function showList(url) {
  document.getElementById("tree")?.hidePopover();
  const html = await fetchList(url);
  if (html === null) return;
  // As for a page: its own link adds no entry.
  if (new URL(url, location.href).href === location.href) history.replaceState(null, "", url);
  else {
    history.replaceState({ ...history.state, scrollTop: main.scrollTop }, "");
    history.pushState(null, "", url);
  }
  showAnother(html, 0);
  prefetch(adjacentRow(1)?.dataset.item);
}

/** The item that is open at the current URL. */
const itemInUrl = () => new URL(location.href).searchParams.get("item");

/** Shows the list of a history entry. @param {{scrollTop?: number} | null} state */
async function showEntry(state) {
  const html = await fetchList(location.href);
  if (html === null) return;
  showAnother(html, state?.scrollTop ?? 0);
  const item = itemInUrl();
  const row = rowOf(item);
  if (row) openRow(row, "history");
  // An item outside its list: the server shows it.
  else if (item) location.reload();
}

/** Loads the list again; an open item stays open. */
export async function reloadList() {
  const item = openItem();
  const html = await fetchList(listUrl(item));
  if (html === null) return;
  const opened = document.querySelector("li.opened");
  const { scrollTop } = main;
  replaceList(html);
  const row = rowOf(item);
  if (row) {
    selectRow(row);
    if (opened) row.after(opened);
  }
  main.scrollTop = scrollTop;
  showPane(!!item || !!list());
}

/** Opens a page by its path: a list in place, others as a page. @param {string} path */
export function openPage(path) {
  if (listScope() && (path === "/" || path.startsWith("/?"))) showList(path);
  else location.assign(path);
}

/** True if a link leads to a list. @param {HTMLElement | null} link @returns {link is HTMLAnchorElement} */
const isToList = (link) =>
  link instanceof HTMLAnchorElement && !link.target && link.origin === location.origin && link.pathname === "/" && !link.hash;

/** @param {MouseEvent} event */
function clickLink(event) {
  const link = closest(event.target, "a");
  const { button, metaKey, ctrlKey, shiftKey, altKey } = event;
  if (event.defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return;
  if (!isToList(link)) return;
  event.preventDefault();
  showList(link.href);
  // At once, before the list is there.
  if (link.closest(".tree")) showInTree(link.getAttribute("href") ?? "/");
}

/** @param {SubmitEvent} event */
function submitSearch(event) {
  event.preventDefault();
  if (!searchForm) return;
  const query = new URLSearchParams();
  for (const field of elements("input", searchForm)) {
    if (field instanceof HTMLInputElement && field.name && field.value) query.append(field.name, field.value);
  }
  showList(`/?${query}`);
  // Keys are for the results.
  main.focus({ preventScroll: true });
}

export function startNavigation() {
  // A page with a single item has no list to replace.
  if (!listScope()) return;
  document.addEventListener("click", clickLink);
  searchForm?.addEventListener("submit", submitSearch);
  addEventListener("popstate", ({ state }) => {
    const url = withoutItem(location.href);
    if (url !== shown && url !== listUrl(null)) return void showEntry(state);
    // A list that was requested before is no longer wanted.
    latest += 1;
    main.removeAttribute("aria-busy");
    const item = itemInUrl();
    const row = rowOf(item);
    if (!row) returnToList();
    else if (item !== openItem()) openRow(row, "history");
  });
}
