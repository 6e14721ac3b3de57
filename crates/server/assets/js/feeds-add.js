// @ts-check
// Adding a feed: shows which address is tried during a discovery. The response is NDJSON: `{"progress": …}` for an
// address and `{"html": …, "url": …}` at the end.

import { formFields } from "./api.js";

/** A line of the response. @typedef {{progress?: string, html?: string, url?: string}} DiscoveryLine */

const form = document.querySelector("#look");
const progress = document.querySelector("#trying");
const result = document.querySelector("#result");
const typed = document.querySelector("#url");
const access = document.querySelector("#access");

/** @param {Response} response @returns {AsyncGenerator<DiscoveryLine>} */
async function* lines(response) {
  if (!response.body) return;
  let rest = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + piece).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) yield JSON.parse(part);
  }
}

/** @param {HTMLFormElement} form @param {Element} progress @param {Element} result */
async function discover(form, progress, result) {
  const fields = formFields(form);
  const buttons = form.querySelectorAll("button");
  for (const button of buttons) button.disabled = true;
  result.replaceChildren();
  try {
    const response = await fetch(form.action, { method: "POST", body: fields, headers: { Accept: "application/x-ndjson" } });
    if (!response.ok || response.redirected) {
      // Signed out, or an outdated page: submitting the form loads the page that says so.
      form.submit();
      return;
    }
    for await (const line of lines(response)) {
      if (line.progress) progress.textContent = line.progress;
      // Rendered by our own template, which escapes untrusted text.
      if (line.html) result.innerHTML = line.html;
      // The address without its password, which is in the returned form, encrypted.
      if (line.url && typed instanceof HTMLInputElement) typed.value = line.url;
    }
    if (result.querySelector("[data-wants-access]") && access instanceof HTMLDetailsElement) {
      access.open = true;
      access.querySelector("input")?.focus();
    }
    window.htmx?.process(result);
    history.replaceState(null, "", `/add?url=${encodeURIComponent(typed instanceof HTMLInputElement ? typed.value : "")}`);
  } catch {
    const message = document.createElement("p");
    message.className = "error";
    message.setAttribute("role", "alert");
    message.textContent = form.dataset.unreachable ?? "";
    result.replaceChildren(message);
  } finally {
    progress.textContent = "";
    for (const button of buttons) button.disabled = false;
  }
}

if (form instanceof HTMLFormElement && progress && result) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    discover(form, progress, result);
  });
  // A request that came with an address starts the discovery at once.
  if ("now" in form.dataset) discover(form, progress, result);
}

// Bookmarklet: opens this page with the address of the current one.
const bookmark = document.querySelector("#bookmark");
if (bookmark instanceof HTMLAnchorElement) {
  const here = JSON.stringify(`${location.origin}/add?url=`);
  bookmark.href = `javascript:void open(${here}+encodeURIComponent(location.href))`;
  bookmark.addEventListener("click", (event) => event.preventDefault());
}
