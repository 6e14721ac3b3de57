//! Requests to misbehaving servers on loopback.
//!
//! The servers write raw bytes, because no HTTP library would let them be this wrong. They are
//! reached through the allow-list, which each test makes as narrow as it can. If a time limit is to
//! expire, the test waits until the server has the request, then pauses the clock: from then on
//! only timers advance.

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
