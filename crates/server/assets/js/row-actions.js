// @ts-check
// Actions on the row under the pointer. There is one set of buttons, which moves with the pointer; without a pointer
// that hovers, swiping (`swipe.js`) and keys do the same.

import { markBeside } from "./bulk-marks.js";
import { closest } from "./dom.js";
import { itemOf } from "./item-elements.js";
import { mark, marksOf } from "./marks.js";

const main = document.getElementById("main");
/** @type {HTMLElement | null} */
const actions = document.querySelector(".row-actions");

/** @type {Record<string, (item: string) => unknown>} */
const BUTTONS = {
  ".toggle-read": (item) => mark(item, { is_read: !marksOf(item).is_read }),
  ".toggle-star": (item) => mark(item, { is_starred: !marksOf(item).is_starred }),
  ".mark-above": (item) => markBeside(item, "above"),
  ".mark-below": (item) => markBeside(item, "below"),
};

export function startRowActions() {
  if (!actions) return;
  main?.addEventListener("pointerover", ({ target, pointerType }) => {
    const row = closest(target, ".item");
    if (!row || pointerType === "touch" || row.contains(actions)) return;
    actions.hidden = false;
    row.append(actions);
  });
  actions.addEventListener("click", ({ target }) => {
    const item = itemOf(closest(target, ".item"));
    const button = closest(target, "button");
    const selector = Object.keys(BUTTONS).find((known) => button?.matches(known));
    if (item && selector) BUTTONS[selector](item);
  });
}
