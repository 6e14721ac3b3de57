//! Data export and import: everything that belongs to a user, as one JSON document.
//!
//! The document is written and read in pieces, so that memory use does not depend on its size
//! (`docs/notes/takeout.md` describes the format). Feeds are identified by address and items by
//! their key within the feed, because database ids mean nothing in another instance. An imported
//! document is untrusted: it passes the same cleaning and limits as the content of a feed.

mod export;
mod format;
mod import;
mod read;

pub use export::Export;
pub use import::{ImportError, Imported, RefusedEntry, import};
