//! `lede demo`: everything to be seen with no network and no key.

use crate::config::Config;
use crate::demo;
use crate::house::House;
use crate::telemetry;

pub(crate) fn run() -> anyhow::Result<()> {
    let config = Config::load()?;
    let _log = telemetry::start(&config.log)?;
    House::runtime()?.block_on(demo::run(config))
}
