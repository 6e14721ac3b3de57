// @ts-check
// The script of the pages about feeds.
import "./feeds-add.js";
import "./feeds-drag.js";
import "./feeds-drop.js";

// What waits for a stranger's server says so, and is not sent twice.
for (const form of document.querySelectorAll("form[data-busy]")) {
  form.addEventListener("submit", () => {
    const said = document.querySelector(".busy");
    if (said instanceof HTMLElement) said.textContent = said.dataset.words ?? "";
    for (const button of document.querySelectorAll("form[data-busy] button")) {
      if (button instanceof HTMLButtonElement) button.disabled = true;
    }
  });
}

// A page that comes back from the browser's memory is not busy any more.
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  const said = document.querySelector(".busy");
  if (said) said.textContent = "";
  for (const button of document.querySelectorAll("form[data-busy] button")) {
    if (button instanceof HTMLButtonElement) button.disabled = false;
  }
});
