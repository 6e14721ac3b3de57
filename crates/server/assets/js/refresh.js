// @ts-check
// Fetching the feeds of the list now.

import { sendJson } from "./api.js";
import { t, tCount } from "./i18n.js";
import { acceptsNewItems, listScope, listUrl } from "./list-scope.js";
import { toast, toastError } from "./toast.js";

/** @param {string} feed */
async function refreshFeed(feed) {
  const close = toast(t("refreshing"));
  /** @type {import("./api.js").RefreshResult} */
  const { new_posts } = await sendJson("POST", `/api/feeds/${feed}/refresh`);
  close();
  if (new_posts > 0) location.assign(listUrl(null));
  else toast(t("refreshed-none"));
}

/** Queues the feeds of a category, or all. @param {string | undefined} category */
async function queueFeeds(category) {
  toast(t("refreshing-all"));
  /** @type {import("./api.js").QueuedFeeds} */
  const { queued } = await sendJson("POST", "/api/feeds/refresh", category ? { category_id: Number(category) } : {});
  toast(queued > 0 ? tCount("fetching", queued) : t("fetched-already"));
}

/** Fetches the feed of the list now, or queues those of a category or all; new items are announced as usual. */
export async function refresh() {
  if (!listScope || !acceptsNewItems()) return;
  try {
    if (listScope.feed) await refreshFeed(listScope.feed);
    else await queueFeeds(listScope.category);
  } catch (error) {
    toastError(error);
  }
}
