// @ts-check
// Sharing the current item: the system's share sheet or the clipboard, and the services it can be sent to.

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
