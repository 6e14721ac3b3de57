// @ts-check
// Selecting feeds: all of the page or of a category, and with Shift all between two. The list is replaced after every
// change, so all listeners are on the document.

import { closest, elements } from "./dom.js";

/** @typedef {HTMLInputElement} Box */

/** @param {ParentNode} [root] */
const boxes = (root) => elements("#arrange input[name=feed]", root).filter((box) => box instanceof HTMLInputElement);

/** The feeds that a box for all of them stands for. @param {Element} all */
const covered = (all) => boxes(all.closest(".shelf") ?? document);

/** The box that was changed last: a range begins there. @type {Box | null} */
let last = null;

/** Shows the number of selected feeds, and in the boxes for all of them if these are selected. */
function showSelection() {
  for (const all of document.querySelectorAll("[data-select-all]")) {
    if (!(all instanceof HTMLInputElement)) continue;
    const selected = covered(all).filter((box) => box.checked).length;
    all.checked = selected > 0 && selected === covered(all).length;
    all.indeterminate = selected > 0 && !all.checked;
  }
  const output = document.querySelector("#selection output");
  if (output) output.textContent = String(boxes().filter((box) => box.checked).length);
}

/** Gives all boxes from the last one to this its state. @param {Box} box */
function selectRange(box) {
  const all = boxes();
  const ends = [last ? all.indexOf(last) : -1, all.indexOf(box)].sort((a, b) => a - b);
  if (ends[0] < 0) return;
  for (const between of all.slice(ends[0], ends[1] + 1)) between.checked = box.checked;
}

document.addEventListener("click", ({ target, shiftKey }) => {
  if (!(target instanceof HTMLInputElement) || !target.closest("#arrange .tick")) return;
  if (target.matches("[data-select-all]")) {
    for (const box of covered(target)) box.checked = target.checked;
  } else {
    if (shiftKey) selectRange(target);
    last = target;
  }
  showSelection();
});

// Shift would also select the text in between.
document.addEventListener("mousedown", (event) => {
  if (event.shiftKey && closest(event.target, "#arrange .tick")) event.preventDefault();
});

document.addEventListener("htmx:afterSettle", showSelection);
showSelection();
