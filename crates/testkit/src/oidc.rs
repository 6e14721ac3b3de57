//! A real OpenID provider for the sign-in tests.
//!
//! The program is `oidc-provider`, which enforces the obligations of a client (PKCE, client
//! authentication, exact redirect addresses). `crates/testkit/oidc/provider.mjs` configures it, and
//! `scripts/test` installs both. Claims are only at the userinfo endpoint, never in the ID token.
//!
//! To sign in by plain HTTP, add `login_hint=ada` to the authorization URL and request it once: the
//! response redirects to the client with a code, and no cookies are needed. `login_hint=deny`
//! returns `access_denied`. Without a hint there is a page with a link for each account (`#ada`, `#deny`).

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// An account of the provider. Its `sub` is also the value of `login_hint`.
#[derive(Debug, Clone, Serialize)]
pub struct Account {
    /// Permanent id of the account.
    pub sub: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// True if the provider has verified the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_verified: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Account {
    /// Creates an account with a verified address.
    #[must_use]
    pub fn verified(sub: &str, email: &str, name: &str) -> Account {
        Account {
            sub: sub.to_owned(),
            email: Some(email.to_owned()),
            email_verified: Some(true),
            name: Some(name.to_owned()),
        }
    }

    /// Creates an account with an address that is not verified.
    #[must_use]
    pub fn unverified(sub: &str, email: &str, name: &str) -> Account {
        Account {
            email_verified: Some(false),
            ..Account::verified(sub, email, name)
        }
    }

    /// Creates an account with no claims besides `sub`.
    #[must_use]
    pub fn bare(sub: &str) -> Account {
        Account {
            sub: sub.to_owned(),
            email: None,
            email_verified: None,
            name: None,
        }
    }
}

/// Maximum start-up time of the provider.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running provider. Dropping it ends the process.
#[derive(Debug)]
pub struct OidcProvider {
    /// Its address, from which a client discovers the rest.
    pub issuer: String,
    /// The client that authenticates with `client_secret` in a Basic header.
    pub client_id: String,
    /// Contains characters that must be encoded in that header.
    pub client_secret: String,
    /// The client without a secret.
    pub public_client_id: String,
    child: Child,
}

/// The line that the program prints when it is ready.
#[derive(Deserialize)]
struct Ready {
    issuer: String,
    client_id: String,
    client_secret: String,
    public_client_id: String,
}

impl OidcProvider {
    /// Starts the provider for a client with this `redirect_uri`. It has the accounts `ada`
    /// (verified address), `eve` (unverified address) and `nemo` (no address).
    ///
    /// # Panics
    /// If it cannot be started; the message explains how to fix it.
    #[must_use]
    pub fn start(redirect_uri: &str) -> OidcProvider {
        let accounts = [
            Account::verified("ada", "ada@example.com", "Ada Lovelace"),
            Account::unverified("eve", "eve@example.com", "Eve Moneypenny"),
            Account::bare("nemo"),
        ];
        OidcProvider::start_with(redirect_uri, &accounts)
    }

    /// Starts the provider with the given accounts.
    ///
    /// # Panics
    /// As [`OidcProvider::start`].
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "tests find their programs by TEST_* variables; the program never reads them"
    )]
    pub fn start_with(redirect_uri: &str, accounts: &[Account]) -> OidcProvider {
        let program = std::env::var("TEST_OIDC_PROVIDER").expect(
            "these tests need the OpenID provider: run ./scripts/test or ./scripts/with-services",
        );
        let said = tempfile::NamedTempFile::new().expect("a temporary file can be made");
        let errors = File::create(said.path()).expect("the temporary file can be written");
        let settings = serde_json::json!({ "redirect_uri": redirect_uri, "accounts": accounts });
        let mut child = Command::new("node")
            .arg(&program)
            .arg(settings.to_string())
            // Stays open as long as this process lives: the provider exits when it is closed.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .unwrap_or_else(|error| panic!("node could not be started: {error}"));
        let said_first = child.stdout.take().and_then(first_line);
        let Some(ready) = said_first.as_deref().and_then(parse_ready) else {
            let _ = child.kill();
            let _ = child.wait();
            panic!("{program} did not start: {}", contents(said.path()));
        };
        OidcProvider {
            issuer: ready.issuer,
            client_id: ready.client_id,
            client_secret: ready.client_secret,
            public_client_id: ready.public_client_id,
            child,
        }
    }
}

impl Drop for OidcProvider {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the first line of the output. A separate thread reads it, so that a silent program fails
/// the test instead of blocking it for ever.
fn first_line(output: ChildStdout) -> Option<String> {
    let (sender, line) = mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        if BufReader::new(output).read_line(&mut line).is_ok() {
            // Fails if the receiver has timed out.
            let _ = sender.send(line);
        }
    });
    line.recv_timeout(PATIENCE).ok()
}

fn parse_ready(line: &str) -> Option<Ready> {
    serde_json::from_str(line.strip_prefix("READY ")?).ok()
}

