//! Much work in steps, each a transaction that holds the store's writer for a short time.
//!
//! How long a step takes depends on the machine, on the rows and on what else it does, so that no number of
//! rows is right everywhere: each step is as large as the one before allows.

use std::time::Duration;

use lede_store::{Db, Store, StoreResult, upkeep};

/// After a step that took less, the next one takes twice as many rows.
const SHORT: Duration = Duration::from_millis(10);
/// After one that took longer, half as many: others may wait 50 ms for the writer, and not always does one
/// step take as long as another.
const LONG: Duration = Duration::from_millis(25);
/// How long the disk may be behind, and how often that is looked at.
const PATIENCE: u32 = 100;
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// How many rows the next step takes.
#[derive(Debug)]
pub(crate) struct Steps {
    rows: usize,
    most: usize,
    has_begun: bool,
}

impl Steps {
    /// Begins with steps of so many rows, which never become more than `most`.
    pub(crate) const fn of(rows: usize, most: usize) -> Self {
        Self {
            rows,
            most,
            has_begun: false,
        }
    }

    /// Rows of the next step.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Takes one step: `work` is told how many rows it may take, and gives what came of it and how many they
    /// were. Every step but the first waits while the disk is behind.
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

    /// Fewer rows than there might have been say nothing about more.
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
        if !store.read(upkeep::is_behind).await? {
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
