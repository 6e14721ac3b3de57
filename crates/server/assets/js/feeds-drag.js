// @ts-check
// Drag and drop of feeds to another position or category, and of saved searches to another position. The buttons of
// each row do the same without a mouse. The list is replaced after every move, so all listeners are on the document.

import { closest } from "./dom.js";

/** @type {HTMLElement | null} */
let dragged = null;
/** Id of the button that was pressed last, to restore the focus. @type {string} */
let pressed = "";

function clearDropMarks() {
  for (const marked of document.querySelectorAll(".drop-before, .drop-after, .drop-into")) {
    marked.classList.remove("drop-before", "drop-after", "drop-into");
  }
}

/** The drop position: the group, and the row that it is before or after. @param {DragEvent} event */
function dropPosition(event) {
  const shelf = closest(event.target, ".shelf");
  if (!shelf) return null;
  const row = closest(event.target, "[data-move]");
  if (!row) return { shelf, row: null, isAfter: true };
  const { top, height } = row.getBoundingClientRect();
  return { shelf, row, isAfter: event.clientY > top + height / 2 };
}

function makeDraggable() {
  for (const row of document.querySelectorAll("#arrange[data-can-drag] [data-move]")) {
    row.setAttribute("draggable", "true");
  }
}

document.addEventListener("dragstart", (event) => {
  dragged = closest(event.target, "[data-move][draggable]");
  if (!dragged || !event.dataTransfer) return;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", dragged.querySelector("a")?.textContent ?? "");
  dragged.classList.add("dragged");
});

document.addEventListener("dragover", (event) => {
  const found = dragged && dropPosition(event);
  if (!found) return;
  event.preventDefault();
  clearDropMarks();
  if (found.row) found.row.classList.add(found.isAfter ? "drop-after" : "drop-before");
  else found.shelf.classList.add("drop-into");
});

document.addEventListener("drop", (event) => {
  const found = dragged && dropPosition(event);
  const form = document.querySelector("#arrange");
  if (!dragged || !found || !form) return;
  event.preventDefault();
  const others = [...found.shelf.querySelectorAll("[data-move]")].filter((row) => row !== dragged);
  const before = found.row ? others.indexOf(found.row) : -1;
  const at = before < 0 ? others.length : before + Number(found.isAfter);
  if (found.row !== dragged) {
    const button = document.createElement("button");
    button.name = "do";
    button.value = `${dragged.dataset.move}:${found.shelf.dataset.category}:${at}`;
    button.hidden = true;
    form.append(button);
    button.click();
  }
});

document.addEventListener("dragend", () => {
  dragged?.classList.remove("dragged");
  dragged = null;
  clearDropMarks();
});

document.addEventListener("click", (event) => {
  pressed = closest(event.target, "#arrange button[id]")?.id ?? "";
});

// At the end of the list the button is disabled; the opposite one gets the focus.
document.addEventListener("htmx:afterSettle", () => {
  makeDraggable();
  const button = pressed ? document.getElementById(pressed) : null;
  if (!(button instanceof HTMLButtonElement)) return;
  const other = pressed.startsWith("up-") ? pressed.replace("up-", "down-") : pressed.replace("down-", "up-");
  (button.disabled ? document.getElementById(other) : button)?.focus();
});

makeDraggable();
