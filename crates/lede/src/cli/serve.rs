//! `lede serve`: everything in one process.

use crate::config::Config;
use crate::house::House;
use crate::telemetry;

pub(crate) fn run() -> anyhow::Result<()> {
    let config = Config::load()?;
    let _log = telemetry::start(&config.log)?;
    House::runtime()?.block_on(async { House::build(config).await?.serve().await })
}
