//! Tests of capabilities, through the doors, on both engines: one program, a file each.

mod check;
mod crawl;
mod demo;
mod images;
mod program;
mod start;
mod store;
mod thread;
mod tidy;
