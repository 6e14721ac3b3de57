//! The one clock of the house, made in `lede` and handed down, so that tests can turn it.

use std::sync::Arc;

use lede_model::time::Timestamp;

/// Tells the time of day.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// A clock that asks `now`.
    pub fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The time of day.
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}
