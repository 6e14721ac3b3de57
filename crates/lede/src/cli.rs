//! The commands, a file each.

mod admin;
mod check;
mod demo;
mod serve;
mod try_out;
mod worker;

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

pub(crate) fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve(options) => serve::run(&options),
        Command::Worker => worker::run(),
        Command::Demo => demo::run(),
        Command::Try(options) => try_out::run(&options),
        Command::Admin(options) => admin::run(&options),
        Command::Check => check::run(),
    }
}
