//! Elements inside a text, which become part of its value.

use std::borrow::Cow;

use crate::html::VOID;
use crate::links;
use crate::parse::element::Element as E;
use crate::parse::mapper::open::joined_base;
use crate::parse::mapper::{Frame, MAX_DEPTH, Mapper, Markup};
use crate::parse::text::Mime;
use crate::xml::Attributes;
use crate::xml::namespace::Namespace;

impl<'a> Mapper<'a> {
    /// Adds an element inside a text to the value.
    pub(super) fn start_markup(
        &mut self,
        name: &'a str,
        namespace: Namespace,
        local: &str,
        lower: &str,
        attributes: Attributes<'a>,
        empty: bool,
    ) {
        let Some(capture) = self.captures.last_mut() else {
            return;
        };
        let mut markup = Markup::Written;
        if !capture.mime.is_inline() {
            if lower == "div" {
                // Some software wraps escaped HTML into a `div` of its own.
                markup = Markup::Silent;
            } else {
                // The text is declared as escaped but is not.
                capture.mime = Mime::Xhtml;
            }
        }
        if markup == Markup::Written {
            if self.frames.len() == capture.frame + 1 {
                capture.roots += 1;
                if capture.roots == 1 && lower == "div" {
                    capture.root_is_div = true;
                    if let Some(base) = attributes.find("xml:base")
                        && let Some(base) = joined_base(&capture.base, &base)
                    {
                        capture.base = base;
                    }
                }
            }
            write_tag(&mut capture.value, namespace, local, attributes);
        }
        let is_void = VOID.contains(&lower);
        if is_void && markup == Markup::Written {
            capture.value.push_str(" />");
            return;
        }
        if markup == Markup::Written {
            capture.value.push('>');
            if empty {
                capture.value.push_str("</");
                capture.value.push_str(local);
                capture.value.push('>');
            }
        }
        if empty {
            return;
        }
        if self.frames.len() >= MAX_DEPTH {
            self.overflow += 1;
            return;
        }
        self.frames.push(Frame {
            name,
            element: E::Unknown,
            outer_base: None,
            outer_language: None,
            markup,
        });
    }
}

/// Writes `<local attributes` without its end. The attributes are sorted, so that a publisher whose
/// software shuffles them does not seem to change the text.
fn write_tag(out: &mut String, namespace: Namespace, local: &str, attributes: Attributes<'_>) {
    out.push('<');
    out.push_str(local);
    let address = match (namespace, local) {
        (Namespace::Svg, "svg") => Some("http://www.w3.org/2000/svg"),
        (Namespace::MathMl, "math") => Some("http://www.w3.org/1998/Math/MathML"),
        _ => None,
    };
    if attributes.is_empty() && address.is_none() {
        return;
    }
    let mut written: Vec<(&str, Cow<'_, str>)> = attributes
        .iter()
        .filter(|(name, _)| *name != "xmlns" && !name.starts_with("xmlns:"))
        .collect();
    written.extend(address.map(|address| ("xmlns", Cow::Borrowed(address))));
    written.sort_by_key(|(name, _)| *name);
    for (name, value) in written {
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        links::push_attribute(out, &value);
        out.push('"');
    }
}

pub(super) fn close_tag(out: &mut String, name: &str) {
    out.push_str("</");
    out.push_str(name.rsplit(':').next().unwrap_or(name));
    out.push('>');
}
