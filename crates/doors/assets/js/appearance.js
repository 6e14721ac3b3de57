// @ts-check
// Theme and density: applied at once, and stored with the account.

import { send } from "./api.js";
import { toastError } from "./toast.js";
import { t } from "./i18n.js";

/** @typedef {"system" | "light" | "dark"} Theme */
/** @typedef {"list" | "cards" | "titles"} Density */

/** The theme that follows each one. @type {Record<Theme, Theme>} */
const NEXT_THEME = { system: "light", light: "dark", dark: "system" };
/** @type {Record<Density, Density>} */
const NEXT_DENSITY = { list: "cards", cards: "titles", titles: "list" };

const root = document.documentElement;
const button = /** @type {HTMLElement | null} */ (document.querySelector("button.theme"));

const currentTheme = () => /** @type {Theme} */ (root.dataset.theme ?? "system");

function tellTheme() {
  if (!button) return;
  button.title = t(`theme-${currentTheme()}`);
  const words = button.querySelector(".hidden");
  if (words) words.textContent = button.title;
}

/** @param {Record<string, string | boolean>} change */
const remember = (change) => send("PATCH", "/api/users/me/preferences", change);

/** Switches to the next theme. */
export function turnTheme() {
  const theme = NEXT_THEME[currentTheme()];
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  tellTheme();
  try {
    // For pages without a signed-in user.
    localStorage.setItem("theme", theme);
  } catch {
    // Storage is forbidden.
  }
  remember({ theme })
    .then(() => (root.dataset.saved = t(`theme-${theme}`)))
    .catch(toastError);
}

/** @param {Density} density */
export async function setDensity(density) {
  const before = root.dataset.density;
  if (density === before) return;
  root.dataset.density = density;
  try {
    await remember({ density });
    // Cards contain more than the other layouts, so the page is loaded again.
    if (density === "cards" || before === "cards") location.reload();
  } catch (error) {
    toastError(error);
  }
}

/** Hides feeds without unread items in the tree, or shows them again. @param {Element} toggle */
function turnHiding(toggle) {
  const isHiding = toggle.getAttribute("aria-pressed") !== "true";
  toggle.setAttribute("aria-pressed", String(isHiding));
  document.querySelector(".app")?.toggleAttribute("data-hide-read", isHiding);
  remember({ hide_read_feeds: isHiding })
    .then(() => (root.dataset.saved = "hide_read_feeds"))
    .catch(toastError);
}

export function startLooks() {
  const toggle = document.querySelector("button.hide-read");
  toggle?.addEventListener("click", () => turnHiding(toggle));
  button?.addEventListener("click", turnTheme);
  document.querySelector("button.density")?.addEventListener("click", () => {
    setDensity(NEXT_DENSITY[/** @type {Density} */ (root.dataset.density ?? "list")]);
  });
  tellTheme();
}
