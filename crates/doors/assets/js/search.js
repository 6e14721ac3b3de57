// @ts-check
// Saving a search under a name.

import { sendJson } from "./api.js";
import { toast, toastError } from "./toast.js";
import { t } from "./i18n.js";

/** Key of the saved name while the page is reloaded. */
const KEPT = "lede-kept";

const button = /** @type {HTMLElement | null} */ (document.querySelector("button.keep-search"));
const dialog = /** @type {HTMLDialogElement | null} */ (document.querySelector("dialog.keep"));
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
    sessionStorage.setItem(KEPT, name);
    location.reload();
  } catch (error) {
    toastError(error);
  }
});

const kept = sessionStorage.getItem(KEPT);
if (kept) toast(t("search-kept", kept));
sessionStorage.removeItem(KEPT);
