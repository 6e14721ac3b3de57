// @ts-check
// Articles: fetching, caching and showing them.

import { requestHtml } from "./api.js";
import { fragment } from "./dom.js";
import { addPlayButtons } from "./embeds.js";
import { localiseTimes } from "./i18n.js";

/** Limit on cached articles: some before and after the current one. */
const CACHE_SIZE = 12;

/**
 * A request and its result, which is then available without awaiting a promise: that would cost a frame.
 * @typedef {{request: Promise<string>, html?: string}} CachedArticle
 */

/** By item, oldest first. @type {Map<string, CachedArticle>} */
const cache = new Map();

/** The item's HTML, if it is cached. @param {string} item */
export const readyArticle = (item) => cache.get(item)?.html;

/** The item's HTML; requested only once. @param {string} item @returns {Promise<string>} */
export function fetchArticle(item) {
  const cached = cache.get(item);
  if (cached) return cached.request;
  const request = requestHtml(`/items/${item}/view`);
  /** @type {CachedArticle} */
  const article = { request };
  cache.set(item, article);
  request.then(
    (html) => (article.html = html),
    // A failed request is repeated next time.
    () => cache.delete(item),
  );
  for (const oldest of cache.keys()) {
    if (cache.size <= CACHE_SIZE) break;
    cache.delete(oldest);
  }
  return request;
}

/** Drops an item that has changed from the cache. @param {string} item */
export const forgetArticle = (item) => cache.delete(item);

/** Drops all items from the cache, because the user chose another text for a feed. */
export const forgetArticles = () => cache.clear();

/** Requests an item before it is opened. @param {string | undefined} item */
export function prefetch(item) {
  if (item) fetchArticle(item).catch(() => {});
}

/** Makes horizontally scrolling blocks focusable, so that the keyboard can scroll them. @param {ParentNode} root */
function makeScrollersFocusable(root) {
  for (const box of root.querySelectorAll(".text :is(pre, table)")) {
    if (box.scrollWidth > box.clientWidth) box.setAttribute("tabindex", "0");
  }
}

/** Highlights the words of a search in an opened result: those that are marked in its row. @param {HTMLElement} container */
function highlightFound(container) {
  if (!("highlights" in CSS)) return;
  CSS.highlights.delete("found");
  const item = container.closest("[data-item]") ?? container.querySelector("[data-item]");
  const marks = document.querySelectorAll(`.item[data-item="${item?.getAttribute("data-item")}"] mark`);
  const words = new Set([...marks].map(({ textContent }) => textContent.toLowerCase()));
  const text = container.querySelector(".text");
  if (words.size === 0 || !text) return;
  const found = new Highlight();
  const nodes = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    const content = node.nodeValue?.toLowerCase() ?? "";
    for (const word of words) {
      for (let at = content.indexOf(word); at >= 0; at = content.indexOf(word, at + word.length)) {
        const range = new StaticRange({ startContainer: node, startOffset: at, endContainer: node, endOffset: at + word.length });
        found.add(range);
      }
    }
  }
  CSS.highlights.set("found", found);
}

/** Prepares newly shown HTML that contains an item. @param {HTMLElement} container */
export function prepareArticle(container) {
  localiseTimes(container);
  makeScrollersFocusable(container);
  addPlayButtons(container);
  highlightFound(container);
  const canShare = "share" in navigator || "clipboard" in navigator;
  for (const button of container.querySelectorAll(".share")) button.toggleAttribute("hidden", !canShare);
  // htmx fetches the full article if the feed has only its beginning.
  if (container.querySelector("[hx-post]")) window.htmx?.process(container);
}

/** Shows an item's HTML in `container`. @param {HTMLElement} container @param {string} html */
export function showArticle(container, html) {
  const article = fragment(html);
  // Before the DOM changes: afterwards the browser would have to compute the layout first.
  container.scrollTop = 0;
  container.replaceChildren(article);
  // Work that is not visible waits until the article is painted.
  requestAnimationFrame(() => setTimeout(() => prepareArticle(container)));
}
