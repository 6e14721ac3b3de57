// @ts-check
// Keys of all pages. They are ignored during text input, and the browser's own shortcuts are left alone.

import { closest } from "./dom.js";

/** Time limit for the second key after `g`. */
const CHORD_MS = 1500;

/** Pages by the key after `g`. @type {Record<string, string>} */
const PAGES = {
  a: "/?show=all",
  u: "/?show=unread",
  s: "/?show=starred",
  h: "/?show=read",
  d: "/dashboard",
  f: "/subscriptions",
};

/** Keys and names of actions as configured by the user, in JSON; null if shortcuts are off. */
const keys = document.querySelector("[data-keys]")?.getAttribute("data-keys") ?? null;
/** @type {Record<string, string>} */
const NAMES = JSON.parse(keys ?? "{}");

/** True if the user has not turned single-key shortcuts off. */
export const hasShortcuts = keys !== null;

/** @type {HTMLDialogElement | null} */
const help = document.querySelector("dialog.keys");

/** Shows the list of shortcuts. */
export const showHelp = () => help?.showModal();

/** @param {EventTarget | null} target @returns {target is HTMLElement} */
const isTextInput = (target) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio])"));

/**
 * Runs actions by their keys.
 * @param {Record<string, () => void>} actions by their names in `model::shortcuts`
 * @param {(path: string) => void} go opens a page
 * @param {(event: KeyboardEvent) => boolean} [usesKey] takes keys that cannot be configured; true if it did
 */
export function startKeyboard(actions, go, usesKey = () => false) {
  let chordUntil = 0;
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTextInput(target)) {
      if (key === "Escape") target.blur();
      return;
    }
    // The page behind a dialog or a popover gets no keys.
    if (document.querySelector("dialog[open]")) {
      if (NAMES[key] === "help" && help?.open) help.close();
      return;
    }
    if (document.querySelector("form:popover-open") || usesKey(event) || !hasShortcuts) return;
    const isChord = event.timeStamp < chordUntil;
    chordUntil = key === "g" && !isChord ? event.timeStamp + CHORD_MS : 0;
    const run = isChord ? PAGES[key] && (() => go(PAGES[key])) : actions[NAMES[key]];
    if (!run) return;
    event.preventDefault();
    run();
  });
  // A click on the close button or on the backdrop closes a dialog.
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", ({ target }) => {
      if (target === dialog || closest(target, ".close-dialog")) dialog.close();
    });
  }
}
