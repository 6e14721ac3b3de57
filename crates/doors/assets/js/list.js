// @ts-check
// The list: selecting and opening items, and loading more rows while scrolling.

import { askHtml, send } from "./api.js";
import { fetchArticle, prefetch, put, readyArticle, settle } from "./article.js";
import { feedsOf, nameWindow } from "./counts.js";
import { mark, markSeen, marksOf, reflect, sweep, unsweep } from "./marks.js";
import { keepPlaying, takeBack } from "./media.js";
import { toast, toastError } from "./toast.js";
import { localiseTimes, t, tCount } from "./i18n.js";

const app = /** @type {HTMLElement} */ (document.querySelector(".app"));
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const pane = document.getElementById("pane");
const list = document.querySelector("ol.items");
const head = /** @type {HTMLElement | null} */ (document.querySelector(".list-head"));
const wide = matchMedia("(min-width: 1100px)");
const phone = matchMedia("(max-width: 699px)");

/** Interval of checking which rows were scrolled past. */
const PASSED_MS = 300;
/** Delay before their number is shown. */
const TOLD_MS = 1000;
/** Part of the text that stays visible when paging. */
const STAYS_PX = 48;

/** The row that keys act on. @type {HTMLElement | null} */
let chosen = null;
/** Id of the open item. @type {string | null} */
let open = null;

/** @returns {HTMLElement[]} */
const rows = () => [...(list?.querySelectorAll(":scope > .item") ?? [])].map((row) => /** @type {HTMLElement} */ (row));
/** @param {string | null} item */
const rowOf = (item) => /** @type {HTMLElement | null} */ (item ? document.querySelector(`.item[data-item="${item}"]`) : null);
/** @param {HTMLElement | null} row @returns {string} */
const itemOf = (row) => row?.dataset.item ?? "";

/** True if items open beside the list, or over it on a phone; false if they open inside it. */
const isInPane = () => phone.matches || (wide.matches && app.dataset.opening === "beside");

/** The item that keys act on: the open one, or that of the selected row. */
export function currentItem() {
  const alone = /** @type {HTMLElement | null} */ (document.querySelector("article.alone"));
  return alone?.dataset.item ?? open ?? itemOf(chosen);
}

/** @param {HTMLElement | null} row */
function choose(row) {
  if (!row) return;
  chosen?.classList.remove("chosen");
  chosen?.querySelector(".row")?.removeAttribute("aria-current");
  chosen = row;
  row.classList.add("chosen");
  row.querySelector(".row")?.setAttribute("aria-current", "true");
}

/** @param {number} by @param {(row: HTMLElement) => boolean} [isWanted] */
function neighbour(by, isWanted = () => true) {
  const all = rows();
  let at = chosen ? all.indexOf(chosen) : by > 0 ? -1 : all.length;
  do at += by;
  while (all[at] && !isWanted(all[at]));
  return all[at] ?? null;
}

/** The URL of this list, with an item open or not. @param {string | null} item */
function address(item) {
  const url = new URL(head?.dataset.list ?? "/", location.href);
  if (item) url.searchParams.set("item", item);
  return url.pathname + url.search;
}

/** @param {HTMLElement} row @param {string} html */
function showInPlace(row, html) {
  document.querySelector("li.opened")?.remove();
  const place = document.createElement("li");
  place.className = "opened";
  row.after(place);
  put(place, html);
}

/**
 * Opens an item in its place, and marks it as read once it has been painted.
 * @param {HTMLElement} row
 * @param {"key" | "pointer" | "history"} by
 */
