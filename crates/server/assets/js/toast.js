// @ts-check
// Short messages at the bottom, some with an action.

import { ApiError } from "./api.js";
import { t } from "./i18n.js";

/** Display time of a message: long enough to read it and to reach its button. */
const SHOWN_MS = 8000;

const container = document.querySelector(".toasts");

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
  container?.replaceChildren(box);
  let timer = setTimeout(close, SHOWN_MS);
  // A message stays while the pointer or the focus is on it.
  box.addEventListener("pointerenter", () => clearTimeout(timer));
  box.addEventListener("focusin", () => clearTimeout(timer));
  box.addEventListener("pointerleave", () => (timer = setTimeout(close, SHOWN_MS)));
  return close;
}

/** The link to the sign-in page, while it is shown. @type {HTMLAnchorElement | null} */
let signInLink = null;

/**
 * Shows a permanent message, because nothing works until the user signs in. If it is shown already, it is not
 * replaced: a link that is replaced during a click is not followed.
 * @param {string} text
 */
function toastSignedOut(text) {
  const href = `/auth/login?next=${encodeURIComponent(location.pathname + location.search)}`;
  if (signInLink?.isConnected) {
    signInLink.href = href;
    return;
  }
  signInLink = linkTo(href, t("sign-in"));
  container?.replaceChildren(boxOf(text, signInLink));
}

/** Shows an error. @param {unknown} error */
export function toastError(error) {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof ApiError && error.status === 401) toastSignedOut(text);
  else toast(text);
}
