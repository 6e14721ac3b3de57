// @ts-check
// Queue of marks for the server. They are stored before they are sent, so that neither a lost connection nor a closed
// window loses one; sending is repeated until the server has responded.

import { Refused, send } from "./api.js";

/** @typedef {{is_read?: boolean, is_starred?: boolean}} Marks */
/** Change of the feed's unread count by a mark. @typedef {{feed?: string, change?: number}} Counted */
/** @typedef {Marks & Counted & {user: number, item: number, at: number}} Waiting */

const DATABASE = "lede";
const STORE = "marks";
/** Delay between two attempts while the server does not accept them. */
const TRY_AGAIN_MS = 15_000;

const user = Number(/** @type {HTMLElement | null} */ (document.querySelector(".app"))?.dataset.user ?? 0);

/** The queue in memory, used alone if the browser stores nothing. @type {Map<number, Waiting>} */
const inPage = new Map();

/** @type {Promise<IDBDatabase | null>} */
const database = new Promise((resolve) => {
  try {
    const opening = indexedDB.open(DATABASE, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: ["user", "item"] });
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => resolve(null);
    opening.onblocked = () => resolve(null);
  } catch {
    resolve(null);
  }
});

/**
 * Runs `work` in a transaction on the stored queue; resolves with its result once everything is written.
 * @template T
 * @param {IDBDatabase} db
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => T} work
 * @returns {Promise<T>}
 */
function inStore(db, mode, work) {
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(STORE, mode);
    const begun = work(transaction.objectStore(STORE));
    transaction.oncomplete = () => resolve(begun);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** @returns {Promise<Waiting[]>} oldest first */
async function waiting() {
  const db = await database;
  /** @type {Waiting[]} */
  const all = db ? (await inStore(db, "readonly", (store) => store.getAll())).result : [...inPage.values()];
  return all.filter((mark) => mark.user === user).sort((one, other) => one.at - other.at);
}

/**
 * Merges a mark with the queued one of its item, which another tab or an earlier page may have stored.
 * @param {Waiting} mark
 */
async function add(mark) {
  inPage.set(mark.item, { ...inPage.get(mark.item), ...mark });
  const db = await database;
  if (!db) return;
  await inStore(db, "readwrite", (store) => {
    const found = store.get([mark.user, mark.item]);
    found.onsuccess = () => store.put({ ...found.result, ...mark, change: (found.result?.change ?? 0) + (mark.change ?? 0) });
  });
}

/** Removes a mark, unless it was changed after it was sent. @param {Waiting} sent */
async function remove(sent) {
  if (inPage.get(sent.item)?.at === sent.at) inPage.delete(sent.item);
  const db = await database;
  if (!db) return;
  await inStore(db, "readwrite", (store) => {
    const found = store.get([sent.user, sent.item]);
    found.onsuccess = () => {
      if (found.result?.at === sent.at) store.delete([sent.user, sent.item]);
    };
  });
}

/** @type {(count: number, isSignedOut: boolean) => void} */
let tellCount = () => {};
/** @type {(item: number, error: Refused) => void} */
let tellRefused = () => {};
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Lets only one tab send at a time. @param {() => Promise<void>} work */
const alone = (work) => (navigator.locks ? navigator.locks.request("lede-marks", work) : work());

/** Sends the queue; marks that are not accepted stay in it. */
export function flush() {
  clearTimeout(timer);
  return alone(async () => {
    let left = await waiting();
    let isStuck = false;
    let isSignedOut = false;
    for (const mark of left) {
      const { item, is_read, is_starred } = mark;
      try {
        await send("PUT", `/api/items/${item}/state`, { is_read, is_starred });
        await remove(mark);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (error.isPassing || error.status === 401 || error.status === 403) {
          isStuck = true;
          isSignedOut = !error.isPassing;
          if (isSignedOut) tellRefused(item, error);
          break;
        }
        // The item is gone, or the mark is invalid: dropping it loses nothing.
        await remove(mark);
        tellRefused(item, error);
      }
    }
    left = await waiting();
    // Another tab may have sent marks of this one.
    for (const item of inPage.keys()) {
      if (!left.some((mark) => mark.item === item)) inPage.delete(item);
    }
    tellCount(isStuck ? left.length : 0, isSignedOut);
    // Marks that were added meanwhile are sent by the tab that added them.
    if (isStuck && left.length > 0) timer = setTimeout(flush, TRY_AGAIN_MS);
  });
}

/** True if the server does not know all marks of this page yet. */
export const hasWaiting = () => inPage.size > 0;

/** Stores a mark and sends it. @param {number} item @param {Marks} marks @param {Counted} [counted] */
export async function enqueue(item, marks, counted) {
  await add({ ...marks, ...counted, user, item, at: Date.now() + Math.random() });
  await flush();
}

/**
 * @param {(count: number, isSignedOut: boolean) => void} onCount gets the number of marks that could not be sent
 * @param {(item: number, error: Refused) => void} onRefused gets a mark that was rejected
 * @param {(mark: Waiting) => void} onKept gets a mark that was queued by an earlier page
 */
export async function startQueue(onCount, onRefused, onKept) {
  tellCount = onCount;
  tellRefused = onRefused;
  addEventListener("online", flush);
  const kept = await waiting();
  for (const mark of kept) {
    inPage.set(mark.item, mark);
    onKept(mark);
  }
  if (kept.length > 0) await flush();
}
