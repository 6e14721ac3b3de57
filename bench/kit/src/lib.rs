//! What the measuring programs share.

pub mod usage;
pub mod words;
