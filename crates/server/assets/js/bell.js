// @ts-check
// The bell: the number of unread notifications, the list of them, and messages about new ones.

import { csrfToken, request, requestHtml, requestJson } from "./api.js";
import { isAllowed, showInBrowser, startBrowserNotifications } from "./browser-notifications.js";
import { closest } from "./dom.js";
import { localiseTimes, number, t } from "./i18n.js";
import { onLive } from "./live-connection.js";
import { toast, toastError } from "./toast.js";

/** @typedef {import("./browser-notifications.js").NewNotification} NewNotification */

/** The server counts no further. */
const MOST_COUNTED = 100;

/** @type {HTMLElement | null} */
const count = document.querySelector(".bell-count");
/** @type {HTMLElement | null} */
const popover = document.querySelector(".bell-list");
/** @type {HTMLElement | null} */
const list = document.querySelector(".bell-items");
/** @type {HTMLButtonElement | null} */
const readAll = document.querySelector(".bell-list .read-all");

/** @param {number} unread */
function showCount(unread) {
  if (!count?.firstElementChild) return;
  count.hidden = unread === 0;
  count.firstElementChild.textContent = unread < MOST_COUNTED ? number(unread) : `${number(MOST_COUNTED - 1)}+`;
  if (readAll) readAll.hidden = unread === 0;
}

async function showList() {
  if (!list) return;
  try {
    list.innerHTML = await requestHtml("/notifications");
    localiseTimes(list);
  } catch {
    list.textContent = list.dataset.failed ?? "";
  }
}

/** Fetches the number from the server, and the list if it is shown. */
async function refresh() {
  if (popover?.matches(":popover-open")) showList();
  try {
    const { unread_count } = await requestJson("/api/notifications?limit=1");
    showCount(unread_count);
  } catch {
    // The number stays as it is until the next connection.
  }
}

/** @param {{unread_count: number, notifications: NewNotification[]}} data */
function showNew({ unread_count, notifications }) {
  showCount(unread_count);
  if (popover?.matches(":popover-open")) showList();
  if (isAllowed()) {
    for (const notification of [...notifications].reverse()) showInBrowser(notification);
    return;
  }
  const [newest] = notifications;
  if (newest) toast(`${newest.feed_title}: ${newest.title}`, { label: t("show"), href: `/items/${newest.item_id}` });
}

/** @param {string} path */
const post = (path) =>
  // `keepalive`: the page may be left at once.
  request(path, { method: "POST", headers: { "X-CSRF-Token": csrfToken() }, keepalive: true });

export function startBell() {
  onLive("open", refresh);
  onLive("counts", refresh);
  onLive("notifications", showNew);
  popover?.addEventListener("toggle", () => {
    if (popover.matches(":popover-open")) showList();
  });
  list?.addEventListener("click", (event) => {
    const id = closest(event.target, "[data-notification]")?.dataset.notification;
    // If this fails, reading the item still reads the notification.
    if (id) post(`/api/notifications/${id}/read`).catch(() => {});
  });
  readAll?.addEventListener("click", async () => {
    try {
      await post("/api/notifications/read");
      // The button disappears, and the focus would be lost.
      popover?.querySelector("a")?.focus();
      await refresh();
    } catch (error) {
      toastError(error);
    }
  });
  startBrowserNotifications();
}
