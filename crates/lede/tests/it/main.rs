//! Tests of capabilities, through the doors, on both engines: one program, a file each.

mod accounts;
mod articles;
mod browser;
mod check;
mod crawl;
mod demo;
mod discovery;
mod guard;
mod health;
mod hostile;
mod images;
mod keeping;
mod live;
mod oidc;
mod open_api;
mod pages;
mod program;
mod proxy;
mod routes;
mod start;
mod store;
mod thread;
mod tidy;
mod tokens;