export async function openRow(row, by) {
  const item = itemOf(row);
  const wasOpen = open;
  open = item;
  if (by !== "history") {
    // Moving between items adds no history entries: one step back leads to the list, unless the page began with an
    // item.
    const { isAfterList } = history.state ?? {};
    if (wasOpen) history.replaceState({ item, isAfterList }, "", address(item));
    else history.pushState({ item, isAfterList: true }, "", address(item));
  }
  const slow = setTimeout(() => pane?.setAttribute("aria-busy", "true"), 150);
  try {
    choose(row);
    const html = readyArticle(item) ?? (await fetchArticle(item));
    if (open !== item) return;
    keepPlaying();
    const isBeside = isInPane();
    if (pane && isBeside) {
      document.querySelector("li.opened")?.remove();
      put(pane, html);
      pane.dataset.open = "";
      pane.setAttribute("aria-labelledby", `title-${item}`);
      if (document.activeElement !== pane) pane.focus({ preventScroll: true });
    } else {
      if (pane) delete pane.dataset.open;
      showInPlace(row, html);
    }
    takeBack();
    reflect(item);
    nameWindow(document.getElementById(`title-${item}`)?.textContent?.trim());
    // Last: it needs the position of the row and so a layout, which is then computed only once.
    if (!isBeside) row.scrollIntoView({ block: "start" });
    else if (by === "key") row.scrollIntoView({ block: "nearest" });
    afterPaint(() => {
      if (open !== item) return;
      markSeen(item);
      for (const next of [neighbour(1), neighbour(1, isUnread), neighbour(-1)]) prefetch(next?.dataset.item);
      if (!neighbour(3)) loadMore();
    });
  } catch (error) {
    if (open !== item) return;
    closeItem();
    if (navigator.onLine) toastError(error);
    else toast(t("not-kept"));
  } finally {
    clearTimeout(slow);
    pane?.removeAttribute("aria-busy");
  }
}

/** An item counts as read once it was visible, that is, painted. @param {() => void} work */
const afterPaint = (work) => requestAnimationFrame(() => requestAnimationFrame(work));

/** @param {HTMLElement} row */
const isUnread = (row) => !row.classList.contains("read");

/** Closes the open item and leaves the list as it was. Returns true if one was open. */
export function closeItem() {
  if (!open) return false;
  open = null;
  nameWindow();
  keepPlaying();
  document.querySelector("li.opened")?.remove();
  if (pane && "open" in pane.dataset) {
    delete pane.dataset.open;
    pane.removeAttribute("aria-labelledby");
    pane.replaceChildren(Object.assign(document.createElement("p"), { className: "pane-empty" }));
  }
  /** @type {HTMLElement | null | undefined} */ (chosen?.querySelector(".row"))?.focus({ preventScroll: true });
  return true;
}

/** Returns to the list (`Esc` and the back button). */
export function goBack() {
  if (!open) return false;
  if (history.state?.isAfterList) history.back();
  else {
    closeItem();
    history.replaceState(null, "", address(null));
  }
  return true;
}

/** @param {number} by @param {boolean} onlyUnread */
export async function step(by, onlyUnread) {
  const isWanted = onlyUnread ? isUnread : undefined;
  const row = neighbour(by, isWanted) ?? (by < 0 && (await loadNewer()) ? neighbour(by, isWanted) : null);
  if (row) openRow(row, "key");
  else if (by > 0) loadMore();
}

/**
 * Scrolls the open item; at its end opens the next unread one, at its beginning the one before.
 * @param {number} by
 * @returns true if one is open
 */
export function readOn(by) {
  const place = open && (pane && isInPane() ? pane : main);
  const article = document.querySelector("article:not(.alone)");
  if (!place || !article) return false;
  const shown = place.getBoundingClientRect();
  const { top, bottom } = article.getBoundingClientRect();
  const isMore = by > 0 ? bottom > shown.bottom + 1 : top < shown.top - 1;
  if (isMore) place.scrollBy(0, by * (place.clientHeight - STAYS_PX));
  else step(by, by > 0);
  return true;
}

/** Opens the selected item, or closes it. */
export function toggleChosen() {
  const row = chosen ?? neighbour(1);
  if (!row) return;
  if (open === itemOf(row)) goBack();
  else openRow(row, "key");
}

/** @param {"is_read" | "is_starred"} which */
export function toggleMark(which) {
  const item = currentItem();
  if (item) mark(item, { [which]: !marksOf(item)[which] });
}

/**
 * An element of an item: from the page, or from its HTML if only its row is shown.
 * @param {string} item
 * @param {string} selector
 */
async function partOf(item, selector) {
  const shown = document.querySelector(`article[data-item="${item}"]`);
  if (shown) return shown.querySelector(selector);
  const template = document.createElement("template");
  template.innerHTML = readyArticle(item) ?? (await fetchArticle(item));
  const part = template.content.querySelector(selector);
  // A link in a template has no effect when clicked.
  return part && document.importNode(part, true);
}

/**
 * Calls `act` with an element of the current item, if it has one.
 * @param {string} selector
 * @param {(part: HTMLElement, item: string) => void} act
 */
