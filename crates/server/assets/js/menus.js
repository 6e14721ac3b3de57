// @ts-check
// Menus behind a button (`<details class="menu-of">`): arrow keys, and what closes them.

import { closest } from "./dom.js";

/** Steps of the keys in a menu; 0 leaves it. @type {Record<string, number | undefined>} */
const STEPS = { ArrowDown: 1, ArrowUp: -1, Escape: 0 };

/** @returns {HTMLDetailsElement | null} */
const visibleMenu = () => document.querySelector(".menu-of[open]");

/** @param {KeyboardEvent} event */
function moveInMenu(event) {
  const menu = visibleMenu();
  const by = STEPS[event.key];
  if (by === undefined || !menu || !(event.target instanceof Node) || !menu.contains(event.target)) return;
  event.preventDefault();
  /** @type {HTMLElement[]} */
  const entries = [...menu.querySelectorAll("a, button")].filter((entry) => entry instanceof HTMLElement);
  const at = entries.findIndex((entry) => entry === event.target);
  // From the button, to the first or the last entry.
  if (by) return entries.at((at + (at < 0 && by < 0 ? 0 : by)) % entries.length)?.focus();
  menu.open = false;
  menu.querySelector("summary")?.focus();
}

export function startMenus() {
  // Captured before the shortcuts of the page: Escape closes the menu first, and then the item.
  document.addEventListener("keydown", moveInMenu, true);
  // Closing does not prevent a link from being followed.
  document.addEventListener("click", ({ target }) => {
    const menu = visibleMenu();
    if (menu && (closest(target, ".menu-of") !== menu || closest(target, "a, button"))) menu.open = false;
  });
}
