// @ts-check
// The dashboard: behaviour that htmx attributes cannot express. Resets forms and marks invalid fields, keeps the
// focus, and prevents the list from being replaced while it is in use.

const root = /** @type {HTMLElement} */ (document.querySelector(".dashboard"));
const list = /** @type {HTMLElement} */ (root.querySelector("#feed-list-container"));
const status = /** @type {HTMLElement} */ (root.querySelector(".told"));

/** Id of the element to focus if the focus was in the replaced list: the edited feed, or the heading if
    the feed was deleted. */
let focusAfterSwap = "";

/**
 * Details of an htmx event. `elt` is the element of the event, `requestConfig.elt` the one that sent the request.
 * @typedef {{ elt: HTMLElement, target: HTMLElement, xhr: XMLHttpRequest, successful: boolean,
 *   requestConfig: { elt: HTMLElement } }} HtmxRequest
 * @param {string} name
 * @param {(request: HtmxRequest, event: Event) => void} act
 */
function on(name, act) {
  root.addEventListener(`htmx:${name}`, (event) => {
    if (event instanceof CustomEvent) act(event.detail, event);
  });
}

/** @param {HTMLElement} form */
function clearErrors(form) {
  form.querySelector("[role=alert]")?.replaceChildren();
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
}

/** True while an edit, a menu or a request is open, which an automatic reload of the list must not replace. */
function isInUse() {
  return list.querySelector("form, :popover-open, button.htmx-request") !== null;
}

on("beforeRequest", ({ elt }, event) => {
  if (elt.matches("form[hx-post], form[hx-patch]")) clearErrors(elt);
  /** @type {HTMLElement | null} */
  const edited = elt.closest("form.feed-edit");
  if (edited) focusAfterSwap = `feed-edit-${edited.dataset.feed}`;
  if (elt.matches("[hx-delete]")) focusAfterSwap = "feeds-heading";
  if (elt.matches(".looks-again") && (document.hidden || isInUse())) event.preventDefault();
});

// A reload that was requested before an edit began may arrive after it.
on("beforeSwap", ({ requestConfig }, event) => {
  if (requestConfig.elt.matches(".looks-again") && isInUse()) event.preventDefault();
});

on("afterRequest", ({ elt, successful }) => {
  /** @type {HTMLElement | null} */
  const popover = elt.matches("[hx-delete]") ? elt.closest("[popover]") : null;
  popover?.hidePopover();
  if (!successful) return;
  if (elt instanceof HTMLFormElement && elt.matches("#feed-add-form")) {
    elt.reset();
    status.textContent = status.dataset.added ?? "";
    /** @type {HTMLInputElement | null} */
    const field = elt.querySelector("input:not([type=hidden])");
    field?.focus();
  }
});

on("afterSettle", ({ requestConfig, target }) => {
  for (const error of target.querySelectorAll("[data-field]")) {
    const field = error.closest("form")?.querySelector(`[name=${error.getAttribute("data-field")}]`);
    field?.setAttribute("aria-invalid", "true");
  }
  if (target !== list) return;
  // Announces results that the user requested, but not automatic reloads.
  if (requestConfig.elt.matches("#feed-filters, .pages a")) {
    status.textContent = list.querySelector(".feed-total, .empty h3")?.textContent ?? "";
  }
  if (document.activeElement === document.body && focusAfterSwap) {
    (document.getElementById(focusAfterSwap) ?? document.getElementById("feeds-heading"))?.focus();
  }
  focusAfterSwap = "";
});
