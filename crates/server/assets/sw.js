// @ts-check
// The service worker: makes recently read pages available offline. It caches three things: Lede's own files (for
// ever: their URLs change with their content), pages (the latest response), and the newest unread items, which the
// page asks it to fetch. In place of a page that is not cached it shows one that says so.
// Signing out deletes all of it (`Clear-Site-Data`). It also opens the item of a notification that was clicked.

/**
 * Response of `GET /offline`: the newest unread items, the URLs of Lede's files, and the HTML of the offline page.
 * @typedef {{items: {id: number, html: string}[], assets: string[], offline_page: string}} OfflineContent
 */

const worker = /** @type {ServiceWorkerGlobalScope & typeof globalThis} */ (/** @type {unknown} */ (self));
const ASSETS = "assets";
const PAGES = "pages";
const ITEMS = "items";
/** Cache key of the page that is shown in place of others. */
const OFFLINE_PAGE = "/offline";
/**
 * Limits on entries; the oldest are evicted first. The files of two versions fit in: after an update, cached pages
 * refer to those of the previous one.
 */
const LIMITS = { [ASSETS]: 120, [PAGES]: 30 };

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));

/** @param {keyof typeof LIMITS} name @param {Request | string} request @param {Response} response */
async function putLimited(name, request, response) {
  const cache = await caches.open(name);
  await cache.put(request, response);
  const keys = await cache.keys();
  await Promise.all(keys.slice(0, Math.max(0, keys.length - LIMITS[name])).map((oldest) => cache.delete(oldest)));
}

/** @param {Request} request */
async function cacheFirst(request) {
  const cached = await caches.match(request);
  if (cached) return cached;
  const response = await fetch(request);
  if (response.ok) await putLimited(ASSETS, request, response.clone());
  return response;
}

/** True if a response is the requested page, and not a redirect to the sign-in page. @param {Response} response */
const isPage = (response) => response.ok && !response.redirected;

/** Fetches a page and caches it; without a network, answers from the cache. @param {FetchEvent} event */
async function pageNetworkFirst(event) {
  const { request } = event;
  try {
    const response = await fetch(request);
    if (isPage(response)) event.waitUntil(putLimited(PAGES, request.url, response.clone()));
    return response;
  } catch (error) {
    const cached = (await caches.match(request.url)) ?? (await pageFallback(new URL(request.url)));
    if (cached) return cached;
    throw error;
  }
}

/**
 * The response for a page that is not cached: the default list, if that was requested with an item open, otherwise
 * the offline page. A list shown at the URL of another one would be mistaken for it.
 * @param {URL} url
 */
async function pageFallback({ pathname, searchParams }) {
  const isDefaultList = pathname === "/" && [...searchParams.keys()].every((name) => name === "item");
  const list = isDefaultList ? await caches.match(new URL("/", location.href).href) : undefined;
  return list ?? (await caches.open(ITEMS)).match(OFFLINE_PAGE);
}

/** Fetches, and falls back to the cached item or page at `path`. @param {Request} request @param {string} path */
async function networkFirst(request, path) {
  try {
    return await fetch(request);
  } catch (error) {
    const cached = await (await caches.open(ITEMS)).match(path);
    if (cached) return cached;
    throw error;
  }
}

/** Fetches a list without the page around it and caches it. @param {FetchEvent} event */
async function listNetworkFirst(event) {
  const { request } = event;
  try {
    const response = await fetch(request);
    if (isPage(response)) event.waitUntil(putLimited(PAGES, request.url, response.clone()));
    return response;
  } catch (error) {
    const cached = await caches.match(request.url);
    if (cached) return cached;
    throw error;
  }
}

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname.startsWith("/assets/")) event.respondWith(cacheFirst(request));
  else if (/^\/items\/\d+\/view$/.test(url.pathname)) event.respondWith(networkFirst(request, url.pathname));
  else if (url.pathname === "/list/page") event.respondWith(listNetworkFirst(event));
  else if (request.mode === "navigate" && (url.pathname === "/" || /^\/items\/\d+$/.test(url.pathname))) {
    event.respondWith(pageNetworkFirst(event));
  } else if (request.mode === "navigate" && !url.pathname.startsWith("/api/")) {
    event.respondWith(networkFirst(request, OFFLINE_PAGE));
  }
});

/** Replaces the cached items by the newest unread ones; caches the page and its files. @param {string} page */
async function cacheNewest(page) {
  const response = await fetch("/offline", { headers: { Accept: "application/json" } });
  if (!isPage(response)) return;
  /** @type {OfflineContent} */
  const { items, assets, offline_page } = await response.json();
  const cache = await caches.open(ITEMS);
  const paths = new Set([OFFLINE_PAGE]);
  const html = { "Content-Type": "text/html; charset=utf-8" };
  const headers = { ...html, "Content-Security-Policy": "default-src 'self'" };
  await cache.put(OFFLINE_PAGE, new Response(offline_page, { status: 503, headers }));
  for (const { id, html: view } of items) {
    const path = `/items/${id}/view`;
    paths.add(path);
    await cache.put(path, new Response(view, { headers: html }));
  }
  for (const old of await cache.keys()) {
    if (!paths.has(new URL(old.url).pathname)) await cache.delete(old);
  }
  // On the first visit, the page was loaded before there was a worker to cache it.
  for (const path of assets) await cacheFirst(new Request(path));
  for (const path of new Set([page, new URL("/", location.href).href])) {
    const shown = await fetch(path, { headers: { Accept: "text/html" } });
    if (isPage(shown)) await putLimited(PAGES, path, shown);
  }
}

worker.addEventListener("message", (event) => {
  if (event.data?.cachePage) event.waitUntil(cacheNewest(event.data.cachePage).catch(() => {}));
});

/** Shows `path` in the tab that was used last, or in a new one. @param {string} path */
async function openPath(path) {
  const [tab] = await worker.clients.matchAll({ type: "window" });
  if (!tab) return worker.clients.openWindow(path);
  await tab.focus();
  return tab.navigate(path);
}

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPath(event.notification.data.path));
});
