//! Domain types of Lede and the rules over them.
//!
//! This crate has no I/O, no async and no clock, so every rule can be tested with a table of
//! inputs. Parsing feeds is in `lede-feed`, storage in `lede-store`, and the use cases that combine
//! them are in `lede-core`.

pub mod access;
pub mod address;
pub mod app_password;
pub mod budget;
pub mod category;
pub mod content;
pub mod feed;
pub mod identity;
pub mod ids;
pub mod import;
pub mod item;
pub mod job;
pub mod keys;
pub mod label;
pub mod mark;
pub mod message;
pub mod name;
pub mod nightly;
pub mod password;
pub mod preferences;
pub mod retention;
pub mod rule;
pub mod schedule;
pub mod search;
pub mod secret;
pub mod service;
pub mod style_sheet;
pub mod time;
pub mod timetable;
pub mod trouble;
pub mod user;
pub mod warning;
