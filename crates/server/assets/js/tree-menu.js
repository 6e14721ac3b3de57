// @ts-check
// The context menu of an entry in the tree: opened by right click, long press or Shift+F10.

import { sendJson } from "./api.js";
import { markScope } from "./bulk-marks.js";
import { closest, elements } from "./dom.js";
import { t } from "./i18n.js";
import { openPage, reloadList } from "./list-navigation.js";
import { listScope } from "./list-scope.js";
import { recount } from "./live.js";
import { refreshScope } from "./refresh.js";
import { toast, toastError } from "./toast.js";
import { moveInto } from "./tree.js";

/** Duration of a long press, as on Android. */
const LONG_PRESS_MS = 500;
/** A finger that moves further than this scrolls. */
const LONG_PRESS_PX = 10;
/** Distance from the edges of the window. */
const EDGE_PX = 8;

/** Entries with a menu, by kind. */
const KINDS = { feed: ".feed", category: ".branch", search: ".kept-search", label: "li[data-label]", all: "li[data-all]" };
/** @typedef {keyof typeof KINDS} Kind */

const tree = document.getElementById("tree");
const menu = document.getElementById("tree-menu");
/** Position of the menu: a sheet of its own, because pages have no inline styles. */
const position = new CSSStyleSheet();
/** The entry that the menu is for. @type {HTMLElement | null} */
let entry = null;

/** @param {HTMLElement} node @returns {Kind} */
function kindOf(node) {
  const kinds = /** @type {Kind[]} */ (Object.keys(KINDS));
  return kinds.find((kind) => node.matches(KINDS[kind])) ?? "all";
}

/** The entry of an event's target: its own row, and not that of a category around it. @param {EventTarget | null} target */
const entryOf = (target) => closest(closest(target, "a, .branch-row"), Object.values(KINDS).join());

/** @param {HTMLElement} node */
const nameOf = (node) => node.querySelector(".name")?.textContent ?? "";

/** @param {string} step */
function showStep(step) {
  if (!menu) return;
  for (const part of elements("[data-step]", menu)) part.hidden = part.dataset.step !== step;
  /** @type {HTMLElement | null} */
  const first = menu.querySelector("[data-step]:not([hidden]) :is(a, button):not([hidden])");
  first?.focus();
}

/** Shows the actions that an entry has. @param {HTMLElement} node */
function prepare(node) {
  const kind = kindOf(node);
  const { feed, category, search, label } = node.dataset;
  for (const action of elements("[data-step=actions] > *", menu ?? document)) {
    action.hidden = !action.hasAttribute(`data-for-${kind}`);
  }
  const isPaused = "paused" in node.dataset;
  for (const action of elements("[data-do=pause], [data-do=resume]", menu ?? document)) {
    if (kind === "feed") action.hidden = (action.dataset.do === "resume") !== isPaused;
  }
  const settings = menu?.querySelector("a");
  const paths = { feed: `/feeds/${feed}`, category: `/categories/${category}`, search: `/rules/searches/${search}`, label: `/labels/${label}` };
  if (settings && kind !== "all") settings.href = paths[kind];
}

/** @param {HTMLElement} node @param {number} x @param {number} y */
function open(node, x, y) {
  if (!menu) return;
  entry = node;
  menu.setAttribute("aria-label", nameOf(node));
  prepare(node);
  menu.showPopover();
  showStep("actions");
  place(x, y);
}

/** Keeps the menu inside the window. @param {number} x @param {number} y */
function place(x, y) {
  if (!menu) return;
  const { width, height } = menu.getBoundingClientRect();
  const left = Math.max(EDGE_PX, Math.min(x, innerWidth - width - EDGE_PX));
  const top = Math.max(EDGE_PX, Math.min(y, innerHeight - height - EDGE_PX));
  position.replaceSync(`#tree-menu { left: ${left}px; top: ${top}px; }`);
}

function close() {
  if (!menu?.matches(":popover-open")) return;
  const hadFocus = menu.contains(document.activeElement);
  menu.hidePopover();
  if (hadFocus) entry?.querySelector("a")?.focus();
}

/** Lists the categories that an entry can be moved to. @param {HTMLElement} node */
function showTargets(node) {
  const list = menu?.querySelector("[data-step=move]");
  if (!list) return;
  const parent = closest(node.parentElement, ".branch");
  const branches = elements(".branch", tree ?? document).filter((branch) => branch !== parent && !node.contains(branch));
  const targets = parent ? [null, ...branches] : branches;
  const name = (/** @type {HTMLElement | null} */ branch) => (branch ? nameOf(branch) : t(kindOf(node) === "feed" ? "no-category" : "top-level"));
  list.replaceChildren(
    ...targets.map((branch) => {
      const target = Object.assign(document.createElement("button"), { type: "button", textContent: name(branch) });
      target.setAttribute("role", "menuitem");
      target.addEventListener("click", () => {
        close();
        moveInto(node, branch);
      });
      return target;
    }),
  );
}

