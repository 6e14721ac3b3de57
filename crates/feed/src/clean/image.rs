//! Images: finding the real address, removing trackers, and writing the attributes.

use lede_model::address::WebUrl;

use super::address;
use super::attribute::{OF_EVERY_PICTURE, copy, push};
use super::element::Element;
use super::token::Tag;

/// Attributes in which lazy-loading scripts store the address; those scripts do not run here.
const LAZY_SRC: [&str; 10] = [
    "data-src",
    "data-lazy-src",
    "data-original",
    "data-orig-file",
    "data-orig-src",
    "data-original-src",
    "data-lazyload",
    "data-lazy",
    "data-echo",
    "data-hi-res-src",
];
/// Attributes with candidates, those of lazy-loading scripts first.
const SRCSET: [&str; 6] = [
    "data-srcset",
    "data-src-set",
    "data-lazy-srcset",
    "data-orig-srcset",
    "data-original-set",
    "srcset",
];

/// Maximum number of candidates in one `srcset`.
const MAX_CANDIDATES: usize = 16;
/// Maximum width or height that is accepted.
const MAX_PIXELS: u32 = 20_000;

/// Hosts that serve only tracking pixels and share buttons, including their subdomains.
const TRACKER_HOSTS: [&str; 30] = [
    "ad.doubleclick.net",
    "adserver.adtech.de",
    "ads.linkedin.com",
    "analytics.twitter.com",
    "b.scorecardresearch.com",
    "bat.bing.com",
    "count.carrierzone.com",
    "counter.theconversation.com",
    "da.feedsportal.com",
    "feedads.g.doubleclick.net",
    "feedsportal.com",
    "feedstat.com",
    "google-analytics.com",
    "googlesyndication.com",
    "imrworldwide.com",
    "notify.bluecore.com",
    "open.convertkit-mail.com",
    "pheedo.com",
    "pixel.quantserve.com",
    "pixel.watch",
    "pixel.wp.com",
    "pixel.newscred.com",
    "quantserve.com",
    "rss-tracker.com",
    "sb.scorecardresearch.com",
    "stats.wordpress.com",
    "stats.wp.com",
    "track.customer.io",
    "track.hubspot.com",
    "tracking.feedpress.com",
];

/// Tracking pixels on hosts with real content: host (or its parent) and start of the path; an empty
/// host means every host.
const TRACKER_PATHS: [(&str, &str); 17] = [
    ("", "/matomo.php"),
    ("", "/piwik.php"),
    ("", "/__utm.gif"),
    ("", "/__ptq.gif"),
    ("", "/wf/open"),
    ("", "/pixel.gif"),
    ("", "/pixel.png"),
    ("", "/beacon.gif"),
    ("facebook.com", "/tr"),
    ("feedburner.com", "/~r/"),
    ("feedburner.com", "/~ff/"),
    ("feeds.wordpress.com", "/1.0/"),
    ("list-manage.com", "/track/"),
    ("medium.com", "/_/stat"),
    ("t.co", "/i/adsct"),
    ("twitter.com", "/i/adsct"),
    ("blogger.com", "/tracker/"),
];

/// Start of a one-pixel GIF: its first bytes contain the size, here in base64.
const ONE_PIXEL_GIFS: [&str; 2] = [
    "data:image/gif;base64,R0lGODlhAQAB",
    "data:image/gif;base64,R0lGODdhAQAB",
];

/// Words in the file names of placeholders that are shown until the image is loaded.
const PLACEHOLDERS: [&str; 14] = [
    "1x1",
    "blank",
    "clear",
    "dummy",
    "empty",
    "gray",
    "grey",
    "lazy",
    "lazyload",
    "loader",
    "loading",
    "placeholder",
    "spacer",
    "transparent",
];

