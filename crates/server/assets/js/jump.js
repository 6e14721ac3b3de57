// @ts-check
// Jump dialog: goes to a feed, category, saved search or label by name. The tree is already in the page, so the
// server is not needed. Loaded at first use, because most visits never use it.

import { closest } from "./dom.js";
import { foldText, t } from "./i18n.js";

/** Limit on results; typing another letter narrows them down. */
const MAX_RESULTS = 50;

const tree = document.getElementById("tree");
/** @type {HTMLDialogElement | null} */
const dialog = document.querySelector("dialog.jump");
const field = dialog?.querySelector("input");
const list = dialog?.querySelector("ul");
const none = dialog?.querySelector("[role=status]");

/** A target in the tree: its name in folded form, and its link. @typedef {{folded: string, link: HTMLAnchorElement}} JumpTarget */

/** The results that are shown, best first. @type {JumpTarget[]} */
let found = [];
/** Index of the result that Enter opens. */
let selected = 0;

/** @param {Element} entry */
const nameOf = (entry) => entry.querySelector(".name")?.textContent?.trim() ?? "";

/** All targets in the tree at this moment. @returns {JumpTarget[]} */
function targets() {
  /** @type {NodeListOf<HTMLAnchorElement> | undefined} */
  const links = tree?.querySelectorAll("li a");
  return [...(links ?? [])].map((link) => ({ folded: foldText(nameOf(link)), link }));
}

/**
 * Targets whose name contains every word; matches at its beginning first, then at the beginning of a word.
 * @param {string} typed
 */
function find(typed) {
  const query = foldText(typed.trim());
  const words = query.split(/\s+/);
  const rank = (/** @type {JumpTarget} */ { folded }) => (folded.startsWith(query) ? 0 : folded.includes(` ${query}`) ? 1 : 2);
  return targets()
    .filter(({ folded }) => words.every((word) => folded.includes(word)))
    .sort((one, other) => rank(one) - rank(other))
    .slice(0, MAX_RESULTS);
}

/** @param {JumpTarget} target @param {number} at */
function optionOf({ link }, at) {
  const option = Object.assign(document.createElement("li"), { id: `jump-${at}`, role: "option" });
  const name = Object.assign(document.createElement("span"), { className: "name", dir: "auto", textContent: nameOf(link) });
  const sign = link.querySelector(":scope > :is(.site, .glyph)");
  option.append(...(sign ? [sign.cloneNode(true)] : []), name);
  // Two feeds may have the same name: the category distinguishes them.
  const inside = link.closest(".feed, .branch")?.parentElement?.closest(".branch");
  if (inside) option.append(Object.assign(document.createElement("span"), { className: "help", dir: "auto", textContent: nameOf(inside) }));
  return option;
}

/** @param {number} at */
function select(at) {
  selected = at;
  for (const [number, option] of [...(list?.children ?? [])].entries()) {
    option.setAttribute("aria-selected", String(number === at));
    if (number === at) option.scrollIntoView({ block: "nearest" });
  }
  if (found[at]) field?.setAttribute("aria-activedescendant", `jump-${at}`);
  else field?.removeAttribute("aria-activedescendant");
}

/** Lists the targets that match the input. */
export function show() {
  const typed = field?.value ?? "";
  found = find(typed);
  const isAny = found.length > 0;
  list?.replaceChildren(...found.map(optionOf));
  list?.toggleAttribute("hidden", !isAny);
  field?.setAttribute("aria-expanded", String(isAny));
  if (none) none.textContent = isAny ? "" : t("jump-none", typed.trim());
  select(0);
}

/** @param {JumpTarget | undefined} target */
function go(target) {
  if (!target) return;
  dialog?.close();
  target.link.click();
}

/** Keys that work while typing. @type {Record<string, () => void>} */
const KEYS = {
  ArrowDown: () => select((selected + 1) % found.length),
  ArrowUp: () => select((selected + found.length - 1) % found.length),
  Enter: () => go(found[selected]),
};

field?.addEventListener("input", show);
field?.addEventListener("keydown", (event) => {
  // During composition, Enter and arrows belong to the input method.
  if (event.isComposing || !KEYS[event.key]) return;
  event.preventDefault();
  if (found.length > 0) KEYS[event.key]();
});
list?.addEventListener("click", (event) => {
  const option = closest(event.target, "li");
  if (option) go(found[[...list.children].indexOf(option)]);
});
