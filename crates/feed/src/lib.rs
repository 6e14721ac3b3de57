//! Bytes in, clean items out.
//!
//! This crate turns what a server sent into values, and values into documents. It opens no socket
//! and no store, and everything it reads is hostile until it has been through here.

pub mod clean;
pub mod date;
pub(crate) mod decode;
pub mod discover;
pub(crate) mod entities;
pub mod extract;
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