/// File extensions of images.
const PICTURE_ENDINGS: [&str; 7] = [".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".webp"];

/// Writes the attributes of an image. Returns `false` if nothing would be visible.
pub(crate) fn written(out: &mut String, tag: &Tag<'_>, base: Option<&WebUrl>) -> bool {
    let lazy = tag
        .values(LAZY_SRC)
        .into_iter()
        .flatten()
        .filter(|written| names_a_file(written))
        .find_map(|written| address::picture(&written, base))
        .filter(|src| !is_tracker(src));
    let srcset = srcset_of(tag, base);
    let [src, style] = tag.values(["src", "style"]);
    let is_lazy = lazy.is_some();
    let src = lazy.or_else(|| {
        src.and_then(|src| address::image(&src, base))
            .filter(|src| !is_tracker(src))
    });
    let has_others = || srcset.is_some() || tag.mentions("data-");
    let src = match src {
        // Another address is better than a likely placeholder.
        Some(src) if !is_lazy && has_others() && is_placeholder(&src) => srcset
            .as_deref()
            .and_then(largest)
            .or_else(|| other_address(tag, base))
            .or(Some(src)),
        Some(src) => Some(src),
        None => srcset
            .as_deref()
            .and_then(largest)
            .or_else(|| other_address(tag, base)),
    };
    let Some(src) = src else {
        return false;
    };
    if !is_lazy && style.is_some_and(|style| hides(&style)) {
        return false;
    }
    write(out, &src, srcset.as_deref(), tag)
}

/// Writes an image whose address is the largest candidate of `set`, which [`srcset`] wrote.
pub(crate) fn written_from(out: &mut String, set: &str, tag: &Tag<'_>) -> bool {
    largest(set).is_some_and(|src| write(out, &src, None, tag))
}

/// Writes the attributes of the image at `src`, unless its size is at most one pixel.
fn write(out: &mut String, src: &str, srcset: Option<&str>, tag: &Tag<'_>) -> bool {
    let [width, height, alt, title] = tag.values(["width", "height", "alt", "title"]);
    let width = width.and_then(|width| size(&width));
    let height = height.and_then(|height| size(&height));
    if matches!((width, height), (Some(0 | 1), Some(0 | 1))) {
        return false;
    }
    push(out, "src", src);
    if let Some(srcset) = srcset {
        push(out, "srcset", srcset);
    }
    copy(out, Element::IMG, "alt", alt);
    copy(out, Element::IMG, "title", title);
    for (name, size) in [("width", width), ("height", height)] {
        if let Some(size) = size {
            push(out, name, &size.to_string());
        }
    }
    for (name, value) in OF_EVERY_PICTURE {
        push(out, name, value);
    }
    true
}

/// Returns an image address from any `data-` attribute, for scripts that are not listed above.
fn other_address(tag: &Tag<'_>, base: Option<&WebUrl>) -> Option<String> {
    let data = tag.attributes().filter(|(name, value)| {
        name.get(..5)
            .is_some_and(|start| start.eq_ignore_ascii_case("data-"))
            && names_a_picture(value)
    });
    data.filter_map(|(name, _)| tag.attribute(&name.to_ascii_lowercase()))
        .filter(|written| names_a_file(written) && !written.contains(char::is_whitespace))
        .find_map(|written| address::picture(&written, base))
        .filter(|src| !is_tracker(src))
}

/// Returns `true` if an address, without its query, has the file extension of an image.
pub(crate) fn names_a_picture(written: &str) -> bool {
    let path = written.split(['?', '#']).next().unwrap_or_default();
    let ending = path.rfind('.').map_or("", |dot| &path[dot..]);
    PICTURE_ENDINGS
        .iter()
        .any(|known| known.eq_ignore_ascii_case(ending))
}

/// Returns `true` if `src` looks like a placeholder for an image that is loaded later. A real image
/// may have such a name too, so this only matters if there is another address.
pub(crate) fn is_placeholder(src: &str) -> bool {
    if src.starts_with("data:") {
        return true;
    }
    let path = src.split(['?', '#']).next().unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or_default();
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    stem.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| {
            PLACEHOLDERS
                .iter()
                .any(|known| known.eq_ignore_ascii_case(word))
        })
}

/// Returns `true` if two addresses are of one image, in the same or in two sizes.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    one == other || (!one.starts_with("data:") && without_size(one) == without_size(other))
}

