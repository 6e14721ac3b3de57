//! The commands, a file each.

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
    /// Copy everything into one file, while Lede runs or not
    Backup(Archive),
    /// Put a backup in the place of the database; Lede must not run meanwhile
    Restore(Archive),
    /// Take in or write out a subscription list (OPML), also while the server runs
    #[command(subcommand)]
    Opml(OpmlCommand),
    /// Look after the instance, beside a running server or without one
    Admin(admin::Admin),
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

/// A backup.
#[derive(Args)]
pub(crate) struct Archive {
    /// The backup
    file: PathBuf,
    /// Replace what is there already: the file of that name, or everything in the database
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

/// What a backup holds, for people.
fn describe(inventory: &Inventory) -> String {
    let megabytes = inventory.bytes as f64 / f64::from(1 << 20);
    let mut out = format!("schema {}, {megabytes:.1} MB:", inventory.schema);
    for (table, rows) in &inventory.rows {
        // Writing into a string does not fail.
        let _ = write!(out, "\n  {table:<16} {rows:>9}");
    }
    out
}

/// Says what is being done to whoever waits.
#[expect(
    clippy::print_stderr,
    reason = "standard output is for the result, and this is on the way to it"
)]
fn tell(words: &str) {
    eprintln!("{words}");
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
    // Only for what runs on: the others are over before it matters.
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
