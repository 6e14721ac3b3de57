// Shows /openapi.json with Swagger UI, in Lede's theme. No validator badge: it would contact another server.
SwaggerUIBundle({ url: "/openapi.json", dom_id: "#swagger", deepLinking: true, validatorUrl: null });

const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");
const followTheme = () => {
  const theme = root.dataset.theme ?? (dark.matches ? "dark" : "light");
  root.classList.toggle("dark-mode", theme === "dark");
};
dark.addEventListener("change", followTheme);
followTheme();
