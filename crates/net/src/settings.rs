//! Operator settings for outgoing requests, and the limits derived from them.

use std::time::Duration;

use http::HeaderValue;
use rustls_pki_types::CertificateDer;

use crate::guard::{AllowList, Ports};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// Time limit for resolving a name, for connecting and for the TLS handshake, each.
pub(crate) const CONNECT_PHASE_LIMIT: Duration = Duration::from_secs(5);
/// Time limit from the connection being ready to the last header.
pub(crate) const HEADERS_LIMIT: Duration = Duration::from_secs(10);
/// Limits on the headers of one response: total size and number.
pub(crate) const MAX_HEADER_BYTES: usize = 64 * 1024;
pub(crate) const MAX_HEADER_LINES: usize = 100;
/// A body that yields less than this within [`SPEED_WINDOW`] is aborted (1 KiB/s).
pub(crate) const MIN_BYTES_PER_WINDOW: u64 = 10 * KIB;
pub(crate) const SPEED_WINDOW: Duration = Duration::from_secs(10);
/// A body that yields less than [`MIN_BYTES_PER_LOOK`] between two checks gives up its receiving
/// slot: it is too slow (10 KiB/s) to compete with others for bandwidth.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(100);
pub(crate) const MIN_BYTES_PER_LOOK: u64 = KIB;
/// Beyond [`RATIO_FREE_BYTES`], maximum ratio of the decoded size to the compressed size.
pub(crate) const MAX_RATIO: u64 = 200;
pub(crate) const RATIO_FREE_BYTES: u64 = MIB;

// Upper bounds of the settings: beyond these, a typing error could stop the machine.
const LONGEST_DEADLINE: Duration = Duration::from_secs(300);
const LARGEST_BODY: u64 = 512 * MIB;
const MOST_CONCURRENT: usize = 500;
const MOST_REDIRECTS: usize = 10;
const LONGEST_INTERVAL: Duration = Duration::from_secs(3600);

/// Settings of the operator. The defaults are the documented ones.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Names the product and a contact address.
    pub user_agent: String,
    /// Destinations that the address rules would refuse.
    pub allow: AllowList,
    /// Additional destinations that are allowed for webhooks only.
    pub webhook_allow: AllowList,
    /// Time limit for fetching a feed, including all redirects.
    pub feed_deadline: Duration,
    /// Maximum size of a feed, decompressed.
    pub max_feed_bytes: u64,
    /// Time limit for fetching an article's page, including all redirects.
    pub page_deadline: Duration,
    /// Maximum size of a page, decompressed.
    pub max_page_bytes: u64,
    /// Maximum number of redirects of a page.
    pub page_redirects: usize,
    /// Pause between two requests to one registrable domain; zero switches it off.
    pub host_interval: Duration,
    /// Maximum number of bodies received at a time; more requests may wait for a response.
    pub max_concurrent: usize,
    /// Certificate authorities that are trusted besides the well-known ones.
    pub extra_roots: Vec<CertificateDer<'static>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            user_agent: format!(
                "Lede/{} (+{})",
                env!("CARGO_PKG_VERSION"),
                env!("CARGO_PKG_REPOSITORY")
            ),
            allow: AllowList::default(),
            webhook_allow: AllowList::default(),
            feed_deadline: Duration::from_secs(20),
            max_feed_bytes: 32 * MIB,
            page_deadline: Duration::from_secs(15),
            max_page_bytes: 10 * MIB,
            page_redirects: 5,
            host_interval: Duration::from_secs(3),
            max_concurrent: 10,
            extra_roots: Vec::new(),
        }
    }
}

/// Setting that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// The user agent is not a valid header value.
    #[error("the user agent contains a character that HTTP headers cannot carry")]
    UserAgent,
    /// A certificate authority cannot be read; holds its position, counted from one.
    #[error("the extra certificate authority number {0} cannot be read")]
    ExtraRoot(usize),
    /// The built-in cryptography supports no common TLS version.
    #[error("no TLS version is available")]
    Tls,
    /// A number is outside its bounds.
    #[error("{name} must lie between {least} and {most}")]
    OutOfBounds {
        name: &'static str,
        /// Lower bound, with the unit.
        least: String,
        /// Upper bound, with the unit.
        most: String,
    },
}

impl Settings {
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        if HeaderValue::from_str(&self.user_agent).is_err() {
            return Err(SettingsError::UserAgent);
        }
        let seconds = Duration::from_secs(1);
        within(
            "the feed deadline",
            &self.feed_deadline,
            &seconds,
            &LONGEST_DEADLINE,
        )?;
        within(
            "the page deadline",
            &self.page_deadline,
            &seconds,
            &LONGEST_DEADLINE,
        )?;
        within(
            "the largest feed",
            &self.max_feed_bytes,
            &KIB,
            &LARGEST_BODY,
        )?;
        within(
            "the largest page",
            &self.max_page_bytes,
            &KIB,
            &LARGEST_BODY,
        )?;
        within(
            "the number of redirects",
            &self.page_redirects,
            &0,
            &MOST_REDIRECTS,
        )?;
        within(
            "the number of fetches",
            &self.max_concurrent,
            &1,
            &MOST_CONCURRENT,
        )?;
        within(
            "the host interval",
            &self.host_interval,
            &Duration::ZERO,
            &LONGEST_INTERVAL,
        )
    }
}

fn within<T: PartialOrd + std::fmt::Debug>(
    name: &'static str,
    value: &T,
    least: &T,
    most: &T,
) -> Result<(), SettingsError> {
    if value < least || value > most {
        return Err(SettingsError::OutOfBounds {
            name,
            least: format!("{least:?}"),
            most: format!("{most:?}"),
        });
    }
    Ok(())
}

