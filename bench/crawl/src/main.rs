//! Measures the cost of crawling: CPU seconds of the real program compared with those of its parts,
//! its memory, and the effect of unresponsive sites on the others.
//!
//! `cargo run --release -p lede-bench-crawl -- [options] [program]`; see `bench/README.md`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing is what this program is for"
)]

mod content;
mod parts;
mod program;
mod site;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use lede_model::address::WebUrl;

use crate::parts::Parts;
use crate::program::{Library, Program, now};
use crate::site::{CHANGING, Plan, Sites};

/// The program built by `cargo build --release`, relative to the root of the workspace.
const PROGRAM: &str = "target/release/lede";
/// A large library, to which the figures refer.
const CRAWL: Plan = Plan {
    feeds: 1000,
    items: 40,
    hosts: 1000,
    tarpits: 0,
    gzip: false,
};
/// Feeds beside tarpits, each on its own site.
const BESIDE_TARPITS: Plan = Plan {
    feeds: 400,
    items: 40,
    hosts: 400,
    tarpits: 100,
    gzip: false,
};

/// Number of measurements: wall time depends on the load of the machine.
const TARPIT_ROUNDS: usize = 3;

const USAGE: &str =
    "usage: lede-bench-crawl [--hosts <number>] [--gzip] [--only crawl|tarpits] [program]";

struct Options {
    program: PathBuf,
    plan: Plan,
    crawl: bool,
    tarpits: bool,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.split_first() {
        Some((first, rest)) if first == site::COMMAND => site::serve(rest),
        _ => options(arguments).and_then(|options| run(&options)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn options(arguments: Vec<String>) -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        program: PROGRAM.into(),
        plan: CRAWL,
        crawl: true,
        tarpits: true,
    };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--gzip" => options.plan.gzip = true,
            "--hosts" => {
                let hosts = arguments.next().and_then(|number| number.parse().ok());
                options.plan.hosts = hosts
                    .filter(|hosts| (1..=CRAWL.feeds).contains(hosts))
                    .ok_or(USAGE)?;
            }
            "--only" => match arguments.next().as_deref() {
                Some("crawl") => options.tarpits = false,
                Some("tarpits") => options.crawl = false,
                _ => return Err(USAGE.into()),
            },
            other if other.starts_with('-') => return Err(USAGE.into()),
            program => options.program = program.into(),
        }
    }
    if !options.program.is_file() {
        let program = options.program.display();
        return Err(format!("{program} is not there; `cargo build --release` makes it").into());
    }
    // It is started in another folder.
    options.program = options.program.canonicalize()?;
    Ok(options)
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        if options.crawl {
            crawl(options).await?;
        }
        if options.tarpits {
            tarpits(options).await?;
        }
        Ok(())
    })
}

/// Measures the cold crawl with its parts, then the everyday crawl and the one without changes.
async fn crawl(options: &Options) -> Result<(), Box<dyn Error>> {
    let plan = options.plan;
    let mut sites = Sites::start(&plan)?;
    let urls = plan.feed_urls(sites.port)?;
    println!(
        "{} feeds with {} items on {} sites, {}",
        plan.feeds,
        plan.items,
        plan.hosts,
        if plan.gzip { "gzip" } else { "not packed" }
    );
    let before = parts::measure(&urls).await?;
    sites.counts()?;

    let library = Library::with_feeds(urls.clone()).await?;
    let mut program = Program::start(&options.program, library)?;
    let items = plan.feeds * plan.items;
    let since = program.started_at;
    expect(program.crawled(since, |_| true).await?.0, items)?;
    program.indexed().await?;
    let cold = program.cpu()?;
    let memory = program.peak_memory()?;
    expect_answers(&mut sites, (plan.feeds, 0))?;

    sites.change()?;
    let changed = plan.feeds / CHANGING;
    let everyday = again(&mut program, items + changed).await?;
    expect_answers(&mut sites, (changed, plan.feeds - changed))?;
    let unchanged = again(&mut program, items + changed).await?;
    expect_answers(&mut sites, (0, plan.feeds))?;
    program.stop()?;

    // Once before and once after, so that other load on the machine affects both equally.
    let after = parts::measure(&urls).await?;
    report(&before, &after, cold, memory);
    let fetch = before.fetch_unchanged.min(after.fetch_unchanged);
    println!(
        "everyday crawl, {changed} feeds with a new item: {:.2} s (at most 1.20)",
        everyday.as_secs_f64()
    );
    println!(
        "nothing new, all 304: {:.2} s (at most 0.40); fetch alone {:.2} s",
        unchanged.as_secs_f64(),
        fetch.as_secs_f64()
    );
    Ok(())
}

