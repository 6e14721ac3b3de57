//! Command line: arguments and subcommands, one file per command.

mod admin;
mod backup;
mod check;
mod demo;
mod opml;
mod restore;
mod serve;
mod try_out;
mod worker;

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use lede_store::archive::{Existing, Inventory};

use crate::allocator;

/// A self-hosted news reader that does not bury the lede.
#[derive(Parser)]
#[command(version, about, long_about = None, after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const AFTER_HELP: &str = "Settings come from the environment, then .env, then lede.toml in the current folder;\n\
                          docs/CONFIGURATION.md lists them, `lede check` prints the effective ones.";

/// The subcommand; `serve` if none is given.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Serve the web interface and the APIs, and fetch feeds (the default)
    Serve(Serve),
    /// Only fetch feeds, for a server that runs elsewhere; needs PostgreSQL
    Worker,
    /// Show Lede with sample feeds in a temporary database; no network needed
    Demo,
    /// Show how Lede reads a feed or page, without storing anything
    Try(Try),
    /// Back up everything to one file; Lede may be running
    Backup(Archive),
    /// Replace the database with a backup; Lede must not be running
    Restore(Archive),
    /// Import or export subscriptions as OPML; the server may be running
    #[command(subcommand)]
    Opml(OpmlCommand),
    /// Run maintenance tasks; the server may be running
    Admin(admin::Admin),
    /// Print the effective configuration with secrets masked, and check the database
    Check,
}

impl Default for Command {
    fn default() -> Self {
        Self::Serve(Serve::default())
    }
}

/// Options of `lede serve`.
#[derive(Args, Default)]
pub(crate) struct Serve {
    /// Do not fetch feeds; `lede worker` does that elsewhere
    #[arg(long)]
    no_worker: bool,
}

/// Options of `lede try`.
#[derive(Args)]
pub(crate) struct Try {
    /// The address of a feed, or of a page that links to one
    url: String,
    /// Show every item, each with its full text
    #[arg(long)]
    all: bool,
}

/// Options of `lede backup` and `lede restore`.
#[derive(Args)]
pub(crate) struct Archive {
    /// The path of the backup file
    file: PathBuf,
    /// Overwrite an existing backup file, or replace existing data in the database
    #[arg(long)]
    force: bool,
}

impl Archive {
    fn existing(&self) -> Existing {
        match self.force {
            true => Existing::Replaced,
            false => Existing::Refused,
        }
    }
}

/// Describes the content of a backup for the console.
fn describe(inventory: &Inventory) -> String {
    let megabytes = inventory.bytes as f64 / f64::from(1 << 20);
    let mut out = format!("schema {}, {megabytes:.1} MB:", inventory.schema);
    for (table, rows) in &inventory.rows {
        // Writing into a string does not fail.
        let _ = write!(out, "\n  {table:<16} {rows:>9}");
    }
    out
}

/// Prints a progress message to standard error.
#[expect(
    clippy::print_stderr,
    reason = "standard output is for the result, and this is on the way to it"
)]
fn print_status(words: &str) {
    eprintln!("{words}");
}

/// Subcommands of `lede opml`.
#[derive(Subcommand)]
pub(crate) enum OpmlCommand {
    /// Follow the feeds in an OPML file
    Import(OpmlImport),
    /// Write the subscriptions of an account to standard output as OPML
    Export(OpmlExport),
}

/// Options of `lede opml import`.
#[derive(Args)]
pub(crate) struct OpmlImport {
    /// The OPML file, or - for standard input
    file: PathBuf,
    /// The e-mail address of the account that will follow the feeds
    #[arg(long, value_name = "EMAIL")]
    user: String,
}

/// Options of `lede opml export`.
#[derive(Args)]
pub(crate) struct OpmlExport {
    /// The e-mail address of the account
    #[arg(long, value_name = "EMAIL")]
    user: String,
}

pub(crate) fn run(command: Command) -> anyhow::Result<()> {
    // Only for long-running commands: the others end before it matters.
    if let Command::Serve(_) | Command::Worker | Command::Demo = command {
        allocator::tune();
    }
    match command {
        Command::Serve(options) => serve::run(&options),
        Command::Worker => worker::run(),
        Command::Demo => demo::run(),
        Command::Try(options) => try_out::run(&options),
        Command::Backup(options) => backup::run(&options),
        Command::Restore(options) => restore::run(&options),
        Command::Opml(command) => opml::run(&command),
        Command::Admin(options) => admin::run(&options),
        Command::Check => check::run(),
    }
}