/// Purpose of a request. It decides ports, size, time limits and the queue in which it waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A feed, or a page that is parsed as one.
    Feed,
    /// An article's page, or a page that is searched for feeds.
    Page,
    /// A URL that a user entered, and the URLs that it leads to; the user waits for the result.
    Discovery,
    /// An image that a user is looking at right now.
    Image,
    /// Icon of a site.
    Icon,
    /// Page of an item that is passed on to a user, who waits for it.
    Proxy,
    /// Subscription list at a URL that a user entered, who waits for it.
    List,
}

/// Limits on the duration and the size of a fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time limit for the request as a whole, including all redirects.
    pub deadline: Duration,
    /// Maximum size of the body as transferred.
    pub wire_bytes: u64,
    /// Maximum size of the body after decompression.
    pub decoded_bytes: u64,
    /// Maximum number of redirects.
    pub redirects: usize,
}

impl Limits {
    /// For images that are passed on to a user.
    pub const IMAGE: Self = Self {
        deadline: Duration::from_secs(15),
        wire_bytes: 10 * MIB,
        decoded_bytes: 10 * MIB,
        redirects: 5,
    };
    /// For icons of sites, which are small.
    pub const ICON: Self = Self {
        wire_bytes: 256 * KIB,
        decoded_bytes: 256 * KIB,
        ..Self::IMAGE
    };

    /// For pages that are passed on to a user. Redirects are not followed.
    pub const PROXY: Self = Self {
        deadline: Duration::from_secs(10),
        wire_bytes: 5 * MIB,
        decoded_bytes: 5 * MIB,
        redirects: 0,
    };

    /// For subscription lists: as large as an upload, within the time limit of a feed.
    pub const LIST: Self = Self {
        deadline: Duration::from_secs(20),
        ..Self::IMAGE
    };

    /// For feeds. The wire limit may be half of the decoded limit, but a small limit of the
    /// operator must not refuse an uncompressed feed of that size.
    pub fn feed(settings: &Settings) -> Self {
        let decoded = settings.max_feed_bytes;
        Self {
            deadline: settings.feed_deadline,
            wire_bytes: decoded.min(16 * MIB).max(decoded / 2),
            decoded_bytes: decoded,
            redirects: 5,
        }
    }

    /// For pages of articles, as set by the operator.
    pub fn page(settings: &Settings) -> Self {
        Self {
            deadline: settings.page_deadline,
            wire_bytes: settings.max_page_bytes,
            decoded_bytes: settings.max_page_bytes,
            redirects: settings.page_redirects,
        }
    }

    /// Returns the limits of `purpose`.
    pub fn of(purpose: Purpose, settings: &Settings) -> Self {
        match purpose {
            Purpose::Feed | Purpose::Discovery => Self::feed(settings),
            Purpose::Page => Self::page(settings),
            Purpose::Image => Self::IMAGE,
            Purpose::Icon => Self::ICON,
            Purpose::Proxy => Self::PROXY,
            Purpose::List => Self::LIST,
        }
    }
}

impl Purpose {
    pub(crate) fn ports(self) -> Ports {
        match self {
            Self::Feed | Self::Discovery | Self::List => Ports::Feed,
            Self::Page | Self::Image | Self::Icon | Self::Proxy => Ports::Web,
        }
    }

    /// Returns the `Accept` header. `*/*` is always included: some servers answer 406 without it.
    pub(crate) fn accept(self) -> &'static str {
        match self {
            Self::Feed | Self::Discovery => {
                "application/atom+xml, application/rss+xml, application/feed+json, \
                 application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5"
            }
            Self::List => "text/x-opml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5",
            Self::Page | Self::Proxy => "text/html, application/xhtml+xml, */*;q=0.5",
            Self::Image | Self::Icon => "image/*, */*;q=0.5",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_the_documented_limits() {
        let settings = Settings::default();
        assert_eq!(settings.check(), Ok(()));
        let feed = Limits::feed(&settings);
        assert_eq!((feed.wire_bytes, feed.decoded_bytes), (16 * MIB, 32 * MIB));
        assert_eq!(feed.deadline, Duration::from_secs(20));
        let page = Limits::page(&settings);
        assert_eq!(
            (page.deadline, page.decoded_bytes),
            (Duration::from_secs(15), 10 * MIB)
        );
        assert_eq!(Limits::ICON.decoded_bytes, 256 * KIB);
    }

    #[test]
    fn the_wire_limit_follows_the_operators_size() {
        for (decoded, wire) in [(MIB, MIB), (32 * MIB, 16 * MIB), (64 * MIB, 32 * MIB)] {
            let settings = Settings {
                max_feed_bytes: decoded,
                ..Settings::default()
            };
            assert_eq!(Limits::feed(&settings).wire_bytes, wire);
        }
    }

    #[test]
    fn settings_have_hard_bounds() {
        for settings in [
            Settings {
                user_agent: "a\nb".into(),
                ..Settings::default()
            },
            Settings {
                feed_deadline: Duration::ZERO,
                ..Settings::default()
            },
            Settings {
                feed_deadline: Duration::from_secs(3600),
                ..Settings::default()
            },
            Settings {
                max_feed_bytes: u64::MAX,
                ..Settings::default()
            },
            Settings {
                page_redirects: 11,
                ..Settings::default()
            },
            Settings {
                max_concurrent: 0,
                ..Settings::default()
            },
        ] {
            assert!(settings.check().is_err(), "{settings:?}");
        }
    }
}
