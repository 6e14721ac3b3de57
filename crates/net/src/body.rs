//! Reading response bodies that may be endless, slow, truncated or decompression bombs.
//!
//! Bytes are counted twice: as they arrive from the wire and as they leave the decoder. The first
//! count bounds how much a remote server can make us receive, the second how much it can make us
//! hold in memory; together they catch small bodies that decompress without end. Reading always
//! continues to the end of the *transfer*, even if the decoder finishes earlier: only then is it
//! certain that nothing was cut off.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use async_compression::tokio::bufread::{
    BrotliDecoder, DeflateDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder,
};
use async_compression::zstd::DParameter;
use bytes::Bytes;
use futures_util::Stream;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use hyper::body::Body;
use tokio::io::{AsyncBufRead, AsyncRead, AsyncReadExt};
use tokio::time::{Instant, Sleep};
use tokio_util::io::StreamReader;

use crate::error::{FetchError, Oversize};
use crate::settings::{MAX_RATIO, RATIO_FREE_BYTES, SPEED_WINDOW};

/// Maximum zstd window. A frame may request a window of 128 MiB; RFC 9659 limits it to 8 MiB (2^23)
/// for HTTP.
const ZSTD_WINDOW_LOG: u32 = 23;
/// Number of bytes decoded between two checks of the limits.
const STEP: usize = 32 * 1024;

/// Content codings that [`read`] can decode, as a value for `Accept-Encoding`.
pub(crate) const ACCEPTED_CODINGS: &str = "gzip, deflate, br, zstd";

/// Size and speed limits of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLimits {
    pub(crate) wire_bytes: u64,
    pub(crate) decoded_bytes: u64,
    /// Minimum number of bytes that must arrive within each [`SPEED_WINDOW`].
    pub(crate) bytes_per_window: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Identity,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// Reads all of `body` and decodes its single layer of compression.
pub(crate) async fn read<B>(
    headers: &HeaderMap,
    body: B,
    limits: BodyLimits,
) -> Result<Bytes, FetchError>
where
    B: Body<Data = Bytes> + Unpin,
{
    read_counted(headers, body, limits, Arc::default()).await
}

/// Like [`read`]; `received` is updated with the number of bytes received from the wire while the
/// body is being read.
pub(crate) async fn read_counted<B>(
    headers: &HeaderMap,
    body: B,
    limits: BodyLimits,
    received: Arc<AtomicU64>,
) -> Result<Bytes, FetchError>
where
    B: Body<Data = Bytes> + Unpin,
{
    let coding = coding(headers)?;
    let announced_limit = match coding {
        Coding::Identity => limits.wire_bytes.min(limits.decoded_bytes),
        _ => limits.wire_bytes,
    };
    if announced_length(headers).is_some_and(|length| length > announced_limit) {
        return Err(FetchError::TooLarge(Oversize::Body(announced_limit)));
    }
    let wire = StreamReader::new(Metered::new(body, limits, received.clone()));
    let unpacked = Unpacked {
        limit: limits.decoded_bytes,
        received,
    };
    unpacked.read(wire, coding).await.map_err(fault)
}

/// Parses `Content-Encoding` as a single layer. An unknown coding is an error, because its bytes
/// are not text. Two layers are refused, as only bombs have them.
fn coding(headers: &HeaderMap) -> Result<Coding, FetchError> {
    let mut found = Coding::Identity;
    for value in headers.get_all(CONTENT_ENCODING) {
        for name in value.as_bytes().split(|byte| *byte == b',') {
            let coding = match name.trim_ascii().to_ascii_lowercase().as_slice() {
                b"gzip" | b"x-gzip" => Coding::Gzip,
                b"deflate" => Coding::Deflate,
                b"br" => Coding::Brotli,
                b"zstd" => Coding::Zstd,
                b"" | b"identity" => continue,
                // Some servers put the charset into this header, or state explicitly that there is
                // no coding.
                b"none" | b"utf-8" | b"utf8" | b"iso-8859-1" | b"windows-1252" => continue,
                unknown => return Err(FetchError::UnknownCoding(shown_name(unknown))),
            };
            if found != Coding::Identity {
                return Err(FetchError::Decoding);
            }
            found = coding;
        }
    }
    Ok(found)
}

/// Returns the name of a coding in a form that is safe to display: printable ASCII, bounded length.
fn shown_name(name: &[u8]) -> String {
    const MOST: usize = 32;
    let printable = name.iter().filter(|byte| byte.is_ascii_graphic());
    printable.take(MOST).map(|byte| char::from(*byte)).collect()
}

fn announced_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

struct Unpacked {
    limit: u64,
    received: Arc<AtomicU64>,
}

