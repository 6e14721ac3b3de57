//! Bytes in, clean items out.
//!
//! This crate parses what a server sent, and writes documents from values. It opens no socket and
//! no store. All input is considered hostile until it has been processed here.

pub mod clean;
pub mod date;
pub(crate) mod decode;
pub mod discover;
pub(crate) mod entities;
pub mod extract;
pub(crate) mod html;
mod language;
pub mod links;
pub mod opml;
pub mod parse;
pub mod parsed;
pub mod sniff;
pub(crate) mod xml;

pub use decode::page_text;
pub use language::{declared_language, language, language_by_signs};
pub use parse::{ParseError, parse};
pub use parsed::{ParsedEntry, ParsedFeed, Text, TextKind};
pub use sniff::Document;
