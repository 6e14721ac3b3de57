//! `lede restore FILE`: replaces the database with a backup, on either engine.

use anyhow::Context as _;
use lede_store::{DatabaseLocation, archive};

use super::{Archive, describe, print_status};
use crate::app;
use crate::config::Config;

#[expect(clippy::print_stdout, reason = "printing is what this command is for")]
pub(crate) fn run(options: &Archive) -> anyhow::Result<()> {
    let config = Config::load()?;
    let workshop = tempfile::tempdir()
        .context("cannot create a temporary folder; set TMPDIR to a writable one")?;
    let restored = archive::restore(
        &options.file,
        &config.place,
        options.existing(),
        workshop.path(),
        app::system_clock().now(),
        &mut print_status,
    )?;
    let place = match &config.place {
        DatabaseLocation::File(path) => path.display().to_string(),
        DatabaseLocation::Server(_) => "the PostgreSQL database".to_owned(),
    };
    let file = options.file.display();
    println!("{file} was restored into {place}, {}", describe(&restored));
    if let Some(aside) = &restored.kept_aside {
        println!("The previous database was kept as {}", aside.display());
    }
    Ok(())
}