/// Returns an address without its query and without the size that WordPress puts into file names
/// (`photo-300x200.jpg`), as the parts before and after the size.
fn without_size(src: &str) -> (&str, &str) {
    let path = src.split(['?', '#']).next().unwrap_or_default();
    let Some((stem, ending)) = path.rsplit_once('.') else {
        return (path, "");
    };
    let is_size = |size: &str| {
        size.split_once('x').is_some_and(|(width, height)| {
            [width, height]
                .iter()
                .all(|side| !side.is_empty() && side.bytes().all(|b| b.is_ascii_digit()))
        })
    };
    match stem.rsplit_once('-') {
        Some((name, size)) if is_size(size) => (name, ending),
        _ => (stem, ending),
    }
}

/// Returns the candidates of a tag, from the attributes of scripts or from `srcset` itself.
pub(crate) fn srcset_of(tag: &Tag<'_>, base: Option<&WebUrl>) -> Option<String> {
    tag.values(SRCSET)
        .into_iter()
        .flatten()
        .find_map(|written| srcset(&written, base))
}

/// Returns the allowed candidates of `written`, each checked separately (HTML 4.8.4.3.10).
pub(crate) fn srcset(written: &str, base: Option<&WebUrl>) -> Option<String> {
    let kept: Vec<String> = candidates(written)
        .filter_map(|(url, descriptor)| {
            let url = address::picture(url, base)?;
            // A comma at the end would be parsed as the end of the candidate.
            if url.ends_with(',') || is_tracker(&url) {
                return None;
            }
            match descriptor {
                "" => Some(url),
                descriptor if is_descriptor(descriptor) => Some(format!("{url} {descriptor}")),
                _ => None,
            }
        })
        .take(MAX_CANDIDATES)
        .collect();
    (!kept.is_empty()).then(|| kept.join(", "))
}

/// Returns `true` if `value` has the form that [`srcset`] writes, with plain addresses only.
pub(crate) fn is_plain_srcset(value: &str) -> bool {
    value.split(", ").all(|candidate| {
        let (url, descriptor) = candidate.split_once(' ').unwrap_or((candidate, "1x"));
        address::is_plain(url, &["https://", "http://"]) && is_descriptor(descriptor)
    })
}

/// Iterates over the address and the descriptor of each candidate, as written.
fn candidates(written: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = written;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        if rest.is_empty() {
            return None;
        }
        let end = rest
            .find(|c: char| c.is_ascii_whitespace())
            .unwrap_or(rest.len());
        let (url, after) = rest.split_at(end);
        if url.ends_with(',') {
            rest = after;
            return Some((url.trim_end_matches(','), ""));
        }
        let end = after.find(',').unwrap_or(after.len());
        rest = &after[end..];
        Some((url, after[..end].trim()))
    })
}

/// Returns `true` for a descriptor such as `640w`, `1.5x` or `480h`.
fn is_descriptor(descriptor: &str) -> bool {
    let Some(number) = descriptor.strip_suffix(['w', 'x', 'h']) else {
        return false;
    };
    (1..=8).contains(&number.len())
        && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && number.parse::<f32>().is_ok_and(|number| number > 0.0)
}

/// Returns the candidate with the largest descriptor.
fn largest(srcset: &str) -> Option<String> {
    let mut best: Option<(f32, &str)> = None;
    for (url, descriptor) in candidates(srcset) {
        let size = descriptor
            .trim_end_matches(['w', 'x', 'h'])
            .parse()
            .unwrap_or(1.0);
        if best.is_none_or(|(most, _)| size > most) {
            best = Some((size, url));
        }
    }
    best.map(|(_, url)| url.to_owned())
}

/// Parses a width or height in pixels: `640`, `640px`, not `50%`.
pub(crate) fn size(written: &str) -> Option<u32> {
    let digits = written.trim().trim_end_matches("px").trim_end();
    let whole = digits.split_once('.').map_or(digits, |(whole, _)| whole);
    if whole.is_empty() || !whole.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    whole.parse().ok().filter(|size| *size <= MAX_PIXELS)
}

/// Returns `true` if `written` may be an address. Some scripts store `{"…"}` or `true` in the
/// attributes where others store an address; resolved against a base, any word would look like one.
fn names_a_file(written: &str) -> bool {
    written.contains(['/', '.'])
        && !written.contains(['{', '[', '<'])
        && !written.trim_start().starts_with("data:")
}