async function withPart(selector, act) {
  const item = currentItem();
  if (!item) return;
  try {
    const part = await partOf(item, selector);
    if (part) act(/** @type {HTMLElement} */ (part), item);
  } catch (error) {
    toastError(error);
  }
}

/** Opens the original page of the item in another tab. If only the row is shown, that counts as reading it. */
export const openOriginal = () =>
  withPart("a.original", (link, item) => {
    link.click();
    if (!link.isConnected) markSeen(item);
  });

/** Opens the comments of the item in another tab. */
export const openComments = () => withPart(".comments a", (link) => link.click());

/** Shares the item, like its button. */
export const shareItem = () => withPart(".share", share);

/** Opens the menu of services that the open item can be sent to. */
export function sendItem() {
  const menu = /** @type {HTMLDetailsElement | null} */ (document.querySelector(`article[data-item="${currentItem()}"] .send`));
  if (!menu) return;
  menu.open = true;
  menu.querySelector("a")?.focus();
}

/** Steps of the keys in that menu; 0 leaves it. @type {Record<string, number | undefined>} */
const MOVES = { ArrowDown: 1, ArrowUp: -1, Escape: 0 };

/** Handles the keys of that menu, and clicks that close it. */
function startSending() {
  const opened = () => /** @type {HTMLDetailsElement | null} */ (document.querySelector(".send[open]"));
  // Captured before the shortcuts of the page: Escape closes the menu first, and then the item.
  document.addEventListener(
    "keydown",
    (event) => {
      const menu = opened();
      const by = MOVES[event.key];
      if (by === undefined || !menu?.contains(/** @type {Node} */ (event.target))) return;
      event.preventDefault();
      const links = [...menu.querySelectorAll("a")];
      const at = links.findIndex((link) => link === event.target);
      // From the button, to the first or the last link.
      if (by) return links.at((at + (at < 0 && by < 0 ? 0 : by)) % links.length)?.focus();
      menu.open = false;
      menu.querySelector("summary")?.focus();
    },
    true,
  );
  // Closing does not prevent the link from being followed.
  document.addEventListener("click", ({ target }) => {
    const menu = opened();
    const inside = /** @type {Element} */ (target).closest(".send");
    if (menu && (inside !== menu || /** @type {Element} */ (target).closest("a"))) menu.open = false;
  });
}

let isLoading = false;

/** Fetches rows of the list. @param {string} from */
async function rowsAt(from) {
  const template = document.createElement("template");
  template.innerHTML = await askHtml(from);
  localiseTimes(template.content);
  watch(template.content);
  return template.content;
}

/** Loads the next rows of the list, unless a request is in progress. */
export async function loadMore() {
  const end = /** @type {HTMLElement | null} */ (list?.querySelector(":scope > .more") ?? null);
  const from = end?.dataset.more;
  if (!end || !from || isLoading) return;
  isLoading = true;
  end.replaceChildren(Object.assign(document.createElement("p"), { className: "help", role: "status", textContent: t("loading") }));
  try {
    end.replaceWith(await rowsAt(from));
  } catch (error) {
    const words = Object.assign(document.createElement("p"), { className: "error", textContent: t("more-failed") });
    const again = Object.assign(document.createElement("button"), { type: "button", textContent: t("try-again") });
    again.addEventListener("click", loadMore);
    end.replaceChildren(words, again);
    watcher.unobserve(end);
  } finally {
    isLoading = false;
  }
}

/** Loads the rows before a list that begins in the middle. Returns true if there were any. */
async function loadNewer() {
  const top = /** @type {HTMLElement | null} */ (list?.querySelector(":scope > .newer") ?? null);
  const from = top?.dataset.newer;
  const below = rows()[0];
  if (!top || !from || !below || isLoading) return false;
  isLoading = true;
  try {
    const newer = await rowsAt(from);
    const before = below.getBoundingClientRect().top;
    top.replaceWith(newer);
    // The visible rows stay in place.
    main.scrollTop += below.getBoundingClientRect().top - before;
    return true;
  } catch (error) {
    toastError(error);
    return false;
  } finally {
    isLoading = false;
  }
}

const watcher = new IntersectionObserver(
  (entries) => {
    if (entries.some((entry) => entry.isIntersecting)) loadMore();
  },
  { root: main, rootMargin: "1200px" },
);

