// @ts-check
// Short messages below, some with something to do.

import { Refused } from "./api.js";
import { say } from "./words.js";

/** How long a message stays: long enough to read it and to reach its button. */
const STAYS_MS = 8000;

const place = document.querySelector(".toasts");

/**
 * @param {string} text
 * @param {{label: string, run: () => void} | {label: string, href: string}} [action]
 */
export function toast(text, action) {
  const box = document.createElement("div");
  box.className = "toast";
  box.append(Object.assign(document.createElement("p"), { textContent: text }));
  const close = () => box.remove();
  if (action && "href" in action) {
    box.append(Object.assign(document.createElement("a"), { href: action.href, textContent: action.label }));
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

/** Tells an error. @param {unknown} error */
export function toastError(error) {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof Refused && error.status === 401) {
    const next = encodeURIComponent(location.pathname + location.search);
    toast(text, { label: say("sign-in"), href: `/auth/login?next=${next}` });
  } else {
    toast(text);
  }
}
