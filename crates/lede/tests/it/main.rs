//! Tests of capabilities, through the doors, on both engines: one program, a file each.

mod accounts;
mod app_passwords;
mod articles;
mod backups;
mod browser;
mod check;
mod crawl;
mod demo;
mod discovery;
mod events;
mod guard;
mod hostile;
mod images;
mod lists;
mod live;
mod oidc;
mod open_api;
mod pages;
mod program;
mod routes;
mod start;
mod store;
mod takeout;
mod thread;
mod tidy;
mod tokens;
