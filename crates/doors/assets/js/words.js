// @ts-check
// Messages for scripts, in the page's language: the server writes them into the page.

/** @type {Record<string, string>} */
const words = JSON.parse(document.querySelector('meta[name="words"]')?.getAttribute("content") ?? "{}");
const language = document.documentElement.lang || "en";
const numbers = new Intl.NumberFormat(language);
// Regional variants: the browser's own, if its language is that of the page.
const places = [...navigator.languages.filter((tag) => tag.split("-")[0] === language.split("-")[0]), language];
const moments = new Intl.DateTimeFormat(places, { dateStyle: "long", timeStyle: "short" });
const hours = new Intl.DateTimeFormat(places, { timeStyle: "short" });

/**
 * A message, with `{text}` replaced.
 * @param {string} key
 * @param {string} [text]
 */
export function say(key, text = "") {
  return (words[key] ?? key).replaceAll("{text}", text);
}

/** A message with a count, in singular or plural. @param {string} key @param {number} count */
export function sayCount(key, count) {
  return say(`${key}-${count === 1 ? "one" : "other"}`).replaceAll("{count}", number(count));
}

/** Formats a number for the page's language. @param {number} count */
export const number = (count) => numbers.format(count);

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
    time.setAttribute("title", moments.format(at));
    const exact = time.matches("[data-exact]") ? time : time.querySelector("[data-exact]");
    if (exact) exact.textContent = (at.toDateString() === today ? hours : moments).format(at);
  }
}
