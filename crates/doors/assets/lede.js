// The reading view's own script: theme, the drawer on phones, and the marks on an open item.

/** The next theme after each: as the system, light, dark. */
const NEXT_THEME = { system: "light", light: "dark", dark: "system" };

function setUpTheme() {
  const root = document.documentElement;
  document.querySelector("button.theme")?.addEventListener("click", () => {
    const theme = NEXT_THEME[root.dataset.theme ?? "system"];
    if (theme === "system") {
      delete root.dataset.theme;
      localStorage.removeItem("theme");
    } else {
      root.dataset.theme = theme;
      localStorage.setItem("theme", theme);
    }
  });
}

function setUpDrawer() {
  const button = document.querySelector("button.menu");
  const side = document.getElementById("side");
  if (!button || !side) return;
  const show = (open) => {
    side.classList.toggle("open", open);
    button.setAttribute("aria-expanded", String(open));
  };
  button.addEventListener("click", () => show(!side.classList.contains("open")));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") show(false);
  });
}

/** A failed request whose answer is not a piece of page must not be put into the page. */
function setUpAddBox() {
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    const type = event.detail.xhr.getResponseHeader("content-type") ?? "";
    if (type.startsWith("text/html")) return;
    event.detail.shouldSwap = false;
    let text = "That did not work. Reload the page and try again.";
    try {
      const { message, action } = JSON.parse(event.detail.xhr.responseText);
      text = `${message} ${action}`;
    } catch {
      // Not our error shape: the general sentence stands.
    }
    showAddError(text);
  });
  document.body.addEventListener("htmx:sendError", () => {
    showAddError("Lede cannot be reached. Check your connection and try again.");
  });
}

/** @param {string} text */
function showAddError(text) {
  const paragraph = document.createElement("p");
  paragraph.className = "error";
  paragraph.textContent = text;
  document.getElementById("add-result")?.replaceChildren(paragraph);
}

/**
 * Sets marks on an item; throws with a sentence for people.
 * @param {string} item
 * @param {{is_read?: boolean, is_starred?: boolean}} marks
 */
async function setMarks(item, marks) {
  const token = document.querySelector('meta[name="csrf-token"]')?.content ?? "";
  const answer = await fetch(`/api/items/${item}/state`, {
    method: "PUT",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": token },
    body: JSON.stringify(marks),
  });
  if (!answer.ok) {
    const error = await answer.json().catch(() => null);
    throw new Error(error ? `${error.message} ${error.action}` : "The mark was not saved.");
  }
  return answer.json();
}

function setUpMarks() {
  const article = document.querySelector("article[data-item]");
  if (!article) return;
  const item = article.dataset.item;
  const problem = article.querySelector(".mark-error");
  const mark = async (marks) => {
    try {
      const now = await setMarks(item, marks);
      problem.hidden = true;
      article.querySelector(".mark-star").setAttribute("aria-pressed", String(now.is_starred));
      article.dataset.marked = now.is_read ? "read" : "unread";
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
  };
  article.querySelector(".mark-star").addEventListener("click", (event) => {
    mark({ is_starred: event.currentTarget.getAttribute("aria-pressed") !== "true" });
  });
  article.querySelector(".mark-unread").addEventListener("click", () => mark({ is_read: false }));
  // Read means seen: after it has been painted, not when it was merely fetched.
  if ("unread" in article.dataset) {
    requestAnimationFrame(() => requestAnimationFrame(() => mark({ is_read: true })));
  }
}

setUpTheme();
setUpDrawer();
setUpAddBox();
setUpMarks();
