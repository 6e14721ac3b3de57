// @ts-check
// Widths of the tree and the list: changed by dragging the dividers or by arrow keys, and stored in this browser.
// `theme.js` applies stored widths before the page is painted. The style sheet keeps every column usable.

/** Also read by `theme.js`. */
const KEY = "columns";
/** Step of an arrow key. */
const STEP_PX = 16;

/** Limits in pixels, as in the style sheet. @type {Record<string, [least: number, most: number]>} */
const LIMITS = { tree: [180, 400], list: [320, 800] };

/** The rule that `theme.js` made for the widths. */
function widthRule() {
  const rule = document.adoptedStyleSheets[0]?.cssRules[0];
  return rule instanceof CSSStyleRule ? rule.style : null;
}

/** @param {HTMLElement} divider */
const columnOf = ({ dataset }) => document.getElementById(dataset.column === "tree" ? "tree" : "main");

/** @param {HTMLElement} divider */
const limitsOf = ({ dataset }) => LIMITS[dataset.column ?? ""] ?? [0, 0];

/** Says how wide the column is. @param {HTMLElement} divider */
function showWidth(divider) {
  divider.setAttribute("aria-valuenow", String(Math.round(columnOf(divider)?.getBoundingClientRect().width ?? 0)));
}

/** @param {HTMLElement} divider @param {number | null} width null for the default */
function setWidth(divider, width) {
  const [least, most] = limitsOf(divider);
  const name = `--${divider.dataset.column}-width`;
  if (width === null) widthRule()?.removeProperty(name);
  else widthRule()?.setProperty(name, `${Math.min(most, Math.max(least, Math.round(width)))}px`);
  showWidth(divider);
}

function saveWidths() {
  const rule = widthRule();
  const widths = Object.keys(LIMITS).map((column) => [column, Number.parseInt(rule?.getPropertyValue(`--${column}-width`) ?? "", 10)]);
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(widths.filter(([, width]) => width))));
  } catch {
    // Storage is forbidden: the widths last as long as the page.
  }
}

/** @param {HTMLElement} divider @param {PointerEvent} event */
function drag(divider, event) {
  const column = columnOf(divider)?.getBoundingClientRect();
  if (!column) return;
  // Otherwise the browser selects text, or drags an entry of the tree.
  event.preventDefault();
  divider.focus({ preventScroll: true });
  const beside = event.clientX - column.right;
  /** @param {PointerEvent} event */
  const move = (event) => setWidth(divider, event.clientX - beside - column.left);
  divider.setPointerCapture(event.pointerId);
  divider.addEventListener("pointermove", move);
  divider.addEventListener(
    "lostpointercapture",
    () => {
      divider.removeEventListener("pointermove", move);
      saveWidths();
    },
    { once: true },
  );
}

/** @param {HTMLElement} divider @param {KeyboardEvent} event */
function moveByKey(divider, event) {
  const width = columnOf(divider)?.getBoundingClientRect().width ?? 0;
  const [least, most] = limitsOf(divider);
  /** @type {Record<string, number | undefined>} */
  const widths = { ArrowLeft: width - STEP_PX, ArrowRight: width + STEP_PX, Home: least, End: most };
  const chosen = widths[event.key];
  if (chosen === undefined) return;
  event.preventDefault();
  setWidth(divider, chosen);
  saveWidths();
}

export function startColumns() {
  /** @type {NodeListOf<HTMLElement>} */
  const dividers = document.querySelectorAll(".divider");
  for (const divider of dividers) {
    const [least, most] = limitsOf(divider);
    divider.setAttribute("aria-valuemin", String(least));
    divider.setAttribute("aria-valuemax", String(most));
    divider.addEventListener("focus", () => showWidth(divider));
    divider.addEventListener("pointerdown", (event) => drag(divider, event));
    divider.addEventListener("keydown", (event) => moveByKey(divider, event));
    divider.addEventListener("dblclick", () => {
      setWidth(divider, null);
      saveWidths();
    });
    showWidth(divider);
  }
}
