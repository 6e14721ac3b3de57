// Globals of the vendored scripts, as far as ours use them.

interface Window {
  /** Absent if the script was not loaded. */
  htmx?: { process(element: Element): void };
}

declare function SwaggerUIBundle(options: {
  url: string;
  dom_id: string;
  deepLinking: boolean;
  validatorUrl: string | null;
}): void;
