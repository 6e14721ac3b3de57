// @ts-check
// Images that cannot be loaded: they are hidden, and their captions stay.

/** @param {EventTarget | null} target */
function hideBroken(target) {
  if (target instanceof HTMLImageElement && target.closest(".text, .items")) target.hidden = true;
}

/** Hides images that fail, now and later. Error events do not bubble, so they are captured. */
export function startImages() {
  document.addEventListener("error", (event) => hideBroken(event.target), true);
  for (const image of document.images) {
    if (image.complete && image.naturalWidth === 0) hideBroken(image);
  }
}
