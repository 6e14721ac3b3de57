// @ts-check
// The list of this page: its URL, and which items belong to it.

import { feedsOf } from "./counts.js";

/**
 * At most one of the ids is set; none if the list shows all feeds.
 * @typedef {object} ListScope
 * @property {string} [feed]
 * @property {string} [category]
 * @property {string} [label]
 * @property {number} newest id of the newest item when the page was rendered
 * @property {boolean} isFixed true for search results and the history, which live updates do not change
 */

/** @type {HTMLElement | null} */
const head = document.querySelector(".list-head");

/** @param {DOMStringMap} data @returns {ListScope} */
const scopeOf = (data) => ({
  feed: data.feed,
  category: data.category,
  label: data.label,
  newest: Number(data.newest),
  isFixed: "fixed" in data,
});

/** The scope of the list; null on pages without a list. */
export const listScope = head && scopeOf(head.dataset);

/** The URL of the list, with an item open or not. @param {string | null} item */
export function listUrl(item) {
  const url = new URL(head?.dataset.list ?? "/", location.href);
  if (item) url.searchParams.set("item", item);
  return url.pathname + url.search;
}

/** True if new items are announced on this page: not for search results, the history and labels. */
export const acceptsNewItems = () => listScope !== null && !listScope.isFixed && !listScope.label;

/** True if new items of a feed belong to the list. @param {string} feed */
export function acceptsItemsOf(feed) {
  if (!listScope || !acceptsNewItems()) return false;
  if (listScope.feed) return listScope.feed === feed;
  return feedsOf(listScope.category)?.includes(feed) ?? true;
}
