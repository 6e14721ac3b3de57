//! The commands, a file each.

mod check;
mod demo;
mod opml;
mod serve;
mod try_out;
mod worker;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// A self-hosted news reader that does not bury the lede.
#[derive(Parser)]
#[command(version, about, long_about = None, after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const AFTER_HELP: &str = "Settings come from the environment, then .env, then lede.toml in the current folder;\n\
                          docs/CONFIGURATION.md lists them, `lede check` shows what is in force.";

/// What to do; `serve` when nothing is said.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Serve the reader and fetch feeds (the default)
    Serve(Serve),
    /// Only fetch feeds; needs PostgreSQL, where a server runs elsewhere
    Worker,
    /// Show the whole product on a throw-away store with sample feeds, no network needed
    Demo,
    /// Print what Lede makes of a feed or page, and keep nothing
    Try(Try),
    /// Take in or write out a subscription list (OPML), also while the server runs
    #[command(subcommand)]
    Opml(OpmlCommand),
    /// Print the effective configuration, secrets masked, and check the database
    Check,
}

impl Default for Command {
    fn default() -> Self {
        Self::Serve(Serve::default())
    }
}

/// How to serve.
#[derive(Args, Default)]
pub(crate) struct Serve {
    /// Only serve; feeds are fetched by `lede worker` elsewhere
    #[arg(long)]
    no_worker: bool,
}

/// What to try.
#[derive(Args)]
pub(crate) struct Try {
    /// The address of a feed, or of a page that has one
    url: String,
    /// Show every item in full
    #[arg(long)]
    all: bool,
}

/// What to do with a subscription list.
#[derive(Subcommand)]
pub(crate) enum OpmlCommand {
    /// Follow the feeds of a list
    Import(OpmlImport),
    /// Write what somebody follows to standard output
    Export(OpmlExport),
}

/// Which list for whom.
#[derive(Args)]
pub(crate) struct OpmlImport {
    /// The OPML file; - is standard input
    file: PathBuf,
    /// The account that follows its feeds
    #[arg(long, value_name = "EMAIL")]
    user: String,
}

/// Whose list.
#[derive(Args)]
pub(crate) struct OpmlExport {
    /// The account
    #[arg(long, value_name = "EMAIL")]
    user: String,
}

pub(crate) fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve(options) => serve::run(&options),
        Command::Worker => worker::run(),
        Command::Demo => demo::run(),
        Command::Try(options) => try_out::run(&options),
        Command::Opml(command) => opml::run(&command),
        Command::Check => check::run(),
    }
}
