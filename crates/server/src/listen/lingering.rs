//! Byte stream of a connection: reports activity, and closes without losing a response.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use super::activity::Activity;

/// Limits for a client that still sends after its response: the total time, and the longest pause.
const LINGER: Duration = Duration::from_secs(30);
const LINGER_QUIET: Duration = Duration::from_secs(1);

/// A connection that reads what the client still sends before it closes.
///
/// A response may be ready before the request has been read: a file is too large, or no user is
/// signed in. If the socket were closed at once, the operating system would answer further bytes
/// with a reset, and many clients would never see the response. So only our side is closed, and
/// what arrives is discarded.
pub(super) struct Lingering {
    stream: TcpStream,
    activity: Arc<Activity>,
    /// Set once our side is closed.
    patience: Option<Patience>,
}

/// Time limits for bytes that arrive after our side is closed.
struct Patience {
    in_all: Pin<Box<Sleep>>,
    /// Restarts whenever bytes arrive.
    while_quiet: Pin<Box<Sleep>>,
}

impl Lingering {
    pub(super) fn new(stream: TcpStream, activity: Arc<Activity>) -> Self {
        Self {
            stream,
            activity,
            patience: None,
        }
    }
}

impl AsyncRead for Lingering {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, into))?;
        if into.filled().len() > before {
            self.activity.received();
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Lingering {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes))?;
        self.activity.sent();
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write_vectored(cx, pieces))?;
        self.activity.sent();
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self {
            stream, patience, ..
        } = self.get_mut();
        if patience.is_none() {
            ready!(Pin::new(&mut *stream).poll_shutdown(cx))?;
        }
        let Patience {
            in_all,
            while_quiet,
        } = patience.get_or_insert_with(|| Patience {
            in_all: Box::pin(tokio::time::sleep(LINGER)),
            while_quiet: Box::pin(tokio::time::sleep(LINGER_QUIET)),
        });
        let mut thrown_away = [0; 16 * 1024];
        while in_all.as_mut().poll(cx).is_pending() && while_quiet.as_mut().poll(cx).is_pending() {
            let mut into = ReadBuf::new(&mut thrown_away);
            ready!(Pin::new(&mut *stream).poll_read(cx, &mut into))?;
            if into.filled().is_empty() {
                break;
            }
            while_quiet.set(tokio::time::sleep(LINGER_QUIET));
        }
        Poll::Ready(Ok(()))
    }
}
