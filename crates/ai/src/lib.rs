//! Saying in few words what an item says.
//!
//! This room knows language and language models; queues, budgets and storage are `core`'s. With
//! no key configured everything here runs in the process, without a network and with the same
//! answer every time. Services that answer over HTTP join beside [`embedded`].

pub mod embedded;
