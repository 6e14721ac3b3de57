//! Take-out: everything that is a person's own, as one document, and back into any Lede.
//!
//! One JSON document, written and read in pieces so that neither takes the memory of the whole
//! (`docs/notes/takeout.md` describes it). Feeds are named by address and items by what they are known
//! by in their feed, because numbers mean nothing in another house. What comes in was in a stranger's
//! hands: it passes the same cleaning and the same limits as what a feed says.

mod export;
mod format;
mod import;
mod read;

pub use export::Export;
pub use import::{EntryError, ImportError, Imported, import};
