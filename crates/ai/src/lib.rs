//! Summaries of items.
//!
//! This crate knows language and language models; queues, budgets and storage belong to `core`.
//! With no API key configured everything here runs in-process, without network access and with
//! deterministic results. Services that are called over HTTP belong beside [`embedded`].

pub mod embedded;
