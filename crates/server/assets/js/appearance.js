// @ts-check
// Theme, text, density and hidden feeds: applied at once, and stored with the account.

import { sendJson } from "./api.js";
import { elements } from "./dom.js";
import { reloadList } from "./list-navigation.js";
import { applyPreference } from "./preferences.js";
import { toastError } from "./toast.js";

/** @typedef {"list" | "cards" | "titles"} Density */

const root = document.documentElement;
/** The menu of text and theme. @type {HTMLFormElement | null} */
const look = document.querySelector("form.look");

/** @param {Record<string, string | number | boolean>} change */
async function savePreference(change) {
  try {
    await sendJson("PATCH", "/api/users/me/preferences", change);
    root.dataset.saved = Object.keys(change)[0];
  } catch (error) {
    toastError(error);
  }
}

/** Applies and stores the choice of the menu. @param {HTMLInputElement} input */
function choose({ name, value }) {
  const chosen = /^\d+$/.test(value) ? Number(value) : value;
  applyPreference(name, chosen);
  savePreference({ [name]: chosen });
}

/** Switches to the next theme of the menu. */
export function nextTheme() {
  /** @type {HTMLInputElement[]} */
  const themes = [...(look?.querySelectorAll("input") ?? [])].filter(({ name }) => name === "theme");
  const next = themes[(themes.findIndex(({ checked }) => checked) + 1) % themes.length];
  if (!next) return;
  next.checked = true;
  choose(next);
}

/** @param {string | undefined} name @returns {Density} */
export const densityOf = (name) => (name === "cards" || name === "titles" ? name : "list");

/** @param {Density} density */
export async function setDensity(density) {
  const before = root.dataset.density;
  if (density === before) return;
  applyPreference("density", density);
  for (const button of elements("button[data-density]")) {
    button.setAttribute("aria-pressed", String(button.dataset.density === density));
  }
  await savePreference({ density });
  // Cards contain more than the other layouts.
  if (density === "cards" || before === "cards") await reloadList();
}

/** Hides feeds without unread items in the tree, or shows them again. @param {Element} toggle */
function toggleReadFeeds(toggle) {
  const isHiding = toggle.getAttribute("aria-pressed") !== "true";
  toggle.setAttribute("aria-pressed", String(isHiding));
  document.querySelector(".app")?.toggleAttribute("data-hide-read", isHiding);
  savePreference({ hide_read_feeds: isHiding });
}

export function startAppearance() {
  const toggle = document.querySelector("button.hide-read");
  toggle?.addEventListener("click", () => toggleReadFeeds(toggle));
  look?.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLInputElement) choose(target);
  });
}
