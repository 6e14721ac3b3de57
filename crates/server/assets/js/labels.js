// @ts-check
// Labels of the current item. The server renders the form and the changes; this shows them.

import { formFields, request, requestHtml } from "./api.js";
import { forgetArticle } from "./article.js";
import { closest, fragment } from "./dom.js";
import { t } from "./i18n.js";
import { currentItem } from "./open-item.js";
import { toast, toastError } from "./toast.js";

/** @type {HTMLDialogElement | null} */
const dialog = document.querySelector("dialog.labels");
const tabs = new BroadcastChannel("lede-labels");

/** Inserts the changed parts into the item and the tree. @param {{item: string, html: string}} changed */
function show({ item, html }) {
  forgetArticle(item);
  for (const part of [...fragment(html).children]) {
    const old = document.getElementById(part.id);
    const current = old?.querySelector("[aria-current]")?.getAttribute("href");
    if (current) part.querySelector(`[href="${current}"]`)?.setAttribute("aria-current", "page");
    old?.replaceWith(part);
  }
}

/** Opens the dialog for the labels of an item (key `l`). */
export async function editLabels(item = currentItem()) {
  if (!item || !dialog) return;
  try {
    dialog.innerHTML = await requestHtml(`/items/${item}/labels`);
    dialog.showModal();
  } catch (error) {
    if (navigator.onLine) toastError(error);
    else toast(t("labels-offline"));
  }
}

export function startLabels() {
  tabs.addEventListener("message", ({ data }) => show(data));
  document.addEventListener("click", (event) => {
    const link = closest(event.target, "a.set-labels");
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    editLabels(link.closest("article")?.dataset.item);
  });
  dialog?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const form = event.target;
    if (!(form instanceof HTMLFormElement)) return;
    try {
      const response = await request(form.action, { method: "POST", body: formFields(form), headers: { "HX-Request": "true" } });
      const changed = { item: form.action.split("/").at(-2) ?? "", html: await response.text() };
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
