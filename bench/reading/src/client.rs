//! A minimal HTTP client on a persistent connection.

use std::error::Error;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

/// A connection to a server on this machine.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
    token: Option<String>,
}

impl Client {
    #[expect(
        clippy::disallowed_methods,
        reason = "what is measured is on loopback, and this is no part of the program"
    )]
    pub(crate) fn connect(port: u16) -> Result<Self, Box<dyn Error>> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::new(stream),
            token: None,
        })
    }

    /// Sets the bearer token.
    pub(crate) fn with_token(mut self, token: Option<&str>) -> Self {
        self.token = token.map(ToOwned::to_owned);
        self
    }

    /// Returns a token for the account.
    pub(crate) fn sign_in(
        &mut self,
        email: &str,
        password: &str,
    ) -> Result<String, Box<dyn Error>> {
        let body = serde_json::json!({"email": email, "password": password});
        let answer = self.ask(
            "POST",
            "/auth/token",
            "application/json",
            body.to_string().as_bytes(),
        )?;
        let token = answer["token"].as_str().ok_or("no token")?;
        Ok(token.to_owned())
    }

    pub(crate) fn get(&mut self, path: &str) -> Result<Vec<u8>, Box<dyn Error>> {
        self.exchange("GET", path, "", &[])
    }

    /// Sends a body and parses the response as JSON.
    pub(crate) fn ask(
        &mut self,
        method: &str,
        path: &str,
        content_type: &str,
        body: &[u8],
    ) -> Result<serde_json::Value, Box<dyn Error>> {
        let answer = self.exchange(method, path, content_type, body)?;
        Ok(serde_json::from_slice(&answer)?)
    }

    pub(crate) fn post(
        &mut self,
        path: &str,
        body: &serde_json::Value,
    ) -> Result<serde_json::Value, Box<dyn Error>> {
        self.ask(
            "POST",
            path,
            "application/json",
            body.to_string().as_bytes(),
        )
    }

    fn exchange(
        &mut self,
        method: &str,
        path: &str,
        content_type: &str,
        body: &[u8],
    ) -> Result<Vec<u8>, Box<dyn Error>> {
        let mut request = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n");
        // As browsers do: pages are compressed, and compression is part of the cost.
        request += "Accept-Encoding: gzip\r\n";
        if let Some(token) = &self.token {
            request += &format!("Authorization: Bearer {token}\r\n");
        }
        if !content_type.is_empty() {
            request += &format!(
                "Content-Type: {content_type}\r\nContent-Length: {}\r\n",
                body.len()
            );
        }
        request += "\r\n";
        let mut request = request.into_bytes();
        request.extend_from_slice(body);
        self.stream.get_mut().write_all(&request)?;

        let (mut status, mut length) = (String::new(), None);
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line)?;
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if status.is_empty() {
                line.clone_into(&mut status);
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = Some(value.trim().parse::<usize>()?);
            }
        }
        let mut answer = vec![0; length.ok_or_else(|| format!("{path}: {status}, no length"))?];
        self.stream.read_exact(&mut answer)?;
        if status.contains(" 20") {
            Ok(answer)
        } else {
            let words = String::from_utf8_lossy(&answer).into_owned();
            Err(format!("{method} {path}: {status}: {words}").into())
        }
    }
}
