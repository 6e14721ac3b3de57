// @ts-check
// Fetching the feeds of the list now.

import { sendJson } from "./api.js";
import { t, tCount } from "./i18n.js";
import { reloadList } from "./list-navigation.js";
import { acceptsNewItems, listScope } from "./list-scope.js";
import { toast, toastError } from "./toast.js";

/** @param {string} feed */
async function refreshFeed(feed) {
  const close = toast(t("refreshing"));
  /** @type {import("./api.js").RefreshResult} */
  const { new_posts, errors } = await sendJson("POST", `/api/feeds/${feed}/refresh`);
  close();
  // The list has the new items, and says why a fetch failed.
  if (new_posts > 0 || errors.length > 0) await reloadList();
  if (errors.length > 0) toast(t("refresh-failed"));
  else if (new_posts === 0) toast(t("refreshed-none"));
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
  const scope = listScope();
  if (!scope || !acceptsNewItems()) return;
  try {
    if (scope.feed) await refreshFeed(scope.feed);
    else await queueFeeds(scope.category);
  } catch (error) {
    toastError(error);
  }
}
