//! `lede worker`: fetches feeds for a server that runs elsewhere.

use anyhow::bail;
use lede_store::DatabaseLocation;

use crate::app;
use crate::config::Config;
use crate::telemetry;

pub(crate) fn run() -> anyhow::Result<()> {
    let config = Config::load()?;
    if matches!(config.place, DatabaseLocation::File(_)) {
        bail!(
            "`lede worker` needs PostgreSQL; set DATABASE_URL, or use `lede serve`, which fetches feeds itself"
        );
    }
    let _log = telemetry::start(&config.log)?;
    app::App::runtime()?.block_on(app::work(config))
}
