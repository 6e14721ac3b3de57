//! Structured logs, to standard error or to a file with daily rotation.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use tracing::Dispatch;
use tracing::dispatcher::set_global_default;
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
    // A second installation happens only in tests; the first one stays.
    let _ = set_global_default(dispatch(settings, writer, is_terminal));
}

fn dispatch<W>(settings: &LogSettings, writer: W, is_terminal: bool) -> Dispatch
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
    if as_text {
        builder.with_ansi(is_terminal).into()
    } else {
        builder
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .with_span_list(false)
            .into()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use tracing::dispatcher::with_default;

    use super::*;

    /// Collects the log.
    #[derive(Clone, Default)]
    struct Buffer(Arc<Mutex<Vec<u8>>>);

    impl Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// Returns the log of one event.
    fn logged(format: LogFormat, is_terminal: bool) -> String {
        let settings = LogSettings {
            level: "info".to_owned(),
            format,
            file: None,
        };
        let buffer = Buffer::default();
        let writer = buffer.clone();
        let dispatch = dispatch(&settings, move || writer.clone(), is_terminal);
        with_default(&dispatch, || {
            tracing::info!(feed.id = 7, "feed fetched");
            tracing::debug!("not at this level");
        });
        let bytes = buffer.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn logs_are_text_on_a_terminal_and_json_elsewhere_unless_the_format_is_set() {
        for (format, is_terminal, is_json) in [
            (LogFormat::Auto, true, false),
            (LogFormat::Auto, false, true),
            (LogFormat::Text, false, false),
            (LogFormat::Json, true, true),
        ] {
            let log = logged(format, is_terminal);
            assert_eq!(log.lines().count(), 1, "{log}");
            let json: Result<serde_json::Value, _> = serde_json::from_str(&log);
            assert_eq!(
                json.is_ok(),
                is_json,
                "{format:?} on a terminal: {is_terminal}: {log}"
            );
            if let Ok(json) = json {
                assert_eq!(json["message"], "feed fetched");
                assert_eq!(json["level"], "INFO");
                assert_eq!(json["feed.id"], 7);
            } else {
                assert!(log.contains("feed fetched"), "{log}");
            }
        }
    }

    #[test]
    fn only_a_terminal_gets_colours() {
        assert!(logged(LogFormat::Text, true).contains('\u{1b}'));
        assert!(!logged(LogFormat::Text, false).contains('\u{1b}'));
        assert!(!logged(LogFormat::Json, true).contains('\u{1b}'));
    }
}
