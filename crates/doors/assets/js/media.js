// @ts-check
// Audio and video resume where they stopped on this device; audio goes on while another item is read.

const KEY = "lede-heard";
/** Limit on stored positions; the file that was started first is dropped first. */
const KEPT = 50;
/** A position this close to the beginning or the end is not stored. */
const EDGE_SECONDS = 10;

/** Interval of storing the position during playback. */
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
    // Storage is full: playback will start at the beginning.
  }
}

/** The bar at the bottom for audio whose item is not shown. */
const line = /** @type {HTMLElement | null} */ (document.querySelector(".playing"));

/** The audio element in that bar. */
const soundInLine = () => line?.querySelector("audio");

/** Stops playback in the bar and hides it. */
function clearLine() {
  const sound = soundInLine();
  if (!line || !sound) return;
  keepPlace(sound);
  sound.remove();
  line.hidden = true;
}

/** Moves playing audio of an item that is about to be removed to the bar, in one step: detached it would stop. */
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

/** Moves playing audio back into its item when that is shown again. */
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
    // Media events do not bubble, but they can be captured.
    document.addEventListener(name, ({ target }) => target instanceof HTMLMediaElement && act(target), true);
  on("loadedmetadata", (media) => {
    const place = places().find(([address]) => address === media.src)?.[1];
    if (place && media.currentTime === 0) media.currentTime = place;
  });
  for (const name of ["pause", "ended"]) on(name, keepPlace);
  on("ended", (media) => media === soundInLine() && clearLine());
  // No event is fired when the element or the page is removed, so the position is also stored during playback.
  let keptAt = 0;
  on("timeupdate", (media) => {
    if (media.paused || performance.now() - keptAt < EVERY_MS) return;
    keptAt = performance.now();
    keepPlace(media);
  });
}
