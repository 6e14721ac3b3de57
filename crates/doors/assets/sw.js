// @ts-check
// The service worker: makes recently read pages available offline. It caches three things: Lede's own files (for
// ever: their URLs change with their content), pages (the latest response), and the newest unread items, which the
// page asks it to fetch. In place of a page that is not cached it shows one that says so.
// Signing out deletes all of it (`Clear-Site-Data`).

const worker = /** @type {ServiceWorkerGlobalScope & typeof globalThis} */ (/** @type {unknown} */ (self));
const ASSETS = "assets";
const PAGES = "pages";
const ITEMS = "items";
/** Cache key of the page that is shown in place of others. */
const ELSEWHERE = "/offline";
/** Limits on cached assets and pages; the oldest are evicted first. */
const MOST = { [ASSETS]: 60, [PAGES]: 30 };

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));

/** @param {keyof typeof MOST} name @param {Request | string} request @param {Response} answer */
async function keep(name, request, answer) {
  const cache = await caches.open(name);
  await cache.put(request, answer);
  const known = await cache.keys();
  await Promise.all(known.slice(0, Math.max(0, known.length - MOST[name])).map((old) => cache.delete(old)));
}

/** @param {Request} request */
async function assetOf(request) {
  const kept = await caches.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) await keep(ASSETS, request, answer.clone());
  return answer;
}

/** True if a response is the requested page, and not a redirect to the sign-in page. @param {Response} answer */
const isPage = (answer) => answer.ok && !answer.redirected;

/** @param {FetchEvent} event */
async function pageOf(event) {
  const { request } = event;
  try {
    const answer = await fetch(request);
    if (isPage(answer)) event.waitUntil(keep(PAGES, request.url, answer.clone()));
    return answer;
  } catch (error) {
    const kept = (await caches.match(request.url)) ?? (await inPlaceOf(new URL(request.url)));
    if (kept) return kept;
    throw error;
  }
}

/**
 * The response for a page that is not cached: the default list, if that was requested with an item open, otherwise
 * the offline page. A list shown at the URL of another one would be mistaken for it.
 * @param {URL} url
 */
async function inPlaceOf({ pathname, searchParams }) {
  const isUsual = pathname === "/" && [...searchParams.keys()].every((name) => name === "item");
  const list = isUsual ? await caches.match(new URL("/", location.href).href) : undefined;
  return list ?? (await caches.open(ITEMS)).match(ELSEWHERE);
}

/** Fetches, and falls back to the cached response for this path. @param {Request} request @param {string} path */
async function orKept(request, path) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await (await caches.open(ITEMS)).match(path);
    if (kept) return kept;
    throw error;
  }
}

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname.startsWith("/assets/")) event.respondWith(assetOf(request));
  else if (/^\/items\/\d+\/view$/.test(url.pathname)) event.respondWith(orKept(request, url.pathname));
  else if (request.mode === "navigate" && (url.pathname === "/" || /^\/items\/\d+$/.test(url.pathname))) {
    event.respondWith(pageOf(event));
  } else if (request.mode === "navigate" && !url.pathname.startsWith("/api/")) {
    event.respondWith(orKept(request, ELSEWHERE));
  }
});

/** Replaces the cached items by the newest unread ones; caches the page and its files. @param {string} page */
async function keepNewest(page) {
  const answer = await fetch("/offline", { headers: { Accept: "application/json" } });
  if (!isPage(answer)) return;
  const { items, assets, elsewhere } = await answer.json();
  const cache = await caches.open(ITEMS);
  const paths = new Set([ELSEWHERE]);
  const html = { "Content-Type": "text/html; charset=utf-8" };
  const headers = { ...html, "Content-Security-Policy": "default-src 'self'" };
  await cache.put(ELSEWHERE, new Response(elsewhere, { status: 503, headers }));
  for (const { id, html: view } of items) {
    const path = `/items/${id}/view`;
    paths.add(path);
    await cache.put(path, new Response(view, { headers: html }));
  }
  for (const old of await cache.keys()) {
    if (!paths.has(new URL(old.url).pathname)) await cache.delete(old);
  }
  // On the first visit, the page was loaded before there was a worker to cache it.
  for (const path of assets) await assetOf(new Request(path));
  for (const path of new Set([page, new URL("/", location.href).href])) {
    const shown = await fetch(path, { headers: { Accept: "text/html" } });
    if (isPage(shown)) await keep(PAGES, path, shown);
  }
}

worker.addEventListener("message", (event) => {
  if (event.data?.keep) event.waitUntil(keepNewest(event.data.keep).catch(() => {}));
});
