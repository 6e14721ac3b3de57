//! `lede demo`: the whole product without network and without keys.

use crate::config::Config;
use crate::demo;
use crate::house::House;
use crate::telemetry;

pub(crate) fn run() -> anyhow::Result<()> {
    let config = Config::load()?;
    let _log = telemetry::start(&config.log)?;
    House::runtime()?.block_on(demo::run(config))
}
