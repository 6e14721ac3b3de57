// @ts-check
// Swiping on a phone opens the next or previous item.

import { closest } from "./dom.js";
import { openAdjacent } from "./open-item.js";

/** Minimum horizontal distance of a swipe, and its minimum ratio to the vertical one. */
const SWIPE_PX = 80;
const SWIPE_RATIO = 2;

const pane = document.getElementById("pane");
const phone = matchMedia("(max-width: 699px)");

export function startSwiping() {
  /** @type {Touch | null} */
  let start = null;
  pane?.addEventListener("touchstart", ({ touches }) => (start = touches.length === 1 ? touches[0] : null), { passive: true });
  pane?.addEventListener(
    "touchend",
    ({ changedTouches, target }) => {
      if (!start || !phone.matches) return;
      const right = changedTouches[0].clientX - start.clientX;
      const down = changedTouches[0].clientY - start.clientY;
      // Blocks that scroll horizontally themselves are excluded.
      const isScroller = closest(target, "[tabindex='0']");
      if (isScroller || Math.abs(right) < SWIPE_PX || Math.abs(right) < Math.abs(down) * SWIPE_RATIO) return;
      const isForward = document.dir === "rtl" ? right > 0 : right < 0;
      openAdjacent(isForward ? 1 : -1, false);
    },
    { passive: true },
  );
}
