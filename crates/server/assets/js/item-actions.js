// @ts-check
// Actions on the current item, from shortcuts and buttons: its marks, its original page, its comments.

import { fetchArticle, readyArticle } from "./article.js";
import { fragment } from "./dom.js";
import { articleOf } from "./item-elements.js";
import { mark, markSeen, marksOf } from "./marks.js";
import { currentItem } from "./open-item.js";
import { toastError } from "./toast.js";

/** @param {"is_read" | "is_starred"} which */
export function toggleMark(which) {
  const item = currentItem();
  if (item) mark(item, { [which]: !marksOf(item)[which] });
}

/**
 * An element of an item: from the page, or from its HTML if only its row is shown.
 * @param {string} item
 * @param {string} selector
 * @returns {Promise<HTMLElement | null>}
 */
async function partOf(item, selector) {
  const article = articleOf(item);
  if (article) return article.querySelector(selector);
  /** @type {HTMLElement | null} */
  const part = fragment(readyArticle(item) ?? (await fetchArticle(item))).querySelector(selector);
  // A link in a template has no effect when clicked.
  return part && document.importNode(part, true);
}

/**
 * Calls `act` with an element of the current item, if it has one.
 * @param {string} selector
 * @param {(part: HTMLElement, item: string) => void} act
 */
export async function withPart(selector, act) {
  const item = currentItem();
  if (!item) return;
  try {
    const part = await partOf(item, selector);
    if (part) act(part, item);
  } catch (error) {
    toastError(error);
  }
}

/** Opens the original page of the item in another tab. If only the row is shown, that counts as reading it. */
export const openOriginal = () =>
  withPart("a.original", (link, item) => {
    link.click();
    if (!link.isConnected) markSeen(item);
  });

/** Switches between the feed's text and the full article of the open item. */
export const switchText = () => withPart('.texts [aria-pressed="false"]', (button) => button.isConnected && button.click());

/** Opens the comments of the item in another tab. */
export const openComments = () => withPart(".comments a", (link) => link.click());
