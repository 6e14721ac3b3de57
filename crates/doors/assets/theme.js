// Runs before the first paint, so that a page does not flash in the wrong theme. Who is signed in has the
// theme of the account, which the server wrote; others have what was chosen last in this browser.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  try {
    if ("account" in root.dataset) return;
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // Storage is forbidden here: the theme is the system's.
  }
})();
