//! Structured logs, to standard error or to a file with daily rotation.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// Number of daily log files to keep.
const KEPT_FILES: usize = 14;

/// Settings of the log output.
#[derive(Debug, Clone)]
pub(crate) struct LogSettings {
    /// A filter: `info`, or `lede_core=debug,info`.
    pub(crate) level: String,
    pub(crate) format: LogFormat,
    pub(crate) file: Option<PathBuf>,
}

/// Format of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// Text on a terminal, JSON otherwise.
    Auto,
    Json,
    Text,
}

/// Starts logging. The returned guard writes the last lines when it is dropped.
pub(crate) fn start(settings: &LogSettings) -> anyhow::Result<Option<WorkerGuard>> {
    match &settings.file {
        None => {
            install(settings, std::io::stderr, std::io::stderr().is_terminal());
            Ok(None)
        }
        Some(path) => {
            let name = path
                .file_name()
                .context("LOG_FILE names a folder; add a file name")?;
            let folder = match path.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder,
                _ => Path::new("."),
            };
            let not_writable = |error: &dyn std::error::Error| {
                let path = path.display();
                anyhow!("the log file {path} cannot be written ({error}); change LOG_FILE")
            };
            // Created here, because the appender would also print its error to standard error.
            std::fs::create_dir_all(folder).map_err(|error| not_writable(&error))?;
            let appender = rolling::Builder::new()
                .rotation(rolling::Rotation::DAILY)
                .filename_prefix(name.to_string_lossy())
                .max_log_files(KEPT_FILES)
                .build(folder)
                .map_err(|error| not_writable(&error))?;
            let (writer, guard) = tracing_appender::non_blocking(appender);
            install(settings, writer, false);
            Ok(Some(guard))
        }
    }
}

fn install<W>(settings: &LogSettings, writer: W, is_terminal: bool)
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let builder = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(&settings.level))
        .with_writer(writer)
        .with_target(false);
    let as_text = match settings.format {
        LogFormat::Text => true,
        LogFormat::Json => false,
        LogFormat::Auto => is_terminal,
    };
    // A second installation happens only in tests; the first one stays.
    let _ = if as_text {
        builder.with_ansi(is_terminal).try_init()
    } else {
        builder
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .with_span_list(false)
            .try_init()
    };
}
