// @ts-check
// Settings: saved on change, applied at once, and searchable.

import { csrfToken, errorMessage } from "./api.js";
import { elements } from "./dom.js";
import { foldText } from "./i18n.js";
import { applyPreference } from "./preferences.js";

/** Display time of "Saved". */
const SHOWN_MS = 2500;

/** @typedef {HTMLSelectElement | HTMLInputElement} Control */

/** @param {Control} control */
function value(control) {
  if (control instanceof HTMLInputElement) return control.checked;
  if (control.value === "") return null;
  return /^\d+$/.test(control.value) ? Number(control.value) : control.value;
}

/** @param {Control} control @param {ReturnType<typeof value>} to */
function put(control, to) {
  if (control instanceof HTMLInputElement) control.checked = to === true;
  else control.value = String(to ?? "");
}

function setUpChoices() {
  /** @type {HTMLElement | null} */
  const line = document.querySelector(".settings-saved");
  if (!line) return;
  let timer = 0;
  /** @param {string} text @param {boolean} failed */
  const showStatus = (text, failed) => {
    clearTimeout(timer);
    line.textContent = text;
    line.classList.toggle("failed", failed);
    if (!failed) timer = window.setTimeout(() => (line.textContent = ""), SHOWN_MS);
  };
  const { saved = "", failed = "", offline = "" } = line.dataset;
  /** @type {NodeListOf<Control>} */
  const controls = document.querySelectorAll(".choices :is(select, [type=checkbox])");
  for (const control of controls) {
    let before = value(control);
    control.addEventListener("change", async () => {
      const chosen = value(control);
      applyPreference(control.name, chosen);
      const response = await fetch("/api/users/me/preferences", {
        method: "PATCH",
        headers: { "Content-Type": "application/json", "X-CSRF-Token": csrfToken() },
        body: JSON.stringify({ [control.name]: chosen }),
      }).catch(() => null);
      if (response?.ok) {
        before = chosen;
        // All text of the page changes.
        if (control.name === "language") location.reload();
        else showStatus(saved, false);
      } else {
        put(control, before);
        applyPreference(control.name, before);
        showStatus(response ? `${failed} ${(await errorMessage(response)) ?? ""}` : offline, true);
      }
    });
  }
}

function setUpSearch() {
  /** @type {HTMLFormElement | null} */
  const form = document.querySelector(".settings-search");
  const field = form?.querySelector("input");
  const none = document.getElementById("settings-none");
  if (!form || !field || !none) return;
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  const parts = elements(".part").map((part) => {
    const rows = part.matches("[data-setting]") ? [part] : elements("[data-setting]", part);
    const title = foldText(part.querySelector("h2")?.textContent ?? "");
    return { part, rows: rows.map((row) => ({ row, text: `${title} ${foldText(row.textContent ?? "")}` })) };
  });
  field.addEventListener("input", () => {
    const words = foldText(field.value).split(/\s+/).filter(Boolean);
    let found = 0;
    for (const { part, rows } of parts) {
      let here = 0;
      for (const { row, text } of rows) {
        const matches = words.every((word) => text.includes(word));
        row.hidden = !matches;
        if (matches) here += 1;
      }
      part.hidden = here === 0;
      found += here;
    }
    none.textContent = found === 0 ? (none.dataset.none ?? "") : "";
  });
}

function setUpCopying() {
  for (const button of elements("[data-copy]")) {
    button.addEventListener("click", async () => {
      const text = document.getElementById(button.dataset.copy ?? "")?.textContent ?? "";
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = button.dataset.copied ?? "";
      } catch {
        // Browsers forbid it on plain http: the text is selected, so that the user can copy it.
        const range = document.createRange();
        const place = document.getElementById(button.dataset.copy ?? "");
        if (place) range.selectNodeContents(place);
        getSelection()?.removeAllRanges();
        getSelection()?.addRange(range);
      }
    });
  }
}

/** Importing a takeout is slow, and the browser shows no progress. */
function setUpTakeout() {
  const form = document.getElementById("takeout-in");
  const result = document.getElementById("takeout-result");
  form?.addEventListener("submit", () => {
    if (!result) return;
    result.className = "confirmation";
    result.textContent = result.dataset.working ?? "";
  });
}

/** A typed key replaces the one in the field. */
function setUpKeys() {
  /** @type {NodeListOf<HTMLInputElement>} */
  const fields = document.querySelectorAll(".key-field input");
  for (const field of fields) {
    field.addEventListener("input", (event) => {
      if (event instanceof InputEvent && event.data && !event.isComposing) field.value = event.data;
    });
  }
}

setUpChoices();
setUpKeys();
setUpSearch();
setUpCopying();
setUpTakeout();
