// @ts-check
// The tree of feeds: folding, hiding, and moving by keyboard or by dragging.

import { post } from "./api.js";
import { recount } from "./live.js";
import { toast, toastError } from "./toast.js";
import { say } from "./words.js";

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
    // Storage is forbidden here: it lasts as long as the page.
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

/** Hides the tree, or shows it: as a column, or as a drawer where there is no room. @param {boolean} isShown */
export function showTree(isShown) {
  if (matchMedia("(max-width: 859px)").matches) {
    tree?.togglePopover(isShown);
    return;
  }
  app.toggleAttribute("data-tree-hidden", !isShown);
  keep(HIDDEN, isShown ? "" : "yes");
}

/** The list of the next feed in the tree that has something unread, or of the one before. @param {number} by */
export function goToFeed(by) {
  const links = [...(tree?.querySelectorAll(".feed > a") ?? [])].filter((link) => {
    const isUnread = !(/** @type {HTMLElement | null} */ (link.querySelector(".count"))?.hidden ?? true);
    return isUnread || link.hasAttribute("aria-current");
  });
  const here = links.findIndex((link) => link.hasAttribute("aria-current"));
  const next = here < 0 && by < 0 ? links.at(-1) : links[here + by];
  if (next) location.assign(/** @type {HTMLAnchorElement} */ (next).href);
}

/** @param {Element} node @returns {HTMLElement[]} itself and those beside it that are of its kind */
function siblings(node) {
  const kind = node.classList.contains("branch") ? "branch" : "feed";
  return [...(node.parentElement?.querySelectorAll(`:scope > .${kind}`) ?? [])].map((one) => /** @type {HTMLElement} */ (one));
}

/** The category that a node stands in. @param {Element} node */
function categoryOf(node) {
  const branch = /** @type {HTMLElement | null | undefined} */ (node.parentElement?.closest(".branch"));
  return branch ? Number(branch.dataset.category) : null;
}

/** Tells the server where it stands now. @param {HTMLElement} moved */
async function save(moved) {
  const at = siblings(moved).indexOf(moved);
  const into = categoryOf(moved) ?? "";
  const { category, feed } = moved.dataset;
  const what = moved.classList.contains("branch") ? `category:${category}` : `feed:${feed}`;
  try {
    await post("/subscriptions/arrange", { do: `${what}:${into}:${at}` });
    toast(say("moved"));
    await recount();
  } catch (error) {
    toastError(error);
    // What the screen shows is not how it is.
    setTimeout(() => location.reload(), 2000);
  }
}

/** The list inside a branch. @param {Element} branch */
const inside = (branch) => branch.querySelector(":scope > ul");

/** @param {HTMLElement} node @param {string} key */
function moveByKey(node, key) {
  const all = siblings(node);
  const at = all.indexOf(node);
  const parent = node.parentElement?.closest(".branch");
  if (key === "ArrowUp" && at > 0) all[at - 1].before(node);
  else if (key === "ArrowDown" && at < all.length - 1) all[at + 1].after(node);
  else if (key === "ArrowLeft" && parent) parent.after(node);
  else if (key === "ArrowRight") {
    // Into the category above.
    let before = node.previousElementSibling;
    while (before && !before.classList.contains("branch")) before = before.previousElementSibling;
    const list = before && inside(before);
    if (!list) return false;
    list.append(node);
  } else return false;
  /** @type {HTMLElement | null} */ (node.querySelector("a"))?.focus();
  save(node);
  return true;
}

function startMoving() {
  tree?.addEventListener("keydown", (event) => {
    if (!event.altKey) return;
    const node = /** @type {HTMLElement | null} */ (/** @type {HTMLElement} */ (event.target).closest(".feed, .branch"));
    if (node && moveByKey(node, event.key)) event.preventDefault();
  });

  /** @type {HTMLElement | null} */
  let dragged = null;
  for (const node of tree?.querySelectorAll(".feed, .branch") ?? []) node.setAttribute("draggable", "true");
  tree?.addEventListener("dragstart", (event) => {
    dragged = /** @type {HTMLElement | null} */ (/** @type {HTMLElement} */ (event.target).closest(".feed, .branch"));
    event.dataTransfer?.setData("text/plain", dragged?.textContent?.trim() ?? "");
    event.stopPropagation();
  });
  /** @param {DragEvent} event */
  const target = (event) => {
    const over = /** @type {HTMLElement} */ (event.target).closest(".feed, .branch-row, .branches");
    return dragged && over && !dragged.contains(over) ? over : null;
  };
  const clear = () => tree?.querySelector(".drop")?.classList.remove("drop");
  tree?.addEventListener("dragover", (event) => {
    const over = target(event);
    clear();
    if (!over) return;
    event.preventDefault();
    over.classList.add("drop");
  });
  tree?.addEventListener("dragend", clear);
  tree?.addEventListener("drop", (event) => {
    const over = target(event);
    clear();
    if (!over || !dragged) return;
    event.preventDefault();
    if (over.matches(".branch-row")) inside(/** @type {Element} */ (over.parentElement))?.append(dragged);
    else if (over.matches(".branches")) over.append(dragged);
    else over.before(dragged);
    save(dragged);
    dragged = null;
  });
}

export function startTree() {
  if (recall(HIDDEN, "")) app.toggleAttribute("data-tree-hidden", true);
  startFolding();
  startMoving();
  // A drawer that is open when the window grows would float over the list.
  matchMedia("(min-width: 860px)").addEventListener("change", () => tree?.hidePopover());
}
