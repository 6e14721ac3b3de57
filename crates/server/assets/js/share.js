// @ts-check
// Sharing the current item: the system's share sheet or the clipboard, and the menu of services it can be sent to.

import { closest } from "./dom.js";
import { t } from "./i18n.js";
import { withPart } from "./item-actions.js";
import { articleOf } from "./item-elements.js";
import { currentItem } from "./open-item.js";
import { toast } from "./toast.js";

/** Opens the share sheet, or copies the URL to the clipboard. @param {HTMLElement} button */
export async function share(button) {
  const { title, url = "" } = button.dataset;
  try {
    if (navigator.share) return await navigator.share({ title, url });
    await navigator.clipboard.writeText(url);
    toast(t("copied"));
  } catch {
    // Closing the share sheet is not an error.
  }
}

/** Shares the current item, like its button. */
export const shareItem = () => withPart(".share", share);

/** Opens the menu of services of the open item. */
export function openSendMenu() {
  /** @type {HTMLDetailsElement | null | undefined} */
  const menu = articleOf(currentItem())?.querySelector(".send");
  if (!menu) return;
  menu.open = true;
  menu.querySelector("a")?.focus();
}

/** Steps of the keys in the menu; 0 leaves it. @type {Record<string, number | undefined>} */
const MENU_STEPS = { ArrowDown: 1, ArrowUp: -1, Escape: 0 };

/** @returns {HTMLDetailsElement | null} */
const visibleMenu = () => document.querySelector(".send[open]");

/** @param {KeyboardEvent} event */
function moveInMenu(event) {
  const menu = visibleMenu();
  const by = MENU_STEPS[event.key];
  if (by === undefined || !menu || !(event.target instanceof Node) || !menu.contains(event.target)) return;
  event.preventDefault();
  const links = [...menu.querySelectorAll("a")];
  const at = links.findIndex((link) => link === event.target);
  // From the button, to the first or the last link.
  if (by) return links.at((at + (at < 0 && by < 0 ? 0 : by)) % links.length)?.focus();
  menu.open = false;
  menu.querySelector("summary")?.focus();
}

/** Handles the keys of the menu, and clicks that close it. */
export function startSendMenu() {
  // Captured before the shortcuts of the page: Escape closes the menu first, and then the item.
  document.addEventListener("keydown", moveInMenu, true);
  // Closing does not prevent the link from being followed.
  document.addEventListener("click", ({ target }) => {
    const menu = visibleMenu();
    if (menu && (closest(target, ".send") !== menu || closest(target, "a"))) menu.open = false;
  });
}
