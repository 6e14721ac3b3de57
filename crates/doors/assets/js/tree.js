// @ts-check
// The tree of feeds: folding, hiding, and moving entries by keyboard or by dragging.

import { submitForm } from "./api.js";
import { recount } from "./live.js";
import { toast, toastError } from "./toast.js";
import { t } from "./i18n.js";

const FOLDED = "folded";
const HIDDEN = "tree-hidden";

const tree = document.getElementById("tree");
const app = /** @type {HTMLElement} */ (document.querySelector(".app"));

/** @param {string} key @param {string} otherwise */
function recall(key, otherwise) {
  try {
    return localStorage.getItem(key) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** @param {string} key @param {string} value */
function keep(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Storage is forbidden: the setting lasts as long as the page.
  }
}

/** @param {Element} button @param {boolean} isOpen */
function fold(button, isOpen) {
  button.setAttribute("aria-expanded", String(isOpen));
  const inside = document.getElementById(button.getAttribute("aria-controls") ?? "");
  if (inside) inside.hidden = !isOpen;
}

function startFolding() {
  /** @type {Set<string>} */
  const folded = new Set(JSON.parse(recall(FOLDED, "[]")));
  for (const button of tree?.querySelectorAll(".fold") ?? []) {
    const id = button.getAttribute("aria-controls") ?? "";
    if (folded.has(id)) fold(button, false);
    button.addEventListener("click", () => {
      const isOpen = button.getAttribute("aria-expanded") === "true";
      fold(button, !isOpen);
      if (isOpen) folded.add(id);
      else folded.delete(id);
      keep(FOLDED, JSON.stringify([...folded]));
    });
  }
}

/** Shows or hides the tree: as a column, or as a drawer on narrow screens. @param {boolean} isShown */
export function showTree(isShown) {
  if (matchMedia("(max-width: 859px)").matches) {
    tree?.togglePopover(isShown);
    return;
  }
  app.toggleAttribute("data-tree-hidden", !isShown);
  keep(HIDDEN, isShown ? "" : "yes");
}

/** Opens the list of the next or previous feed in the tree with unread items. @param {number} by */
export function goToFeed(by) {
  const links = [...(tree?.querySelectorAll(".feed > a") ?? [])].filter((link) => {
    const isUnread = !(/** @type {HTMLElement | null} */ (link.querySelector(".count"))?.hidden ?? true);
    return isUnread || link.hasAttribute("aria-current");
  });
  const here = links.findIndex((link) => link.hasAttribute("aria-current"));
  const next = here < 0 && by < 0 ? links.at(-1) : links[here + by];
  if (next) location.assign(/** @type {HTMLAnchorElement} */ (next).href);
}

/** Entries that can be moved. */
const MOVABLE = ".feed, .branch, .kept-search";

/** @param {Element} node @returns {HTMLElement[]} itself and its siblings of the same kind */
function siblings(node) {
  const kind = ["feed", "branch", "kept-search"].find((name) => node.classList.contains(name));
  return [...(node.parentElement?.querySelectorAll(`:scope > .${kind}`) ?? [])].map((one) => /** @type {HTMLElement} */ (one));
}

/** The category that contains an entry. @param {Element} node */
function categoryOf(node) {
  const branch = /** @type {HTMLElement | null | undefined} */ (node.parentElement?.closest(".branch"));
  return branch ? Number(branch.dataset.category) : null;
}

/** Sends the new position of an entry to the server. @param {HTMLElement} moved */
async function save(moved) {
  const at = siblings(moved).indexOf(moved);
  const into = categoryOf(moved) ?? "";
  const { category, feed, search } = moved.dataset;
  const what = category ? `category:${category}` : feed ? `feed:${feed}` : `search:${search}`;
  try {
    await submitForm("/subscriptions/arrange", { do: `${what}:${into}:${at}` });
    toast(t("moved"));
    await recount();
  } catch (error) {
    toastError(error);
    // The page no longer shows the stored order.
    setTimeout(() => location.reload(), 2000);
  }
}

/** The list of a category's entries. @param {Element} branch */
const inside = (branch) => /** @type {HTMLElement} */ (branch.querySelector(":scope > ul"));

/**
 * Inserts an entry as the last of its kind. In a category, feeds precede subcategories; at the top level, they follow.
 * @param {HTMLElement} node
 * @param {HTMLElement} list
 */
function putLast(node, list) {
  const isBranch = node.classList.contains("branch");
  const isFirstKind = isBranch === list.classList.contains("branches");
  const after = isFirstKind ? list.querySelector(`:scope > .${isBranch ? "feed" : "branch"}`) : null;
  list.insertBefore(node, after);
}

/** @param {HTMLElement} node @param {string} key */
function moveByKey(node, key) {
  const all = siblings(node);
  const at = all.indexOf(node);
  const parent = node.parentElement?.closest(".branch");
  if (key === "ArrowUp" && at > 0) all[at - 1].before(node);
  else if (key === "ArrowDown" && at < all.length - 1) all[at + 1].after(node);
  else if (key === "ArrowLeft" && parent) {
    if (node.classList.contains("branch")) parent.after(node);
    else putLast(node, /** @type {HTMLElement} */ (parent.parentElement));
  } else if (key === "ArrowRight" && !node.dataset.search) {
    // Into the category above.
    let before = node.previousElementSibling;
    while (before && !before.classList.contains("branch")) before = before.previousElementSibling;
    if (!before) return false;
    putLast(node, inside(before));
  } else return false;
  /** @type {HTMLElement | null} */ (node.querySelector("a"))?.focus();
  save(node);
  return true;
}

/**
 * The drop position of a dragged entry: the row that indicates it, how, and the function that moves the entry.
 * @typedef {{row: Element, how: "drop-before" | "drop-after" | "drop-into", put: () => void}} Place
 * @param {HTMLElement} dragged @param {DragEvent} event @returns {Place | null}
 */
function placeFor(dragged, event) {
  const isSearch = dragged.classList.contains("kept-search");
  const places = isSearch ? ".kept-search" : ".feed, .branch-row, .branches";
  const over = /** @type {HTMLElement} */ (event.target).closest(places);
  if (!over || dragged.contains(over)) return null;
  const { top, height } = over.getBoundingClientRect();
  const isUpper = event.clientY < top + height / 2;
  const isBranch = dragged.classList.contains("branch");
  if (over.matches(".branch-row")) {
    const branch = /** @type {HTMLElement} */ (over.parentElement);
    if (isBranch && isUpper) return { row: over, how: "drop-before", put: () => branch.before(dragged) };
    return { row: over, how: "drop-into", put: () => putLast(dragged, inside(branch)) };
  }
  if (over.matches(".feed, .kept-search") && !isBranch) {
    if (isUpper) return { row: over, how: "drop-before", put: () => over.before(dragged) };
    return { row: over, how: "drop-after", put: () => over.after(dragged) };
  }
  // A category over feeds, or an entry outside all rows, goes to the end of that list.
  const list = /** @type {HTMLElement} */ (over.closest("ul"));
  const row = list.matches(".branches") ? list : /** @type {Element} */ (list.previousElementSibling);
  return { row, how: "drop-into", put: () => putLast(dragged, list) };
}

function startDragging() {
  /** @type {HTMLElement | null} */
  let dragged = null;
  for (const node of tree?.querySelectorAll(MOVABLE) ?? []) node.setAttribute("draggable", "true");
  const clear = () => {
    for (const row of tree?.querySelectorAll(".drop-before, .drop-after, .drop-into") ?? []) {
      row.classList.remove("drop-before", "drop-after", "drop-into");
    }
  };
  tree?.addEventListener("dragstart", (event) => {
    dragged = /** @type {HTMLElement} */ (event.target).closest(MOVABLE);
    if (!dragged || !event.dataTransfer) return;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.querySelector(".name")?.textContent ?? "");
  });
  tree?.addEventListener("dragover", (event) => {
    const place = dragged && placeFor(dragged, event);
    clear();
    if (!place) return;
    event.preventDefault();
    place.row.classList.add(place.how);
  });
  tree?.addEventListener("dragleave", clear);
  tree?.addEventListener("drop", (event) => {
    const place = dragged && placeFor(dragged, event);
    if (!dragged || !place) return;
    event.preventDefault();
    place.put();
    save(dragged);
  });
  tree?.addEventListener("dragend", () => {
    dragged = null;
    clear();
  });
}

function startMoving() {
  tree?.addEventListener("keydown", (event) => {
    if (!event.altKey) return;
    const node = /** @type {HTMLElement | null} */ (/** @type {HTMLElement} */ (event.target).closest(MOVABLE));
    if (node && moveByKey(node, event.key)) event.preventDefault();
  });
  startDragging();
}

export function startTree() {
  if (recall(HIDDEN, "")) app.toggleAttribute("data-tree-hidden", true);
  startFolding();
  startMoving();
  // An open drawer would float over the list after the window grows.
  matchMedia("(min-width: 860px)").addEventListener("change", () => tree?.hidePopover());
}
