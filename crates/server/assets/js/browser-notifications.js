// @ts-check
// Notifications of the browser. The service worker shows them and opens the item on a click (`sw.js`).

import { closest, elements } from "./dom.js";
import { stayConnected } from "./live-connection.js";

/** @typedef {{id: number, item_id: number, title: string, feed_title: string}} NewNotification */

/** Absent without a secure connection, and in some browsers. */
const isSupported = "Notification" in window && "serviceWorker" in navigator;

const permission = () => (isSupported ? Notification.permission : "unsupported");

/** True if the user allowed notifications in this browser. */
export const isAllowed = () => permission() === "granted";

/** Shows a notification; other tabs that show the same one replace it by its tag. @param {NewNotification} notification */
export async function showInBrowser({ item_id, title, feed_title }) {
  const registration = await navigator.serviceWorker.ready;
  const path = `/items/${item_id}`;
  await registration.showNotification(title, { body: feed_title, tag: path, data: { path } });
}

function showPermission() {
  for (const part of elements("[data-permission]")) part.hidden = part.dataset.permission !== permission();
}

async function allow() {
  if ((await Notification.requestPermission()) === "granted") {
    // The pages around the reader do not register it.
    await navigator.serviceWorker.register("/sw.js");
    stayConnected();
  }
  showPermission();
}

export function startBrowserNotifications() {
  showPermission();
  document.addEventListener("click", (event) => {
    if (closest(event.target, ".allow-notifications")) allow();
  });
  // A hidden page has to be connected to hear of them.
  if (isAllowed()) stayConnected();
}