/** Marks rows as read when they are scrolled past, if the user has chosen that. */
function startMarkingPassed() {
  let isDue = false;
  /** @type {string[]} */
  let passed = [];
  /** Items whose mark was undone, which are not marked again. @type {Set<string>} */
  const spared = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let telling;
  const tell = () => {
    const items = passed;
    passed = [];
    tellMarked(items.length, () => {
      for (const item of items) {
        spared.add(item);
        mark(item, { is_read: false });
      }
    });
  };
  const markPassed = () => {
    isDue = false;
    // Tolerates a fraction of a pixel.
    const top = main.getBoundingClientRect().top + 1;
    for (const row of list?.querySelectorAll(":scope > .item:not(.read)") ?? []) {
      if (row.getBoundingClientRect().bottom > top) break;
      const item = itemOf(/** @type {HTMLElement} */ (row));
      if (spared.has(item)) continue;
      passed.push(item);
      mark(item, { is_read: true });
    }
    clearTimeout(telling);
    if (passed.length > 0) telling = setTimeout(tell, TOLD_MS);
  };
  main.addEventListener("scroll", () => {
    if (!isDue) setTimeout(markPassed, PASSED_MS);
    isDue = true;
  });
}

/** @param {ParentNode} place */
function watch(place) {
  const end = place.querySelector(".more");
  if (end) watcher.observe(end);
}

/** Undoes the last bulk mark. @type {(() => void) | null} */
let takeBackMarks = null;

/** Shows how many items were marked. @param {number} count @param {() => void} back undoes it */
function tellMarked(count, back) {
  takeBackMarks = back;
  toast(tCount("marked", count), { label: t("undo"), run: undo });
}

/** Undoes the last bulk mark. */
export function undo() {
  takeBackMarks?.();
  takeBackMarks = null;
}

/** @param {number} sweepId */
async function undoSweep(sweepId) {
  try {
    await send("POST", `/api/posts/mark-read/${sweepId}/undo`);
    unsweep();
    await refreshCounts();
  } catch (error) {
    toastError(error);
  }
}

/** Marks all items of this list as read, up to the newest that this page knows; in a search, those that are shown. */
export async function markAll() {
  if (!head) return;
  const { feed, category, label, newest } = head.dataset;
  const isShownOnly = "still" in head.dataset;
  const unread = rows().filter(isUnread).map((row) => Number(itemOf(row)));
  if (isShownOnly && unread.length === 0) return void toast(t("nothing-unread"));
  const scope = feed ? { feed_id: Number(feed) } : category ? { category_id: Number(category) } : label ? { label_id: Number(label) } : { all: true };
  const what = isShownOnly ? { post_ids: unread } : { ...scope, newest_id: Number(newest) };
  try {
    const { marked = 0, undo_id: id } = await send("POST", "/api/posts/mark-read", what);
    if (marked === 0) return void toast(t("nothing-unread"));
    // Other tabs do not know which rows have the label or match the search.
    if (label || isShownOnly) sweep(null, isShownOnly ? Infinity : Number(newest), []);
    else sweep(feed ? [feed] : feedsOf(category), Number(newest));
    tellMarked(marked, () => undoSweep(id));
    await refreshCounts();
  } catch (error) {
    toastError(error);
  }
}

/** @type {() => Promise<void>} */
let refreshCounts = async () => {};

/** Fetches the feed of the list now, or queues those of a category or all; new items are announced as usual. */
export async function refresh() {
  if (!head || isStill()) return;
  const { feed, category } = head.dataset;
  const close = toast(t(feed ? "refreshing" : "refreshing-all"));
  try {
    if (!feed) {
      const { queued } = await send("POST", "/api/feeds/refresh", category ? { category_id: Number(category) } : {});
      return void toast(queued > 0 ? tCount("fetching", queued) : t("fetched-already"));
    }
    const { new_posts: found } = await send("POST", `/api/feeds/${feed}/refresh`);
    close();
    if (found > 0) location.assign(address(null));
    else toast(t("refreshed-none"));
  } catch (error) {
    toastError(error);
  }
}

