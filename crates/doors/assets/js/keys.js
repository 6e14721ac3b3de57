// @ts-check
// The keyboard. Nothing is taken while somebody types, or from the browser's own keys.

import { askWhere } from "./jump.js";
import { editLabels } from "./labels.js";
import { goBack, markAll, openComments, openOriginal, refreshFeed, shareItem, step, toggleChosen, toggleMark, undo } from "./list.js";
import { showNew } from "./live.js";
import { setDensity, turnTheme } from "./looks.js";
import { goToFeed, showTree } from "./tree.js";

/** How long the second key may take after `g`. */
const CHORD_MS = 1500;

const help = /** @type {HTMLDialogElement | null} */ (document.querySelector("dialog.keys"));

/** @param {string} path */
const go = (path) => location.assign(path);

/** @type {Record<string, () => void>} */
const KEYS = {
  j: () => step(1, false),
  k: () => step(-1, false),
  n: () => step(1, true),
  p: () => step(-1, true),
  o: toggleChosen,
  m: () => toggleMark("is_read"),
  s: () => toggleMark("is_starred"),
  l: () => editLabels(),
  v: openOriginal,
  c: openComments,
  S: shareItem,
  ".": showNew,
  A: markAll,
  z: undo,
  a: () => go("/add"),
  J: () => goToFeed(1),
  K: () => goToFeed(-1),
  ";": askWhere,
  R: refreshFeed,
  "/": () => document.getElementById("search")?.focus(),
  1: () => setDensity("list"),
  2: () => setDensity("cards"),
  3: () => setDensity("titles"),
  t: turnTheme,
  "[": () => showTree(false),
  "]": () => showTree(true),
  "?": () => help?.showModal(),
};

/** After `g`. @type {Record<string, () => void>} */
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

export function startKeys() {
  let chordUntil = 0;
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(target)) {
      if (key === "Escape") /** @type {HTMLElement} */ (target).blur();
      return;
    }
    // What is behind a dialog is left alone.
    if (document.querySelector("dialog[open]")) {
      if (key === "?" && help?.open) help.close();
      return;
    }
    if (key === "Escape") return void goBack();
    if (key === "Enter" && target === document.body) return void toggleChosen();
    const isChord = event.timeStamp < chordUntil;
    chordUntil = key === "g" && !isChord ? event.timeStamp + CHORD_MS : 0;
    const run = isChord ? PLACES[key] : KEYS[key];
    if (!run) return;
    event.preventDefault();
    run();
  });
  document.querySelector("button.help")?.addEventListener("click", () => help?.showModal());
  // A dialog is closed by its button, or by a click beside it.
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", ({ target }) => {
      if (target === dialog || /** @type {Element} */ (target).closest(".close-dialog")) dialog.close();
    });
  }
}
