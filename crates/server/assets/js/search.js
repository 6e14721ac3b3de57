// @ts-check
// Saving a search under a name.

import { sendJson } from "./api.js";
import { t } from "./i18n.js";
import { toast, toastError } from "./toast.js";

/** Key of the saved name while the page is reloaded. */
const SAVED_NAME = "lede-saved-search";

/** @type {HTMLElement | null} */
const button = document.querySelector("button.keep-search");
/** @type {HTMLDialogElement | null} */
const dialog = document.querySelector("dialog.keep");
const field = dialog?.querySelector("input");
const query = button?.dataset.query ?? "";

button?.addEventListener("click", () => {
  if (!dialog || !field) return;
  field.value = query;
  dialog.showModal();
  field.select();
});

dialog?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = field?.value.trim();
  if (!name) return;
  dialog.close();
  try {
    await sendJson("POST", "/api/searches", { name, query });
    // The reloaded page has the search in its tree, and confirms it.
    sessionStorage.setItem(SAVED_NAME, name);
    location.reload();
  } catch (error) {
    toastError(error);
  }
});

const saved = sessionStorage.getItem(SAVED_NAME);
if (saved) toast(t("search-kept", saved));
sessionStorage.removeItem(SAVED_NAME);
