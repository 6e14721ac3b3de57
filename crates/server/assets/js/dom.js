// @ts-check
// Typed access to elements: the DOM's own methods return `Element`.

/** The target of an event or its closest ancestor that matches. @param {EventTarget | null} target @param {string} selector @returns {HTMLElement | null} */
export const closest = (target, selector) => (target instanceof Element ? target.closest(selector) : null);

/** All matching elements. @param {string} selector @param {ParentNode} [root] */
export const elements = (selector, root = document) =>
  [...root.querySelectorAll(selector)].filter((element) => element instanceof HTMLElement);

/** The elements of a piece of HTML, not yet in the page. @param {string} html */
export function fragment(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}
