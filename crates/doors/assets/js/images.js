// @ts-check
// Images that cannot be loaded: they are hidden, and their captions stay.

/** @param {EventTarget | null} target */
function collapse(target) {
  if (target instanceof HTMLImageElement && target.closest(".text, .items")) target.hidden = true;
}

/** Hides images that fail, now and later. Error events do not bubble, so they are captured. */
export function startPictures() {
  document.addEventListener("error", (event) => collapse(event.target), true);
  for (const picture of document.images) {
    if (picture.complete && picture.naturalWidth === 0) collapse(picture);
  }
}
