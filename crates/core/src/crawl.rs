//! The crawl of one feed, from its lease to the stored items: fetch, parse, clean, ingest.

pub(crate) mod entry;
mod languages;
mod newest;
pub(crate) mod read;
pub(crate) mod visit;

pub(crate) use entry::CLEANING;
pub use read::CrawlError;
pub(crate) use read::{CandidatePage, FetchedDocument, ReadFeed};
