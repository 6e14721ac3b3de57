//! Measures the cost of reading: CPU time per request of the real program on 100,000 and on
//! 1,000,000 items, compared with a minimal server on the same file.
//!
//! `cargo run --release -p lede-bench-reading -- [--small] [program]`; see `bench/README.md`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing is what this program is for"
)]

mod bare;
mod client;
mod library;

use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use lede_bench_kit::usage::{cpu_of_process, cpu_of_threads};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tempfile::TempDir;

use crate::client::Client;

/// The program built by `cargo build --release`, relative to the root of the workspace.
const PROGRAM: &str = "target/release/lede";
const EMAIL: &str = "ada@example.org";
const PASSWORD: &str = "correct horse battery staple";
/// Requests per round, and number of rounds; servers take turns in them. The median round counts,
/// because other load on the machine disturbs some of them.
const REQUESTS: u32 = 200;
const ROUNDS: usize = 15;
/// Number of times that everything is marked as read and restored.
const SWEEPS: usize = 5;
/// Number of starts on each file; the median counts.
const STARTS: usize = 5;
/// Long enough for a slow disk.
const CLEANED_WITHIN: Duration = Duration::from_secs(1_800);

const USAGE: &str = "usage: lede-bench-reading [--small] [program]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.as_slice() {
        [first, path] if first == bare::COMMAND => bare::serve(Path::new(path)),
        _ => options(arguments).and_then(|(program, is_small)| run(&program, is_small)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn options(arguments: Vec<String>) -> Result<(PathBuf, bool), Box<dyn Error>> {
    let (mut program, mut is_small) = (PathBuf::from(PROGRAM), false);
    for argument in arguments {
        match argument.as_str() {
            "--small" => is_small = true,
            other if other.starts_with('-') => return Err(USAGE.into()),
            other => program = other.into(),
        }
    }
    if !program.is_file() {
        let program = program.display();
        return Err(format!("{program} is not there; `cargo build --release` makes it").into());
    }
    // It is started in another folder.
    Ok((program.canonicalize()?, is_small))
}

/// A server in a separate process.
struct Server {
    child: Child,
    port: u16,
    /// Time from the start of the process to its first response.
    started_in: Duration,
    /// Bearer token; `None` for the bare server, which has no users.
    token: Option<String>,
}

impl Server {
    fn start_bare(path: &Path) -> Result<Self, Box<dyn Error>> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(bare::COMMAND)
            .arg(path)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let out = child.stdout.take().ok_or("no output")?;
        BufReader::new(out).read_line(&mut line)?;
        let port = line.trim().parse()?;
        Ok(Self {
            child,
            port,
            started_in: Duration::ZERO,
            token: None,
        })
    }

    /// Starts a server without a worker.
    fn start_lede(program: &Path, folder: &Path) -> Result<Self, Box<dyn Error>> {
        Self::start_with(program, folder, &["serve", "--no-worker"])
    }

    fn start_with(
        program: &Path,
        folder: &Path,
        arguments: &[&str],
    ) -> Result<Self, Box<dyn Error>> {
        // Was free a moment ago, and no other process here is likely to take it.
        let port = std::net::TcpListener::bind("127.0.0.1:0")?
            .local_addr()?
            .port();
        let began = Instant::now();
        let child = Command::new(program)
            .args(arguments)
            .env_clear()
            .current_dir(folder)
            .env("DATABASE_PATH", folder.join("lede.db"))
            .env("SERVER_PORT", port.to_string())
            .env("ADMIN_EMAIL", EMAIL)
            .env("ADMIN_PASSWORD", PASSWORD)
            .env("RATE_LIMIT_ENABLED", "false")
            .env("MAX_SUBSCRIPTIONS", "10000")
            .env("LOG_LEVEL", "warn")
            .spawn()?;
        let mut server = Self {
            child,
            port,
            started_in: Duration::ZERO,
            token: None,
        };
        // It listens before it is ready to respond.
        while Client::connect(port)
            .and_then(|mut client| client.get("/health"))
            .is_err()
        {
            if server.child.try_wait()?.is_some() || began.elapsed() > Duration::from_secs(120) {
                return Err("the program did not start".into());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        server.started_in = began.elapsed();
        server.token = Some(Client::connect(port)?.sign_in(EMAIL, PASSWORD)?);
        Ok(server)
    }

    /// Opens a connection with the token, if there is one.
    fn client(&self) -> Result<Client, Box<dyn Error>> {
        Ok(Client::connect(self.port)?.with_token(self.token.as_deref()))
    }

    /// Returns the CPU time that `work` costs the server.
    fn cpu<T>(
        &self,
        work: impl FnOnce() -> Result<T, Box<dyn Error>>,
    ) -> Result<(T, Duration), Box<dyn Error>> {
        let before = cpu_of_process(self.child.id())?;
        let done = work()?;
        Ok((done, cpu_of_process(self.child.id())? - before))
    }

    fn stop(mut self) -> Result<(), Box<dyn Error>> {
        kill_process(Pid::from_child(&self.child), Signal::TERM)?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Already stopped, or an error occurred: do not leave it running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request to one server that is repeated.
struct Question<'s> {
    name: &'static str,
    server: &'s Server,
    client: Client,
    path: String,
    /// CPU time of each round.
    cpu: Vec<Duration>,
}

impl<'s> Question<'s> {
    fn new(name: &'static str, server: &'s Server, path: &str) -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            name,
            server,
            client: server.client()?,
            path: path.to_owned(),
            cpu: Vec::with_capacity(ROUNDS),
        })
    }

    fn round(&mut self) -> Result<(), Box<dyn Error>> {
        let server = self.server.child.id();
        let before = cpu_of_threads(server)?;
        for _ in 0..REQUESTS {
            self.client.get(&self.path)?;
        }
        self.cpu
            .push(cpu_of_threads(server)?.saturating_sub(before));
        Ok(())
    }

    /// Returns the CPU seconds per request in the median round.
    fn each(&mut self) -> f64 {
        self.cpu.sort_unstable();
        let middle = self.cpu.get(self.cpu.len() / 2);
        middle.map_or(0.0, Duration::as_secs_f64) / f64::from(REQUESTS)
    }
}

