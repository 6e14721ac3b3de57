// @ts-check
// The script of the pages around the reader: what cannot be sent says so, and what was typed stays; times
// are the reader's own, and the section that one is in is in view.

import { localiseTimes } from "./words.js";

localiseTimes(document);
// What htmx brings in.
document.addEventListener("htmx:load", (event) => localiseTimes(/** @type {HTMLElement} */ (event.target)));

const here = document.querySelector(".room-head [aria-current]");
const sections = here?.closest("nav");
// By hand: scrollIntoView could move the page as well.
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

/** Forms that do not leave the page, and tell by themselves what became of them. */
const STAYS = "[hx-get], [hx-post], [hx-patch], [data-stays]";

/** The form that goes now, because somebody answered. @type {EventTarget | null} */
let goes = null;

// Sent without a network, a form would leave for the browser's own page. A Lede on the same machine can be
// reached without one: whether it is there is found out before.
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
