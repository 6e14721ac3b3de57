// @ts-check
// The service worker: what was read last can be opened without a network. It keeps three things:
// Lede's own files (for ever: their addresses change with them), pages (the newest answer), and the newest
// unread items, which the page asks it to fetch. Other pages are not kept: what is shown in their place says so.
// Whoever signs out takes all of it away (`Clear-Site-Data`).

const worker = /** @type {ServiceWorkerGlobalScope & typeof globalThis} */ (/** @type {unknown} */ (self));
const ASSETS = "assets";
const PAGES = "pages";
const ITEMS = "items";
/** Under which the page is kept that is shown in place of others. */
const ELSEWHERE = "/offline";
/** Pages and assets that are kept, the oldest going first. */
const MOST = { [ASSETS]: 60, [PAGES]: 30 };

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));

/** @param {keyof MOST} name @param {Request | string} request @param {Response} answer */
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

/** Whether an answer is the page that was asked for, and not a way round by the sign-in page. @param {Response} answer */
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
 * What is shown in place of a page that is not kept: the usual list, if that was asked for with an item open,
 * and otherwise what says so. A list under the address of another would be taken for it.
 * @param {URL} url
 */
async function inPlaceOf({ pathname, searchParams }) {
  const isUsual = pathname === "/" && [...searchParams.keys()].every((name) => name === "item");
  const list = isUsual ? await caches.match(new URL("/", location.href).href) : undefined;
  return list ?? (await caches.open(ITEMS)).match(ELSEWHERE);
}

/** The answer, or what is kept under this path if there is none. @param {Request} request @param {string} path */
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

/** The newest unread items, and the page with its files, in place of those of before. @param {string} page */
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
  // The first visit came before there was a worker to keep it.
  for (const path of assets) await assetOf(new Request(path));
  for (const path of new Set([page, new URL("/", location.href).href])) {
    const shown = await fetch(path, { headers: { Accept: "text/html" } });
    if (isPage(shown)) await keep(PAGES, path, shown);
  }
}

worker.addEventListener("message", (event) => {
  if (event.data?.keep) event.waitUntil(keepNewest(event.data.keep).catch(() => {}));
});
