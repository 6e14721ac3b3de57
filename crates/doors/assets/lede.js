// @ts-check
// The reading view's own script: the theme, the add box, and the marks on an open item. The drawer
// on phones needs none: it is a popover.

/** @typedef {"system" | "light" | "dark"} Theme */
/** @typedef {{is_read?: boolean, is_starred?: boolean}} Marks */

/** The next theme after each. @type {Record<Theme, Theme>} */
const NEXT_THEME = { system: "light", light: "dark", dark: "system" };

/** @type {Record<Theme, string>} */
const THEME_WORDS = { system: "as the system", light: "light", dark: "dark" };

function setUpTheme() {
  const root = document.documentElement;
  const button = /** @type {HTMLElement | null} */ (document.querySelector("button.theme"));
  if (!button) return;
  const current = () => /** @type {Theme} */ (root.dataset.theme ?? "system");
  const tell = () => {
    button.title = `Theme: ${THEME_WORDS[current()]}`;
    const words = button.querySelector(".hidden");
    if (words) words.textContent = button.title;
  };
  button.addEventListener("click", () => {
    const theme = NEXT_THEME[current()];
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    tell();
    try {
      if (theme === "system") localStorage.removeItem("theme");
      else localStorage.setItem("theme", theme);
    } catch {
      // Storage is forbidden here: the choice lasts as long as the page.
    }
  });
  tell();
}

/** A drawer that is open when the window grows would float over the list. */
function setUpDrawer() {
  const side = document.getElementById("side");
  matchMedia("(min-width: 700px)").addEventListener("change", () => side?.hidePopover());
}

/** A failed request whose answer is not a piece of page must not be put into the page. */
function setUpAddBox() {
  const field = document.getElementById("add-url");
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    const { detail } = /** @type {CustomEvent} */ (event);
    field?.setAttribute("aria-invalid", "true");
    const type = detail.xhr.getResponseHeader("content-type") ?? "";
    if (type.startsWith("text/html")) return;
    detail.shouldSwap = false;
    showAddError(sentences(detail.xhr.responseText) ?? "That did not work. Reload the page and try again.");
  });
  document.body.addEventListener("htmx:sendError", () => {
    showAddError("Lede cannot be reached. Check your connection and try again.");
  });
  field?.addEventListener("input", () => field.removeAttribute("aria-invalid"));
}

/** What an answer in Lede's error shape says. @param {string} text */
function sentences(text) {
  try {
    const { message, action } = JSON.parse(text);
    return message && action ? `${message} ${action}` : null;
  } catch {
    return null;
  }
}

/** @param {string} text */
function showAddError(text) {
  const paragraph = document.createElement("p");
  paragraph.className = "error";
  paragraph.textContent = text;
  document.getElementById("add-result")?.replaceChildren(paragraph);
}

/** Thrown with a sentence for people. */
class MarkError extends Error {
  /** @param {string} message @param {boolean} signedOut */
  constructor(message, signedOut) {
    super(message);
    this.signedOut = signedOut;
  }
}

/**
 * Sets marks on an item and gives all of them as they are now.
 * @param {string} item
 * @param {Marks} marks
 * @returns {Promise<Required<Marks>>}
 */
async function setMarks(item, marks) {
  const token = document.querySelector('meta[name="csrf-token"]')?.getAttribute("content") ?? "";
  let answer;
  try {
    answer = await fetch(`/api/items/${item}/state`, {
      method: "PUT",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": token },
      body: JSON.stringify(marks),
    });
  } catch {
    throw new MarkError("The mark was not saved: Lede cannot be reached.", false);
  }
  if (answer.ok) return answer.json();
  const text = sentences(await answer.text()) ?? "Try again in a moment.";
  throw new MarkError(`The mark was not saved. ${text}`, answer.status === 401);
}

/** Every number on the screen is true: changes what the tree counts. @param {string[]} places @param {number} by */
function changeCounts(places, by) {
  for (const place of places) {
    const count = /** @type {HTMLElement | null} */ (document.querySelector(`[data-unread-in="${place}"]`));
    const number = count?.firstElementChild;
    if (!count || !number) continue;
    const unread = Math.max(0, Number(number.textContent) + by);
    number.textContent = String(unread);
    count.hidden = unread === 0;
  }
}

function setUpMarks() {
  const article = /** @type {HTMLElement | null} */ (document.querySelector("article[data-item]"));
  const star = article?.querySelector(".mark-star");
  const unread = article?.querySelector(".mark-unread");
  const words = unread?.querySelector("span");
  const problem = /** @type {HTMLElement | null} */ (article?.querySelector(".mark-error"));
  if (!article || !star || !unread || !words || !problem) return;
  const { item = "", feed = "" } = article.dataset;
  let isRead = !("unread" in article.dataset);

  /** @param {Marks} marks */
  const mark = async (marks) => {
    try {
      const now = await setMarks(item, marks);
      problem.hidden = true;
      star.setAttribute("aria-pressed", String(now.is_starred));
      if (now.is_read !== isRead) changeCounts(["all", feed], now.is_read ? -1 : 1);
      isRead = now.is_read;
      words.textContent = isRead ? "Mark unread" : "Mark read";
      article.dataset.marked = isRead ? "read" : "unread";
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
      if (error instanceof MarkError && error.signedOut) {
        const link = document.createElement("a");
        link.href = `/auth/login?next=${encodeURIComponent(location.pathname)}`;
        link.textContent = "Sign in";
        problem.append(" ", link);
      }
      problem.hidden = false;
    }
  };
  star.addEventListener("click", () => mark({ is_starred: star.getAttribute("aria-pressed") !== "true" }));
  unread.addEventListener("click", () => mark({ is_read: !isRead }));
  // Read means seen: after it has been painted, not when it was merely fetched.
  if (!isRead) requestAnimationFrame(() => requestAnimationFrame(() => mark({ is_read: true })));
}

/** What scrolls sideways inside the text can be reached, and so scrolled, by keyboard. */
function setUpScrollers() {
  for (const box of document.querySelectorAll(".text :is(pre, table)")) {
    if (box.scrollWidth > box.clientWidth) box.setAttribute("tabindex", "0");
  }
}

// A page that comes back from the browser's memory shows marks and counts of before.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

setUpTheme();
setUpDrawer();
setUpAddBox();
setUpMarks();
setUpScrollers();