/// Fetches all feeds again. Returns the CPU time.
async fn again(program: &mut Program, items: usize) -> Result<Duration, Box<dyn Error>> {
    let before = program.cpu()?;
    let since = now();
    program.make_due().await?;
    expect(program.crawled(since, |_| true).await?.0, items)?;
    program.indexed().await?;
    Ok(program.cpu()? - before)
}

fn expect(found: i64, wanted: usize) -> Result<(), Box<dyn Error>> {
    if usize::try_from(found) == Ok(wanted) {
        Ok(())
    } else {
        Err(format!("{found} unread items instead of {wanted}").into())
    }
}

fn expect_answers(sites: &mut Sites, wanted: (usize, usize)) -> Result<(), Box<dyn Error>> {
    let found = sites.counts()?;
    if found == wanted {
        Ok(())
    } else {
        Err(format!("answers with and without a body: {found:?} instead of {wanted:?}").into())
    }
}

fn report(before: &Parts, after: &Parts, cold: Duration, memory: u64) {
    let mean = |part: fn(&Parts) -> Duration| (part(before) + part(after)).as_secs_f64() / 2.0;
    println!("parts alone, CPU seconds (before and after the crawl: their mean):");
    println!("  fetch     {:6.2}", mean(|parts| parts.fetch));
    println!("  parse     {:6.2}", mean(|parts| parts.parse));
    println!("  sanitise  {:6.2}", mean(|parts| parts.sanitise));
    println!("  store     {:6.2}", mean(|parts| parts.store));
    println!("  index     {:6.2}", mean(|parts| parts.index));
    println!("  together  {:6.2}", mean(Parts::sum));
    println!(
        "  (one line {:6.2}, not counted)",
        mean(|parts| parts.one_line)
    );
    let ratio = cold.as_secs_f64() / mean(Parts::sum);
    println!(
        "cold crawl: {:.2} s = {ratio:.2} x its parts (at most 1.50)",
        cold.as_secs_f64()
    );
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let megabytes = memory as f64 / 1e6;
    println!("peak memory of the cold crawl: {megabytes:.1} MB (at most 80)");
}

/// Measures the same feeds without and with tarpits among them.
async fn tarpits(options: &Options) -> Result<(), Box<dyn Error>> {
    let plan = BESIDE_TARPITS;
    let sites = Sites::start(&plan)?;
    let healthy = plan.feed_urls(sites.port)?;
    let tarpits = plan.tarpit_urls(sites.port)?;
    // Evenly distributed among the others, as in a list that grew over time.
    let step = plan.feeds / plan.tarpits;
    let mixed: Vec<WebUrl> = healthy
        .chunks(step)
        .zip(&tarpits)
        .flat_map(|(feeds, tarpit)| std::iter::once(tarpit).chain(feeds))
        .cloned()
        .collect();
    // In turns, and the best of each: the rest is other load on the machine.
    let (mut alone, mut beside) = (Duration::MAX, Duration::MAX);
    for _ in 0..TARPIT_ROUNDS {
        alone = alone.min(wall(options, &plan, healthy.clone(), &tarpits).await?);
        beside = beside.min(wall(options, &plan, mixed.clone(), &tarpits).await?);
    }
    println!(
        "{} healthy feeds: {:.2} s alone, {:.2} s beside {} tarpits = {:.2} x (at most 1.20)",
        plan.feeds,
        alone.as_secs_f64(),
        beside.as_secs_f64(),
        plan.tarpits,
        beside.as_secs_f64() / alone.as_secs_f64()
    );
    Ok(())
}

/// Returns the wall time from the start of the program to the fetch of the last healthy feed.
async fn wall(
    options: &Options,
    plan: &Plan,
    urls: Vec<WebUrl>,
    tarpits: &[WebUrl],
) -> Result<Duration, Box<dyn Error>> {
    let library = Library::with_feeds(urls).await?;
    let mut program = Program::start(&options.program, library)?;
    let since = program.started_at;
    let is_healthy = |url: &WebUrl| !tarpits.contains(url);
    let (items, last) = program.crawled(since, is_healthy).await?;
    expect(items, plan.feeds * plan.items)?;
    Ok(last.since(since))
}
