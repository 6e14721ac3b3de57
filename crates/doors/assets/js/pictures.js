// @ts-check
// Pictures that cannot be loaded: they take no room, and their captions stay.

/** @param {EventTarget | null} target */
function collapse(target) {
  if (target instanceof HTMLImageElement && target.closest(".text, .items")) target.hidden = true;
}

/** Collapses pictures that fail, now and later: errors do not bubble, so they are caught on their way down. */
export function startPictures() {
  document.addEventListener("error", (event) => collapse(event.target), true);
  for (const picture of document.images) {
    if (picture.complete && picture.naturalWidth === 0) collapse(picture);
  }
}
