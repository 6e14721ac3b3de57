//! Frames, players and posts of other sites, which are replaced by a card or by their own content.

use super::{MAX_DEPTH, Tree};
use crate::clean::address;
use crate::clean::element::Element;
use crate::clean::embed::{self, Card, Fallback};
use crate::clean::token::{Tag, Token, Tokens, tokens};

/// Maximum size of an embed's content that is examined, in bytes.
const MAX_CONTENT: usize = 8 * 1024;
/// Maximum number of embeds per document whose content is examined. A document with more is not an
/// article; the rest are treated as if they had no content.
const MAX_LOOKS: usize = 256;
/// Nesting depth of a card: a figure with a caption and a link in it.
const CARD_DEPTH: usize = 3;

/// State of the embeds so far.
#[derive(Default)]
pub(super) struct Embeds {
    /// Address of the last card: lazy-loaded frames have a duplicate in `noscript`.
    last_page: String,
    /// End of an `object` that already has a card: its content is the same for other browsers.
    covered_to: usize,
    looks: usize,
}

impl Tree<'_> {
    /// Replaces `tag` by a card or by nothing; its content follows if it should be shown.
    pub(super) fn replace(&mut self, element: Element, tag: &Tag<'_>, input: &mut Tokens<'_>) {
        if self.dropping.is_some() {
            return;
        }
        if element == Element::NOSCRIPT {
            self.pictures.is_in_noscript = true;
            return;
        }
        if !matches!(element, Element::EMBED | Element::IFRAME | Element::OBJECT) {
            return;
        }
        let is_covered = Tokens::position(input) <= self.embeds.covered_to;
        let content = if element == Element::EMBED || tag.is_meant_to_be_empty() {
            None
        } else {
            self.content_of(element, input)
        };
        let inner = content.map(|(inner, _)| inner);
        let (card, fallback) = embed::of_frame(tag, inner, self.base);
        let has_card = card.is_some() && !is_covered;
        if let Some(card) = card.filter(|_| !is_covered) {
            self.write_card(&card);
        }
        match (content, fallback) {
            (Some((_, end)), Fallback::Nothing | Fallback::Link { .. })
                if has_card || is_covered =>
            {
                input.skip_to(end);
            }
            (Some((_, end)), Fallback::Nothing) => input.skip_to(end),
            (Some((_, end)), _) if has_card && element == Element::OBJECT => {
                self.embeds.covered_to = end;
            }
            _ => {}
        }
    }

    /// Writes a card for an unknown element that is the player of some site.
    pub(super) fn start_unknown(&mut self, tag: &Tag<'_>) {
        let may_be_player = tag.name.contains('-') || tag.name.eq_ignore_ascii_case("oembed");
        if may_be_player
            && self.dropping.is_none()
            && let Some(card) = embed::of_custom_element(tag, self.base)
        {
            self.write_card(&card);
        }
    }

    pub(super) fn start_script(&mut self, tag: &Tag<'_>) {
        if self.dropping.is_none()
            && let Some(card) = embed::of_script(tag, self.base)
        {
            self.write_card(&card);
        }
    }

    /// Writes a card for a `blockquote` or `div` that is a post of another site; its content
    /// follows.
    pub(super) fn start_post(&mut self, element: Element, tag: &Tag<'_>, input: &Tokens<'_>) {
        // `div` elements are frequent, and those of other sites all have a class and `data-`
        // attributes.
        if element == Element::DIV && !(tag.mentions("data-") && tag.mentions("class")) {
            return;
        }
        let base = self.base;
        let inner = || Some(self.content_of(element, input)?.0);
        if let Some(card) = embed::of_post(tag, base, inner) {
            self.write_card(&card);
        }
    }

    /// Returns `true` if audio or video can be shown as such. Media without an address is replaced
    /// by its content; an unclosed element must not hide what follows.
    pub(super) fn start_media(
        &mut self,
        element: Element,
        tag: &Tag<'_>,
        input: &Tokens<'_>,
    ) -> bool {
        let values = tag.values(["data-src", "src"]).into_iter().flatten();
        let has_address = |written: &str| address::media(written, self.base).is_some();
        let has_own = values.into_iter().any(|written| has_address(&written));
        match self.content_of(element, input) {
            Some((inner, _)) => {
                has_own
                    || tokens(inner).any(|token| match token {
                        Token::Start(tag) if tag.name.eq_ignore_ascii_case("source") => tag
                            .attribute("src")
                            .is_some_and(|written| address::media(&written, self.base).is_some()),
                        _ => false,
                    })
            }
            None => has_own,
        }
    }

    fn content_of<'i>(&mut self, element: Element, input: &Tokens<'i>) -> Option<(&'i str, usize)> {
        if self.embeds.looks == MAX_LOOKS {
            return None;
        }
        self.embeds.looks += 1;
        input.content_of(element.name(), MAX_CONTENT, element != Element::IFRAME)
    }

    /// Returns `true` if an element that is dropped with its content is never closed: then only its
    /// tag is dropped.
    pub(super) fn is_unclosed(&mut self, element: Element, input: &Tokens<'_>) -> bool {
        let end = &mut self.ends[element.index()];
        if input.position() >= *end {
            *end = input.end_of_next(element.name()).unwrap_or(usize::MAX);
        }
        *end == usize::MAX
    }

    fn write_card(&mut self, card: &Card) {
        let is_in_media = [Element::AUDIO, Element::PICTURE, Element::VIDEO]
            .iter()
            .any(|element| self.counts[element.index()] > 0);
        if is_in_media || card.page() == self.embeds.last_page {
            return;
        }
        // Links cannot be nested.
        if let Some(at) = self.find(
            |other| other == Element::A,
            |other| other.is_cell() || other == Element::CAPTION,
        ) {
            self.close_to(at);
        }
        self.make_way(Element::FIGURE);
        if self.open.len() + CARD_DEPTH > MAX_DEPTH {
            return;
        }
        if self.is_in_table_context() {
            self.open_cell();
        }
        let mut markup = String::new();
        card.write(&mut markup);
        if self.write(&markup) {
            self.embeds.last_page.clear();
            self.embeds.last_page.push_str(card.page());
        }
    }
}