/** @param {HTMLElement} node */
async function unsubscribe(node) {
  await sendJson("DELETE", `/api/subscriptions/${node.dataset.subscription}`);
  node.remove();
  toast(t("unsubscribed", nameOf(node)));
  recount();
  if (listScope()?.feed === node.dataset.feed) openPage("/");
  else if (listScope()) await reloadList();
}

/** @param {HTMLElement} node @param {boolean} isPaused */
async function setPaused(node, isPaused) {
  const path = `/api/subscriptions/${node.dataset.subscription}`;
  if (isPaused) await sendJson("PUT", `${path}/settings`, { paused: true });
  else await sendJson("POST", `${path}/resume`);
  node.toggleAttribute("data-paused", isPaused);
  toast(t(isPaused ? "paused" : "resumed", nameOf(node)));
}

/** The items of an entry. @param {HTMLElement} node */
const scopeOf = ({ dataset: { feed, category, label, query } }) => ({ feed, category, label, query });

/** Actions of the menu that close it, by the names of their buttons. @type {Record<string, (node: HTMLElement) => unknown>} */
const ACTIONS = {
  read: (node) => markScope({ ...scopeOf(node), newest: listScope()?.newest }),
  refresh: (node) => refreshScope(scopeOf(node)),
  pause: (node) => setPaused(node, true),
  resume: (node) => setPaused(node, false),
  unsubscribe,
};

/** @param {MouseEvent} event */
async function choose({ target }) {
  const node = entry;
  const action = closest(target, "[data-do]")?.dataset.do ?? "";
  if (!node) return;
  if (action === "move") showTargets(node);
  if (action === "move" || action === "ask") return showStep(action);
  if (!ACTIONS[action]) return;
  close();
  try {
    await ACTIONS[action](node);
  } catch (error) {
    toastError(error);
  }
}

/** Opens the menu below an entry, for the keyboard. @param {HTMLElement} node */
function openBelow(node) {
  const box = (node.querySelector("a") ?? node).getBoundingClientRect();
  open(node, box.left + EDGE_PX, box.bottom);
}

/** iOS has no event for a long press. */
function startLongPress() {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {Touch | null} */
  let start = null;
  let isPressed = false;
  const cancel = () => clearTimeout(timer);
  tree?.addEventListener(
    "touchstart",
    ({ touches, target }) => {
      const node = entryOf(target);
      cancel();
      isPressed = false;
      if (!node || touches.length > 1) return;
      const touch = (start = touches[0]);
      timer = setTimeout(() => {
        isPressed = true;
        open(node, touch.clientX, touch.clientY);
      }, LONG_PRESS_MS);
    },
    { passive: true },
  );
  tree?.addEventListener(
    "touchmove",
    ({ touches }) => {
      if (start && Math.hypot(touches[0].clientX - start.clientX, touches[0].clientY - start.clientY) > LONG_PRESS_PX) cancel();
    },
    { passive: true },
  );
  tree?.addEventListener("touchcancel", cancel);
  // Without this, the link would be followed.
  tree?.addEventListener("touchend", (event) => {
    cancel();
    if (isPressed) event.preventDefault();
    isPressed = false;
  });
}

export function startTreeMenu() {
  if (!tree || !menu) return;
  document.adoptedStyleSheets.push(position);
  tree.addEventListener("contextmenu", (event) => {
    const node = entryOf(event.target);
    if (!node) return;
    event.preventDefault();
    // A key has no position.
    if (event.button === 2 || event.clientX) open(node, event.clientX, event.clientY);
    else openBelow(node);
  });
  tree.addEventListener("keydown", (event) => {
    const node = entryOf(event.target);
    if (!node || !(event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey))) return;
    event.preventDefault();
    openBelow(node);
  });
  startLongPress();
  menu.addEventListener("click", choose);
  menu.addEventListener("cancel", close);
  menu.addEventListener("contextmenu", (event) => event.preventDefault());
  menu.addEventListener("keydown", ({ key }) => key === "Tab" && close());
  // Not an automatic popover: the end of a long press would close it.
  document.addEventListener("pointerdown", ({ target }) => closest(target, "#tree-menu") || close(), true);
  tree.addEventListener("scroll", close, { passive: true });
  tree.addEventListener("toggle", ({ target }) => target === tree && close());
  addEventListener("blur", close);
}