/// Sends the requests in turns and prints milliseconds of CPU time per request.
fn measure(questions: &mut [Question<'_>]) -> Result<(), Box<dyn Error>> {
    for question in questions.iter_mut() {
        // Warm up the caches.
        question.client.get(&question.path)?;
    }
    for _ in 0..ROUNDS {
        for question in questions.iter_mut() {
            question.round()?;
        }
    }
    let first = questions.first_mut().map_or(0.0, Question::each);
    for question in questions.iter_mut() {
        let each = question.each();
        let (ms, ratio) = (each * 1000.0, each / first.max(1e-9));
        println!("  {:<44} {ms:>8.3} ms   {ratio:>5.2} x", question.name);
    }
    Ok(())
}

/// Creates a folder with a database of `items` items.
fn library(program: &Path, items: i64, is_indexed: bool) -> Result<TempDir, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    // The first start creates the file and the account.
    Server::start_lede(program, folder.path())?.stop()?;
    library::fill(&folder.path().join("lede.db"), items, is_indexed)?;
    Ok(folder)
}

/// Prints the median time to the first response after a clean shutdown.
fn measure_start(name: &str, program: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut times = Vec::with_capacity(STARTS);
    // The first one ends the unclean state in which the file was filled.
    for _ in 0..=STARTS {
        let server = Server::start_lede(program, folder)?;
        times.push(server.started_in);
        server.stop()?;
    }
    times.remove(0);
    times.sort_unstable();
    let middle = times.get(times.len() / 2).copied().unwrap_or_default();
    println!("  {name:<44} {:>8.0} ms", middle.as_secs_f64() * 1000.0);
    Ok(())
}

