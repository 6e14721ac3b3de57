//! Tests of capabilities, through the doors, on both engines: one program, a file each.

mod browser;
mod pages;
mod thread;
