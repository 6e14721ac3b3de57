// @ts-check
// Jump dialog: goes to a feed, category, saved search or label by name. The tree is already in the page, so the
// server is not needed. Loaded at first use, because most visits never use it.

import { t } from "./i18n.js";

/** Limit on results; typing another letter narrows them down. */
const MOST = 50;

const tree = document.getElementById("tree");
const dialog = /** @type {HTMLDialogElement | null} */ (document.querySelector("dialog.jump"));
const field = dialog?.querySelector("input");
const list = dialog?.querySelector("ul");
const none = dialog?.querySelector("[role=status]");

/** A target in the tree: its name in folded form, and its link.
 * @typedef {{folded: string, link: HTMLAnchorElement}} Place */

/** The results that are shown, best first. @type {Place[]} */
let found = [];
/** Index of the result that Enter opens. */
let chosen = 0;

/** Removes case, accents and width: é is found by e, and ｶ by カ. @param {string} text */
const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** @param {Element} place */
const nameOf = (place) => place.querySelector(".name")?.textContent?.trim() ?? "";

/** All targets in the tree at this moment. @returns {Place[]} */
const places = () =>
  [...(tree?.querySelectorAll("li a") ?? [])].map((link) => ({
    folded: fold(nameOf(link)),
    link: /** @type {HTMLAnchorElement} */ (link),
  }));

/**
 * Targets whose name contains every word; matches at its beginning first, then at the beginning of a word.
 * @param {string} typed
 */
function find(typed) {
  const wanted = fold(typed.trim());
  const words = wanted.split(/\s+/);
  const rank = (/** @type {Place} */ { folded }) => (folded.startsWith(wanted) ? 0 : folded.includes(` ${wanted}`) ? 1 : 2);
  return places()
    .filter(({ folded }) => words.every((word) => folded.includes(word)))
    .sort((one, other) => rank(one) - rank(other))
    .slice(0, MOST);
}

/** @param {Place} place @param {number} at */
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
function choose(at) {
  chosen = at;
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
  choose(0);
}

/** @param {Place | undefined} place */
function go(place) {
  if (!place) return;
  dialog?.close();
  place.link.click();
}

/** Keys that work while typing. @type {Record<string, () => void>} */
const KEYS = {
  ArrowDown: () => choose((chosen + 1) % found.length),
  ArrowUp: () => choose((chosen + found.length - 1) % found.length),
  Enter: () => go(found[chosen]),
};

field?.addEventListener("input", show);
field?.addEventListener("keydown", (event) => {
  // During composition, Enter and arrows belong to the input method.
  if (event.isComposing || !KEYS[event.key]) return;
  event.preventDefault();
  if (found.length > 0) KEYS[event.key]();
});
list?.addEventListener("click", (event) => {
  const option = /** @type {HTMLElement} */ (event.target).closest("li");
  if (option) go(found[[...list.children].indexOf(option)]);
});
