// @ts-check
// Labels on the item that is read. The server has all words and boxes; here they are shown, sent and put in place.

import { ask, askHtml } from "./api.js";
import { forgetArticle } from "./article.js";
import { currentItem } from "./list.js";
import { toast, toastError } from "./toast.js";
import { say } from "./words.js";

const dialog = /** @type {HTMLDialogElement | null} */ (document.querySelector("dialog.labels"));
const tabs = new BroadcastChannel("lede-labels");

/** Puts what the server answered where it belongs: on the item, and in the tree. @param {string} item @param {string} html */
function show(item, html) {
  // What was kept of it has the labels of before.
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

/** Asks which labels an item has: what `l` does. */
export async function editLabels(item = currentItem()) {
  if (!item || !dialog) return;
  try {
    dialog.innerHTML = await askHtml(`/items/${item}/labels`);
    dialog.showModal();
  } catch (error) {
    if (navigator.onLine) toastError(error);
    else toast(say("labels-offline"));
  }
}

export function startLabels() {
  tabs.addEventListener("message", ({ data }) => show(data.item, data.html));
  document.addEventListener("click", (event) => {
    const link = /** @type {HTMLElement} */ (event.target).closest("a.set-labels");
    const { metaKey, ctrlKey, shiftKey, altKey } = event;
    if (!link || metaKey || ctrlKey || shiftKey || altKey) return;
    event.preventDefault();
    editLabels(link.closest("article")?.dataset.item);
  });
  dialog?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const item = form.action.split("/").at(-2) ?? "";
    try {
      const body = new URLSearchParams(/** @type {any} */ (new FormData(form)));
      const answer = await ask(form.action, { method: "POST", body, headers: { "HX-Request": "true" } });
      const html = await answer.text();
      // The form again, with what is wrong.
      if (html.includes("<form")) return void (dialog.innerHTML = html);
      dialog.close();
      show(item, html);
      tabs.postMessage({ item, html });
    } catch (error) {
      toastError(error);
    }
  });
}
