// @ts-check
// Audio and video resume where they stopped on this device; audio goes on while another item is read.

const KEY = "lede-heard";
/** Limit on stored positions; the file that was started first is dropped first. */
const MAX_POSITIONS = 50;
/** A position this close to the beginning or the end is not stored. */
const EDGE_SECONDS = 10;

/** Interval of storing the position during playback. */
const SAVE_EVERY_MS = 5000;

/** @returns {[url: string, seconds: number][]} */
function positions() {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(stored) ? stored : [];
  } catch {
    return [];
  }
}

/** @param {HTMLMediaElement} media */
function savePosition({ src, currentTime, duration }) {
  const others = positions().filter(([url]) => url !== src);
  const isWithin = currentTime > EDGE_SECONDS && !(currentTime > duration - EDGE_SECONDS);
  if (isWithin) others.push([src, Math.floor(currentTime)]);
  try {
    localStorage.setItem(KEY, JSON.stringify(others.slice(-MAX_POSITIONS)));
  } catch {
    // Storage is full: playback will start at the beginning.
  }
}

/** The bar at the bottom for audio whose item is not shown. @type {HTMLElement | null} */
const player = document.querySelector(".playing");

/** The audio element in that bar. */
const playerAudio = () => player?.querySelector("audio");

/** Stops playback in the bar and hides it. */
function closePlayer() {
  const sound = playerAudio();
  if (!player || !sound) return;
  savePosition(sound);
  sound.remove();
  player.hidden = true;
}

/** Moves playing audio of an item that is about to be removed to the bar, in one step: detached it would stop. */
export function keepPlaying() {
  const sound = [...document.querySelectorAll("audio")].find(({ paused, ended }) => !paused && !ended);
  const article = sound?.closest("article");
  const name = player?.querySelector(".name");
  if (!player || !sound || !article || !name) return;
  closePlayer();
  name.textContent = article.querySelector(".article-title")?.textContent?.trim() ?? "";
  name.after(sound);
  player.hidden = false;
}

/** Moves playing audio back into its item when that is shown again. */
export function resumeInArticle() {
  const sound = playerAudio();
  const copy = [...document.querySelectorAll("audio")].find((other) => other !== sound && other.src === sound?.src);
  if (!player || !sound || !copy) return;
  copy.replaceWith(sound);
  player.hidden = true;
}

export function startMedia() {
  player?.querySelector(".stop")?.addEventListener("click", closePlayer);
  /** @param {string} name @param {(media: HTMLMediaElement) => void} act */
  const on = (name, act) =>
    // Media events do not bubble, but they can be captured.
    document.addEventListener(name, ({ target }) => target instanceof HTMLMediaElement && act(target), true);
  on("loadedmetadata", (media) => {
    const position = positions().find(([url]) => url === media.src)?.[1];
    if (position && media.currentTime === 0) media.currentTime = position;
  });
  for (const name of ["pause", "ended"]) on(name, savePosition);
  on("ended", (media) => media === playerAudio() && closePlayer());
  // No event is fired when the element or the page is removed, so the position is also stored during playback.
  let savedAt = 0;
  on("timeupdate", (media) => {
    if (media.paused || performance.now() - savedAt < SAVE_EVERY_MS) return;
    savedAt = performance.now();
    savePosition(media);
  });
}
