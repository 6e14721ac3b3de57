// @ts-check
// Short messages below, some with something to do.

import { Refused } from "./api.js";
import { say } from "./words.js";

/** How long a message stays: long enough to read it and to reach its button. */
const STAYS_MS = 8000;

const place = document.querySelector(".toasts");

/** @param {string} href @param {string} textContent */
const linkTo = (href, textContent) => Object.assign(document.createElement("a"), { href, textContent });

/** @param {string} text @param {HTMLElement[]} actions */
function boxOf(text, ...actions) {
  const box = Object.assign(document.createElement("div"), { className: "toast" });
  box.append(Object.assign(document.createElement("p"), { textContent: text }), ...actions);
  return box;
}

/**
 * @param {string} text
 * @param {{label: string, run: () => void} | {label: string, href: string}} [action]
 */
export function toast(text, action) {
  const box = boxOf(text);
  const close = () => box.remove();
  if (action && "href" in action) {
    box.append(linkTo(action.href, action.label));
  } else if (action) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: action.label });
    button.addEventListener("click", () => {
      close();
      action.run();
    });
    box.append(button);
  }
  place?.replaceChildren(box);
  let timer = setTimeout(close, STAYS_MS);
  // Who is at it is not rushed.
  box.addEventListener("pointerenter", () => clearTimeout(timer));
  box.addEventListener("focusin", () => clearTimeout(timer));
  box.addEventListener("pointerleave", () => (timer = setTimeout(close, STAYS_MS)));
  return close;
}

/** The way back in, while it is shown. @type {HTMLAnchorElement | null} */
let wayIn = null;

/**
 * Nothing works before this is done, so it stays. Said again it is left as it is: a link that is replaced
 * while somebody presses it leads nowhere.
 * @param {string} text
 */
function toastSignedOut(text) {
  const href = `/auth/login?next=${encodeURIComponent(location.pathname + location.search)}`;
  if (wayIn?.isConnected) {
    wayIn.href = href;
    return;
  }
  wayIn = linkTo(href, say("sign-in"));
  place?.replaceChildren(boxOf(text, wayIn));
}

/** Tells an error. @param {unknown} error */
export function toastError(error) {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof Refused && error.status === 401) toastSignedOut(text);
  else toast(text);
}
