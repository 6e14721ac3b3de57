// @ts-check
// Messages for scripts, in the page's language: the server writes them into the page.

/** Messages by key. @type {Record<string, string>} */
const messages = JSON.parse(document.querySelector('meta[name="messages"]')?.getAttribute("content") ?? "{}");
const language = document.documentElement.lang || "en";
const numberFormat = new Intl.NumberFormat(language);
// Regional variants: the browser's own, if its language is that of the page.
const locales = [...navigator.languages.filter((tag) => tag.split("-")[0] === language.split("-")[0]), language];
const dateTimeFormat = new Intl.DateTimeFormat(locales, { dateStyle: "long", timeStyle: "short" });
const timeFormat = new Intl.DateTimeFormat(locales, { timeStyle: "short" });

/**
 * Translates `key`: returns its message with `{text}` replaced.
 * @param {string} key
 * @param {string} [text]
 */
export function t(key, text = "") {
  return (messages[key] ?? key).replaceAll("{text}", text);
}

/** Translates `key` with a count, in singular or plural. @param {string} key @param {number} count */
export function tCount(key, count) {
  return t(`${key}-${count === 1 ? "one" : "other"}`).replaceAll("{count}", number(count));
}

/** Formats a number for the page's language. @param {number} count */
export const number = (count) => numberFormat.format(count);

/** Folds text for comparison: removes case, accents and width, so that é is found by e, and ｶ by カ. @param {string} text */
export const foldText = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/**
 * Shows dates in the user's time zone, which the server does not know. Exact dates (`data-exact`, the `<time>` or a
 * part of it) are rewritten, without the day if that is today.
 * @param {ParentNode} place
 */
export function localiseTimes(place) {
  const today = new Date().toDateString();
  for (const time of place.querySelectorAll("time[datetime]")) {
    const at = new Date(time.getAttribute("datetime") ?? "");
    if (Number.isNaN(at.getTime())) continue;
    time.setAttribute("title", dateTimeFormat.format(at));
    const exact = time.matches("[data-exact]") ? time : time.querySelector("[data-exact]");
    if (exact) exact.textContent = (at.toDateString() === today ? timeFormat : dateTimeFormat).format(at);
  }
}
