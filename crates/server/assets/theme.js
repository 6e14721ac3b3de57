// Runs before the first paint, so that a page does not flash in the wrong theme or move its columns. For a signed-in
// user the server has written the theme of the account; otherwise it is the last one chosen in this browser.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  // Widths of columns: a sheet of its own, because pages have no inline styles. `js/columns.js` changes it.
  const widths = new CSSStyleSheet();
  widths.insertRule(":root {}");
  document.adoptedStyleSheets = [widths];
  const rule = widths.cssRules[0];
  try {
    const theme = localStorage.getItem("theme");
    if (!("account" in root.dataset) && theme && theme !== "system") root.dataset.theme = theme;
    root.toggleAttribute("data-tree-hidden", !!localStorage.getItem("tree-hidden"));
    for (const [column, width] of Object.entries(JSON.parse(localStorage.getItem("columns") ?? "{}"))) {
      if (rule instanceof CSSStyleRule) rule.style.setProperty(`--${column}-width`, `${Number(width)}px`);
    }
  } catch {
    // Storage is forbidden, or holds something else: the defaults apply.
  }
})();
