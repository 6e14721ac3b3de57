// @ts-check
// Entry point of the pages for feeds.
import "./feeds-add.js";
import "./feeds-drag.js";
import "./feeds-drop.js";
import "./feeds-select.js";

// A form that waits for another server shows that it is busy and cannot be submitted twice.
for (const form of document.querySelectorAll("form[data-busy]")) {
  form.addEventListener("submit", () => {
    const status = document.querySelector(".busy");
    if (status instanceof HTMLElement) status.textContent = status.dataset.words ?? "";
    for (const button of document.querySelectorAll("form[data-busy] button")) {
      if (button instanceof HTMLButtonElement) button.disabled = true;
    }
  });
}

// A page that is restored from the back/forward cache is no longer busy.
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  const status = document.querySelector(".busy");
  if (status) status.textContent = "";
  for (const button of document.querySelectorAll("form[data-busy] button")) {
    if (button instanceof HTMLButtonElement) button.disabled = false;
  }
});
