//! The reader's JSON door: the signed-in person's feeds and items.

pub(crate) mod access;
pub(crate) mod admin;
pub(crate) mod app_passwords;
pub(crate) mod categories;
pub(crate) mod events;
pub(crate) mod feeds;
pub(crate) mod items;
pub(crate) mod labels;
pub(crate) mod lists;
pub(crate) mod opml;
pub(crate) mod preferences;
mod present;
pub(crate) mod proxy;
pub(crate) mod rules;
pub(crate) mod searches;
pub(crate) mod sign_in;
pub(crate) mod status;
pub(crate) mod subscriptions;
pub(crate) mod takeout;
