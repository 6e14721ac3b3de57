// @ts-check
// What scripts say, in the page's language: the server wrote it into the page.

/** @type {Record<string, string>} */
const words = JSON.parse(document.querySelector('meta[name="words"]')?.getAttribute("content") ?? "{}");
const language = document.documentElement.lang || "en";
const numbers = new Intl.NumberFormat(language);
// English is written in several ways: as the browser's owner writes it, where that is the page's language.
const places = [...navigator.languages.filter((tag) => tag.split("-")[0] === language.split("-")[0]), language];
const moments = new Intl.DateTimeFormat(places, { dateStyle: "long", timeStyle: "short" });
const hours = new Intl.DateTimeFormat(places, { timeStyle: "short" });

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

/**
 * Tells dates in the reader's own time zone; the server knows only its own. What is exact (`data-exact`, the
 * `<time>` or a part of it) is written anew, without the day where that is today.
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
