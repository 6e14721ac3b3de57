// @ts-check
// Requests to the server, and its errors.

import { t } from "./i18n.js";

/** A failed request; the message can be shown to the user. */
export class Refused extends Error {
  /** @param {string} message @param {number} status 0 if there was no response */
  constructor(message, status) {
    super(message);
    this.status = status;
  }

  /** True if a retry may succeed. */
  get isPassing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** The message of a JSON error response. @param {string} text */
function sentences(text) {
  try {
    const { message, action } = JSON.parse(text);
    return message && action ? `${message} ${action}` : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<Response>} a successful one
 */
export async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Refused(t("unreachable"), 0);
  }
  // A redirect to the sign-in page is not the requested response.
  if (answer.redirected && new URL(answer.url).pathname === "/auth/login") {
    throw new Refused(t("signed-out"), 401);
  }
  if (answer.ok) return answer;
  const said = answer.status === 401 ? t("signed-out") : sentences(await answer.text());
  throw new Refused(said ?? t("failed"), answer.status);
}

const csrfToken = () => document.querySelector('meta[name="csrf-token"]')?.getAttribute("content") ?? "";

/**
 * Sends JSON and returns the JSON of the response.
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 */
export async function send(method, path, body) {
  /** @type {Record<string, string>} */
  const headers = { "X-CSRF-Token": csrfToken() };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await ask(path, { method, headers, body: JSON.stringify(body) });
  return answer.status === 204 ? null : answer.json();
}

/** Sends a form as a page would, without loading a page. @param {string} path @param {Record<string, string>} fields */
export async function post(path, fields) {
  const token = csrfToken();
  const body = new URLSearchParams({ ...fields, csrf_token: token });
  await ask(path, { method: "POST", body, headers: { Accept: "application/json" } });
}

/** Fetches an HTML fragment. @param {string} path @param {AbortSignal} [signal] */
export async function askHtml(path, signal) {
  const answer = await ask(path, { headers: { Accept: "text/html", "HX-Request": "true" }, signal });
  return answer.text();
}
