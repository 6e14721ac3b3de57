//! Content codings: one layer, no decompression bombs, no truncation.

use async_compression::tokio::write::{
    BrotliEncoder, DeflateEncoder, GzipEncoder, ZlibEncoder, ZstdEncoder,
};
use lede_net::{FetchError, Net, Oversize, Settings};
use tokio::io::AsyncWriteExt;

use crate::site::{Site, answer, fetch};

macro_rules! packed {
    ($encoder:ident, $bytes:expr) => {{
        let mut encoder = $encoder::new(Vec::new());
        encoder.write_all($bytes).await.unwrap();
        encoder.shutdown().await.unwrap();
        encoder.into_inner()
    }};
}

fn coded(coding: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    answer("200 OK", &format!("Content-Encoding: {coding}\r\n"), body)
}

/// Returns `bytes` in every accepted coding.
async fn every_coding(bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("gzip", packed!(GzipEncoder, bytes)),
        ("x-gzip", packed!(GzipEncoder, bytes)),
        ("deflate", packed!(ZlibEncoder, bytes)),
        ("deflate", packed!(DeflateEncoder, bytes)),
        ("br", packed!(BrotliEncoder, bytes)),
        ("zstd", packed!(ZstdEncoder, bytes)),
    ]
}

#[tokio::test]
async fn every_coding_is_undone() {
    for (coding, body) in every_coding(b"<rss>hello</rss>").await {
        let mut site = Site::answering(coded(coding, body)).await;
        let fetched = site.fetched().await.unwrap();
        assert_eq!(fetched.body().unwrap(), "<rss>hello</rss>", "{coding}");
        let head = site.request().await;
        assert!(head.contains("accept-encoding: gzip, deflate, br, zstd\r\n"));
    }
}

#[tokio::test]
async fn several_members_are_one_body_and_an_empty_body_is_empty() {
    let two = [packed!(GzipEncoder, b"one "), packed!(GzipEncoder, b"two")].concat();
    let fetched = Site::answering(coded("gzip", two))
        .await
        .fetched()
        .await
        .unwrap();
    assert_eq!(fetched.body().unwrap(), "one two");
    for coding in ["gzip", "deflate", "br", "zstd"] {
        let fetched = Site::answering(coded(coding, ""))
            .await
            .fetched()
            .await
            .unwrap();
        assert!(fetched.body().unwrap().is_empty(), "{coding}");
    }
}

#[tokio::test]
async fn bombs_are_stopped_by_their_ratio() {
    for (coding, body) in every_coding(&vec![0; 3 << 20]).await {
        let error = Site::answering(coded(coding, body)).await.error().await;
        assert_eq!(error, FetchError::TooLarge(Oversize::Ratio), "{coding}");
    }
}

#[tokio::test]
async fn unpacking_stops_at_the_limit() {
    for (coding, body) in every_coding(&vec![0; 200 * 1024]).await {
        let site = Site::answering(coded(coding, body)).await;
        let settings = Settings {
            max_feed_bytes: 100 * 1024,
            ..site.settings()
        };
        let error = fetch(&Net::new(settings).unwrap(), &site.url("/")).await;
        let expected = FetchError::TooLarge(Oversize::Body(100 * 1024));
        assert_eq!(error.unwrap_err(), expected, "{coding}");
    }
}

#[tokio::test]
async fn a_body_whose_compression_breaks_off_is_an_error() {
    for (coding, mut body) in every_coding(b"a body with some words in it").await {
        body.truncate(body.len() - 3);
        let error = Site::answering(coded(coding, body)).await.error().await;
        assert!(
            matches!(error, FetchError::Truncated | FetchError::Decoding),
            "{coding}: {error:?}"
        );
    }
}

#[tokio::test]
async fn a_transfer_that_breaks_off_after_the_packed_body_is_an_error() {
    for (coding, body) in every_coding(b"hello").await {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n",
            body.len()
        );
        let bytes = [head.as_bytes(), &body, b"\r\n"].concat();
        let error = Site::answering(bytes).await.error().await;
        assert_eq!(error, FetchError::Truncated, "{coding}");
    }
}

#[tokio::test]
async fn endless_bytes_after_the_packed_body_are_cut() {
    let body = packed!(BrotliEncoder, b"hello");
    let site = Site::serving(move |_, mut stream| {
        let body = body.clone();
        async move {
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n")
                .await;
            let _ = stream.write_all(&body).await;
            while stream.write_all(&[0; 4096]).await.is_ok() {}
        }
    })
    .await;
    let settings = Settings {
        max_feed_bytes: 100 * 1024,
        ..site.settings()
    };
    let error = fetch(&Net::new(settings).unwrap(), &site.url("/")).await;
    assert_eq!(
        error.unwrap_err(),
        FetchError::TooLarge(Oversize::Body(100 * 1024))
    );
}

#[tokio::test]
async fn two_layers_are_refused() {
    let inner = packed!(GzipEncoder, b"hello");
    let outer = packed!(GzipEncoder, &inner);
    let error = Site::answering(coded("gzip, gzip", outer))
        .await
        .error()
        .await;
    assert_eq!(error, FetchError::Decoding);
}

#[tokio::test]
async fn an_unknown_coding_is_asked_for_again_without_and_then_named() {
    let mut site = Site::answering_by(|head| {
        if head.contains("accept-encoding: identity\r\n") {
            answer("200 OK", "", "plain")
        } else {
            coded("compress", "<rss/>")
        }
    })
    .await;
    assert_eq!(site.fetched().await.unwrap().body().unwrap(), "plain");
    assert_eq!(site.requests().len(), 2);
    let site = Site::answering(coded("compress", "<rss/>")).await;
    let error = FetchError::UnknownCoding("compress".to_owned());
    assert_eq!(site.error().await, error);
}

#[tokio::test]
async fn broken_compression_is_asked_for_again_without() {
    let mut site = Site::answering_by(|head| {
        if head.contains("accept-encoding: identity\r\n") {
            answer("200 OK", "", "plain")
        } else {
            coded("gzip", "this was never packed")
        }
    })
    .await;
    assert_eq!(site.fetched().await.unwrap().body().unwrap(), "plain");
    assert_eq!(site.requests().len(), 2);
}

#[tokio::test]
async fn broken_compression_is_asked_for_again_only_once() {
    let mut site = Site::answering(coded("gzip", "this was never packed")).await;
    assert_eq!(site.error().await, FetchError::Decoding);
    assert_eq!(site.requests().len(), 2);
}

/// Returns a zstd frame with one raw block, `ok`, that requests a window of 2^`log` bytes.
fn zstd_frame(log: u8) -> Vec<u8> {
    let window = (log - 10) << 3;
    [
        &[0x28, 0xb5, 0x2f, 0xfd, 0x00, window, 0x11, 0x00, 0x00][..],
        b"ok",
    ]
    .concat()
}

#[tokio::test]
async fn a_frame_may_not_ask_for_a_window_that_fills_the_memory() {
    let fetched = Site::answering(coded("zstd", zstd_frame(23)))
        .await
        .fetched()
        .await;
    assert_eq!(fetched.unwrap().body().unwrap(), "ok");
    let error = Site::answering(coded("zstd", zstd_frame(27)))
        .await
        .error()
        .await;
    assert_eq!(error, FetchError::Decoding);
}
