//! `lede check`: what is in force, and whether the database is sound.

use lede_store::Store;

use crate::config::Config;

#[expect(clippy::print_stdout, reason = "printing is what this command is for")]
pub(crate) fn run() -> anyhow::Result<()> {
    let config = Config::load()?;
    for line in &config.doors.in_force {
        println!("{:<24} {:<40} {}", line.name, line.shown, line.origin);
    }
    // Afterwards, so that whoever has a damaged file sees which file is meant.
    println!("\nDatabase: {}", Store::inspect(&config.place)?);
    Ok(())
}
