//! `lede opml import` and `lede opml export`, with or without a running server.

use std::io::{Read as _, Write as _};
use std::path::Path;

use anyhow::{Context as _, anyhow};
use lede_core::{Lede, opml};
use lede_model::user::User;
use lede_store::users;

use super::{OpmlCommand, OpmlExport, OpmlImport};
use crate::app::{self, App};
use crate::config::Config;

/// Failures that are printed; a file that is not a list of feeds has thousands.
const SHOWN_FAILURES: i64 = 1000;

pub(crate) fn run(command: &OpmlCommand) -> anyhow::Result<()> {
    let config = Config::load()?;
    App::runtime()?.block_on(async {
        let lede = app::open_beside(config.place, config.net, config.core).await?;
        match command {
            OpmlCommand::Import(options) => import(&lede, options).await?,
            OpmlCommand::Export(options) => export(&lede, options).await?,
        }
        tokio::task::spawn_blocking(move || lede.store.close()).await?;
        Ok(())
    })
}

async fn account(lede: &Lede, email: &str) -> anyhow::Result<User> {
    let wanted = email.trim().to_lowercase();
    let found = lede
        .store
        .read(move |db| users::find_by_email(db, &wanted))
        .await?;
    found
        .map(|(user, _)| user)
        .ok_or_else(|| anyhow!("there is no account {email}; check the address"))
}

async fn export(lede: &Lede, options: &OpmlExport) -> anyhow::Result<()> {
    let user = account(lede, &options.user).await?;
    let list = opml::export(lede, user.id).await?;
    std::io::stdout()
        .write_all(list.as_bytes())
        .context("the list cannot be written to standard output")
}

async fn import(lede: &Lede, options: &OpmlImport) -> anyhow::Result<()> {
    let user = account(lede, &options.user).await?;
    let bytes = read(&options.file)?;
    let (import, _) = opml::begin(lede, &user, bytes, None)
        .await
        .with_context(|| format!("{} could not be imported", options.file.display()))?;
    opml::process(lede, import).await?;
    let done = opml::find(lede, user.id, import, SHOWN_FAILURES).await?;
    let done = done.context("the account was deleted during the import")?;
    #[expect(clippy::print_stdout, reason = "printing is what this command is for")]
    {
        let progress = &done.progress;
        println!(
            "{} feeds: {} added, {} already followed, {} failed",
            progress.total, progress.added, progress.existing, progress.failed
        );
        for failed in &done.failures {
            println!("{failed}");
        }
    }
    Ok(())
}

/// Reads the file, or standard input for `-`. Reads slightly more than the limit, so that excess is
/// detected.
fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let most = opml::MAX_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().take(most).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read.with_context(|| format!("{} cannot be read", file.display()))?;
    Ok(bytes)
}
