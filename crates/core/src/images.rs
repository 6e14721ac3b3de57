//! Image proxy: fetches images on behalf of users, so that publishers do not see who reads.
//!
//! A proxy URL is signed for one user and two days. Other users cannot use it, and the proxy cannot
//! be made to fetch a URL that no item contains. The content type of a response is not trusted:
//! only raster formats of sensible dimensions pass, and never SVG.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lede_feed::clean;
use lede_model::address::WebUrl;
use lede_model::content::CleanHtml;
use lede_model::ids::UserId;
use lede_net::{Conditions, FetchError, Purpose};
use ring::hmac;

use crate::Lede;

const DAY_SECONDS: i64 = 24 * 3600;
/// Days for which a URL stays valid after the day it was made on.
const GRACE_DAYS: i64 = 1;
/// Pixels that an image may declare: a decoder in the user's browser has to hold them.
const MAX_PIXELS: usize = 40_000_000;

/// The images that are served through the proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImageProxy {
    /// All of them, so that publishers do not see users.
    #[default]
    All,
    /// Images without TLS, which a page over https cannot show otherwise.
    Http,
    /// None: browsers fetch images from their publishers.
    Off,
}

impl ImageProxy {
    fn covers(self, url: &WebUrl) -> bool {
        match self {
            Self::All => true,
            Self::Http => !url.is_https(),
            Self::Off => false,
        }
    }
}

/// An image that may be shown.
pub struct Picture {
    /// The bytes as the publisher sent them.
    pub bytes: Vec<u8>,
    /// Detected from the content; the server's header is ignored.
    pub content_type: &'static str,
}

/// Reasons why an image is not served.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The URL was not signed here for this user, or has expired.
    #[error("the address is not one of ours, or too old")]
    NotSigned,
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The response is not an image of a supported format and size.
    #[error("it is not a picture, or not one that can be shown")]
    NotAPicture,
}

/// Returns the HTML of an item for `user`, with images through the proxy if it is enabled.
pub fn for_reader(lede: &Lede, user: UserId, html: CleanHtml) -> CleanHtml {
    match lede.settings.image_proxy {
        ImageProxy::Off => html,
        proxy => clean::with_pictures(&html, |url| {
            proxy.covers(url).then(|| address(lede, user, url))
        }),
    }
}

/// Returns the URL at which `user` sees the image at `url`: through the proxy if it is enabled.
pub fn shown_address(lede: &Lede, user: UserId, url: &WebUrl) -> String {
    match lede.settings.image_proxy.covers(url) {
        true => address(lede, user, url),
        false => url.as_str().to_owned(),
    }
}

/// Returns the proxy URL of an image. It stays the same all day, so that browsers can cache it.
pub fn address(lede: &Lede, user: UserId, url: &WebUrl) -> String {
    let day = lede.clock.now().as_seconds() / DAY_SECONDS;
    let signature = hmac::sign(
        &lede.token_keys.images,
        signed_text(user, day, url.as_str()).as_bytes(),
    );
    let signature = URL_SAFE_NO_PAD.encode(&signature.as_ref()[..16]);
    format!(
        "/img/{day}/{signature}/{}",
        URL_SAFE_NO_PAD.encode(url.as_str())
    )
}

fn signed_text(user: UserId, day: i64, url: &str) -> String {
    format!("{user} {day} {url}")
}

/// Fetches the image of a URL that [`for_reader`] made for `user`.
pub async fn picture(
    lede: &Lede,
    user: UserId,
    day: i64,
    signature: &str,
    url: &str,
) -> Result<Picture, PictureError> {
    let url = verified(lede, user, day, signature, url).ok_or(PictureError::NotSigned)?;
    let fetched = lede
        .net
        .fetch(&url, Purpose::Image, &Conditions::default())
        .await?;
    let bytes = fetched.body().map(|body| body.to_vec()).unwrap_or_default();
    let content_type = type_of(&bytes).ok_or(PictureError::NotAPicture)?;
    Ok(Picture {
        bytes,
        content_type,
    })
}

fn verified(lede: &Lede, user: UserId, day: i64, signature: &str, url: &str) -> Option<WebUrl> {
    let today = lede.clock.now().as_seconds() / DAY_SECONDS;
    if !(today - GRACE_DAYS..=today).contains(&day) {
        return None;
    }
    let url = String::from_utf8(URL_SAFE_NO_PAD.decode(url).ok()?).ok()?;
    let shown = URL_SAFE_NO_PAD.decode(signature).ok()?;
    let expected = hmac::sign(
        &lede.token_keys.images,
        signed_text(user, day, &url).as_bytes(),
    );
    let is_ours: bool =
        subtle::ConstantTimeEq::ct_eq(&expected.as_ref()[..16], shown.as_slice()).into();
    is_ours.then(|| WebUrl::parse(&url).ok()).flatten()
}

/// Detects the type of an image by its first bytes. Returns `None` if the format is not supported
/// or the declared dimensions are too large.
pub(crate) fn type_of(bytes: &[u8]) -> Option<&'static str> {
    use imagesize::{Compression, ImageType};
    let content_type = match imagesize::image_type(bytes).ok()? {
        ImageType::Png => "image/png",
        ImageType::Jpeg => "image/jpeg",
        ImageType::Gif => "image/gif",
        ImageType::Webp => "image/webp",
        ImageType::Ico => "image/x-icon",
        ImageType::Heif(Compression::Av1) => "image/avif",
        _ => return None,
    };
    let size = imagesize::blob_size(bytes).ok()?;
    (size.width.saturating_mul(size.height) <= MAX_PIXELS).then_some(content_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The beginning of a PNG, up to its dimensions.
    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes.extend([8, 6, 0, 0, 0]);
        bytes
    }

    #[test]
    fn only_raster_pictures_of_sensible_size_pass() {
        assert_eq!(type_of(&png(640, 480)), Some("image/png"));
        assert_eq!(
            type_of(b"GIF89a\x01\x00\x01\x00\x00\x00\x00"),
            Some("image/gif")
        );
        assert_eq!(
            type_of(&png(100_000, 100_000)),
            None,
            "a decompression bomb"
        );
        for not_a_picture in [
            &b""[..],
            b"<svg onload=alert(1)>",
            b"<!doctype html>",
            b"%PDF-1.7",
            b"\x89PNG",
        ] {
            assert_eq!(type_of(not_a_picture), None);
        }
    }
}
