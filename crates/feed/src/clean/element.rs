//! Elements known to the cleaner: those that are shown, those that are dropped with their content,
//! and their behaviour when others open or close around them.
//!
//! The behaviour is that of the HTML standard's tree construction (13.2.6), as far as it follows
//! from the open elements alone.

/// Behaviour of an element in the cleaner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text-level: may be closed late if blocks straddle its end.
    Phrase,
    /// Closes an open paragraph.
    Block,
    /// `li`, `dt` and `dd`: each ends the previous item.
    ListItem,
    /// Parts of a table below `table` itself.
    TablePart,
    /// `picture`, `audio`, `video`, `rt`, `rp`: no rule of their own here.
    Plain,
    /// Has no content and no end tag.
    Void,
    /// Replaced by something else: an embed by its card, all of them by their content, which is
    /// meant for clients that run no scripts and no players.
    Replaced,
    /// Dropped with its content, which is markup.
    Dropped,
    /// Dropped with its content, which is raw text up to the end tag.
    DroppedRaw,
}

/// Known element, as an index into [`ELEMENTS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Element(u8);

use Kind::{Block, Dropped, DroppedRaw, ListItem, Phrase, Plain, Replaced, TablePart, Void};

/// Known elements, sorted by name. Those that are not dropped may be shown, with the exception of
/// `h1`: that is the title of the page an item is shown in, and the item's own becomes `h2`. An
/// element that is not in the list is unwrapped. Elements are also dropped if a browser does not
/// show their content as text, or parses it by rules that depend on scripting.
const ELEMENTS: [(&str, Kind); 76] = [
    ("a", Phrase),
    ("abbr", Phrase),
    ("audio", Plain),
    ("b", Phrase),
    ("blockquote", Block),
    ("br", Void),
    ("caption", TablePart),
    ("cite", Phrase),
    ("code", Phrase),
    ("dd", ListItem),
    ("del", Phrase),
    ("details", Block),
    ("div", Block),
    ("dl", Block),
    ("dt", ListItem),
    ("em", Phrase),
    ("embed", Replaced),
    ("figcaption", Block),
    ("figure", Block),
    ("form", Dropped),
    ("frameset", Dropped),
    ("h2", Block),
    ("h3", Block),
    ("h4", Block),
    ("h5", Block),
    ("h6", Block),
    ("hr", Void),
    ("i", Phrase),
    ("iframe", Replaced),
    ("img", Void),
    ("ins", Phrase),
    ("kbd", Phrase),
    ("li", ListItem),
    ("mark", Phrase),
    ("math", Dropped),
    ("noembed", Replaced),
    ("noframes", Replaced),
    ("noscript", Replaced),
    ("object", Replaced),
    ("ol", Block),
    ("p", Block),
    ("picture", Plain),
    ("pre", Block),
    ("q", Phrase),
    ("rp", Plain),
    ("rt", Plain),
    ("ruby", Phrase),
    ("s", Phrase),
    ("samp", Phrase),
    ("script", DroppedRaw),
    ("select", Dropped),
    ("small", Phrase),
    ("source", Void),
    ("span", Phrase),
    ("strong", Phrase),
    ("style", DroppedRaw),
    ("sub", Phrase),
    ("summary", Block),
    ("sup", Phrase),
    ("svg", Dropped),
    ("table", Block),
    ("tbody", TablePart),
    ("td", TablePart),
    ("template", Dropped),
    ("textarea", DroppedRaw),
    ("tfoot", TablePart),
    ("th", TablePart),
    ("thead", TablePart),
    ("time", Phrase),
    ("title", DroppedRaw),
    ("tr", TablePart),
    ("u", Phrase),
    ("ul", Block),
    ("var", Phrase),
    ("video", Plain),
    ("xmp", DroppedRaw),
];

/// Number of known elements, for tables indexed by [`Element::index`].
pub(crate) const COUNT: usize = ELEMENTS.len();

/// Short name and its length as a number. Numbers sort like the names and compare in one step;
/// names are looked up several times for every tag of every item.
type Key = u128;

/// Maximum length of a name that has a key. The length distinguishes `p` from `p` followed by NUL.
const KEY_BYTES: usize = size_of::<Key>() - 1;

