// @ts-check
// Menus behind a button (`<details class="menu-of">`): arrow keys, and what closes them. A menu of another kind
// (`role="menu"`) gets the same keys, and closes itself on `cancel`.

import { closest, elements } from "./dom.js";

/** Steps of the keys in a menu; 0 leaves it. @type {Record<string, number | undefined>} */
const STEPS = { ArrowDown: 1, ArrowUp: -1, Escape: 0 };

/** @returns {HTMLDetailsElement | null} */
const visibleMenu = () => document.querySelector(".menu-of[open]");

/** The entries of a menu that can be chosen. @param {Element} menu */
const entriesOf = (menu) => elements("a, button", menu).filter((entry) => entry.checkVisibility());

/** @param {KeyboardEvent} event */
function moveInMenu(event) {
  const menu = closest(event.target, ".menu-of[open], [role=menu]");
  const by = STEPS[event.key];
  if (by === undefined || !menu) return;
  event.preventDefault();
  const entries = entriesOf(menu);
  const at = entries.findIndex((entry) => entry === event.target);
  // From the button, to the first or the last entry.
  if (by) return entries.at((at + (at < 0 && by < 0 ? 0 : by)) % entries.length)?.focus();
  if (!(menu instanceof HTMLDetailsElement)) return void menu.dispatchEvent(new Event("cancel"));
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
