// @ts-check
// Items as they are read: fetched, kept for a moment, and put where they are shown.

import { askHtml } from "./api.js";
import { localiseTimes } from "./words.js";

/** Items that the page keeps: some before and after the one that is read. */
const KEPT = 12;

/** What was asked for, and what came: who has it already need not wait for a promise, and so not for a frame.
 * @type {Map<string, {asked: Promise<string>, html?: string}>} */
const kept = new Map();

/** The item's piece of page, if it is here. @param {string} item */
export const readyArticle = (item) => kept.get(item)?.html;

/** The item's piece of page; asked for once. @param {string} item @returns {Promise<string>} */
export function fetchArticle(item) {
  const known = kept.get(item);
  if (known) return known.asked;
  const asked = askHtml(`/items/${item}/view`);
  /** @type {{asked: Promise<string>, html?: string}} */
  const article = { asked };
  kept.set(item, article);
  asked.then(
    (html) => (article.html = html),
    // What failed is asked for again next time.
    () => kept.delete(item),
  );
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
  return asked;
}

/** It is not as it was. @param {string} item */
export const forgetArticle = (item) => kept.delete(item);

/** Asks for an item before it is opened. @param {string | undefined} item */
export function prefetch(item) {
  if (item) fetchArticle(item).catch(() => {});
}

/** What scrolls sideways inside the text can be reached, and so scrolled, by keyboard. @param {ParentNode} place */
function reachScrollers(place) {
  for (const box of place.querySelectorAll(".text :is(pre, table)")) {
    if (box.scrollWidth > box.clientWidth) box.setAttribute("tabindex", "0");
  }
}

/** What every piece of page with an item in it needs once it is shown. @param {HTMLElement} place */
export function settle(place) {
  localiseTimes(place);
  reachScrollers(place);
  const canShare = "share" in navigator || "clipboard" in navigator;
  for (const button of place.querySelectorAll(".share")) button.toggleAttribute("hidden", !canShare);
  // htmx fetches the rest of the article where the feed has only its beginning.
  if (place.querySelector("[hx-post]")) /** @type {any} */ (window).htmx?.process(place);
}

/** Shows an item's piece of page in `place`. @param {HTMLElement} place @param {string} html */
export function put(place, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  // Before the page changes: afterwards the browser would have to lay it out to know where that is.
  place.scrollTop = 0;
  place.replaceChildren(template.content);
  // What is not seen at once can wait until it has been.
  requestAnimationFrame(() => setTimeout(() => settle(place)));
}