impl Unpacked {
    async fn read(&self, mut wire: impl AsyncBufRead + Unpin, coding: Coding) -> io::Result<Bytes> {
        use tokio::io::AsyncBufReadExt;
        if wire.fill_buf().await?.is_empty() {
            // An empty body is valid in every coding.
            return Ok(Bytes::new());
        }
        match coding {
            Coding::Identity => self.collect(&mut wire).await,
            Coding::Gzip => {
                let mut decoder = GzipDecoder::new(wire);
                // RFC 1952 allows several members; those after the first must not be dropped
                // silently.
                decoder.multiple_members(true);
                self.finish(decoder, GzipDecoder::into_inner).await
            }
            Coding::Brotli => {
                self.finish(BrotliDecoder::new(wire), BrotliDecoder::into_inner)
                    .await
            }
            Coding::Zstd => {
                let window = DParameter::window_log_max(ZSTD_WINDOW_LOG);
                let mut decoder = ZstdDecoder::with_params(wire, &[window]);
                decoder.multiple_members(true);
                self.finish(decoder, ZstdDecoder::into_inner).await
            }
            Coding::Deflate => {
                // RFC 9110 defines this as zlib, but some servers send raw deflate.
                let mut head = [0; 2];
                wire.read_exact(&mut head).await?;
                let wire = io::Cursor::new(head).chain(wire);
                if is_zlib_header(head) {
                    self.finish(ZlibDecoder::new(wire), ZlibDecoder::into_inner)
                        .await
                } else {
                    self.finish(DeflateDecoder::new(wire), DeflateDecoder::into_inner)
                        .await
                }
            }
        }
    }

    /// Decodes to the end of the compressed data, then waits for the end of the transfer.
    async fn finish<D, W>(&self, mut decoder: D, into_wire: fn(D) -> W) -> io::Result<Bytes>
    where
        D: AsyncRead + Unpin,
        W: AsyncRead + Unpin,
    {
        let body = self.collect(&mut decoder).await?;
        tokio::io::copy(&mut into_wire(decoder), &mut tokio::io::sink()).await?;
        Ok(body)
    }

    async fn collect(&self, reader: &mut (impl AsyncRead + Unpin)) -> io::Result<Bytes> {
        let mut body = Vec::new();
        let mut step = vec![0; STEP];
        loop {
            let count = reader.read(&mut step).await?;
            if count == 0 {
                return Ok(Bytes::from(body));
            }
            body.extend_from_slice(&step[..count]);
            let decoded = body.len() as u64;
            if decoded > self.limit {
                return Err(oversize(Oversize::Body(self.limit)));
            }
            let received = self.received.load(Ordering::Relaxed);
            if decoded > RATIO_FREE_BYTES && decoded > received.saturating_mul(MAX_RATIO) {
                return Err(oversize(Oversize::Ratio));
            }
        }
    }
}

/// Returns `true` for a zlib header (RFC 1950): compression method 8, and the two bytes are a
/// multiple of 31.
fn is_zlib_header(head: [u8; 2]) -> bool {
    head[0] & 0x0f == 8 && u16::from_be_bytes(head).is_multiple_of(31)
}

fn oversize(what: Oversize) -> io::Error {
    io::Error::other(FetchError::TooLarge(what))
}

/// Converts an I/O error of the decoder. Errors of our own pass through the decoder unchanged; the
/// rest are reported as truncated or undecodable.
fn fault(error: io::Error) -> FetchError {
    match error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<FetchError>())
    {
        Some(ours) => ours.clone(),
        None if error.kind() == io::ErrorKind::UnexpectedEof => FetchError::Truncated,
        None => FetchError::Decoding,
    }
}

/// Body as a stream of bytes that ends with an error if it is too large or arrives too slowly.
struct Metered<B> {
    body: B,
    limits: BodyLimits,
    received: Arc<AtomicU64>,
    window: Pin<Box<Sleep>>,
    in_window: u64,
}

impl<B> Metered<B> {
    fn new(body: B, limits: BodyLimits, received: Arc<AtomicU64>) -> Self {
        Self {
            body,
            limits,
            received,
            window: Box::pin(tokio::time::sleep(SPEED_WINDOW)),
            in_window: 0,
        }
    }

    fn count(&mut self, data: Bytes) -> io::Result<Bytes> {
        let length = data.len() as u64;
        self.in_window += length;
        let total = self.received.fetch_add(length, Ordering::Relaxed) + length;
        if total > self.limits.wire_bytes {
            return Err(oversize(Oversize::Body(self.limits.wire_bytes)));
        }
        Ok(data)
    }
}

