// @ts-check
// Marks that wait for the server. They are written down before they are sent, so that neither a lost
// network nor a closed window loses one; they are sent again until the server has answered.

import { Refused, send } from "./api.js";

/** @typedef {{is_read?: boolean, is_starred?: boolean}} Marks */
/** What a mark changes in the count of its feed. @typedef {{feed?: string, change?: number}} Counted */
/** @typedef {Marks & Counted & {user: number, item: number, at: number}} Waiting */

const DATABASE = "lede";
const STORE = "marks";
/** Between two tries while the server does not take them. */
const TRY_AGAIN_MS = 15_000;

const user = Number(/** @type {HTMLElement | null} */ (document.querySelector(".app"))?.dataset.user ?? 0);

/** Where the browser keeps nothing, they wait in the page. @type {Map<number, Waiting>} */
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
 * One transaction on what waits; `work` begins it, and what it gives is the result once all is written.
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

/** @returns {Promise<Waiting[]>} the oldest first */
async function waiting() {
  const db = await database;
  /** @type {Waiting[]} */
  const all = db ? (await inStore(db, "readonly", (store) => store.getAll())).result : [...inPage.values()];
  return all.filter((mark) => mark.user === user).sort((one, other) => one.at - other.at);
}

/** Adds to what waits for an item, which another tab or an earlier page may have written. @param {Waiting} mark */
async function add(mark) {
  inPage.set(mark.item, { ...inPage.get(mark.item), ...mark });
  const db = await database;
  if (!db) return;
  await inStore(db, "readwrite", (store) => {
    const found = store.get([mark.user, mark.item]);
    found.onsuccess = () => store.put({ ...found.result, ...mark, change: (found.result?.change ?? 0) + (mark.change ?? 0) });
  });
}

/** Unless it was changed since it was sent. @param {Waiting} sent */
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

/** One tab sends at a time. @param {() => Promise<void>} work */
const alone = (work) => (navigator.locks ? navigator.locks.request("lede-marks", work) : work());

/** Sends what waits; whatever is not taken waits on. */
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
        // The item is gone, or the mark makes no sense: nothing is lost with it.
        await remove(mark);
        tellRefused(item, error);
      }
    }
    left = await waiting();
    // Another tab may have sent what this one wrote.
    for (const item of inPage.keys()) {
      if (!left.some((mark) => mark.item === item)) inPage.delete(item);
    }
    tellCount(isStuck ? left.length : 0, isSignedOut);
    // What was marked meanwhile is sent by whoever marked it.
    if (isStuck && left.length > 0) timer = setTimeout(flush, TRY_AGAIN_MS);
  });
}

/** Whether the server does not know yet all that this page knows. */
export const hasWaiting = () => inPage.size > 0;

/** Writes a mark down and sends it. @param {number} item @param {Marks} marks @param {Counted} [counted] */
export async function enqueue(item, marks, counted) {
  await add({ ...marks, ...counted, user, item, at: Date.now() + Math.random() });
  await flush();
}

/**
 * @param {(count: number, isSignedOut: boolean) => void} onCount told how many wait because the server does not take them
 * @param {(item: number, error: Refused) => void} onRefused told of a mark that was not taken
 * @param {(mark: Waiting) => void} onKept told of a mark that waits from before
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
