// @ts-check
// Keyboard shortcuts. Keys are ignored during text input, and the browser's own shortcuts are left alone.

import { nextTheme, setDensity } from "./appearance.js";
import { markAll, undoBulkMark } from "./bulk-marks.js";
import { closest } from "./dom.js";
import { openComments, openOriginal, toggleMark } from "./item-actions.js";
import { editLabels } from "./labels.js";
import { showNew } from "./live.js";
import { goBack, openAdjacent, scrollOrAdvance, toggleSelected } from "./open-item.js";
import { refresh } from "./refresh.js";
import { openSendMenu, shareItem } from "./share.js";
import { goToFeed, showTree } from "./tree.js";

/** Time limit for the second key after `g`. */
const CHORD_MS = 1500;

/** Keys and names of actions as configured by the user, in JSON; undefined if shortcuts are off. */
const { keys } = /** @type {HTMLElement} */ (document.querySelector(".app")).dataset;
/** @type {Record<string, string>} */
const NAMES = JSON.parse(keys ?? "{}");

/** @type {HTMLDialogElement | null} */
const help = document.querySelector("dialog.keys");

/** @param {string} path */
const go = (path) => location.assign(path);

/** Actions by their names in `model::keys`. @type {Record<string, () => void>} */
const ACTIONS = {
  next: () => openAdjacent(1, false),
  previous: () => openAdjacent(-1, false),
  next_unread: () => openAdjacent(1, true),
  previous_unread: () => openAdjacent(-1, true),
  open: toggleSelected,
  read: () => toggleMark("is_read"),
  star: () => toggleMark("is_starred"),
  labels: () => editLabels(),
  original: openOriginal,
  comments: openComments,
  share: shareItem,
  send: openSendMenu,
  show_new: showNew,
  mark_all: markAll,
  undo: undoBulkMark,
  search: () => document.getElementById("search")?.focus(),
  next_feed: () => goToFeed(1),
  previous_feed: () => goToFeed(-1),
  jump: openJumpDialog,
  refresh,
  add: () => go("/add"),
  list: () => setDensity("list"),
  cards: () => setDensity("cards"),
  titles: () => setDensity("titles"),
  theme: nextTheme,
  hide_tree: () => showTree(false),
  show_tree: () => showTree(true),
  help: () => help?.showModal(),
};

/** Keys after `g`. @type {Record<string, () => void>} */
const PAGES = {
  a: () => go("/?show=all"),
  u: () => go("/?show=unread"),
  s: () => go("/?show=starred"),
  h: () => go("/?show=read"),
  d: () => go("/dashboard"),
  f: () => go("/subscriptions"),
};

/** @param {EventTarget | null} target @returns {target is HTMLElement} */
const isTextInput = (target) => target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));

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
  let chordUntil = 0;
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTextInput(target)) {
      if (key === "Escape") target.blur();
      return;
    }
    // The page behind a dialog gets no keys.
    if (document.querySelector("dialog[open]")) {
      if (NAMES[key] === "help" && help?.open) help.close();
      return;
    }
    if (key === "Escape") return void goBack();
    if (key === "Enter" && target === document.body) return void toggleSelected();
    if (!keys) return;
    // Elements for which Space has a meaning of its own keep it.
    if (key === " ") {
      const isFree = target instanceof Element && target.matches("body, main, .pane, .row");
      if (isFree && scrollOrAdvance(event.shiftKey ? -1 : 1)) event.preventDefault();
      return;
    }
    const isChord = event.timeStamp < chordUntil;
    chordUntil = key === "g" && !isChord ? event.timeStamp + CHORD_MS : 0;
    const run = isChord ? PAGES[key] : ACTIONS[NAMES[key]];
    if (!run) return;
    event.preventDefault();
    run();
  });
  document.querySelector("button.help")?.addEventListener("click", () => help?.showModal());
  // A click on the close button or on the backdrop closes a dialog.
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", ({ target }) => {
      if (target === dialog || closest(target, ".close-dialog")) dialog.close();
    });
  }
}
