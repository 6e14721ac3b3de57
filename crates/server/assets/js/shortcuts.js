// @ts-check
// Keyboard shortcuts of the reading view.

import { nextTheme, setDensity } from "./appearance.js";
import { markAll, undoBulkMark } from "./bulk-marks.js";
import { openComments, openOriginal, switchText, toggleMark } from "./item-actions.js";
import { hasShortcuts, showHelp, startKeyboard } from "./keyboard.js";
import { editLabels } from "./labels.js";
import { openPage } from "./list-navigation.js";
import { showNew } from "./live.js";
import { goBack, openAdjacent, scroller, scrollOrAdvance, toggleSelected } from "./open-item.js";
import { refresh } from "./refresh.js";
import { openSendMenu, shareItem } from "./share.js";
import { goToFeed, showTree } from "./tree.js";

/** Actions by their names in `model::shortcuts`. @type {Record<string, () => void>} */
const ACTIONS = {
  next: () => openAdjacent(1, false),
  previous: () => openAdjacent(-1, false),
  next_unread: () => openAdjacent(1, true),
  previous_unread: () => openAdjacent(-1, true),
  open: toggleSelected,
  read: () => toggleMark("is_read"),
  star: () => toggleMark("is_starred"),
  labels: () => editLabels(),
  text: switchText,
  original: openOriginal,
  comments: openComments,
  share: shareItem,
  send: openSendMenu,
  show_new: showNew,
  mark_all: markAll,
  undo: undoBulkMark,
  search: focusSearch,
  next_feed: () => goToFeed(1),
  previous_feed: () => goToFeed(-1),
  jump: openJumpDialog,
  refresh,
  add: () => openPage("/add"),
  list: () => setDensity("list"),
  cards: () => setDensity("cards"),
  titles: () => setDensity("titles"),
  theme: nextTheme,
  hide_tree: () => showTree(false),
  show_tree: () => showTree(true),
  help: showHelp,
};

function focusSearch() {
  document.getElementById("search")?.focus();
}

/** Part of the visible height that a key scrolls by. @type {Record<string, number | undefined>} */
const SCROLL_KEYS = { PageDown: 0.9, PageUp: -0.9, ArrowDown: 0.06, ArrowUp: -0.06, Home: -Infinity, End: Infinity };

/** Scrolls the list or the open item: the page itself, which the browser would scroll, does not move. @param {string} key */
function scrollByKey(key) {
  const part = SCROLL_KEYS[key];
  if (part === undefined) return false;
  const box = scroller();
  if (Number.isFinite(part)) box.scrollBy(0, part * box.clientHeight);
  else box.scrollTo(0, part < 0 ? 0 : box.scrollHeight);
  return true;
}

/** Keys that cannot be configured. @param {KeyboardEvent} event */
function usesKey(event) {
  const { key, target } = event;
  // Elements for which Space has a meaning of its own keep it.
  const isFree = target instanceof Element && target.matches("body, main, .pane, .row");
  if (key === "Escape") goBack();
  else if (key === "Enter" && target === document.body) toggleSelected();
  else if (key === " " && hasShortcuts && isFree && scrollOrAdvance(event.shiftKey ? -1 : 1)) event.preventDefault();
  else if (target === document.body && scrollByKey(key)) event.preventDefault();
  else return false;
  return true;
}

/** Opens the jump dialog before its script is loaded. Text that is typed meanwhile is in the field; Enter and arrow
 * keys are recorded and replayed. */
async function openJumpDialog() {
  /** @type {HTMLDialogElement | null} */
  const dialog = document.querySelector("dialog.jump");
  const field = dialog?.querySelector("input");
  if (!dialog || !field || dialog.open) return;
  // An open drawer would close by itself without returning the focus.
  document.getElementById("tree")?.hidePopover();
  field.value = "";
  dialog.showModal();
  /** @type {string[]} */
  const pressed = [];
  const record = (/** @type {KeyboardEvent} */ { key, isComposing }) => {
    if (!isComposing && /^(Enter|Arrow)/.test(key)) pressed.push(key);
  };
  field.addEventListener("keydown", record);
  const { show } = await import("./jump.js");
  field.removeEventListener("keydown", record);
  show();
  for (const key of pressed) field.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
}

export function startShortcuts() {
  document.querySelector("button.jump-to")?.addEventListener("click", openJumpDialog);
  document.querySelector("button.help")?.addEventListener("click", showHelp);
  startKeyboard(ACTIONS, openPage, usesKey);
  // Other pages lead here to search.
  if (location.hash === "#search") focusSearch();
}
