// @ts-check
// The tree of feeds: folding, hiding, and moving entries by keyboard or by dragging.

import { submitForm } from "./api.js";
import { closest, elements } from "./dom.js";
import { t } from "./i18n.js";
import { recount } from "./live.js";
import { toast, toastError } from "./toast.js";

const FOLDED = "folded";
/** Also read by `theme.js`, before the page is painted. */
const HIDDEN = "tree-hidden";

const tree = document.getElementById("tree");
const root = document.documentElement;
/** @type {HTMLElement | null} */
const menuButton = document.querySelector("button.menu");
/** Narrow screens, on which the tree is a drawer. */
const narrow = matchMedia("(max-width: 859px)");

/** @param {string} key @param {string} fallback */
function readSetting(key, fallback) {
  try {
    return localStorage.getItem(key) ?? fallback;
  } catch {
    return fallback;
  }
}

/** @param {string} key @param {string} value */
function writeSetting(key, value) {
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
  const folded = new Set(JSON.parse(readSetting(FOLDED, "[]")));
  for (const button of tree?.querySelectorAll(".fold") ?? []) {
    const id = button.getAttribute("aria-controls") ?? "";
    if (folded.has(id)) fold(button, false);
    button.addEventListener("click", () => {
      const isOpen = button.getAttribute("aria-expanded") === "true";
      fold(button, !isOpen);
      if (isOpen) folded.add(id);
      else folded.delete(id);
      writeSetting(FOLDED, JSON.stringify([...folded]));
    });
  }
}

/** Shows or hides the tree: as a column, or as a drawer on narrow screens. @param {boolean} isShown */
export function showTree(isShown) {
  if (narrow.matches) {
    tree?.togglePopover(isShown);
    return;
  }
  root.toggleAttribute("data-tree-hidden", !isShown);
  writeSetting(HIDDEN, isShown ? "" : "yes");
  showMenuState();
}

/** The button says if the column is shown. For a drawer, the browser does. */
function showMenuState() {
  if (narrow.matches) menuButton?.removeAttribute("aria-expanded");
  else menuButton?.setAttribute("aria-expanded", String(!root.hasAttribute("data-tree-hidden")));
}

/** Marks the entry of the current list, and keeps it in sight. @param {string} href */
export function showInTree(href) {
  const link = tree?.querySelector(`a[href="${CSS.escape(href)}"]`);
  if (link?.hasAttribute("aria-current")) return;
  for (const other of tree?.querySelectorAll("a[aria-current]") ?? []) other.removeAttribute("aria-current");
  link?.setAttribute("aria-current", "page");
  link?.scrollIntoView({ block: "nearest" });
}

/** Opens the list of the next or previous feed in the tree with unread items. @param {number} by */
export function goToFeed(by) {
  /** @type {NodeListOf<HTMLAnchorElement> | undefined} */
  const feeds = tree?.querySelectorAll(".feed > a");
  const links = [...(feeds ?? [])].filter((link) => link.querySelector(".count:not([hidden])") || link.hasAttribute("aria-current"));
  const current = links.findIndex((link) => link.hasAttribute("aria-current"));
  const next = current < 0 && by < 0 ? links.at(-1) : links[current + by];
  next?.click();
}

/** Entries that can be moved. */
const MOVABLE = ".feed, .branch, .kept-search";

/** An entry and its siblings of the same kind. @param {Element} node */
function siblings(node) {
  const kind = ["feed", "branch", "kept-search"].find((name) => node.classList.contains(name));
  return node.parentElement ? elements(`:scope > .${kind}`, node.parentElement) : [];
}

