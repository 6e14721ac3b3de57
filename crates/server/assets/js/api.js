// @ts-check
// Requests to the server, its responses and its errors.

import { t } from "./i18n.js";

/** Body of an error response. @typedef {{code: string, message: string, action: string, fields?: Record<string, string>}} ErrorBody */
/** Marks of an item; absent ones are left as they are. @typedef {{is_read?: boolean, is_starred?: boolean}} Marks */
/** A feed, saved search or label in a list of them. @typedef {{id: number, unread_count: number}} Counted */
/** Result of marking many items as read. @typedef {{marked: number, unknown: number, undo_id: number | null}} BulkMark */
/** Result of fetching a feed. @typedef {{new_posts: number, errors: string[]}} RefreshResult */
/** Number of feeds that will be fetched. @typedef {{queued: number}} QueuedFeeds */

/** A failed request; the message can be shown to the user. */
export class ApiError extends Error {
  /** @param {string} message @param {number} status 0 if there was no response */
  constructor(message, status) {
    super(message);
    this.status = status;
  }

  /** True if a retry may succeed. */
  get isTransient() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** The message of an error response; null if it is not one of ours. @param {Response} response */
export async function errorMessage(response) {
  /** @type {Partial<ErrorBody> | null} */
  const body = await response.json().catch(() => null);
  return body?.message && body.action ? `${body.message} ${body.action}` : null;
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<Response>} a successful one
 */
export async function request(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new ApiError(t("unreachable"), 0);
  }
  // A redirect to the sign-in page is not the requested response.
  if (response.redirected && new URL(response.url).pathname === "/auth/login") {
    throw new ApiError(t("signed-out"), 401);
  }
  if (response.ok) return response;
  const message = response.status === 401 ? t("signed-out") : await errorMessage(response);
  throw new ApiError(message ?? t("failed"), response.status);
}

export const csrfToken = () => document.querySelector('meta[name="csrf-token"]')?.getAttribute("content") ?? "";

/** Fetches JSON. @template T @param {string} path @returns {Promise<T>} */
export async function requestJson(path) {
  const response = await request(path);
  return response.json();
}

/**
 * Sends JSON and returns the JSON of the response; null if it has none.
 * @template T
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<T>}
 */
export async function sendJson(method, path, body) {
  /** @type {Record<string, string>} */
  const headers = { "X-CSRF-Token": csrfToken() };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const response = await request(path, { method, headers, body: JSON.stringify(body) });
  const text = await response.text();
  return JSON.parse(text || "null");
}

/** The fields of a form, without files. @param {HTMLFormElement} form */
export function formFields(form) {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (typeof value === "string") fields.append(name, value);
  }
  return fields;
}

/** Sends a form as a page would, without loading a page. @param {string} path @param {Record<string, string>} fields */
export async function submitForm(path, fields) {
  const body = new URLSearchParams({ ...fields, csrf_token: csrfToken() });
  await request(path, { method: "POST", body, headers: { Accept: "application/json" } });
}

/** Fetches an HTML fragment. @param {string} path */
export async function requestHtml(path) {
  const response = await request(path, { headers: { Accept: "text/html", "HX-Request": "true" } });
  return response.text();
}