fn run(program: &Path, is_small: bool) -> Result<(), Box<dyn Error>> {
    println!("100,000 items, all unread, in {} feeds", library::FEEDS);
    let hundred = library(program, 100_000, true)?;
    let million = match is_small {
        true => None,
        false => Some(library(program, 1_000_000, false)?),
    };
    println!("start to the first response, after a clean shutdown (at most 300)");
    measure_start("100,000 items", program, hundred.path())?;
    if let Some(folder) = &million {
        measure_start("1,000,000 items", program, folder.path())?;
    }
    let bare = Server::start_bare(&hundred.path().join("lede.db"))?;
    let lede = Server::start_lede(program, hundred.path())?;
    let large = match &million {
        None => None,
        Some(folder) => Some(Server::start_lede(program, folder.path())?),
    };

    let unread = "/api/posts?unread_only=true&limit=50";
    println!("newest 50 unread as JSON, CPU a request");
    let mut questions = vec![
        Question::new("bare axum and rusqlite", &bare, "/posts")?,
        Question::new("Lede", &lede, unread)?,
        Question::new("Lede, after a cursor", &lede, &after_cursor(&lede, unread)?)?,
    ];
    if let Some(large) = &large {
        questions.push(Question::new("Lede, 1,000,000 items", large, unread)?);
    }
    measure(&mut questions)?;

    println!("other lists");
    let category = "/api/posts?category_id=1";
    let mut questions = vec![
        Question::new("all items", &lede, "/api/posts")?,
        Question::new(
            "unread of a category of 100 feeds",
            &lede,
            &format!("{category}&unread_only=true"),
        )?,
        Question::new("one feed", &lede, "/api/feeds/7/items")?,
        Question::new(
            "oldest starred",
            &lede,
            "/api/posts?starred_only=true&order=oldest",
        )?,
        Question::new("one item", &lede, "/api/posts/5000")?,
    ];
    if let Some(large) = &large {
        questions.push(Question::new(
            "all items of 1,000,000",
            large,
            "/api/posts",
        )?);
        questions.push(Question::new(
            "all of a category of 1,000,000",
            large,
            category,
        )?);
    }
    measure(&mut questions)?;

    println!("unread counts of all feeds, 100,000 unread");
    let mut questions = vec![
        Question::new("feeds with counts", &lede, "/api/feeds")?,
        Question::new("categories with counts", &lede, "/api/categories")?,
    ];
    measure(&mut questions)?;

    println!("pages, 200 feeds in the tree");
    let mut questions = vec![
        Question::new("first page", &lede, "/")?,
        Question::new("the next 50 rows", &lede, "/list?show=all")?,
        Question::new("an item beside the list", &lede, "/items/5000/view")?,
    ];
    measure(&mut questions)?;

    println!("each request the first one after a write");
    for (name, path) in [
        ("first page", "/"),
        ("newest 50 unread", unread),
        ("all items, which are counted", "/api/posts"),
        ("feeds with counts", "/api/feeds"),
    ] {
        measure_after_writes(name, &lede, path)?;
    }

    println!("search, newest first");
    // Two words that occur together in some 4,000 items; the first two characters of a Japanese word.
    let mut questions = vec![
        Question::new("bare axum and rusqlite, two words", &bare, "/words")?,
        Question::new("Lede, two words", &lede, "/api/posts?search=gen%20nal")?,
        Question::new(
            "Lede, two words, after a cursor",
            &lede,
            &after_cursor(&lede, "/api/posts?search=gen%20nal")?,
        )?,
        Question::new(
            "Lede, two Japanese characters",
            &lede,
            "/api/posts?search=%E6%9D%B1%E4%BA%AC",
        )?,
    ];
    measure(&mut questions)?;

    println!("mark all read, 100,000, and undo");
    let mut client = lede.client()?;
    mark_all_read(&lede, &mut client)?;
    println!("mark all read, 100,000, one person of three who have them");
    library::add_people(&hundred.path().join("lede.db"))?;
    mark_all_read(&lede, &mut client)?;
    println!("OPML import of 5,000 feeds, nothing fetched");
    let list: String = (0..5000)
        .map(|n| {
            format!(
                "<outline type='rss' text='Feed {n}' xmlUrl='https://new{n}.example.org/feed.xml'/>"
            )
        })
        .collect();
    let list =
        format!("<opml version='2.0'><body><outline text='Many'>{list}</outline></body></opml>");
    let holds = Holds::of(&mut client)?;
    let began = Instant::now();
    let (wall, cpu) = lede.cpu(|| {
        let path = "/api/feeds/import-opml";
        let mut import = client.ask("POST", path, "application/xml", list.as_bytes())?;
        println!(
            "  answered after {} ms: {}",
            began.elapsed().as_millis(),
            import["status"]
        );
        while import["status"] == "running" {
            std::thread::sleep(Duration::from_millis(20));
            let path = format!("/api/imports/{}", import["id"]);
            import = serde_json::from_slice(&client.get(&path)?)?;
        }
        println!(
            "  {} imported, {} failed",
            import["imported"], import["failed"]
        );
        Ok(began.elapsed())
    })?;
    println!(
        "  done after {} ms, {} ms of CPU; the writer was held {}",
        wall.as_millis(),
        cpu.as_millis(),
        holds.since(&mut client)?
    );
    lede.stop()?;
    clean_up(program, hundred.path())
}

