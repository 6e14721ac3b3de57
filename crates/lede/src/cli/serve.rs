//! `lede serve`: server and worker in one process, or the server alone.

use super::Serve;
use crate::app::{App, Work};
use crate::config::Config;
use crate::telemetry;

pub(crate) fn run(options: &Serve) -> anyhow::Result<()> {
    let config = Config::load()?;
    let _log = telemetry::start(&config.log)?;
    let work = if options.no_worker {
        Work::Elsewhere
    } else {
        Work::Here
    };
    App::runtime()?.block_on(async { App::build(config).await?.serve(work).await })
}
