//! Images that occur twice, once for a lazy-loading script and once in `noscript`, and images whose
//! address is only in the candidates around them.

use std::ops::Range;

use super::Tree;
use crate::clean::element::Element;
use crate::clean::entity::{ReferenceContext, decoded};
use crate::clean::image;
use crate::clean::token::Tag;

/// Maximum amount of markup between two copies of one image, in bytes.
const MAX_BETWEEN: usize = 256;

/// State of the images so far.
#[derive(Default)]
pub(super) struct Pictures {
    pub(super) is_in_noscript: bool,
    /// The image written last.
    last: Option<Last>,
}

struct Last {
    range: Range<usize>,
    was_in_noscript: bool,
}

impl Tree<'_> {
    /// Decides if an image, whose tag without its end is in `written`, is shown. Returns `false` if
    /// it is invisible or repeats the previous image.
    pub(super) fn judge_picture(
        &mut self,
        written: &mut String,
        is_shown: bool,
        tag: &Tag<'_>,
    ) -> bool {
        if !is_shown {
            return self.written_from_sources(written, tag);
        }
        let Some(last) = &self.pictures.last else {
            return true;
        };
        if !self.pictures.is_in_noscript && !last.was_in_noscript {
            return true;
        }
        let range = last.range.clone();
        let (Some(src), Some(before)) = (src_of(written), src_of(&self.out[range.clone()])) else {
            return true;
        };
        if image::is_same(src, before) {
            return false;
        }
        if !self.is_alone_since(range.end) {
            return true;
        }
        if self.pictures.is_in_noscript && image::is_placeholder(before) {
            self.out.replace_range(range, "");
            self.pictures.last = None;
        }
        self.pictures.is_in_noscript || !image::is_placeholder(src)
    }

    /// Records that an image of `length` bytes was just written.
    pub(super) fn note_picture(&mut self, length: usize) {
        self.pictures.last = Some(Last {
            range: self.out.len() - length..self.out.len(),
            was_in_noscript: self.pictures.is_in_noscript,
        });
    }

    /// Returns `true` if there is no text after `from`.
    fn is_alone_since(&self, from: usize) -> bool {
        let between = &self.out[from..];
        between.len() <= MAX_BETWEEN
            && self.text.trim().is_empty()
            && between.split('<').all(|piece| {
                piece
                    .rsplit('>')
                    .next()
                    .is_none_or(|text| text.trim().is_empty())
            })
    }

    /// Writes an image without an address of its own, using the largest candidate of the
    /// surrounding `picture`.
    fn written_from_sources(&self, written: &mut String, tag: &Tag<'_>) -> bool {
        if self.counts[Element::PICTURE.index()] == 0 {
            return false;
        }
        let Some(picture) = self.out.rfind("<picture>") else {
            return false;
        };
        let set = self.out[picture..]
            .split_once(" srcset=\"")
            .and_then(|(_, rest)| Some(rest.split_once('"')?.0));
        let Some(set) = set else {
            return false;
        };
        written.clear();
        written.push_str("<img");
        image::written_from(written, &decoded(set, ReferenceContext::Attribute), tag)
    }
}

/// Returns the address in a tag that `image` wrote.
fn src_of(tag: &str) -> Option<&str> {
    Some(tag.strip_prefix("<img src=\"")?.split_once('"')?.0)
}
