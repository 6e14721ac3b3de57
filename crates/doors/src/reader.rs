//! The reader's JSON door: the signed-in person's feeds and items.

pub(crate) mod admin;
pub(crate) mod events;
pub(crate) mod feeds;
pub(crate) mod items;
pub(crate) mod proxy;
pub(crate) mod sign_in;
pub(crate) mod status;
pub(crate) mod subscriptions;
