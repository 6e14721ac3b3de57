//! `lede try URL`: shows how Lede reads a feed or page.

use std::fmt::Write as _;

use anyhow::{Context as _, bail};
use lede_core::probe::{Probe, ProbedFeed, probe};
use lede_store::DatabaseLocation;

use super::Try;
use crate::app::{self, App};
use crate::config::Config;

/// Items that are printed with details.
const SHOWN_ITEMS: usize = 5;
/// Characters of cleaned HTML printed per item, unless `--all` is given.
const SHOWN_CHARS: usize = 400;

pub(crate) fn run(options: &Try) -> anyhow::Result<()> {
    let config = Config::load()?;
    let folder = tempfile::tempdir()
        .context("cannot create a temporary folder; set TMPDIR to a writable one")?;
    let probe = App::runtime()?.block_on(async {
        let place = DatabaseLocation::File(folder.path().join("try.db"));
        let lede = app::open(place, config.net, config.core).await?;
        anyhow::Ok(probe(&lede, &options.url).await?)
    })?;
    #[expect(clippy::print_stdout, reason = "printing is what this command is for")]
    {
        print!("{}", report(&probe, options.all));
    }
    if probe.feed.is_none() {
        bail!(
            "no feed was found; look for a link named RSS, Atom or Feed on the site and try that"
        );
    }
    Ok(())
}

fn report(probe: &Probe, all: bool) -> String {
    let mut out = String::new();
    for step in &probe.steps {
        // Writing into a string does not fail.
        let _ = writeln!(out, "{}\n  {}", step.url, step.words);
    }
    if let Some(feed) = &probe.feed {
        describe(&mut out, feed, all);
    }
    out
}

fn describe(out: &mut String, feed: &ProbedFeed, all: bool) {
    let _ = writeln!(out, "\n{}", feed.title);
    let _ = writeln!(out, "  feed        {}", feed.url);
    if let Some(site) = &feed.site_url {
        let _ = writeln!(out, "  site        {site}");
    }
    let _ = writeln!(
        out,
        "  took        {} ms to fetch, parse and clean",
        feed.took.as_millis()
    );
    let next = feed
        .next_fetch_at
        .map_or_else(|| "never".to_owned(), |at| at.to_string());
    let _ = writeln!(out, "  next fetch  {next} ({})", feed.why);
    let shown = if all { feed.items.len() } else { SHOWN_ITEMS };
    for (item, lede) in feed.items.iter().take(shown) {
        let _ = writeln!(out, "\n  {}", item.title);
        let published = item
            .published_at
            .map_or_else(|| "no date".to_owned(), |at| at.to_string());
        let link = item.url.as_ref().map_or("no link", |url| url.as_str());
        let _ = writeln!(
            out,
            "    {published} · {} · {link}",
            item.author.as_deref().unwrap_or("no author")
        );
        let _ = writeln!(out, "    guid  {}", item.guid.as_deref().unwrap_or("none"));
        let _ = writeln!(out, "    lede  {lede}");
        let html = item.html.as_str();
        let cut: String = html
            .chars()
            .take(if all { usize::MAX } else { SHOWN_CHARS })
            .collect();
        let more = if cut.len() < html.len() { " …" } else { "" };
        let _ = writeln!(out, "    html  {}{more}", cut.replace('\n', "\n          "));
    }
    if shown < feed.items.len() {
        let _ = writeln!(
            out,
            "\n  and {} more items (--all shows them)",
            feed.items.len() - shown
        );
    }
}