/** @param {() => Promise<void>} counts fetches all counts from the server */
export function startList(counts) {
  refreshCounts = counts;
  localiseTimes(document);
  list?.addEventListener("click", (event) => {
    if (/** @type {HTMLElement} */ (event.target).closest("[data-newer] a")) {
      event.preventDefault();
      return void loadNewer();
    }
    const link = /** @type {HTMLElement} */ (event.target).closest("a.row");
    const row = link?.closest(".item");
    const { button, metaKey, ctrlKey, shiftKey, altKey } = /** @type {MouseEvent} */ (event);
    if (!row || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return;
    event.preventDefault();
    if (open === itemOf(/** @type {HTMLElement} */ (row))) goBack();
    else openRow(/** @type {HTMLElement} */ (row), "pointer");
  });
  // Prefetches an item that is about to be opened.
  list?.addEventListener("pointerover", (event) => {
    const row = /** @type {HTMLElement} */ (event.target).closest(".item");
    if (row) prefetch(itemOf(/** @type {HTMLElement} */ (row)));
  });
  document.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement} */ (event.target).closest("button");
    if (!button) return;
    if (button.matches(".mark-star")) toggleMark("is_starred");
    else if (button.matches(".mark-unread")) toggleMark("is_read");
    else if (button.matches(".mark-all")) markAll();
    else if (button.matches(".refresh")) refresh();
    else if (button.matches(".close-article")) goBack();
    else if (button.matches(".steps .next")) step(1, false);
    else if (button.matches(".steps .previous")) step(-1, false);
    else if (button.matches(".share")) share(button);
  });
  addEventListener("popstate", (event) => {
    const row = rowOf(event.state?.item ?? null);
    if (row) openRow(row, "history");
    else closeItem();
  });
  // The full article has arrived: scrolling blocks and times in it need preparation.
  document.body.addEventListener("htmx:afterSwap", (event) => settle(/** @type {HTMLElement} */ (event.target)));
  wide.addEventListener("change", reopen);
  phone.addEventListener("change", reopen);
  watch(document);
  if ("markOnScroll" in app.dataset) startMarkingPassed();
  startSwiping();
  startSending();

  const shown = /** @type {HTMLElement | null} */ (document.querySelector("article[data-item]"));
  if (!shown) return prefetch(neighbour(1)?.dataset.item);
  settle(/** @type {HTMLElement} */ (shown.parentElement));
  const item = shown.dataset.item ?? "";
  if (!shown.classList.contains("alone")) {
    open = item;
    const row = rowOf(item);
    choose(row);
    row?.scrollIntoView({ block: "center" });
    if (row && !isInPane()) reopen();
  }
  afterPaint(() => markSeen(item));
}

/** Opens the system's share sheet, or copies the URL to the clipboard. @param {HTMLElement} button */
async function share(button) {
  const { title, url = "" } = button.dataset;
  try {
    if (navigator.share) return await navigator.share({ title, url });
    await navigator.clipboard.writeText(url);
    toast(t("copied"));
  } catch {
    // Closing the share sheet is not an error.
  }
}

/** Minimum horizontal distance of a swipe, and its minimum ratio to the vertical one. */
const SWIPE_PX = 80;
const SWIPE_RATIO = 2;

/** Swiping on a phone opens the next or previous item. */
function startSwiping() {
  /** @type {Touch | null} */
  let began = null;
  pane?.addEventListener("touchstart", ({ touches }) => (began = touches.length === 1 ? touches[0] : null), { passive: true });
  pane?.addEventListener(
    "touchend",
    ({ changedTouches, target }) => {
      if (!began || !phone.matches) return;
      const right = changedTouches[0].clientX - began.clientX;
      const down = changedTouches[0].clientY - began.clientY;
      // Blocks that scroll horizontally themselves are excluded.
      const isScroller = /** @type {HTMLElement} */ (target).closest("[tabindex='0']");
      if (isScroller || Math.abs(right) < SWIPE_PX || Math.abs(right) < Math.abs(down) * SWIPE_RATIO) return;
      const isForward = document.dir === "rtl" ? right > 0 : right < 0;
      step(isForward ? 1 : -1, false);
    },
    { passive: true },
  );
}

/** The layout changed: shows the open item in its new place. */
function reopen() {
  const row = rowOf(open);
  if (row) openRow(row, "history");
}

/** True if no new items are added to the list: search results, history, labels. */
export const isStill = () => !head || "still" in head.dataset || "label" in head.dataset;

/** True if new items of a feed belong to the list. @param {string} feed */
export function shows(feed) {
  if (!head || isStill()) return false;
  if (head.dataset.feed) return head.dataset.feed === feed;
  return feedsOf(head.dataset.category)?.includes(feed) ?? true;
}
