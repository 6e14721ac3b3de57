// @ts-check
// Theme, density and hidden feeds: applied at once, and stored with the account.

import { sendJson } from "./api.js";
import { t } from "./i18n.js";
import { toastError } from "./toast.js";

/** @typedef {"system" | "light" | "dark"} Theme */
/** @typedef {"list" | "cards" | "titles"} Density */

/** The theme that follows each one. @type {Record<Theme, Theme>} */
const NEXT_THEME = { system: "light", light: "dark", dark: "system" };
/** @type {Record<Density, Density>} */
const NEXT_DENSITY = { list: "cards", cards: "titles", titles: "list" };

const root = document.documentElement;
/** @type {HTMLElement | null} */
const button = document.querySelector("button.theme");

/** @returns {Theme} */
function currentTheme() {
  const { theme } = root.dataset;
  return theme === "light" || theme === "dark" ? theme : "system";
}

/** @returns {Density} */
function currentDensity() {
  const { density } = root.dataset;
  return density === "cards" || density === "titles" ? density : "list";
}

/** Names the theme on its button. */
function showTheme() {
  if (!button) return;
  button.title = t(`theme-${currentTheme()}`);
  const label = button.querySelector(".hidden");
  if (label) label.textContent = button.title;
}

/** @param {Record<string, string | boolean>} change */
const savePreference = (change) => sendJson("PATCH", "/api/users/me/preferences", change);

/** Switches to the next theme. */
export function nextTheme() {
  const theme = NEXT_THEME[currentTheme()];
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  showTheme();
  try {
    // For pages without a signed-in user.
    localStorage.setItem("theme", theme);
  } catch {
    // Storage is forbidden.
  }
  savePreference({ theme })
    .then(() => (root.dataset.saved = t(`theme-${theme}`)))
    .catch(toastError);
}

/** @param {Density} density */
export async function setDensity(density) {
  const before = root.dataset.density;
  if (density === before) return;
  root.dataset.density = density;
  try {
    await savePreference({ density });
    // Cards contain more than the other layouts, so the page is loaded again.
    if (density === "cards" || before === "cards") location.reload();
  } catch (error) {
    toastError(error);
  }
}

/** Hides feeds without unread items in the tree, or shows them again. @param {Element} toggle */
function toggleReadFeeds(toggle) {
  const isHiding = toggle.getAttribute("aria-pressed") !== "true";
  toggle.setAttribute("aria-pressed", String(isHiding));
  document.querySelector(".app")?.toggleAttribute("data-hide-read", isHiding);
  savePreference({ hide_read_feeds: isHiding })
    .then(() => (root.dataset.saved = "hide_read_feeds"))
    .catch(toastError);
}

export function startAppearance() {
  const toggle = document.querySelector("button.hide-read");
  toggle?.addEventListener("click", () => toggleReadFeeds(toggle));
  button?.addEventListener("click", nextTheme);
  document.querySelector("button.density")?.addEventListener("click", () => {
    setDensity(NEXT_DENSITY[currentDensity()]);
  });
  showTheme();
}
