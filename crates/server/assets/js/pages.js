// @ts-check
// Entry point of the pages around the reader. A form that cannot be sent says so and keeps its input; times are shown
// in the user's time zone; the current section is scrolled into view; the bell is live; keys lead to other pages.

import { startBell } from "./bell.js";
import { localiseTimes } from "./i18n.js";
import { showHelp, startKeyboard } from "./keyboard.js";
import { startLiveConnection } from "./live-connection.js";

/** @param {string} path */
const go = (path) => location.assign(path);

/** Focuses the search field of the page, or that of the reading view. */
function search() {
  /** @type {HTMLElement | null} */
  const field = document.querySelector("main [type=search]");
  if (field?.checkVisibility()) field.focus();
  else go("/#search");
}

startKeyboard({ help: showHelp, search, add: () => go("/add") }, go);

localiseTimes(document);
startBell();
startLiveConnection();
// Content that htmx loads.
document.addEventListener("htmx:load", ({ target }) => {
  if (target instanceof HTMLElement) localiseTimes(target);
});

const current = document.querySelector(".page-head [aria-current]");
const sections = current?.closest("nav");
// Not `scrollIntoView`, which could move the page as well.
if (current && sections) {
  const [inner, outer] = [current.getBoundingClientRect(), sections.getBoundingClientRect()];
  sections.scrollLeft = inner.left + inner.width / 2 - outer.left - outer.width / 2;
}

/** @type {HTMLElement | null} */
const line = document.querySelector(".unreachable");

/** @param {boolean} isUnreachable */
function showUnreachable(isUnreachable) {
  if (line) line.textContent = isUnreachable ? (line.dataset.message ?? "") : "";
}

const isReachable = () => fetch("/health", { method: "HEAD", cache: "no-store" }).then(() => true, () => false);

/** Forms that do not leave the page, and report their result themselves. */
const IN_PLACE = "[hx-get], [hx-post], [hx-patch], [data-stays]";

/** The form that is being submitted after the server responded. @type {EventTarget | null} */
let submitting = null;

// Without a network, submitting a form would lead to the browser's error page. A server on the same machine can be
// reached nevertheless, so that is checked first.
addEventListener(
  "submit",
  async (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || navigator.onLine || submitting === form || form.matches(IN_PLACE)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const isOnline = await isReachable();
    showUnreachable(!isOnline);
    if (!isOnline) return;
    submitting = form;
    form.requestSubmit(event.submitter);
    submitting = null;
  },
  true,
);

document.addEventListener("htmx:sendError", () => showUnreachable(true));
document.addEventListener("htmx:afterRequest", (event) => {
  if (event instanceof CustomEvent && event.detail.xhr.status > 0) showUnreachable(false);
});
addEventListener("online", () => showUnreachable(false));
