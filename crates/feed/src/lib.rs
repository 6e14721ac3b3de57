//! Bytes in, clean items out.
//!
//! This crate turns what a server sent into values, and values into documents. It opens no socket
//! and no store, and everything it reads is hostile until it has been through here.

pub mod clean;
pub mod discover;
pub mod extract;