const fn key(name: &[u8]) -> Key {
    let mut buffer = [0; size_of::<Key>()];
    let mut at = 0;
    while at < name.len() {
        buffer[at] = name[at];
        at += 1;
    }
    buffer[KEY_BYTES] = name.len() as u8;
    Key::from_be_bytes(buffer)
}

const ELEMENT_KEYS: [Key; COUNT] = {
    let mut keys = [0; COUNT];
    let mut place = 0;
    while place < COUNT {
        keys[place] = key(ELEMENTS[place].0.as_bytes());
        place += 1;
    }
    keys
};

const UNWRAPPED_COUNT: usize = 22;

/// Blocks that are unwrapped, sorted: they still end a paragraph and separate words.
const UNWRAPPED_BLOCKS: [&str; UNWRAPPED_COUNT] = [
    "address", "article", "aside", "body", "center", "dialog", "dir", "fieldset", "footer", "head",
    "header", "hgroup", "html", "legend", "listing", "main", "menu", "nav", "optgroup", "option",
    "search", "section",
];

const UNWRAPPED_KEYS: [Key; UNWRAPPED_COUNT] = {
    let mut keys = [0; UNWRAPPED_COUNT];
    let mut place = 0;
    while place < UNWRAPPED_COUNT {
        keys[place] = key(UNWRAPPED_BLOCKS[place].as_bytes());
        place += 1;
    }
    keys
};

/// Meaning of a tag's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    /// Element with rules of its own.
    Known(Element),
    /// Unwrapped, but the words on both sides stay separated.
    UnwrappedBlock,
    /// Unwrapped without a trace.
    Unwrapped,
}

/// Looks up a name as written, ignoring case.
pub(crate) fn named(written: &str) -> Name {
    // `image` is `img` in every browser, `strike` is the name of `s` before HTML 5; for `h1` see
    // `ELEMENTS`.
    const IMAGE: Key = key(b"image");
    const STRIKE: Key = key(b"strike");
    const FIRST_HEADING: Key = key(b"h1");
    // The elements of AMP, which differ from the standard ones only in a script.
    const AMP_IMG: Key = key(b"amp-img");
    const AMP_ANIM: Key = key(b"amp-anim");
    const AMP_AUDIO: Key = key(b"amp-audio");
    const AMP_VIDEO: Key = key(b"amp-video");
    if written.len() > KEY_BYTES {
        return Name::Unwrapped;
    }
    let mut lower = [0; KEY_BYTES];
    lower[..written.len()].copy_from_slice(written.as_bytes());
    lower.make_ascii_lowercase();
    let key = match key(&lower[..written.len()]) {
        IMAGE | AMP_IMG | AMP_ANIM => key(b"img"),
        AMP_AUDIO => key(b"audio"),
        AMP_VIDEO => key(b"video"),
        STRIKE => key(b"s"),
        FIRST_HEADING => key(b"h2"),
        key => key,
    };
    match ELEMENT_KEYS.binary_search(&key) {
        Ok(place) => Name::Known(Element(place as u8)),
        Err(_) if UNWRAPPED_KEYS.binary_search(&key).is_ok() => Name::UnwrappedBlock,
        Err(_) => Name::Unwrapped,
    }
}

const fn element(name: &str) -> Element {
    let mut place = 0;
    while place < COUNT {
        if ELEMENT_KEYS[place] == key(name.as_bytes()) {
            return Element(place as u8);
        }
        place += 1;
    }
    panic!("no such element")
}

