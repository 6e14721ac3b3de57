// @ts-check
// Unread counts in the tree, above the list and in the window's title.

import { elements } from "./dom.js";
import { number } from "./i18n.js";

/** Title of the window while no item is open. */
const listTitle = () => document.querySelector(".list-head")?.getAttribute("data-title") ?? document.title;
const brand = document.title.slice(document.title.lastIndexOf(" · "));
let name = document.title;

/** The unread count of `all`, a feed's id or `category-5`. @param {string} place */
export function unreadIn(place) {
  const count = document.querySelector(`[data-unread-in="${place}"]`);
  return Number(count?.getAttribute("data-count") ?? count?.firstElementChild?.textContent?.replace(/\D/g, "") ?? 0);
}

/** @param {string} place @param {number} unread */
export function setUnread(place, unread) {
  // In the tree, and above the list.
  for (const count of document.querySelectorAll(`[data-unread-in="${place}"]`)) {
    if (!(count instanceof HTMLElement) || !count.firstElementChild) continue;
    count.dataset.count = String(unread);
    count.firstElementChild.textContent = number(unread);
    count.hidden = unread === 0;
  }
  if (place === "all") showInTitle(unread);
}

/** @param {number} unread */
function showInTitle(unread) {
  document.title = unread > 0 ? `(${number(unread)}) ${name}` : name;
}

/** Titles the window, and its history entry, after the open item. @param {string} [item] */
export function nameWindow(item) {
  name = item ? item + brand : listTitle();
  showInTitle(unreadIn("all"));
}

/** The categories that contain a feed, innermost first. @param {string} feed */
function placesOf(feed) {
  const places = [];
  let branch = document.querySelector(`.feed[data-feed="${feed}"]`)?.closest(".branch");
  while (branch instanceof HTMLElement) {
    places.push(`category-${branch.dataset.category}`);
    branch = branch.parentElement?.closest(".branch");
  }
  return places;
}

/** Changes the unread count of a feed and of everything above it. @param {string} feed @param {number} by */
export function changeUnread(feed, by) {
  for (const place of ["all", feed, ...placesOf(feed)]) setUnread(place, Math.max(0, unreadIn(place) + by));
}

/** @param {HTMLElement} feed */
const feedIdOf = (feed) => feed.dataset.feed ?? "";

/** The feeds of a category and its subcategories; `null` for all feeds. @param {string | undefined} category */
export function feedsOf(category) {
  if (!category) return null;
  return elements(`.branch[data-category="${category}"] .feed[data-feed]`).map(feedIdOf);
}

/** Sets the counts of all feeds to those of the server. @param {Iterable<[string, number]>} feeds */
export function setAll(feeds) {
  const counts = new Map(feeds);
  let total = 0;
  for (const unread of counts.values()) total += unread;
  setUnread("all", total);
  for (const feed of elements(".feed[data-feed]")) {
    const id = feedIdOf(feed);
    setUnread(id, counts.get(id) ?? 0);
  }
  for (const branch of elements(".branch[data-category]")) {
    let sum = 0;
    for (const feed of elements(".feed[data-feed]", branch)) sum += counts.get(feedIdOf(feed)) ?? 0;
    setUnread(`category-${branch.dataset.category}`, sum);
  }
}

/** Sets the count of one feed to the server's. @param {string} feed @param {number} unread @param {number} total */
export function setFeed(feed, unread, total) {
  changeUnread(feed, unread - unreadIn(feed));
  setUnread("all", total);
}

export function startCounts() {
  showInTitle(unreadIn("all"));
}
