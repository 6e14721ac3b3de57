//! The commands, a file each.

mod check;
mod demo;
mod serve;

use clap::{Parser, Subcommand};

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
#[derive(Subcommand, Default)]
pub(crate) enum Command {
    /// Serve the reader (the default)
    #[default]
    Serve,
    /// Show the whole product on a throw-away store with sample feeds, no network needed
    Demo,
    /// Print the effective configuration, secrets masked, and check the database
    Check,
}

pub(crate) fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve => serve::run(),
        Command::Demo => demo::run(),
        Command::Check => check::run(),
    }
}