/** The category that contains an entry. @param {Element} node */
function categoryOf(node) {
  const branch = closest(node.parentElement, ".branch");
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

/** The list of a category's entries. @param {Element} branch @returns {HTMLElement | null} */
const entriesOf = (branch) => branch.querySelector(":scope > ul");

/**
 * Inserts an entry as the last of its kind. In a category, feeds precede subcategories; at the top level, they follow.
 * @param {HTMLElement} node
 * @param {HTMLElement | null} list
 */
function putLast(node, list) {
  if (!list) return;
  const isBranch = node.classList.contains("branch");
  const isFirstKind = isBranch === list.classList.contains("branches");
  const after = isFirstKind ? list.querySelector(`:scope > .${isBranch ? "feed" : "branch"}`) : null;
  list.insertBefore(node, after);
}

/** Moves an entry to the end of a category; null is the top level. @param {HTMLElement} node @param {HTMLElement | null} branch */
export function moveInto(node, branch) {
  putLast(node, branch ? entriesOf(branch) : (tree?.querySelector(".branches") ?? null));
  save(node);
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
    else putLast(node, parent.parentElement);
  } else if (key === "ArrowRight" && !node.dataset.search) {
    // Into the category above.
    let before = node.previousElementSibling;
    while (before && !before.classList.contains("branch")) before = before.previousElementSibling;
    if (!before) return false;
    putLast(node, entriesOf(before));
  } else return false;
  node.querySelector("a")?.focus();
  save(node);
  return true;
}

/**
 * The drop position of a dragged entry: the row that indicates it, how, and the function that moves the entry.
 * @typedef {{row: Element, how: "drop-before" | "drop-after" | "drop-into", put: () => void}} DropPosition
 * @param {HTMLElement} dragged @param {DragEvent} event @returns {DropPosition | null}
 */
function dropPosition(dragged, event) {
  const isSearch = dragged.classList.contains("kept-search");
  const over = closest(event.target, isSearch ? ".kept-search" : ".feed, .branch-row, .branches");
  if (!over || dragged.contains(over)) return null;
  const { top, height } = over.getBoundingClientRect();
  const isUpper = event.clientY < top + height / 2;
  const isBranch = dragged.classList.contains("branch");
  const branch = over.parentElement;
  if (over.matches(".branch-row") && branch) {
    if (isBranch && isUpper) return { row: over, how: "drop-before", put: () => branch.before(dragged) };
    return { row: over, how: "drop-into", put: () => putLast(dragged, entriesOf(branch)) };
  }
  if (over.matches(".feed, .kept-search") && !isBranch) {
    if (isUpper) return { row: over, how: "drop-before", put: () => over.before(dragged) };
    return { row: over, how: "drop-after", put: () => over.after(dragged) };
  }
  // A category over feeds, or an entry outside all rows, goes to the end of that list.
  const list = over.closest("ul");
  const row = list?.matches(".branches") ? list : list?.previousElementSibling;
  return row ? { row, how: "drop-into", put: () => putLast(dragged, list) } : null;
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
    dragged = closest(event.target, MOVABLE);
    if (!dragged || !event.dataTransfer) return;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.querySelector(".name")?.textContent ?? "");
  });
  tree?.addEventListener("dragover", (event) => {
    const position = dragged && dropPosition(dragged, event);
    clear();
    if (!position) return;
    event.preventDefault();
    position.row.classList.add(position.how);
  });
  tree?.addEventListener("dragleave", clear);
  tree?.addEventListener("drop", (event) => {
    const position = dragged && dropPosition(dragged, event);
    if (!dragged || !position) return;
    event.preventDefault();
    position.put();
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
    const node = closest(event.target, MOVABLE);
    if (node && moveByKey(node, event.key)) event.preventDefault();
  });
  startDragging();
}

export function startTree() {
  startFolding();
  startMoving();
  tree?.querySelector("a[aria-current]")?.scrollIntoView({ block: "center" });
  menuButton?.addEventListener("click", (event) => {
    if (narrow.matches) return;
    // Not a drawer here.
    event.preventDefault();
    showTree(root.hasAttribute("data-tree-hidden"));
  });
  showMenuState();
  narrow.addEventListener("change", () => {
    showMenuState();
    // An open drawer would float over the list after the window grows.
    tree?.hidePopover();
  });
}
