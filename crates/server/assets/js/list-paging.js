// @ts-check
// Loading more rows of the list: older ones while scrolling, newer ones if the list begins in the middle.

import { requestHtml } from "./api.js";
import { fragment } from "./dom.js";
import { localiseTimes, t } from "./i18n.js";
import { list, rows } from "./item-elements.js";
import { toastError } from "./toast.js";

/** Distance to the end of the list at which older rows are requested. */
const LOAD_AHEAD = "1200px";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));

let isLoading = false;

/** @param {string} url */
async function fetchRows(url) {
  const loaded = fragment(await requestHtml(url));
  localiseTimes(loaded);
  observeEnd(loaded);
  return loaded;
}

/** Loads older rows, unless a request is in progress. */
export async function loadOlder() {
  /** @type {HTMLElement | null | undefined} */
  const end = list()?.querySelector(":scope > .more");
  const url = end?.dataset.more;
  if (!end || !url || isLoading) return;
  isLoading = true;
  end.replaceChildren(Object.assign(document.createElement("p"), { className: "help", role: "status", textContent: t("loading") }));
  try {
    end.replaceWith(await fetchRows(url));
  } catch {
    const message = Object.assign(document.createElement("p"), { className: "error", textContent: t("more-failed") });
    const retry = Object.assign(document.createElement("button"), { type: "button", textContent: t("try-again") });
    retry.addEventListener("click", loadOlder);
    end.replaceChildren(message, retry);
    observer.unobserve(end);
  } finally {
    isLoading = false;
  }
}

/** Loads the rows before a list that begins in the middle. Returns true if there were any. */
export async function loadNewer() {
  /** @type {HTMLElement | null | undefined} */
  const top = list()?.querySelector(":scope > .newer");
  const url = top?.dataset.newer;
  const first = rows()[0];
  if (!top || !url || !first || isLoading) return false;
  isLoading = true;
  try {
    const newer = await fetchRows(url);
    const before = first.getBoundingClientRect().top;
    top.replaceWith(newer);
    // The visible rows stay in place.
    main.scrollTop += first.getBoundingClientRect().top - before;
    return true;
  } catch (error) {
    toastError(error);
    return false;
  } finally {
    isLoading = false;
  }
}

const observer = new IntersectionObserver(
  (entries) => {
    if (entries.some((entry) => entry.isIntersecting)) loadOlder();
  },
  { root: main, rootMargin: LOAD_AHEAD },
);

/** @param {ParentNode} root */
function observeEnd(root) {
  const end = root.querySelector(".more");
  if (end) observer.observe(end);
}

/** Loads older rows when the end of the list comes near. */
export const startPaging = () => observeEnd(document);
