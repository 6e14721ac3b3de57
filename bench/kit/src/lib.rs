//! Shared code of the benchmarks.

pub mod usage;
pub mod words;
