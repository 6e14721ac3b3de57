// @ts-check
// Swiping on a phone: in an article it opens the next or previous item; on a row it marks the item as read or stars it.

import { closest } from "./dom.js";
import { itemOf } from "./item-elements.js";
import { mark, marksOf } from "./marks.js";
import { openAdjacent } from "./open-item.js";

/** Minimum horizontal distance of a swipe, and its minimum ratio to the vertical one. */
const SWIPE_PX = 80;
const SWIPE_RATIO = 2;

const pane = document.getElementById("pane");
const main = document.getElementById("main");
const phone = matchMedia("(max-width: 699px)");

/**
 * Calls `act` after a horizontal swipe that begins in `area`.
 * @param {HTMLElement | null} area
 * @param {(target: EventTarget | null, isForward: boolean) => void} act
 */
function onSwipe(area, act) {
  /** @type {Touch | null} */
  let start = null;
  area?.addEventListener("touchstart", ({ touches }) => (start = touches.length === 1 ? touches[0] : null), { passive: true });
  area?.addEventListener(
    "touchend",
    ({ changedTouches, target }) => {
      if (!start || !phone.matches) return;
      const right = changedTouches[0].clientX - start.clientX;
      const down = changedTouches[0].clientY - start.clientY;
      if (Math.abs(right) < SWIPE_PX || Math.abs(right) < Math.abs(down) * SWIPE_RATIO) return;
      act(target, document.dir === "rtl" ? right > 0 : right < 0);
    },
    { passive: true },
  );
}

export function startSwiping() {
  onSwipe(pane, (target, isForward) => {
    // Blocks that scroll horizontally themselves are excluded.
    if (!closest(target, "[tabindex='0']")) openAdjacent(isForward ? 1 : -1, false);
  });
  onSwipe(main, (target, isForward) => {
    const item = itemOf(closest(closest(target, ".row"), ".item"));
    if (!item) return;
    const { is_read, is_starred } = marksOf(item);
    mark(item, isForward ? { is_read: !is_read } : { is_starred: !is_starred });
  });
}
