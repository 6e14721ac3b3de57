// @ts-check
// The reading view's own script: the theme, the add box, the marks on an open item, and what comes
// while the page is open. The drawer on phones needs none: it is a popover.

/** @typedef {"system" | "light" | "dark"} Theme */
/** @typedef {{is_read?: boolean, is_starred?: boolean}} Marks */
/** @typedef {{feed_id: number, new: number, unread: number, unread_total: number}} Arrived */

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

/** What the tree counts for a feed, or for all of them. @param {string} place */
function unreadIn(place) {
  return Number(document.querySelector(`[data-unread-in="${place}"]`)?.firstElementChild?.textContent ?? 0);
}

/** Every number on the screen is true: sets what the tree counts. @param {string} place @param {number} unread */
function setCount(place, unread) {
  const count = /** @type {HTMLElement | null} */ (document.querySelector(`[data-unread-in="${place}"]`));
  const number = count?.firstElementChild;
  if (!count || !number) return;
  number.textContent = String(unread);
  count.hidden = unread === 0;
}

/** @param {string[]} places @param {number} by */
function changeCounts(places, by) {
  for (const place of places) setCount(place, Math.max(0, unreadIn(place) + by));
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

/** How long after a refusal the page asks again to be told. */
const ASK_AGAIN_MS = 60_000;

/**
 * Says what has come since the page was loaded, and keeps the tree's numbers true. Only a page that is
 * looked at listens: browsers have few connections to one server, and every tab would take one.
 */
function setUpNews() {
  const place = /** @type {HTMLElement | null} */ (document.querySelector(".news"));
  if (!place) return;
  const shown = /** @type {HTMLElement | null} */ (document.querySelector(".list-head"))?.dataset.feed;
  /** @type {EventSource | null} */
  let source = null;
  let hasListened = false;
  let waiting = 0;

  /** @param {number} more */
  const tell = (more) => {
    if (more <= 0) return;
    waiting += more;
    const link = document.createElement("a");
    link.href = place.dataset.show ?? "/";
    const words = document.createElement("strong");
    words.textContent = waiting === 1 ? "1 new item" : `${waiting} new items`;
    const show = document.createElement("span");
    show.className = "show";
    show.textContent = "Show";
    link.append(words, " — ", show);
    place.replaceChildren(link);
  };

  /** @param {Arrived} arrived */
  const take = (arrived) => {
    setCount(String(arrived.feed_id), arrived.unread);
    setCount("all", arrived.unread_total);
    if (!shown || shown === String(arrived.feed_id)) tell(arrived.new);
  };

  /** Nobody told this page what came while nobody looked at it. */
  const catchUp = async () => {
    const answer = await fetch("/api/feeds").catch(() => null);
    if (!answer?.ok) return;
    const before = unreadIn(shown ?? "all");
    let total = 0;
    for (const feed of await answer.json()) {
      setCount(String(feed.id), feed.unread_count);
      total += feed.unread_count;
    }
    setCount("all", total);
    tell(unreadIn(shown ?? "all") - before);
  };

  const listen = () => {
    if (source || document.hidden) return;
    const opened = new EventSource("/api/events");
    source = opened;
    opened.addEventListener("open", () => {
      if (hasListened) catchUp();
      hasListened = true;
      place.dataset.listens = "";
    });
    opened.addEventListener("arrived", (event) => take(JSON.parse(event.data)));
    opened.addEventListener("error", () => {
      // Otherwise the browser connects again by itself.
      if (opened.readyState !== EventSource.CLOSED) return;
      if (source === opened) source = null;
      setTimeout(listen, ASK_AGAIN_MS);
    });
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      source?.close();
      source = null;
    } else {
      listen();
    }
  });
  // A page that the browser keeps for "back" must not keep a connection.
  addEventListener("pagehide", () => source?.close());
  listen();
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
setUpNews();
setUpScrollers();
