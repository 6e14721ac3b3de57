// @ts-check
// What scripts say, in the page's language: the server wrote it into the page.

/** @type {Record<string, string>} */
const words = JSON.parse(document.querySelector('meta[name="words"]')?.getAttribute("content") ?? "{}");
const language = document.documentElement.lang || "en";
const numbers = new Intl.NumberFormat(language);
const moments = new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short" });

/**
 * A message, with `{text}` in it.
 * @param {string} key
 * @param {string} [text]
 */
export function say(key, text = "") {
  return (words[key] ?? key).replaceAll("{text}", text);
}

/** A message about so many things. @param {string} key @param {number} count */
export function sayCount(key, count) {
  return say(`${key}-${count === 1 ? "one" : "other"}`).replaceAll("{count}", number(count));
}

/** A number as people write it. @param {number} count */
export const number = (count) => numbers.format(count);

/** Tells dates in the reader's own time zone; the server knows only its own. @param {ParentNode} place */
export function localiseTimes(place) {
  for (const time of place.querySelectorAll("time[datetime]")) {
    const at = new Date(time.getAttribute("datetime") ?? "");
    if (!Number.isNaN(at.getTime())) time.setAttribute("title", moments.format(at));
  }
}
