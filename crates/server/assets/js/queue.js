// @ts-check
// Queue of marks for the server. They are stored before they are sent, so that neither a lost connection nor a closed
// window loses one; sending is repeated until the server has responded.

import { ApiError, sendJson } from "./api.js";

/** @typedef {import("./api.js").Marks} Marks */
/** Change of a feed's unread count by a mark. @typedef {{feed?: string, change?: number}} CountChange */
/** @typedef {Marks & CountChange & {user: number, item: number, at: number}} QueuedMark */

const DATABASE = "lede";
const STORE = "marks";
/** Delay between two attempts while the server does not accept them. */
const RETRY_MS = 15_000;

const user = Number(document.querySelector(".app")?.getAttribute("data-user") ?? 0);

/** The queue in memory, used alone if the browser stores nothing. @type {Map<number, QueuedMark>} */
const inMemory = new Map();

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

/** @returns {Promise<QueuedMark[]>} oldest first */
async function queuedMarks() {
  const db = await database;
  /** @type {QueuedMark[]} */
  const all = db ? (await inStore(db, "readonly", (store) => store.getAll())).result : [...inMemory.values()];
  return all.filter((mark) => mark.user === user).sort((one, other) => one.at - other.at);
}

/**
 * Merges a mark with the queued one of its item, which another tab or an earlier page may have stored.
 * @param {QueuedMark} mark
 */
async function add(mark) {
  inMemory.set(mark.item, { ...inMemory.get(mark.item), ...mark });
  const db = await database;
  if (!db) return;
  await inStore(db, "readwrite", (store) => {
    const found = store.get([mark.user, mark.item]);
    found.onsuccess = () => store.put({ ...found.result, ...mark, change: (found.result?.change ?? 0) + (mark.change ?? 0) });
  });
}

/** Removes a mark, unless it was changed after it was sent. @param {QueuedMark} sent */
async function remove(sent) {
  if (inMemory.get(sent.item)?.at === sent.at) inMemory.delete(sent.item);
  const db = await database;
  if (!db) return;
  await inStore(db, "readwrite", (store) => {
    const found = store.get([sent.user, sent.item]);
    found.onsuccess = () => {
      if (found.result?.at === sent.at) store.delete([sent.user, sent.item]);
    };
  });
}

/** @typedef {{onPending: (count: number, isSignedOut: boolean) => void, onRejected: (error: ApiError) => void}} QueueListener */
/** @type {QueueListener} */
let listener = { onPending() {}, onRejected() {} };
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Lets only one tab send at a time. @param {() => Promise<void>} work */
const withLock = (work) => (navigator.locks ? navigator.locks.request("lede-marks", work) : work());

/** Sends the queue; marks that are not accepted stay in it. */
export function flush() {
  clearTimeout(timer);
  return withLock(async () => {
    let left = await queuedMarks();
    let isStuck = false;
    let isSignedOut = false;
    for (const mark of left) {
      const { item, is_read, is_starred } = mark;
      try {
        await sendJson("PUT", `/api/items/${item}/state`, { is_read, is_starred });
        await remove(mark);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.isTransient || error.status === 401 || error.status === 403) {
          isStuck = true;
          isSignedOut = !error.isTransient;
          if (isSignedOut) listener.onRejected(error);
          break;
        }
        // The item is gone, or the mark is invalid: dropping it loses nothing.
        await remove(mark);
        listener.onRejected(error);
      }
    }
    left = await queuedMarks();
    // Another tab may have sent marks of this one.
    for (const item of inMemory.keys()) {
      if (!left.some((mark) => mark.item === item)) inMemory.delete(item);
    }
    listener.onPending(isStuck ? left.length : 0, isSignedOut);
    // Marks that were added meanwhile are sent by the tab that added them.
    if (isStuck && left.length > 0) timer = setTimeout(flush, RETRY_MS);
  });
}

/** True if the server does not know all marks of this page yet. */
export const hasQueuedMarks = () => inMemory.size > 0;

/** Stores a mark and sends it. @param {number} item @param {Marks} marks @param {CountChange} [countChange] */
export async function enqueue(item, marks, countChange) {
  await add({ ...marks, ...countChange, user, item, at: Date.now() + Math.random() });
  await flush();
}

/**
 * @param {QueueListener} queueListener gets the number of marks that could not be sent, and errors of rejected ones
 * @param {(mark: QueuedMark) => void} onRestored gets each mark that an earlier page queued
 */
export async function startQueue(queueListener, onRestored) {
  listener = queueListener;
  addEventListener("online", flush);
  const restored = await queuedMarks();
  for (const mark of restored) {
    inMemory.set(mark.item, mark);
    onRestored(mark);
  }
  if (restored.length > 0) await flush();
}
