// @ts-check
// Entry point of the pages around the reader. A form that cannot be sent says so and keeps its input; times are shown
// in the user's time zone; the current section is scrolled into view.

import { localiseTimes } from "./i18n.js";

localiseTimes(document);
// Content that htmx loads.
document.addEventListener("htmx:load", (event) => localiseTimes(/** @type {HTMLElement} */ (event.target)));

const here = document.querySelector(".room-head [aria-current]");
const sections = here?.closest("nav");
// Not `scrollIntoView`, which could move the page as well.
if (here && sections) {
  const [inner, outer] = [here.getBoundingClientRect(), sections.getBoundingClientRect()];
  sections.scrollLeft = inner.left + inner.width / 2 - outer.left - outer.width / 2;
}

const line = /** @type {HTMLElement | null} */ (document.querySelector(".unreachable"));

/** @param {boolean} isLost */
function tell(isLost) {
  if (line) line.textContent = isLost ? (line.dataset.said ?? "") : "";
}

const isReachable = () => fetch("/health", { method: "HEAD", cache: "no-store" }).then(() => true, () => false);

/** Forms that do not leave the page, and report their result themselves. */
const STAYS = "[hx-get], [hx-post], [hx-patch], [data-stays]";

/** The form that is being submitted after the server responded. @type {EventTarget | null} */
let goes = null;

// Without a network, submitting a form would lead to the browser's error page. A server on the same machine can be
// reached nevertheless, so that is checked first.
addEventListener(
  "submit",
  async (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    if (navigator.onLine || goes === form || form.matches(STAYS)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const isThere = await isReachable();
    tell(!isThere);
    if (!isThere) return;
    goes = form;
    form.requestSubmit(event.submitter);
    goes = null;
  },
  true,
);

document.addEventListener("htmx:sendError", () => tell(true));
document.addEventListener("htmx:afterRequest", (event) => {
  if (/** @type {CustomEvent} */ (event).detail.xhr.status > 0) tell(false);
});
addEventListener("online", () => tell(false));
