// @ts-check
// The list and the open item: connects clicks to what other modules do.

import { prefetch, prepareArticle } from "./article.js";
import { markAll } from "./bulk-marks.js";
import { closest } from "./dom.js";
import { localiseTimes } from "./i18n.js";
import { toggleMark } from "./item-actions.js";
import { itemOf, list } from "./item-elements.js";
import { loadNewer, startPaging } from "./list-paging.js";
import { goBack, openAdjacent, startOpening, toggleRow } from "./open-item.js";
import { refresh } from "./refresh.js";
import { startScrollMarks } from "./scroll-marks.js";
import { share, startSendMenu } from "./share.js";
import { startSwiping } from "./swipe.js";

/** Actions of buttons, by selector. @type {[selector: string, run: (button: HTMLElement) => void][]} */
const BUTTONS = [
  [".mark-star", () => toggleMark("is_starred")],
  [".mark-unread", () => toggleMark("is_read")],
  [".mark-all", markAll],
  [".refresh", refresh],
  [".close-article", goBack],
  [".steps .next", () => openAdjacent(1, false)],
  [".steps .previous", () => openAdjacent(-1, false)],
  [".share", share],
];

/** @param {MouseEvent} event */
function clickInList(event) {
  if (closest(event.target, "[data-newer] a")) {
    event.preventDefault();
    return void loadNewer();
  }
  const row = closest(closest(event.target, "a.row"), ".item");
  const { button, metaKey, ctrlKey, shiftKey, altKey } = event;
  if (!row || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return;
  event.preventDefault();
  toggleRow(row, "pointer");
}

/** @param {MouseEvent} event */
function clickButton({ target }) {
  const button = closest(target, "button");
  if (button) BUTTONS.find(([selector]) => button.matches(selector))?.[1](button);
}

export function startList() {
  localiseTimes(document);
  list?.addEventListener("click", clickInList);
  // Prefetches an item that is about to be opened.
  list?.addEventListener("pointerover", ({ target }) => prefetch(itemOf(closest(target, ".item"))));
  document.addEventListener("click", clickButton);
  // The full article has arrived: scrolling blocks and times in it need preparation.
  document.body.addEventListener("htmx:afterSwap", ({ target }) => {
    if (target instanceof HTMLElement) prepareArticle(target);
  });
  startPaging();
  if (document.querySelector(".app[data-mark-on-scroll]")) startScrollMarks();
  startSwiping();
  startSendMenu();
  startOpening();
}
