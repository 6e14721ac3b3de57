// @ts-check
// Asking the server, and what it says when it refuses.

import { say } from "./words.js";

/** Thrown with a sentence for people. */
export class Refused extends Error {
  /** @param {string} message @param {number} status 0 when nobody answered */
  constructor(message, status) {
    super(message);
    this.status = status;
  }

  /** Whether the same may work later. */
  get isPassing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** What an answer in Lede's error shape says. @param {string} text */
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
 * @returns {Promise<Response>} one that is good
 */
export async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Refused(say("unreachable"), 0);
  }
  // A page that asks to sign in is not what was asked for.
  if (answer.redirected && new URL(answer.url).pathname === "/auth/login") {
    throw new Refused(say("signed-out"), 401);
  }
  if (answer.ok) return answer;
  const said = answer.status === 401 ? say("signed-out") : sentences(await answer.text());
  throw new Refused(said ?? say("failed"), answer.status);
}

const csrfToken = () => document.querySelector('meta[name="csrf-token"]')?.getAttribute("content") ?? "";

/**
 * Sends JSON and gives the JSON that comes back.
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

/** Sends a form as a page would, and wants no page. @param {string} path @param {Record<string, string>} fields */
export async function post(path, fields) {
  const token = csrfToken();
  const body = new URLSearchParams({ ...fields, csrf_token: token });
  await ask(path, { method: "POST", body, headers: { Accept: "application/json" } });
}

/** A piece of page. @param {string} path @param {AbortSignal} [signal] */
export async function askHtml(path, signal) {
  const answer = await ask(path, { headers: { Accept: "text/html", "HX-Request": "true" }, signal });
  return answer.text();
}
