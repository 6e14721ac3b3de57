//! Bringing a take-out in: what is missing is added, what is there stays, and doing it twice is the
//! same as doing it once. A file for each part of the document.

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

pub use self::outcome::{EntryError, ImportError, Imported};

/// Take-outs that come in at a time: each is a lot of writing, and others read meanwhile.
static TURNS: Semaphore = Semaphore::const_new(2);

/// Entries between the reader and the writer.
const ON_THE_WAY: usize = 4;

/// What there is by then, that other entries name.
#[derive(Clone, Copy)]
struct Known<'a> {
    feeds: &'a HashMap<String, FeedId>,
    categories: &'a HashMap<categories::Key, CategoryId>,
    labels: &'a labels::Labels,
}

impl Known<'_> {
    /// The label of this name, where it is here.
    fn label(&self, name: &str) -> Option<&lede_model::label::Label> {
        let name = LabelName::parse(&line(name)).ok()?;
        self.labels.get(&name.key())
    }
}

/// Brings the take-out in `file` in for `user`.
pub async fn import(lede: &Lede, user: &User, file: File) -> Result<Imported, ImportError> {
    // Never closed, so there is always a turn.
    let _turn = TURNS.acquire().await.ok();
    let file = Arc::new(file);
    let first = Arc::clone(&file);
    let short = on_a_thread(move || read::short(&first)).await?;
    let mut done = Imported::default();
    preferences::bring(lede, user.id, short.preferences.as_ref(), &mut done).await?;
    let categories = categories::bring(lede, user.id, &short, &mut done).await?;
    let now = lede.clock.now();
    // What does not say when it was written was written by now.
    let exported_at = short.exported_at.map_or(now, |at| at.min(now));
    let following = subscriptions::Following {
        categories: &categories,
        exported_at,
    };
    subscriptions::bring(lede, user, &short.subscriptions, following, &mut done).await?;
    let id = user.id;
    let followed = lede
        .store
        .read(move |db| takeout::followings(db, id))
        .await?;
    let feeds: HashMap<String, FeedId> = followed
        .into_iter()
        .map(|following| (following.feed_url, following.feed))
        .collect();
    let labels = labels::bring(lede, user.id, &short.labels, &mut done).await?;
    searches::bring(lede, user.id, &short.saved_searches, &mut done).await?;
    let known = Known {
        feeds: &feeds,
        categories: &categories,
        labels: &labels,
    };
    let mut long = LongLists {
        lede,
        user,
        known,
        exported_at,
        awaited: HashMap::new(),
        done: &mut done,
        ready: Vec::new(),
    };
    // Marks afterwards: they may be about items that were just brought.
    for list in [List::Starred, List::Labelled, List::Marks] {
        let (sender, entries) = mpsc::channel(ON_THE_WAY);
        let file = Arc::clone(&file);
        let reading = on_a_thread(move || {
            read::long(&file, list, |entry| {
                let sent = sender.blocking_send(entry);
                sent.map_err(|_| "nobody reads it any more".to_owned())
            })
        });
        let (read, written) = tokio::join!(reading, long.take_in(list, entries));
        written?;
        read?;
    }
    // Last: feeds may be fetched by now, and until here it was not known what is no news in them.
    rules::bring(lede, user.id, &short.rules, known, &mut done).await?;
    tracing::info!(
        user.id = user.id.as_i64(),
        subscriptions = done.subscriptions_added,
        starred = done.starred,
        labelled = done.labelled,
        awaited = done.awaited,
        "a take-out was brought in"
    );
    Ok(done)
}

/// Reading a file is no work for the async threads.
async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, ImportError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err("reading it failed".to_owned()))
        .map_err(ImportError::Document)
}
