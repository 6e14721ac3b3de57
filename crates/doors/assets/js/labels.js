// @ts-check
// Labels of the current item. The server renders the form and the changes; this shows them.

import { ask, askHtml } from "./api.js";
import { forgetArticle } from "./article.js";
import { currentItem } from "./list.js";
import { toast, toastError } from "./toast.js";
import { t } from "./i18n.js";

const dialog = /** @type {HTMLDialogElement | null} */ (document.querySelector("dialog.labels"));
const tabs = new BroadcastChannel("lede-labels");

/** Inserts the changed parts into the item and the tree. @param {{item: string, html: string}} changed */
function show({ item, html }) {
  forgetArticle(item);
  const template = document.createElement("template");
  template.innerHTML = html;
  for (const part of [...template.content.children]) {
    const old = document.getElementById(part.id);
    const here = old?.querySelector("[aria-current]")?.getAttribute("href");
    if (here) part.querySelector(`[href="${here}"]`)?.setAttribute("aria-current", "page");
    old?.replaceWith(part);
  }
}

/** Opens the dialog for the labels of an item (key `l`). */
export async function editLabels(item = currentItem()) {
  if (!item || !dialog) return;
  try {
    dialog.innerHTML = await askHtml(`/items/${item}/labels`);
    dialog.showModal();
  } catch (error) {
    if (navigator.onLine) toastError(error);
    else toast(t("labels-offline"));
  }
}

export function startLabels() {
  tabs.addEventListener("message", ({ data }) => show(data));
  document.addEventListener("click", (event) => {
    const link = /** @type {HTMLElement} */ (event.target).closest("a.set-labels");
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    editLabels(link.closest("article")?.dataset.item);
  });
  dialog?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { action } = /** @type {HTMLFormElement} */ (event.target);
    try {
      const body = new URLSearchParams(/** @type {any} */ (new FormData(/** @type {HTMLFormElement} */ (event.target))));
      const answer = await ask(action, { method: "POST", body, headers: { "HX-Request": "true" } });
      const changed = { item: action.split("/").at(-2) ?? "", html: await answer.text() };
      // The form was rejected and comes back with an error.
      if (changed.html.includes("<form")) return void (dialog.innerHTML = changed.html);
      dialog.close();
      show(changed);
      tabs.postMessage(changed);
    } catch (error) {
      toastError(error);
    }
  });
}
