//! `lede backup FILE`: writes everything to one file, whether or not Lede is running.

use lede_store::archive;

use super::{Archive, describe, print_status};
use crate::config::Config;

#[expect(clippy::print_stdout, reason = "printing is what this command is for")]
pub(crate) fn run(options: &Archive) -> anyhow::Result<()> {
    let config = Config::load()?;
    let file = &options.file;
    let made = archive::backup(&config.place, file, options.existing(), &mut print_status)?;
    println!(
        "{} is a complete backup, {}",
        file.display(),
        describe(&made)
    );
    Ok(())
}
