//! Misbehaving servers on loopback, and what becomes of the requests to them.
//!
//! The servers write raw bytes, because no HTTP library would let them be this wrong. They are
//! reached through the allow-list, which each test keeps as narrow as it can. Where a time limit
//! is to run out, the test waits until the server has the request, then stops the clock: from
//! there on nothing moves but the timers.

mod addresses;
mod codings;
mod conditions;
mod limits;
mod pacing;
mod passes;
mod peers;
mod properties;
mod redirects;
mod rules;
mod site;
mod tls;
