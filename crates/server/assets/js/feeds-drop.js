// @ts-check
// A subscription list that is dropped anywhere on the page is imported like a selected file.

const form = document.querySelector("#import-form");
const field = document.querySelector("#file");

/** @param {DragEvent} event */
const carriesFile = (event) => event.dataTransfer?.types.includes("Files") ?? false;

if (form instanceof HTMLFormElement && field instanceof HTMLInputElement) {
  const page = document.documentElement;
  addEventListener("dragover", (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    page.classList.add("drop-here");
  });
  addEventListener("dragleave", (event) => {
    // Only if the pointer leaves the window.
    if (!event.relatedTarget) page.classList.remove("drop-here");
  });
  addEventListener("drop", (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    page.classList.remove("drop-here");
    field.files = event.dataTransfer?.files ?? null;
    form.scrollIntoView({ block: "nearest" });
    form.requestSubmit();
  });
}
