//! Large changes in steps, each a transaction that holds the store's writer for a short time.
//!
//! The duration of a step depends on the machine, on the rows and on other load, so no fixed number
//! of rows is right everywhere. Each step is sized by the duration of the previous one.

use std::time::Duration;

use lede_store::{Db, Store, StoreResult, maintenance};

/// After a step shorter than this, the next one takes twice as many rows.
const SHORT: Duration = Duration::from_millis(10);
/// After a step longer than this, the next one takes half as many rows. Other writers
/// should wait 50 ms at most, and the duration of steps varies.
const LONG: Duration = Duration::from_millis(25);
/// Number of checks for a disk that is behind, and their interval.
const PATIENCE: u32 = 100;
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// The number of rows for the next step.
#[derive(Debug)]
pub(crate) struct Steps {
    rows: usize,
    most: usize,
    has_begun: bool,
}

impl Steps {
    /// Starts with steps of `rows` rows, which grow to `most` at most.
    pub(crate) const fn of(rows: usize, most: usize) -> Self {
        Self {
            rows,
            most,
            has_begun: false,
        }
    }

    /// Returns the number of rows of the next step.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Runs one step. `work` receives the maximum number of rows and returns its result and the
    /// number of rows it processed. Every step but the first waits while the disk is behind.
    pub(crate) async fn step<T, F>(&mut self, store: &Store, mut work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Db<'_>, usize) -> StoreResult<(T, usize)> + Send + 'static,
    {
        if std::mem::replace(&mut self.has_begun, true) {
            let_disk_catch_up(store).await?;
        }
        let most = self.rows;
        let ((done, rows), held) = store.timed_write(move |db| work(db, most)).await?;
        self.took(rows, held);
        Ok(done)
    }

    /// Adjusts the size of steps. It grows only after a full step: a short one is no evidence.
    fn took(&mut self, rows: usize, held: Duration) {
        if held > LONG {
            self.rows = (self.rows / 2).max(1);
        } else if held < SHORT && rows >= self.rows {
            self.rows = (self.rows * 2).min(self.most);
        }
    }
}

async fn let_disk_catch_up(store: &Store) -> StoreResult<()> {
    for _ in 0..PATIENCE {
        if !store.read(maintenance::is_behind).await? {
            break;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_as_large_as_the_one_before_allows() {
        let mut steps = Steps::of(100, 300);
        for (rows, held, next) in [
            (100, 9, 200),
            (200, 11, 200),
            (150, 9, 200),
            (200, 9, 300),
            (300, 1, 300),
            (300, 25, 300),
            (300, 26, 150),
            (1, 400, 75),
        ] {
            steps.took(rows, Duration::from_millis(held));
            assert_eq!(steps.rows(), next, "{rows} rows in {held} ms");
        }
        let mut steps = Steps::of(1, 8);
        steps.took(1, Duration::from_secs(1));
        assert_eq!(steps.rows(), 1);
    }
}