impl Element {
    pub(crate) const A: Self = element("a");
    pub(crate) const AUDIO: Self = element("audio");
    pub(crate) const BLOCKQUOTE: Self = element("blockquote");
    pub(crate) const BR: Self = element("br");
    pub(crate) const CAPTION: Self = element("caption");
    pub(crate) const CODE: Self = element("code");
    pub(crate) const DD: Self = element("dd");
    pub(crate) const DIV: Self = element("div");
    pub(crate) const DT: Self = element("dt");
    pub(crate) const EMBED: Self = element("embed");
    pub(crate) const FIGURE: Self = element("figure");
    pub(crate) const IFRAME: Self = element("iframe");
    pub(crate) const IMG: Self = element("img");
    pub(crate) const LI: Self = element("li");
    pub(crate) const MATH: Self = element("math");
    pub(crate) const NOSCRIPT: Self = element("noscript");
    pub(crate) const OBJECT: Self = element("object");
    pub(crate) const OL: Self = element("ol");
    pub(crate) const P: Self = element("p");
    pub(crate) const PICTURE: Self = element("picture");
    pub(crate) const RP: Self = element("rp");
    pub(crate) const RT: Self = element("rt");
    pub(crate) const RUBY: Self = element("ruby");
    pub(crate) const SCRIPT: Self = element("script");
    pub(crate) const SOURCE: Self = element("source");
    pub(crate) const SVG: Self = element("svg");
    pub(crate) const TABLE: Self = element("table");
    pub(crate) const TBODY: Self = element("tbody");
    pub(crate) const TD: Self = element("td");
    pub(crate) const TFOOT: Self = element("tfoot");
    pub(crate) const TH: Self = element("th");
    pub(crate) const THEAD: Self = element("thead");
    pub(crate) const TIME: Self = element("time");
    pub(crate) const TR: Self = element("tr");
    pub(crate) const VIDEO: Self = element("video");

    /// Returns the name in lower case.
    pub(crate) fn name(self) -> &'static str {
        ELEMENTS[self.index()].0
    }

    pub(crate) fn kind(self) -> Kind {
        ELEMENTS[self.index()].1
    }

    /// Returns the index into a table of [`COUNT`] elements.
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Returns `true` for `h2` to `h6`.
    pub(crate) fn is_heading(self) -> bool {
        let name = self.name().as_bytes();
        name.len() == 2 && name[0] == b'h' && name[1].is_ascii_digit()
    }

    /// Returns `true` for `thead`, `tbody` and `tfoot`.
    pub(crate) fn is_table_section(self) -> bool {
        matches!(self, Self::THEAD | Self::TBODY | Self::TFOOT)
    }

    /// Returns `true` for `td` and `th`.
    pub(crate) fn is_cell(self) -> bool {
        matches!(self, Self::TD | Self::TH)
    }

    /// Returns `true` if the element contains rows or cells and no text: a parser would move text
    /// out of it.
    pub(crate) fn is_table_context(self) -> bool {
        self == Self::TABLE || self == Self::TR || self.is_table_section()
    }

    /// Returns `true` if end tags inside the element do not affect the elements around it.
    pub(crate) fn is_scope(self) -> bool {
        self == Self::TABLE || self == Self::CAPTION || self.is_cell()
    }

    /// Returns `true` if a list item that opens inside the element is nested, not the next one.
    pub(crate) fn holds_list_items(self) -> bool {
        match self.kind() {
            Block => self != Self::DIV && self != Self::P,
            ListItem | TablePart | Dropped => true,
            Phrase | Plain | Void | Replaced | DroppedRaw => false,
        }
    }
}

/// Returns the names of the elements that may be shown, for the second sanitiser.
pub(crate) fn shown_names() -> impl Iterator<Item = &'static str> {
    ELEMENTS
        .iter()
        .filter(|(_, kind)| !matches!(kind, Replaced | Dropped | DroppedRaw))
        .map(|(name, _)| *name)
}

/// Returns the names of the elements that are dropped with their content, for the second sanitiser.
/// Replaced elements are included, because they never reach it.
pub(crate) fn dropped_names() -> impl Iterator<Item = &'static str> {
    ELEMENTS
        .iter()
        .filter(|(_, kind)| matches!(kind, Replaced | Dropped | DroppedRaw))
        .map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_by_name_and_by_key() {
        assert!(ELEMENTS.is_sorted_by_key(|(name, _)| *name));
        assert!(ELEMENT_KEYS.is_sorted());
        assert!(UNWRAPPED_KEYS.is_sorted());
    }

    #[test]
    fn names_are_found_in_any_case() {
        assert_eq!(named("BlockQuote"), Name::Known(element("blockquote")));
        assert_eq!(named("IMAGE"), Name::Known(Element::IMG));
        assert_eq!(named("H1"), named("h2"));
        assert_eq!(named("Section"), Name::UnwrappedBlock);
        assert_eq!(named("font"), Name::Unwrapped);
        assert_eq!(named("a-very-long-custom-element"), Name::Unwrapped);
        assert_eq!(named(""), Name::Unwrapped);
        assert_eq!(named("p\0"), Name::Unwrapped);
    }
}
