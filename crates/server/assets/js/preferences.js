// @ts-check
// Preferences that change how a page looks: applied to the page as attributes for the style sheets.

/** Attributes by the name of the preference. @type {Record<string, string>} */
const ATTRIBUTES = { theme: "theme", density: "density", font: "font", text_size: "size", measure: "measure" };

/** Applies a preference to this page. @param {string} name @param {string | number | boolean | null} to */
export function applyPreference(name, to) {
  const root = document.documentElement;
  if (name === "wrap_code") root.toggleAttribute("data-wrap-code", to === true);
  const attribute = ATTRIBUTES[name];
  if (!attribute) return;
  if (to === "system") delete root.dataset[attribute];
  else root.dataset[attribute] = String(to);
  if (name !== "theme") return;
  try {
    // For pages without a signed-in user.
    localStorage.setItem("theme", String(to));
  } catch {
    // Storage is forbidden.
  }
}
