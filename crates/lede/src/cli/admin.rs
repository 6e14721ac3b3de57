//! `lede admin …`: tasks of operators, with or without a running server.

mod cleanup;

use clap::{Args, Subcommand};
use lede_core::Lede;

use crate::app::{self, App};
use crate::config::Config;

/// Options of `lede admin`.
#[derive(Args)]
pub(crate) struct Admin {
    #[command(subcommand)]
    command: Command,
    /// Print the result as JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Run the daily clean-up now instead of at CLEANUP_HOUR
    Cleanup,
}

#[expect(
    clippy::print_stdout,
    reason = "printing is what these commands are for"
)]
pub(crate) fn run(admin: &Admin) -> anyhow::Result<()> {
    let config = Config::load()?;
    let message = App::runtime()?.block_on(async {
        let lede = app::open_beside(config.place, config.net, config.core).await?;
        let store = lede.store.clone();
        let message = execute(lede, admin).await;
        tokio::task::spawn_blocking(move || store.close()).await?;
        message
    })?;
    println!("{message}");
    Ok(())
}

/// Runs the command and returns the text to print.
async fn execute(lede: Lede, admin: &Admin) -> anyhow::Result<String> {
    match admin.command {
        Command::Cleanup => cleanup::run(&lede, admin.json).await,
    }
}
