// @ts-check
// Saving a search under a name. Loaded at first use.

import { sendJson } from "./api.js";
import { t } from "./i18n.js";
import { toast, toastError } from "./toast.js";

/** Key of the saved name while the page is reloaded. */
const SAVED_NAME = "lede-saved-search";

/** @type {HTMLDialogElement | null} */
const dialog = document.querySelector("dialog.keep");
const field = dialog?.querySelector("input");
let query = "";

/** Asks for the name of a search. @param {HTMLElement} button */
export function keepSearch(button) {
  if (!dialog || !field) return;
  query = button.dataset.query ?? "";
  field.value = query;
  dialog.showModal();
  field.select();
}

/** Confirms a search that was saved before the page was reloaded. */
export function confirmSaved() {
  const saved = sessionStorage.getItem(SAVED_NAME);
  if (saved) toast(t("search-kept", saved));
  sessionStorage.removeItem(SAVED_NAME);
}

dialog?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = field?.value.trim();
  if (!name) return;
  dialog.close();
  try {
    await sendJson("POST", "/api/searches", { name, query });
    // The reloaded page has the search in its tree.
    sessionStorage.setItem(SAVED_NAME, name);
    location.reload();
  } catch (error) {
    toastError(error);
  }
});
