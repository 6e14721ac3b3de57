//! `lede demo`: the whole product without network and without keys.

use crate::app::App;
use crate::config::Config;
use crate::demo;
use crate::telemetry;

pub(crate) fn run() -> anyhow::Result<()> {
    let config = Config::load()?;
    let _log = telemetry::start(&config.log)?;
    App::runtime()?.block_on(demo::run(config))
}
