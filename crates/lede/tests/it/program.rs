//! The program as a child process, with its own folder and environment.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use lede_testkit::http::Http;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader, Lines};
use tokio::process::{Child, ChildStderr, ChildStdout, Command};

/// Longer than the grace period of a stop; a wait this long has failed.
const PATIENCE: Duration = Duration::from_secs(40);

/// A folder with the settings that the program finds in it.
pub(crate) struct Program {
    folder: TempDir,
    environment: Vec<(String, String)>,
    open_files: Option<u32>,
}

/// Exit code and output of a finished run.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Program {
    /// Sets only the port, to one that the system chooses.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["home", "tmp"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        let program = Self {
            folder,
            environment: Vec::new(),
            open_files: None,
        };
        program.with("SERVER_PORT", "0")
    }

    /// Adds a variable; the last one of a name counts.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.environment.push((name.to_owned(), value.into()));
        self
    }

    /// Limits the number of open files, connections included.
    pub(crate) fn with_open_files(mut self, count: u32) -> Self {
        self.open_files = Some(count);
        self
    }

    /// Adds a file to the folder.
    pub(crate) fn with_file(self, name: &str, content: &str) -> Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, content).expect("a file");
        self
    }

    /// A path inside the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The default path of the database.
    pub(crate) fn database(&self) -> PathBuf {
        self.path("data/lede.db")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let program = env!("CARGO_BIN_EXE_lede");
        let mut command = match self.open_files {
            None => Command::new(program),
            Some(count) => {
                let mut shell = Command::new("sh");
                let script = format!("ulimit -n {count} && exec \"$0\" \"$@\"");
                shell.args(["-c", &script, program]);
                shell
            }
        };
        command
            .args(arguments)
            .current_dir(&self.folder)
            .env_clear()
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .envs(self.environment.iter().cloned())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// Runs the program until it exits.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Ended {
        self.run_on(arguments, Stdio::null()).await
    }

    /// Runs the program until it exits, with a file of the folder as standard input.
    pub(crate) async fn run_reading(&self, arguments: &[&str], file: &str) -> Ended {
        let file = std::fs::File::open(self.path(file)).expect("a file");
        self.run_on(arguments, file.into()).await
    }

    async fn run_on(&self, arguments: &[&str], input: Stdio) -> Ended {
        let mut command = self.command(arguments);
        let child = command.stdin(input).spawn().expect("the program starts");
        let output = tokio::time::timeout(PATIENCE, child.wait_with_output())
            .await
            .expect("the program ends by itself")
            .expect("its output");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Ended {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Starts the program and waits until it listens.
    pub(crate) async fn start(&self, arguments: &[&str]) -> Running {
        let mut child = self.command(arguments).spawn().expect("the program starts");
        let stdout = lines(child.stdout.take().expect("a pipe"));
        let mut log = lines(child.stderr.take().expect("a pipe"));
        let line = find(&mut log, "Lede listens on http://").await;
        let address = line.split("http://").nth(1).expect("an address");
        Running {
            address: address.parse().expect("an address"),
            child,
            stdout,
            log,
        }
    }
}

fn lines<R: AsyncRead + Unpin>(pipe: R) -> Lines<BufReader<R>> {
    BufReader::new(pipe).lines()
}

/// The message of the first log line that contains `words`.
async fn find(log: &mut Lines<BufReader<ChildStderr>>, words: &str) -> String {
    let mut seen = Vec::new();
    let search = async {
        while let Some(line) = log.next_line().await.expect("the log") {
            let event: Value = serde_json::from_str(&line).unwrap_or(Value::Null);
            match event["message"].as_str() {
                Some(message) if message.contains(words) => return message.to_owned(),
                _ => seen.push(line),
            }
        }
        panic!("the log ended without {words:?}: {seen:#?}");
    };
    tokio::time::timeout(PATIENCE, search)
        .await
        .expect("the log goes on")
}

/// The program while it serves.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    child: Child,
    stdout: Lines<BufReader<ChildStdout>>,
    log: Lines<BufReader<ChildStderr>>,
}

impl Running {
    /// A client without credentials.
    pub(crate) fn visitor(&self) -> Http {
        Http::new(self.address)
    }

    /// A client with a token. The error is the status that answered the sign-in.
    pub(crate) async fn signed_in(&self, email: &str, password: &str) -> Result<Http, u16> {
        let body = json!({"email": email, "password": password});
        let answer = self.visitor().post("/api/auth/login", body).await;
        match answer.json()["token"].as_str() {
            Some(token) => Ok(self.visitor().with_token(token)),
            None => Err(answer.status.as_u16()),
        }
    }

    /// Anonymous resident memory in bytes: the part that the program itself allocated.
    #[cfg(target_os = "linux")]
    pub(crate) fn anonymous_memory(&self) -> u64 {
        let id = self.child.id().expect("it runs");
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).expect("its status");
        let mut lines = status.lines();
        let line = lines.find_map(|line| line.strip_prefix("RssAnon:"));
        let kilobytes = line.and_then(|rest| rest.split_whitespace().next());
        kilobytes
            .expect("a number")
            .parse::<u64>()
            .expect("a number")
            * 1024
    }

    /// The message of the next log line that contains `words`.
    pub(crate) async fn logs(&mut self, words: &str) -> String {
        find(&mut self.log, words).await
    }

    /// The next line of standard output that contains `words`.
    pub(crate) async fn prints(&mut self, words: &str) -> String {
        let search = async {
            loop {
                match self.stdout.next_line().await.expect("standard output") {
                    Some(line) if line.contains(words) => return line,
                    Some(_) => {}
                    None => panic!("it ended without printing {words:?}"),
                }
            }
        };
        tokio::time::timeout(PATIENCE, search)
            .await
            .expect("it prints")
    }

    /// Sends a signal by its name, with the shell's built-in `kill`, which exists everywhere.
    pub(crate) async fn signal(&self, name: &str) {
        let id = self.child.id().expect("it runs");
        let sent = Command::new("sh")
            .args(["-c", &format!("kill -{name} {id}")])
            .status()
            .await;
        assert!(sent.expect("a shell").success());
    }

    /// Waits until the process has exited.
    pub(crate) async fn ended(&mut self) -> ExitStatus {
        tokio::time::timeout(PATIENCE, self.child.wait())
            .await
            .expect("it ends in time")
            .expect("its status")
    }

    /// Asks it to stop, as a service manager does, and waits until it has exited.
    pub(crate) async fn stop(mut self) -> ExitStatus {
        self.signal("TERM").await;
        self.ended().await
    }
}

/// The names of the entries of a folder.
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            let name = entry.expect("an entry").file_name();
            name.to_string_lossy().into_owned()
        })
        .collect();
    names.sort();
    names
}
