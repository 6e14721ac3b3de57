// @ts-check
// Keyboard shortcuts. Keys are ignored during text input, and the browser's own shortcuts are left alone.

import { editLabels } from "./labels.js";
import { goBack, markAll, openComments, openOriginal, readOn, refresh, sendItem, shareItem, step, toggleChosen, toggleMark, undo } from "./list.js";
import { showNew } from "./live.js";
import { setDensity, turnTheme } from "./looks.js";
import { goToFeed, showTree } from "./tree.js";

/** Time limit for the second key after `g`. */
const CHORD_MS = 1500;

const { keys } = /** @type {HTMLElement} */ (document.querySelector(".app")).dataset;
/** Names of actions by key, as configured by the user. @type {Record<string, string>} */
const NAMES = JSON.parse(keys ?? "{}");

const help = /** @type {HTMLDialogElement | null} */ (document.querySelector("dialog.keys"));

/** @param {string} path */
const go = (path) => location.assign(path);

/** Actions by their names in `model::keys`. @type {Record<string, () => void>} */
const ACTIONS = {
  next: () => step(1, false),
  previous: () => step(-1, false),
  next_unread: () => step(1, true),
  previous_unread: () => step(-1, true),
  open: toggleChosen,
  read: () => toggleMark("is_read"),
  star: () => toggleMark("is_starred"),
  labels: () => editLabels(),
  original: openOriginal,
  comments: openComments,
  share: shareItem,
  send: sendItem,
  show_new: showNew,
  mark_all: markAll,
  undo,
  search: () => document.getElementById("search")?.focus(),
  next_feed: () => goToFeed(1),
  previous_feed: () => goToFeed(-1),
  jump: askWhere,
  refresh,
  add: () => go("/add"),
  list: () => setDensity("list"),
  cards: () => setDensity("cards"),
  titles: () => setDensity("titles"),
  theme: turnTheme,
  hide_tree: () => showTree(false),
  show_tree: () => showTree(true),
  help: () => help?.showModal(),
};

/** Keys after `g`. @type {Record<string, () => void>} */
const PLACES = {
  a: () => go("/?show=all"),
  u: () => go("/?show=unread"),
  s: () => go("/?show=starred"),
  h: () => go("/?show=read"),
  d: () => go("/dashboard"),
  f: () => go("/subscriptions"),
};

/** @param {EventTarget | null} target */
const isTyping = (target) => target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));

/** Opens the jump dialog before its script is loaded. Text that is typed meanwhile is in the field; Enter and arrow
 * keys are recorded and replayed. */
async function askWhere() {
  const dialog = /** @type {HTMLDialogElement | null} */ (document.querySelector("dialog.jump"));
  const field = dialog?.querySelector("input");
  if (!dialog || !field || dialog.open) return;
  // An open drawer would close by itself without returning the focus.
  document.getElementById("tree")?.hidePopover();
  field.value = "";
  dialog.showModal();
  /** @type {string[]} */
  const early = [];
  const keep = (/** @type {KeyboardEvent} */ { key, isComposing }) => {
    if (!isComposing && /^(Enter|Arrow)/.test(key)) early.push(key);
  };
  field.addEventListener("keydown", keep);
  const { show } = await import("./jump.js");
  field.removeEventListener("keydown", keep);
  show();
  for (const key of early) field.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
}

export function startKeys() {
  document.querySelector("button.jump-to")?.addEventListener("click", askWhere);
  let chordUntil = 0;
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(target)) {
      if (key === "Escape") /** @type {HTMLElement} */ (target).blur();
      return;
    }
    // The page behind a dialog gets no keys.
    if (document.querySelector("dialog[open]")) {
      if (NAMES[key] === "help" && help?.open) help.close();
      return;
    }
    if (key === "Escape") return void goBack();
    if (key === "Enter" && target === document.body) return void toggleChosen();
    if (!keys) return;
    // Elements for which Space has a meaning of its own keep it.
    if (key === " ") {
      const isFree = /** @type {Element} */ (target).matches("body, main, .pane, .row");
      if (isFree && readOn(event.shiftKey ? -1 : 1)) event.preventDefault();
      return;
    }
    const isChord = event.timeStamp < chordUntil;
    chordUntil = key === "g" && !isChord ? event.timeStamp + CHORD_MS : 0;
    const run = isChord ? PLACES[key] : ACTIONS[NAMES[key]];
    if (!run) return;
    event.preventDefault();
    run();
  });
  document.querySelector("button.help")?.addEventListener("click", () => help?.showModal());
  // A click on the close button or on the backdrop closes a dialog.
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", ({ target }) => {
      if (target === dialog || /** @type {Element} */ (target).closest(".close-dialog")) dialog.close();
    });
  }
}
