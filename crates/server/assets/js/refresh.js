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
  const isShown = listScope()?.feed === feed;
  // The list of the feed has the new items, and says why a fetch failed.
  if (isShown && (new_posts > 0 || errors.length > 0)) await reloadList();
  if (errors.length > 0) toast(t("refresh-failed"), { label: t("why"), href: `/feeds/${feed}` });
  else if (new_posts === 0) toast(t("refreshed-none"));
  else if (!isShown) toast(tCount("new", new_posts));
}

/** Queues the feeds of a category, or all. @param {string | undefined} category */
async function queueFeeds(category) {
  toast(t("refreshing-all"));
  /** @type {import("./api.js").QueuedFeeds} */
  const { queued } = await sendJson("POST", "/api/feeds/refresh", category ? { category_id: Number(category) } : {});
  toast(queued > 0 ? tCount("fetching", queued) : t("fetched-already"));
}

/** Fetches a feed now, or queues those of a category or all; new items are announced as usual. @param {{feed?: string, category?: string}} scope */
export async function refreshScope({ feed, category }) {
  try {
    if (feed) await refreshFeed(feed);
    else await queueFeeds(category);
  } catch (error) {
    toastError(error);
  }
}

/** Fetches the feeds of the list. */
export function refresh() {
  const scope = listScope();
  if (scope && acceptsNewItems()) refreshScope(scope);
}
