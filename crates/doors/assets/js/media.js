// @ts-check
// Sound and film go on where one stopped, on this device; sound goes on while something else is read.

const KEY = "lede-heard";
/** Files whose place is kept; the one that was begun first is forgotten first. */
const KEPT = 50;
/** Less than this is no place to return to, and nothing is left of it worth returning for. */
const EDGE_SECONDS = 10;

/** While it plays, the place is kept this often. */
const EVERY_MS = 5000;

/** @returns {[address: string, seconds: number][]} */
function places() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

/** @param {HTMLMediaElement} media */
function keepPlace({ src, currentTime, duration }) {
  const others = places().filter(([address]) => address !== src);
  const isWithin = currentTime > EDGE_SECONDS && !(currentTime > duration - EDGE_SECONDS);
  if (isWithin) others.push([src, Math.floor(currentTime)]);
  try {
    localStorage.setItem(KEY, JSON.stringify(others.slice(-KEPT)));
  } catch {
    // No room: it begins at the beginning.
  }
}

/** The line at the foot of the page for what plays while its item is not shown. */
const line = /** @type {HTMLElement | null} */ (document.querySelector(".playing"));

/** What plays in that line. */
const soundInLine = () => line?.querySelector("audio");

/** Nothing plays there any more. */
function clearLine() {
  const sound = soundInLine();
  if (!line || !sound) return;
  keepPlace(sound);
  sound.remove();
  line.hidden = true;
}

/** What plays in an item that is about to leave the page moves to the line, in one go: out of the page it would stop. */
export function keepPlaying() {
  const sound = [...document.querySelectorAll("audio")].find(({ paused, ended }) => !paused && !ended);
  const article = sound?.closest("article");
  const name = line?.querySelector(".name");
  if (!line || !sound || !article || !name) return;
  clearLine();
  name.textContent = article.querySelector(".article-title")?.textContent?.trim() ?? "";
  name.after(sound);
  line.hidden = false;
}

/** The item is shown again: what plays goes on in it. */
export function takeBack() {
  const sound = soundInLine();
  const place = [...document.querySelectorAll("audio")].find((other) => other !== sound && other.src === sound?.src);
  if (!line || !sound || !place) return;
  place.replaceWith(sound);
  line.hidden = true;
}

export function startMedia() {
  line?.querySelector(".stop")?.addEventListener("click", clearLine);
  /** @param {string} name @param {(media: HTMLMediaElement) => void} act */
  const on = (name, act) =>
    // Media events do not rise, but they come down.
    document.addEventListener(name, ({ target }) => target instanceof HTMLMediaElement && act(target), true);
  on("loadedmetadata", (media) => {
    const place = places().find(([address]) => address === media.src)?.[1];
    if (place && media.currentTime === 0) media.currentTime = place;
  });
  for (const name of ["pause", "ended"]) on(name, keepPlace);
  on("ended", (media) => media === soundInLine() && clearLine());
  // What is taken out of the page, or left with it, says nothing any more: so now and then while it plays.
  let keptAt = 0;
  on("timeupdate", (media) => {
    if (media.paused || performance.now() - keptAt < EVERY_MS) return;
    keptAt = performance.now();
    keepPlace(media);
  });
}
