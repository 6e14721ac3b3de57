// @ts-check
// Players of other sites: a card of the cleaner (`figure.lede-embed > a`) gets a button that loads the player. Nothing
// is requested before. A publisher can write such a card too, so only the address of the link decides.

import { fragment } from "./dom.js";
import { t } from "./i18n.js";

/**
 * Addresses of players by the hosts of their pages. The hosts of the players are those in the content security policy
 * (`middleware/headers.rs`).
 * @type {Record<string, ((page: URL) => string | null) | undefined>}
 */
const PLAYERS = {
  "www.youtube.com": youtube,
  "vimeo.com": vimeo,
  "open.spotify.com": ({ pathname }) => `https://open.spotify.com/embed${pathname}`,
  "podcasts.apple.com": ({ pathname, search }) => `https://embed.podcasts.apple.com${pathname}${search}`,
  "soundcloud.com": ({ href }) => `https://w.soundcloud.com/player/?url=${encodeURIComponent(href)}`,
};

/** Sound needs less height than video. */
const OF_SOUND = /spotify|podcasts|soundcloud/;

/** @param {URL} page */
function youtube({ pathname, searchParams }) {
  const player = "https://www.youtube-nocookie.com/embed/";
  const [id, list] = [searchParams.get("v"), searchParams.get("list")];
  if (pathname === "/playlist" && list) return `${player}videoseries?list=${encodeURIComponent(list)}`;
  const start = Number.parseInt(searchParams.get("t") ?? "", 10);
  return pathname === "/watch" && id ? `${player}${encodeURIComponent(id)}${start > 0 ? `?start=${start}` : ""}` : null;
}

/** @param {URL} page */
function vimeo({ pathname }) {
  const [, id, key] = /^\/(\d+)(?:\/(\w+))?$/.exec(pathname) ?? [];
  return id ? `https://player.vimeo.com/video/${id}${key ? `?h=${key}` : ""}` : null;
}

/** The address of the player for a page; null if it is not known. @param {HTMLAnchorElement} link */
const playerOf = ({ protocol, host, href }) => (protocol === "https:" ? (PLAYERS[host]?.(new URL(href)) ?? null) : null);

/** Adds a button to each card whose player is known. @param {ParentNode} root */
export function addPlayButtons(root) {
  for (const link of root.querySelectorAll("figure.lede-embed > a")) {
    const isDone = link.parentElement?.querySelector(".play-here, iframe");
    if (!(link instanceof HTMLAnchorElement) || isDone || !playerOf(link)) continue;
    const button = Object.assign(document.createElement("button"), { type: "button", className: "play-here", textContent: t("play-here") });
    link.after(button);
  }
}

/** Loads the player of a card in place of its button. @param {HTMLElement} button */
export function playHere(button) {
  const link = button.parentElement?.querySelector("a");
  const src = link && playerOf(link);
  if (!src) return;
  // No-referrer, as everywhere, makes YouTube refuse to play; it gets the origin only.
  const frame = fragment('<iframe sandbox="allow-scripts allow-same-origin allow-popups allow-presentation" allow="autoplay; encrypted-media; fullscreen; picture-in-picture" allowfullscreen referrerpolicy="strict-origin"></iframe>').firstElementChild;
  if (!(frame instanceof HTMLIFrameElement)) return;
  frame.className = OF_SOUND.test(src) ? "player sound" : "player";
  frame.title = link.textContent ?? "";
  frame.src = src;
  button.replaceWith(frame);
  frame.focus();
}
