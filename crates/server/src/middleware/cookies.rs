//! The session cookie, and the cookie of a browser that has no session yet.

use axum::http::{HeaderMap, HeaderValue, header};

use super::Client;

/// Role of a cookie. Its name also depends on the transport over which it was set.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Session,
    Browser,
}

/// Reads and writes cookies for one client.
///
/// On https, names carry `__Host-`: the browser then refuses cookies of that name from subdomains,
/// from plain http and for narrower paths. On plain http that prefix is not allowed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cookies {
    is_https: bool,
}

/// Longest lifetime that a session can have on the server.
const SESSION_MAX_AGE_SECONDS: u64 = 90 * 24 * 3600;

impl Cookies {
    pub(crate) fn of(client: &Client) -> Self {
        Self {
            is_https: client.is_https,
        }
    }

    const fn name(self, kind: Kind) -> &'static str {
        match (kind, self.is_https) {
            (Kind::Session, true) => "__Host-lede_session",
            (Kind::Session, false) => "lede_session",
            (Kind::Browser, true) => "__Host-lede_browser",
            (Kind::Browser, false) => "lede_browser",
        }
    }

    pub(crate) fn session(self, headers: &HeaderMap) -> Option<String> {
        self.value(headers, Kind::Session)
    }

    /// Secret of a browser that is not signed in. It binds forms and sign-ins to that browser.
    pub(crate) fn browser(self, headers: &HeaderMap) -> Option<String> {
        self.value(headers, Kind::Browser)
    }

    fn value(self, headers: &HeaderMap, kind: Kind) -> Option<String> {
        let name = self.name(kind);
        headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(found, value)| *found == name && !value.is_empty() && value.len() <= 128)
            .map(|(_, value)| value.to_owned())
    }

    pub(crate) fn set_session(self, id: &str) -> HeaderValue {
        self.set(Kind::Session, id, Some(SESSION_MAX_AGE_SECONDS))
    }

    pub(crate) fn clear_session(self) -> HeaderValue {
        self.set(Kind::Session, "", Some(0))
    }

    /// Sets the browser's cookie. It lasts until the browser is closed.
    pub(crate) fn set_browser(self, secret: &str) -> HeaderValue {
        self.set(Kind::Browser, secret, None)
    }

    fn set(self, kind: Kind, value: &str, max_age: Option<u64>) -> HeaderValue {
        let age = max_age.map_or_else(String::new, |seconds| format!("; Max-Age={seconds}"));
        let secure = if self.is_https { "; Secure" } else { "" };
        let line = format!(
            "{}={value}; Path=/; HttpOnly; SameSite=Lax{age}{secure}",
            self.name(kind)
        );
        // Names are constants and values are URL-safe base64, so the header is valid.
        HeaderValue::from_str(&line).unwrap_or_else(|_| HeaderValue::from_static(""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secure_connection_has_cookies_that_a_plain_one_cannot_plant() {
        let mut headers = HeaderMap::new();
        headers.insert(
            header::COOKIE,
            HeaderValue::from_static("x=1; lede_session=plain"),
        );
        assert_eq!(
            Cookies { is_https: false }.session(&headers).as_deref(),
            Some("plain")
        );
        assert_eq!(Cookies { is_https: true }.session(&headers), None);
        let set = Cookies { is_https: true }.set_session("abc");
        assert_eq!(
            set.to_str().unwrap(),
            "__Host-lede_session=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=7776000; Secure"
        );
    }
}
