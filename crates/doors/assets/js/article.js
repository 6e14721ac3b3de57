// @ts-check
// Articles: fetching, caching and showing them.

import { askHtml } from "./api.js";
import { localiseTimes } from "./i18n.js";

/** Limit on cached articles: some before and after the current one. */
const KEPT = 12;

/** Requests and their results: a cached result is available without awaiting a promise, which would cost a frame.
 * @type {Map<string, {asked: Promise<string>, html?: string}>} */
const kept = new Map();

/** The item's HTML, if it is cached. @param {string} item */
export const readyArticle = (item) => kept.get(item)?.html;

/** The item's HTML; requested only once. @param {string} item @returns {Promise<string>} */
export function fetchArticle(item) {
  const known = kept.get(item);
  if (known) return known.asked;
  const asked = askHtml(`/items/${item}/view`);
  /** @type {{asked: Promise<string>, html?: string}} */
  const article = { asked };
  kept.set(item, article);
  asked.then(
    (html) => (article.html = html),
    // A failed request is repeated next time.
    () => kept.delete(item),
  );
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
  return asked;
}

/** Drops an item that has changed from the cache. @param {string} item */
export const forgetArticle = (item) => kept.delete(item);

/** Requests an item before it is opened. @param {string | undefined} item */
export function prefetch(item) {
  if (item) fetchArticle(item).catch(() => {});
}

/** Makes horizontally scrolling blocks focusable, so that the keyboard can scroll them. @param {ParentNode} place */
function reachScrollers(place) {
  for (const box of place.querySelectorAll(".text :is(pre, table)")) {
    if (box.scrollWidth > box.clientWidth) box.setAttribute("tabindex", "0");
  }
}

/** Prepares newly shown HTML that contains an item. @param {HTMLElement} place */
export function settle(place) {
  localiseTimes(place);
  reachScrollers(place);
  const canShare = "share" in navigator || "clipboard" in navigator;
  for (const button of place.querySelectorAll(".share")) button.toggleAttribute("hidden", !canShare);
  // htmx fetches the full article if the feed has only its beginning.
  if (place.querySelector("[hx-post]")) window.htmx?.process(place);
}

/** Shows an item's HTML in `place`. @param {HTMLElement} place @param {string} html */
export function put(place, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  // Before the DOM changes: afterwards the browser would have to compute the layout first.
  place.scrollTop = 0;
  place.replaceChildren(template.content);
  // Work that is not visible waits until the article is painted.
  requestAnimationFrame(() => setTimeout(() => settle(place)));
}
