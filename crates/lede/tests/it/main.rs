//! Tests of capabilities, through the doors, on both engines: one program, a file each.

mod accounts;
mod guard;
mod thread;
mod tokens;
