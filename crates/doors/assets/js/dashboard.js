// @ts-check
// The dashboard: what htmx's attributes cannot say. Forms are emptied and told what was wrong with them,
// the focus stays where the reader was, and the list does not change under somebody's hands.

const root = /** @type {HTMLElement} */ (document.querySelector(".dashboard"));
const list = /** @type {HTMLElement} */ (root.querySelector("#feed-list-container"));
const told = /** @type {HTMLElement} */ (root.querySelector(".told"));

/** Where the focus goes when the list comes anew and has lost it: to the feed that was edited, or to the
    heading when that is gone. */
let goBackTo = "";

/**
 * What htmx says of a request. `elt` is what the event is about, `requestConfig.elt` who asked.
 * @typedef {{ elt: HTMLElement, target: HTMLElement, xhr: XMLHttpRequest, successful: boolean,
 *   requestConfig: { elt: HTMLElement } }} Request
 * @param {string} name
 * @param {(request: Request, event: Event) => void} act
 */
function on(name, act) {
  root.addEventListener(`htmx:${name}`, (event) => act(/** @type {CustomEvent} */ (event).detail, event));
}

/** @param {HTMLElement} form */
function forgetErrors(form) {
  form.querySelector("[role=alert]")?.replaceChildren();
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
}

/** A list that looks again by itself must not take away what somebody changes, or has asked to. */
function isInUse() {
  return list.querySelector("form, :popover-open, button.htmx-request") !== null;
}

on("beforeRequest", ({ elt }, event) => {
  if (elt.matches("form[hx-post], form[hx-patch]")) forgetErrors(elt);
  const edited = /** @type {HTMLElement | null} */ (elt.closest("form.feed-edit"));
  if (edited) goBackTo = `feed-edit-${edited.dataset.feed}`;
  if (elt.matches("[hx-delete]")) goBackTo = "feeds-heading";
  if (elt.matches(".looks-again") && (document.hidden || isInUse())) event.preventDefault();
});

// What was asked for before somebody began may come after.
on("beforeSwap", ({ requestConfig }, event) => {
  if (requestConfig.elt.matches(".looks-again") && isInUse()) event.preventDefault();
});

on("afterRequest", ({ elt, successful }) => {
  if (elt.matches("[hx-delete]")) elt.closest("[popover]")?.hidePopover();
  if (!successful) return;
  if (elt.matches("#feed-add-form")) {
    /** @type {HTMLFormElement} */ (elt).reset();
    told.textContent = told.dataset.added ?? "";
    elt.querySelector("input:not([type=hidden])")?.focus();
  }
});

on("afterSettle", ({ requestConfig, target }) => {
  for (const error of target.querySelectorAll("[data-field]")) {
    const field = error.closest("form")?.querySelector(`[name=${error.getAttribute("data-field")}]`);
    field?.setAttribute("aria-invalid", "true");
  }
  if (target !== list) return;
  // What the reader asked for is told; what comes by itself is not.
  if (requestConfig.elt.matches("#feed-filters, .pages a")) {
    told.textContent = list.querySelector(".feed-total, .empty h3")?.textContent ?? "";
  }
  if (document.activeElement === document.body && goBackTo) {
    (document.getElementById(goBackTo) ?? document.getElementById("feeds-heading"))?.focus();
  }
  goBackTo = "";
});
