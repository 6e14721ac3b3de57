// @ts-check
// Settings: saved on change, applied at once, and searchable.

/** Attributes for the style sheets, by the name of the setting. @type {Record<string, string>} */
const ATTRIBUTES = { theme: "theme", density: "density", font: "font", text_size: "size", measure: "measure" };

/** Display time of "Saved". */
const SHOWN_MS = 2500;

/** @typedef {HTMLSelectElement | HTMLInputElement} Control */

const token = () => document.querySelector('meta[name="csrf-token"]')?.getAttribute("content") ?? "";

/** The message of a JSON error response. @param {Response} answer */
async function sentences(answer) {
  const said = await answer.json().catch(() => null);
  return said?.message && said?.action ? `${said.message} ${said.action}` : "";
}

/** @param {Control} control */
function value(control) {
  if (control instanceof HTMLInputElement) return control.checked;
  if (control.value === "") return null;
  return /^\d+$/.test(control.value) ? Number(control.value) : control.value;
}

/** @param {Control} control @param {ReturnType<typeof value>} to */
function put(control, to) {
  if (control instanceof HTMLInputElement) control.checked = to === true;
  else control.value = String(to ?? "");
}

/** Applies a setting to this page. @param {string} name @param {ReturnType<typeof value>} to */
function apply(name, to) {
  const root = document.documentElement;
  if (name === "wrap_code") root.toggleAttribute("data-wrap-code", to === true);
  const attribute = ATTRIBUTES[name];
  if (!attribute) return;
  if (to === "system") delete root.dataset[attribute];
  else root.dataset[attribute] = String(to);
  if (name !== "theme") return;
  try {
    // The theme of the account replaces the one chosen in this browser alone.
    localStorage.removeItem("theme");
  } catch {
    // Storage is forbidden, so there is nothing to remove.
  }
}

function setUpChoices() {
  const line = /** @type {HTMLElement | null} */ (document.querySelector(".settings-saved"));
  if (!line) return;
  let timer = 0;
  /** @param {string} text @param {boolean} failed */
  const showStatus = (text, failed) => {
    clearTimeout(timer);
    line.textContent = text;
    line.classList.toggle("failed", failed);
    if (!failed) timer = window.setTimeout(() => (line.textContent = ""), SHOWN_MS);
  };
  const { saved = "", failed = "", offline = "" } = line.dataset;
  for (const control of /** @type {NodeListOf<Control>} */ (document.querySelectorAll(".choices :is(select, [type=checkbox])"))) {
    let before = value(control);
    control.addEventListener("change", async () => {
      const chosen = value(control);
      apply(control.name, chosen);
      const answer = await fetch("/api/users/me/preferences", {
        method: "PATCH",
        headers: { "Content-Type": "application/json", "X-CSRF-Token": token() },
        body: JSON.stringify({ [control.name]: chosen }),
      }).catch(() => null);
      if (answer?.ok) {
        before = chosen;
        // All text of the page changes.
        if (control.name === "language") location.reload();
        else showStatus(saved, false);
      } else {
        put(control, before);
        apply(control.name, before);
        showStatus(answer ? `${failed} ${await sentences(answer)}` : offline, true);
      }
    });
  }
}

/** Folds text for comparison: removes case, width and accents. @param {string} text */
function plain(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

function setUpSearch() {
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector(".settings-search"));
  const field = form?.querySelector("input");
  const none = /** @type {HTMLElement | null} */ (document.getElementById("settings-none"));
  if (!form || !field || !none) return;
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  const parts = [...document.querySelectorAll(".part")].map((part) => {
    const rows = /** @type {HTMLElement[]} */ ([...(part.matches("[data-setting]") ? [part] : part.querySelectorAll("[data-setting]"))]);
    const title = plain(part.querySelector("h2")?.textContent ?? "");
    return { part: /** @type {HTMLElement} */ (part), rows: rows.map((row) => ({ row, text: `${title} ${plain(row.textContent ?? "")}` })) };
  });
  field.addEventListener("input", () => {
    const words = plain(field.value).split(/\s+/).filter(Boolean);
    let found = 0;
    for (const { part, rows } of parts) {
      let here = 0;
      for (const { row, text } of rows) {
        const matches = words.every((word) => text.includes(word));
        row.hidden = !matches;
        if (matches) here += 1;
      }
      part.hidden = here === 0;
      found += here;
    }
    none.textContent = found === 0 ? (none.dataset.none ?? "") : "";
  });
}

function setUpCopying() {
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-copy]"))) {
    button.addEventListener("click", async () => {
      const text = document.getElementById(button.dataset.copy ?? "")?.textContent ?? "";
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = button.dataset.copied ?? "";
      } catch {
        // Browsers forbid it on plain http: the text is selected, so that the user can copy it.
        const range = document.createRange();
        const place = document.getElementById(button.dataset.copy ?? "");
        if (place) range.selectNodeContents(place);
        getSelection()?.removeAllRanges();
        getSelection()?.addRange(range);
      }
    });
  }
}

/** Importing a takeout is slow, and the browser shows no progress. */
function setUpTakeout() {
  const form = document.getElementById("takeout-in");
  const result = document.getElementById("takeout-result");
  form?.addEventListener("submit", () => {
    if (!result) return;
    result.className = "said";
    result.textContent = result.dataset.working ?? "";
  });
}

/** A typed key replaces the one in the field. */
function setUpKeys() {
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll(".key-field input"))) {
    field.addEventListener("input", (event) => {
      const { data, isComposing } = /** @type {InputEvent} */ (event);
      if (data && !isComposing) field.value = data;
    });
  }
}

setUpChoices();
setUpKeys();
setUpSearch();
setUpCopying();
setUpTakeout();
