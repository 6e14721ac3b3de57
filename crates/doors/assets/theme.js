// Runs before the first paint, so that a page does not flash in the wrong theme.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // Storage is forbidden here: the theme is the system's.
  }
})();