impl<B: Body<Data = Bytes> + Unpin> Stream for Metered<B> {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match Pin::new(&mut self.body).poll_frame(cx) {
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Ready(Some(Ok(frame))) => {
                    // Trailers are ignored. Empty frames are skipped, because they would read as
                    // the end.
                    if let Ok(data) = frame.into_data()
                        && !data.is_empty()
                    {
                        return Poll::Ready(Some(self.count(data)));
                    }
                }
                Poll::Ready(Some(Err(_))) => {
                    return Poll::Ready(Some(Err(io::Error::other(FetchError::Truncated))));
                }
                Poll::Pending => {
                    ready!(self.window.as_mut().poll(cx));
                    if self.in_window < self.limits.bytes_per_window {
                        return Poll::Ready(Some(Err(io::Error::other(FetchError::TooSlow))));
                    }
                    self.in_window = 0;
                    let next = Instant::now() + SPEED_WINDOW;
                    self.window.as_mut().reset(next);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::time::Duration;

    use futures_util::{StreamExt, stream};
    use http::HeaderValue;
    use http_body_util::{BodyStream, StreamBody};
    use hyper::body::Frame;

    use super::*;
    use crate::settings::MIN_BYTES_PER_WINDOW;

    fn coded(value: &'static str) -> Result<Coding, FetchError> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(value));
        coding(&headers)
    }

    #[test]
    fn one_layer_is_undone_and_an_unknown_one_is_named() {
        assert_eq!(coding(&HeaderMap::new()), Ok(Coding::Identity));
        assert_eq!(coded("GZip"), Ok(Coding::Gzip));
        assert_eq!(coded("utf-8"), Ok(Coding::Identity));
        assert_eq!(coded("none"), Ok(Coding::Identity));
        assert_eq!(coded("identity, br"), Ok(Coding::Brotli));
        let unknown = |name: &str| Err(FetchError::UnknownCoding(name.to_owned()));
        assert_eq!(coded("Compress"), unknown("compress"));
        assert_eq!(coded("gzip, x-odd\tname"), unknown("x-oddname"));
        assert_eq!(coded("gzip, gzip"), Err(FetchError::Decoding));
        assert_eq!(coded("zstd,br"), Err(FetchError::Decoding));
    }

    const LIMITS: BodyLimits = BodyLimits {
        wire_bytes: 1024 * 1024,
        decoded_bytes: 1024 * 1024,
        bytes_per_window: MIN_BYTES_PER_WINDOW,
    };

    /// Returns a body that yields `bytes` after every `pause`, `times` times.
    fn dripping(
        bytes: usize,
        pause: Duration,
        times: usize,
    ) -> impl Body<Data = Bytes, Error = Infallible> + Unpin {
        StreamBody::new(Box::pin(stream::unfold(0, move |count| async move {
            if count == times {
                return None;
            }
            tokio::time::sleep(pause).await;
            let frame = Frame::data(Bytes::from(vec![b'x'; bytes]));
            Some((Ok(frame), count + 1))
        })))
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_below_a_kibibyte_a_second_is_given_up() {
        let began = Instant::now();
        let body = dripping(1000, Duration::from_secs(1), 1000);
        let result = read(&HeaderMap::new(), body, LIMITS).await;
        assert_eq!(result, Err(FetchError::TooSlow));
        assert_eq!(began.elapsed(), SPEED_WINDOW);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_body_above_that_and_a_short_late_one_are_read() {
        for (bytes, pause, times) in [(1100, 1, 60), (5, 9, 1)] {
            let body = dripping(bytes, Duration::from_secs(pause), times);
            let result = read(&HeaderMap::new(), body, LIMITS).await;
            assert_eq!(result.map(|body| body.len()), Ok(bytes * times));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_quick_start_does_not_excuse_a_stall() {
        let quick = dripping(100_000, Duration::ZERO, 1);
        let stalled = dripping(10, Duration::from_secs(3600), 1);
        let frames = BodyStream::new(quick).chain(BodyStream::new(stalled));
        let began = Instant::now();
        let result = read(&HeaderMap::new(), StreamBody::new(frames), LIMITS).await;
        assert_eq!(result, Err(FetchError::TooSlow));
        assert_eq!(began.elapsed(), SPEED_WINDOW * 2);
    }

    #[test]
    fn zlib_and_bare_deflate_are_distinguished() {
        for head in [[0x78, 0x01], [0x78, 0x9c], [0x78, 0xda], [0x58, 0x85]] {
            assert!(is_zlib_header(head));
        }
        for head in [[0x4b, 0x4c], [0xed, 0xbd], [0x78, 0x00]] {
            assert!(!is_zlib_header(head));
        }
    }
}