/// Makes all items too old and waits until they are removed. A server with a worker runs the
/// clean-up on start, because it has not run on this day yet.
fn clean_up(program: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    println!("clean-up of 100,000 items, read and old");
    library::make_old(&folder.join("lede.db"))?;
    let began = Instant::now();
    let lede = Server::start_with(program, folder, &["serve"])?;
    let mut client = lede.client()?;
    let done = "lede_cleanups_total{outcome=\"success\"} 1";
    while !String::from_utf8(client.get("/metrics")?)?.contains(done) {
        if began.elapsed() > CLEANED_WITHIN {
            return Err("the clean-up does not end".into());
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    println!(
        "  done after {} s, {} ms of CPU; the writer was held {}",
        began.elapsed().as_secs(),
        cpu_of_process(lede.child.id())?.as_millis(),
        Holds(Vec::new()).since(&mut client)?
    );
    lede.stop()
}

/// Returns the path of the second page of a list.
fn after_cursor(server: &Server, path: &str) -> Result<String, Box<dyn Error>> {
    let mut client = server.client()?;
    let page: serde_json::Value = serde_json::from_slice(&client.get(path)?)?;
    let cursor = page["next_cursor"].as_str().ok_or("no next page")?;
    Ok(format!("{path}&cursor={cursor}"))
}

/// Marks everything as read and undoes it, several times.
fn mark_all_read(server: &Server, client: &mut Client) -> Result<(), Box<dyn Error>> {
    for _ in 0..SWEEPS {
        let holds = Holds::of(client)?;
        let (marked, cpu) =
            server.cpu(|| client.post("/api/posts/mark-read", &json!({"all": true})))?;
        let marking = holds.since(client)?;
        let undo = format!("/api/posts/mark-read/{}/undo", marked["undo_id"]);
        let holds = Holds::of(client)?;
        let (restored, back) = server.cpu(|| client.post(&undo, &json!({})))?;
        println!(
            "  {} marked in {} ms, the writer held {marking}; {} back in {} ms, held {}",
            marked["marked"],
            cpu.as_millis(),
            restored["restored"],
            back.as_millis(),
            holds.since(client)?
        );
    }
    Ok(())
}

/// Histogram of the times for which the writer was held, from the program's metrics.
struct Holds(Vec<(String, f64)>);

impl Holds {
    fn of(client: &mut Client) -> Result<Self, Box<dyn Error>> {
        let text = String::from_utf8(client.get("/metrics")?)?;
        let buckets = text.lines().filter_map(|line| {
            let rest = line.strip_prefix("lede_store_writer_hold_seconds_bucket{le=\"")?;
            let (bound, count) = rest.split_once("\"} ")?;
            Some((bound.to_owned(), count.parse().ok()?))
        });
        Ok(Self(buckets.collect()))
    }

    /// Formats the number of holds since then, the number of those over 50 ms, and the smallest
    /// bound that all of them are within.
    fn since(&self, client: &mut Client) -> Result<String, Box<dyn Error>> {
        let now = Self::of(client)?;
        // All counts are zero before a server starts.
        let then = self
            .0
            .iter()
            .map(|then| then.1)
            .chain(std::iter::repeat(0.0));
        let new = now.0.iter().zip(then).map(|(now, then)| now.1 - then);
        let new: Vec<f64> = new.collect();
        let all = new.last().copied().unwrap_or_default();
        let bound = now.0.iter().zip(&new).find(|(_, new)| **new >= all);
        let bound = bound.ok_or("no figures of the writer")?.0.0.clone();
        let short = now.0.iter().zip(&new).find(|(now, _)| now.0 == "0.05");
        let long = all - short.ok_or("no figures of 50 ms")?.1;
        Ok(format!(
            "{all} times, {long} of them over 0.05 s, {bound} s or less each"
        ))
    }
}

/// Like [`measure`], for requests that each follow a write; the cost of the writes is subtracted.
fn measure_after_writes(name: &str, server: &Server, path: &str) -> Result<(), Box<dyn Error>> {
    const TIMES: u32 = 300;
    let mut client = server.client()?;
    let mut cpu = |asks: bool| -> Result<Duration, Box<dyn Error>> {
        let ((), cpu) = server.cpu(|| {
            for turn in 0..TIMES {
                let read = json!({"is_read": turn % 2 == 0}).to_string();
                let (method, state) = ("PUT", "/api/items/99999/state");
                client.ask(method, state, "application/json", read.as_bytes())?;
                if asks {
                    client.get(path)?;
                }
            }
            Ok(())
        })?;
        Ok(cpu)
    };
    let both = cpu(true)?;
    let each = both.saturating_sub(cpu(false)?).as_secs_f64() * 1000.0 / f64::from(TIMES);
    println!("  {name:<44} {each:>8.3} ms");
    Ok(())
}
