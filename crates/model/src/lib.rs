//! Domain types of Lede and the rules over them.
//!
//! This crate has no I/O, no async and no clock, so every rule can be tested with a table of
//! inputs. Parsing feeds is in `lede-feed`, storage in `lede-store`, and the use cases that combine
//! them are in `lede-core`.

pub mod address;
pub mod app_password;
pub mod budget;
pub mod category;
pub mod content;
pub mod credentials;
pub mod daily_window;
pub mod feed;
pub mod feed_error;
pub mod identity;
pub mod ids;
pub mod import;
pub mod input;
pub mod item;
pub mod job;
pub mod label;
pub mod mark;
pub mod message;
pub mod name;
pub mod notification;
pub mod password;
pub mod preferences;
pub mod retention;
pub mod rule;
pub mod schedule;
pub mod search;
pub mod secret;
pub mod share_target;
pub mod shortcuts;
pub mod style_sheet;
pub mod time;
pub mod timetable;
pub mod user;
pub mod warning;
