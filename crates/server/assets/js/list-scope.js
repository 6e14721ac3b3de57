// @ts-check
// The list of this page: its URL, and which items belong to it.

import { feedsOf } from "./counts.js";

/**
 * At most one of the ids is set; none if the list shows all feeds.
 * @typedef {object} ListScope
 * @property {string} [feed]
 * @property {string} [category]
 * @property {string} [label]
 * @property {string} [query] text of a search in all feeds
 * @property {number} newest id of the newest item when the page was rendered
 * @property {boolean} isFixed true for search results and the history, which live updates do not change
 * @property {boolean} isOldestFirst
 */

/** The head of the list; null on pages without a list. @returns {HTMLElement | null} */
const listHead = () => document.querySelector(".list-head");

/** @param {DOMStringMap} data @returns {ListScope} */
const scopeOf = (data) => ({
  feed: data.feed,
  category: data.category,
  label: data.label,
  newest: Number(data.newest),
  query: data.query,
  isFixed: "fixed" in data,
  isOldestFirst: "oldestFirst" in data,
});

/** The scope of the list; null on pages without a list. */
export function listScope() {
  const head = listHead();
  return head && scopeOf(head.dataset);
}

/** The URL of the list, with an item open or not. @param {string | null} item */
export function listUrl(item) {
  const url = new URL(listHead()?.dataset.list ?? "/", location.href);
  if (item) url.searchParams.set("item", item);
  return url.pathname + url.search;
}

/** True if new items are announced on this page: not for search results, the history and labels. */
export function acceptsNewItems() {
  const scope = listScope();
  return scope !== null && !scope.isFixed && !scope.label;
}

/** True if new items of a feed belong to the list. @param {string} feed */
export function acceptsItemsOf(feed) {
  const scope = listScope();
  if (!scope || !acceptsNewItems()) return false;
  if (scope.feed) return scope.feed === feed;
  return feedsOf(scope.category)?.includes(feed) ?? true;
}
