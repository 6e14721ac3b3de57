//! Tests of capabilities, through the doors, on both engines: one program, a file each.

mod accounts;
mod guard;
mod oidc;
mod open_api;
mod routes;
mod thread;
mod tokens;
