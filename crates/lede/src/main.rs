//! The `lede` binary: reads the configuration, assembles the parts and runs them.

mod allocator;
mod app;
mod cli;
mod config;
mod demo;
mod handles;
mod telemetry;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    let command = cli::Arguments::parse().command.unwrap_or_default();
    match cli::run(command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One sentence with the remedy, whatever the log level.
            #[expect(
                clippy::print_stderr,
                reason = "the last words of a program that cannot start"
            )]
            {
                eprintln!("lede: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}
