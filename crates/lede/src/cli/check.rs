//! `lede check`: prints the effective configuration and checks the database.

use lede_store::Store;

use crate::config::Config;

#[expect(clippy::print_stdout, reason = "printing is what this command is for")]
pub(crate) fn run() -> anyhow::Result<()> {
    let config = Config::load()?;
    for line in &config.server.in_force {
        println!("{:<24} {:<40} {}", line.name, line.shown, line.origin);
    }
    // Printed last, so that a damaged database is reported after the settings that name its file.
    println!("\nDatabase: {}", Store::inspect(&config.place)?);
    Ok(())
}