/// Returns `true` if an image with this style is invisible and serves only to be requested.
fn hides(style: &str) -> bool {
    let style: String = style
        .chars()
        .filter(|c| !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect();
    let is_tiny = |side: &str| {
        style.split(';').any(|rule| {
            rule.strip_prefix(side)
                .and_then(|rest| rest.strip_prefix(':'))
                .is_some_and(|size| matches!(size, "0" | "0px" | "1px"))
        })
    };
    style.contains("display:none") || (is_tiny("width") && is_tiny("height"))
}

fn is_tracker(src: &str) -> bool {
    if ONE_PIXEL_GIFS.iter().any(|start| src.starts_with(start)) {
        return true;
    }
    // `src` is a normalised address, so it can be split at fixed delimiters.
    let Some((_, rest)) = src.split_once("://") else {
        return false;
    };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = authority
        .split_once(':')
        .map_or(authority, |(host, _)| host);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let is_at = |name: &str| {
        host.strip_suffix(name)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    TRACKER_HOSTS.iter().any(|name| is_at(name))
        || TRACKER_PATHS
            .iter()
            .any(|(name, start)| (name.is_empty() || is_at(name)) && is_under(path, start))
}

/// Returns `true` if `path` is `start` or below it: `/tr` is not a parent of `/travel`.
fn is_under(path: &str, start: &str) -> bool {
    path.strip_prefix(start)
        .is_some_and(|rest| rest.is_empty() || start.ends_with('/') || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> WebUrl {
        WebUrl::parse("https://example.org/blog/post").unwrap()
    }

    #[test]
    fn each_candidate_is_judged_for_itself() {
        for (written, expected) in [
            ("a.png", Some("https://example.org/blog/a.png")),
            (
                "a.png 1x,b.png 2x",
                Some("https://example.org/blog/a.png 1x, https://example.org/blog/b.png 2x"),
            ),
            (
                "a.png, b.png 640w",
                Some("https://example.org/blog/a.png, https://example.org/blog/b.png 640w"),
            ),
            (
                "javascript:x 1x, b.png 2x",
                Some("https://example.org/blog/b.png 2x"),
            ),
            (
                "w_1,h_2/a.png 1x",
                Some("https://example.org/blog/w_1,h_2/a.png 1x"),
            ),
            ("a.png 1x 2x, b.png -1x, c.png 0w", None),
            ("data:image/png;base64,AA== 1x", None),
            (
                "http://h.example:81/a.png 1x",
                Some("http://h.example:81/a.png 1x"),
            ),
            (" ,, ", None),
            ("", None),
        ] {
            assert_eq!(
                srcset(written, Some(&base())).as_deref(),
                expected,
                "{written}"
            );
        }
        let once = srcset("a.png 1x, b.png 2x, c.png", Some(&base())).unwrap();
        assert!(is_plain_srcset(&once));
        for other in [
            "",
            "https://a.org/1 1x 2x",
            "https://a.org/1, javascript:x",
            "/a.png 1x",
        ] {
            assert!(!is_plain_srcset(other), "{other}");
        }
        assert_eq!(srcset(&once, None), Some(once));
    }

    #[test]
    fn the_largest_candidate_stands_in_for_a_missing_address() {
        assert_eq!(
            largest("https://a.org/1 320w, https://a.org/2 1280w, https://a.org/3 640w").unwrap(),
            "https://a.org/2"
        );
    }

    #[test]
    fn counters_are_known_by_where_they_live() {
        for (src, expected) in [
            ("https://pixel.wp.com/b.gif?x", true),
            ("https://www.google-analytics.com/collect", true),
            ("https://notgoogle-analytics.com/logo.png", false),
            ("https://www.facebook.com/tr?id=1", true),
            ("https://www.facebook.com/travel.jpg", false),
            ("https://stats.example.org/matomo.php?x", true),
            ("https://example.org/photo.jpg", false),
            ("data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP", true),
        ] {
            assert_eq!(is_tracker(src), expected, "{src}");
        }
    }
}
