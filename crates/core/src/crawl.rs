//! One feed from its lease to what is stored: fetch, parse, clean, take in.

pub(crate) mod entry;
mod languages;
mod newest;
pub(crate) mod read;
pub(crate) mod visit;

pub(crate) use entry::CLEANING;
pub use read::CrawlError;
pub(crate) use read::{Found, Page, ReadFeed};
