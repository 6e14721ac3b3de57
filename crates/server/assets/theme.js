// Runs before the first paint, so that a page does not flash in the wrong theme. For a signed-in user the server has
// written the theme of the account; otherwise it is the last one chosen in this browser.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  try {
    if ("account" in root.dataset) return;
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // Storage is forbidden: the theme follows the system.
  }
})();