fn contents(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD, Engine};
    use serde_json::Value;
    use sha2::{Digest, Sha256};
    use url::form_urlencoded::byte_serialize;
    use url::{Url, form_urlencoded};

    use super::*;

    const REDIRECT: &str = "http://127.0.0.1:9/callback";
    const VERIFIER: &str = "a-verifier-that-is-at-least-43-characters-long";

    /// Sends a minimal HTTP request. Returns head and body of the response.
    #[expect(
        clippy::disallowed_methods,
        reason = "testkit does not use lede-net, and this is loopback"
    )]
    fn http(url: &Url, head: &str, body: &str) -> (String, String) {
        let method = if body.is_empty() { "GET" } else { "POST" };
        let mut stream = TcpStream::connect(&*url.socket_addrs(|| None).unwrap()).unwrap();
        write!(
            stream,
            "{method} {}?{} HTTP/1.0\r\nHost: {}:{}\r\n{head}Content-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {}\r\n\r\n{body}",
            url.path(),
            url.query().unwrap_or_default(),
            url.host_str().unwrap(),
            url.port().unwrap(),
            body.len(),
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer
            .split_once("\r\n\r\n")
            .unwrap_or_else(|| panic!("no HTTP: {answer:?}"));
        (head.to_owned(), body.to_owned())
    }

    fn json(url: &str, head: &str, body: &str) -> Value {
        let (head, body) = http(&Url::parse(url).unwrap(), head, body);
        serde_json::from_str(&body).unwrap_or_else(|_| panic!("no JSON: {head}\n{body}"))
    }

    /// Returns the query of the address to which the provider redirects the user.
    fn comes_back(
        provider: &OidcProvider,
        client: &str,
        login_hint: &str,
        challenge: &str,
    ) -> Vec<(String, String)> {
        let mut url = Url::parse(&format!("{}/auth", provider.issuer)).unwrap();
        url.query_pairs_mut()
            .extend_pairs([
                ("response_type", "code"),
                ("scope", "openid email profile"),
                ("state", "s"),
            ])
            .extend_pairs([
                ("client_id", client),
                ("redirect_uri", REDIRECT),
                ("login_hint", login_hint),
            ]);
        if !challenge.is_empty() {
            url.query_pairs_mut().extend_pairs([
                ("code_challenge", challenge),
                ("code_challenge_method", "S256"),
            ]);
        }
        let (head, body) = http(&url, "", "");
        let location = head
            .lines()
            .find_map(|line| {
                line.strip_prefix("location: ")
                    .or_else(|| line.strip_prefix("Location: "))
            })
            .unwrap_or_else(|| panic!("no redirect: {head}\n{body}"));
        let back = Url::parse(location).unwrap();
        assert!(location.starts_with(REDIRECT), "{location}");
        back.query_pairs().into_owned().collect()
    }

    fn value<'a>(query: &'a [(String, String)], name: &str) -> &'a str {
        query
            .iter()
            .find(|(key, _)| key == name)
            .map_or("", |(_, value)| value)
    }

    fn challenge() -> String {
        BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER))
    }

    fn tokens(provider: &OidcProvider, head: &str, extra: &[(&str, &str)]) -> Value {
        let body = form_urlencoded::Serializer::new(String::new())
            .extend_pairs([
                ("grant_type", "authorization_code"),
                ("redirect_uri", REDIRECT),
            ])
            .extend_pairs(extra)
            .finish();
        json(&format!("{}/token", provider.issuer), head, &body)
    }

    fn basic(provider: &OidcProvider) -> String {
        let encode = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
        let pair = format!(
            "{}:{}",
            encode(&provider.client_id),
            encode(&provider.client_secret)
        );
        format!("Authorization: Basic {}\r\n", BASE64_STANDARD.encode(pair))
    }

    #[test]
    fn a_hint_signs_in_without_a_page_and_claims_are_only_in_userinfo() {
        let provider = OidcProvider::start(REDIRECT);
        let discovered = json(
            &format!("{}/.well-known/openid-configuration", provider.issuer),
            "",
            "",
        );
        assert_eq!(discovered["issuer"], provider.issuer.as_str());
        for (who, verified) in [
            ("ada", Value::Bool(true)),
            ("eve", Value::Bool(false)),
            ("nemo", Value::Null),
        ] {
            let back = comes_back(&provider, &provider.client_id, who, &challenge());
            let extra = [("code", value(&back, "code")), ("code_verifier", VERIFIER)];
            let tokens = tokens(&provider, &basic(&provider), &extra);
            let payload = tokens["id_token"]
                .as_str()
                .unwrap()
                .split('.')
                .nth(1)
                .unwrap();
            let id: Value =
                serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap();
            assert_eq!((id["sub"].as_str(), id.get("email")), (Some(who), None));
            let bearer = format!(
                "Authorization: Bearer {}\r\n",
                tokens["access_token"].as_str().unwrap()
            );
            let person = json(
                discovered["userinfo_endpoint"].as_str().unwrap(),
                &bearer,
                "",
            );
            assert_eq!(
                (&person["sub"], &person["email_verified"]),
                (&Value::from(who), &verified)
            );
        }
    }

    #[test]
    fn the_public_client_needs_no_secret() {
        let provider = OidcProvider::start(REDIRECT);
        let client = provider.public_client_id.as_str();
        let back = comes_back(&provider, client, "ada", &challenge());
        let extra = [
            ("code", value(&back, "code")),
            ("code_verifier", VERIFIER),
            ("client_id", client),
        ];
        assert!(tokens(&provider, "", &extra)["access_token"].is_string());
    }

    #[test]
    fn it_refuses_what_a_provider_must_refuse() {
        let provider = OidcProvider::start(REDIRECT);
        let client = provider.client_id.as_str();
        let denied = comes_back(&provider, client, "deny", &challenge());
        assert_eq!(value(&denied, "error"), "access_denied");
        let without_pkce = comes_back(&provider, client, "ada", "");
        assert_eq!(value(&without_pkce, "error"), "invalid_request");
        let back = comes_back(&provider, client, "ada", &challenge());
        let wrong = VERIFIER.to_uppercase();
        let extra = [
            ("code", value(&back, "code")),
            ("code_verifier", wrong.as_str()),
        ];
        assert_eq!(
            tokens(&provider, &basic(&provider), &extra)["error"],
            "invalid_grant"
        );
        assert_eq!(tokens(&provider, "", &extra)["error"], "invalid_request");
    }
}
