// @ts-check
// Elements that show items: rows of the list, and articles.

import { elements } from "./dom.js";

/** The list's element; null if the list is empty, and on pages without a list. @returns {HTMLElement | null} */
export const list = () => document.querySelector("ol.items");

/** The loaded rows, in order. */
export const rows = () => elements("ol.items > .item");

/** @param {string | null} item @returns {HTMLElement | null} */
export const rowOf = (item) => (item ? document.querySelector(`.item[data-item="${item}"]`) : null);

/** @param {string} item @returns {HTMLElement | null} */
export const articleOf = (item) => document.querySelector(`article[data-item="${item}"]`);

/** The id of an item from its row or article. @param {HTMLElement | null} shown */
export const itemOf = (shown) => shown?.dataset.item ?? "";

/** @param {HTMLElement} row */
export const isUnread = (row) => !row.classList.contains("read");
