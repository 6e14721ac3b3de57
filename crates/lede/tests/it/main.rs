//! Tests of capabilities, through the doors, on both engines: one program, a file each.

mod crawl;
mod images;
mod thread;
