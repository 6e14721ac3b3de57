//! Groups of HTML elements that several parsers treat alike. Lists that only one of them needs,
//! such as those of the sanitiser, are beside their use.

/// Elements without content and without an end tag.
pub(crate) const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

/// Elements whose content is not markup.
pub(crate) const RAW_TEXT: [&str; 6] = ["iframe", "script", "style", "textarea", "title", "xmp"];
