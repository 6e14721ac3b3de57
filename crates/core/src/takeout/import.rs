//! Import of an export document, one file per part of the document.
//!
//! Missing data is added and existing data stays. Importing twice has the same result as importing
//! once.

mod categories;
mod checks;
mod items;
mod labels;
mod outcome;
mod preferences;
mod rules;
mod searches;
mod subscriptions;

use std::collections::HashMap;
use std::fs::File;
use std::sync::Arc;

use lede_model::ids::{CategoryId, FeedId};
use lede_model::label::LabelName;
use lede_model::user::User;
use lede_store::takeout;
use tokio::sync::{Semaphore, mpsc};

use self::checks::line;
use self::items::LongLists;
use super::read::{self, List};
use crate::Lede;

pub use self::outcome::{ImportError, Imported, RefusedEntry};

/// Concurrent imports: each causes many writes, and other users read meanwhile.
static TURNS: Semaphore = Semaphore::const_new(2);

/// Entries buffered between the reader and the writer.
const ON_THE_WAY: usize = 4;

/// Feeds, categories and labels that exist by then, to which other entries refer.
#[derive(Clone, Copy)]
struct ImportContext<'a> {
    feeds: &'a HashMap<String, FeedId>,
    categories: &'a HashMap<categories::Key, CategoryId>,
    labels: &'a labels::Labels,
}

impl ImportContext<'_> {
    /// Finds the label of this name.
    fn label(&self, name: &str) -> Option<&lede_model::label::Label> {
        let name = LabelName::parse(&line(name)).ok()?;
        self.labels.get(&name.key())
    }
}

/// Imports the document in `file` for `user`.
pub async fn import(lede: &Lede, user: &User, file: File) -> Result<Imported, ImportError> {
    // Never closed, so acquiring always succeeds.
    let _turn = TURNS.acquire().await.ok();
    let file = Arc::new(file);
    let first = Arc::clone(&file);
    let short = on_a_thread(move || read::short(&first)).await?;
    let mut done = Imported::default();
    preferences::import(lede, user.id, short.preferences.as_ref(), &mut done).await?;
    let categories = categories::import(lede, user.id, &short, &mut done).await?;
    let now = lede.clock.now();
    // A document without a date was written before now.
    let exported_at = short.exported_at.map_or(now, |at| at.min(now));
    let following = subscriptions::Following {
        categories: &categories,
        exported_at,
    };
    subscriptions::import(lede, user, &short.subscriptions, following, &mut done).await?;
    let id = user.id;
    let followed = lede
        .store
        .read(move |db| takeout::subscriptions(db, id))
        .await?;
    let feeds: HashMap<String, FeedId> = followed
        .into_iter()
        .map(|following| (following.feed_url, following.feed))
        .collect();
    let labels = labels::import(lede, user.id, &short.labels, &mut done).await?;
    searches::import(lede, user.id, &short.saved_searches, &mut done).await?;
    let known = ImportContext {
        feeds: &feeds,
        categories: &categories,
        labels: &labels,
    };
    let mut long = LongLists {
        lede,
        user,
        known,
        exported_at,
        pending: HashMap::new(),
        unfollowed: HashMap::new(),
        done: &mut done,
        ready: Vec::new(),
    };
    // Marks come last, because they may refer to items that were just imported.
    for list in [List::Starred, List::Labelled, List::Marks] {
        let (sender, entries) = mpsc::channel(ON_THE_WAY);
        let file = Arc::clone(&file);
        let reading = on_a_thread(move || {
            read::long(&file, list, |entry| {
                let sent = sender.blocking_send(entry);
                sent.map_err(|_| "nobody reads it any more".to_owned())
            })
        });
        let (read, written) = tokio::join!(reading, long.ingest(list, entries));
        written?;
        read?;
    }
    // Rules come last: feeds may be fetched by now, and only now is it known which items are not
    // new.
    rules::import(lede, user.id, &short.rules, known, &mut done).await?;
    tracing::info!(
        user.id = user.id.as_i64(),
        subscriptions = done.subscriptions_added,
        starred = done.starred,
        labelled = done.labelled,
        pending = done.pending,
        "a take-out was imported"
    );
    Ok(done)
}

/// Runs file access on a blocking thread.
async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, ImportError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err("reading it failed".to_owned()))
        .map_err(ImportError::Document)
}
