// @ts-check
// The selected row, which shortcuts act on, and the rows next to it.

import { rows } from "./item-elements.js";

/** @type {HTMLElement | null} */
let selected = null;

/** The selected row, unless its list has been replaced. */
export const selectedRow = () => (selected?.isConnected ? selected : null);

/** @param {HTMLElement} row */
export function selectRow(row) {
  selected?.classList.remove("chosen");
  selected?.querySelector(".row")?.removeAttribute("aria-current");
  selected = row;
  row.classList.add("chosen");
  row.querySelector(".row")?.setAttribute("aria-current", "true");
}

/** Moves the focus to the selected row. */
export function focusSelectedRow() {
  /** @type {HTMLElement | null | undefined} */
  const link = selectedRow()?.querySelector(".row");
  link?.focus({ preventScroll: true });
}

/**
 * The next row in a direction that matches, counted from the selected one or from the edge of the list.
 * @param {number} by
 * @param {(row: HTMLElement) => boolean} [matches]
 */
export function adjacentRow(by, matches = () => true) {
  const all = rows();
  const from = selectedRow();
  let at = from ? all.indexOf(from) : by > 0 ? -1 : all.length;
  do at += by;
  while (all[at] && !matches(all[at]));
  return all[at] ?? null;
}
