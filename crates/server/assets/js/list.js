// @ts-check
// The list and the open item: connects clicks to what other modules do.

import { densityOf, setDensity } from "./appearance.js";
import { forgetArticles, prefetch, prepareArticle } from "./article.js";
import { markAll, markBeside, markOlder, undoBulkMark } from "./bulk-marks.js";
import { closest } from "./dom.js";
import { playHere } from "./embeds.js";
import { localiseTimes } from "./i18n.js";
import { toggleMark } from "./item-actions.js";
import { itemOf } from "./item-elements.js";
import { startNavigation } from "./list-navigation.js";
import { loadNewer, startPaging } from "./list-paging.js";
import { startMenus } from "./menus.js";
import { currentItem, focusArticle, goBack, openAdjacent, startOpening, toggleRow } from "./open-item.js";
import { refresh } from "./refresh.js";
import { startRowActions } from "./row-actions.js";
import { startScrollMarks } from "./scroll-marks.js";
import { share } from "./share.js";
import { startSwiping } from "./swipe.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));

/** Actions of buttons, by selector. @type {[selector: string, run: (button: HTMLElement) => void][]} */
const BUTTONS = [
  [".mark-star", () => toggleMark("is_starred")],
  [".mark-unread", () => toggleMark("is_read")],
  [".mark-all", markAll],
  [".mark-older", ({ dataset }) => markOlder(Number(dataset.days))],
  [".list-head .mark-above", () => markBeside(currentItem(), "above")],
  [".list-head .mark-below", () => markBeside(currentItem(), "below")],
  [".refresh", refresh],
  [".close-article", goBack],
  [".steps .next", () => openAdjacent(1, false)],
  [".steps .previous", () => openAdjacent(-1, false)],
  [".share", share],
  [".play-here", playHere],
  [".undo-mark", undoBulkMark],
  [".keep-search", keepSearch],
  ["[data-density]", setDensityOf],
];

/** Key of the name of a search that was saved before the page was reloaded; see `search.js`. */
const SAVED_NAME = "lede-saved-search";

/** @param {HTMLElement} button */
async function keepSearch(button) {
  const search = await import("./search.js");
  search.keepSearch(button);
}

/** @param {HTMLElement} button */
function setDensityOf({ dataset }) {
  setDensity(densityOf(dataset.density));
}

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
function clickButton({ target, detail }) {
  const button = closest(target, "button");
  const found = button && BUTTONS.find(([selector]) => button.matches(selector));
  if (!button || !found) return;
  found[1](button);
  // After a click with the mouse, keys are for the article: Space would press the button again.
  if (detail > 0 && button.closest(".actions")) focusArticle();
}

export function startList() {
  localiseTimes(document);
  main.addEventListener("click", clickInList);
  // Prefetches an item that is about to be opened.
  main.addEventListener("pointerover", ({ target }) => prefetch(itemOf(closest(target, ".item"))));
  document.addEventListener("click", clickButton);
  // Another text of the item has arrived: scrolling blocks and times in it need preparation.
  document.body.addEventListener("htmx:afterSwap", ({ target }) => {
    if (target instanceof HTMLElement) prepareArticle(target);
    forgetArticles();
  });
  startPaging();
  if (document.querySelector(".app[data-mark-on-scroll]")) startScrollMarks();
  startSwiping();
  startRowActions();
  startMenus();
  startNavigation();
  startOpening();
  if (sessionStorage.getItem(SAVED_NAME)) import("./search.js").then(({ confirmSaved }) => confirmSaved());
}
