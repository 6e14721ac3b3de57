//! Persons: RSS puts name and e-mail address into one text, in either order.

use crate::parsed::Person;

/// Splits `mail@host (Name)`, `Name (mail@host)`, `Name <mail@host>` and plain names.
pub(super) fn split(text: &str) -> Person {
    let text = text.trim();
    let Some(email) = find_email(text) else {
        return Person {
            name: (!text.is_empty()).then(|| text.to_owned()),
            ..Person::default()
        };
    };
    let name = text
        .replace(email, "")
        .replace("mailto:", "")
        .replace("()", "")
        .replace("<>", "")
        .replace("&lt;&gt;", "");
    let name = name.trim();
    let name = name.strip_prefix('(').unwrap_or(name);
    let name = name.strip_suffix(')').unwrap_or(name).trim();
    Person {
        name: (!name.is_empty()).then(|| name.to_owned()),
        email: Some(email.to_owned()),
        url: None,
    }
}

/// Returns the first part of `text` that looks like an e-mail address.
fn find_email(text: &str) -> Option<&str> {
    let is_local = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'+' | b'-');
    let is_host = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'[' | b']');
    let bytes = text.as_bytes();
    for at in memchr::memchr_iter(b'@', bytes) {
        let start = bytes[..at]
            .iter()
            .rposition(|&b| !is_local(b))
            .map_or(0, |n| n + 1);
        let end = bytes[at + 1..]
            .iter()
            .position(|&b| !is_host(b))
            .map_or(bytes.len(), |n| at + 1 + n);
        let host = text[at + 1..end].trim_end_matches(['.', '-']);
        let tld = host.rsplit('.').next().unwrap_or_default();
        if start < at && host.contains('.') && tld.len() >= 2 {
            return Some(&text[start..at + 1 + host.len()]);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_and_mail_address_are_separated() {
        let cases = [
            ("Jo Doe", Some("Jo Doe"), None),
            (
                "jo@example.org (Jo Doe)",
                Some("Jo Doe"),
                Some("jo@example.org"),
            ),
            (
                "Jo Doe (jo@example.org)",
                Some("Jo Doe"),
                Some("jo@example.org"),
            ),
            (
                "Jo Doe <jo@example.org>",
                Some("Jo Doe"),
                Some("jo@example.org"),
            ),
            (
                "Jo Doe (mailto:jo@example.org)",
                Some("Jo Doe"),
                Some("jo@example.org"),
            ),
            (
                "Jo Doe (mailto:jo@example.org)",
                Some("Jo Doe"),
                Some("jo@example.org"),
            ),
            ("jo@example.org", None, Some("jo@example.org")),
            ("jo@example.museum", None, Some("jo@example.museum")),
            ("Jo @ home", Some("Jo @ home"), None),
            ("@jo", Some("@jo"), None),
            ("", None, None),
        ];
        for (text, name, email) in cases {
            let person = split(text);
            assert_eq!(person.name.as_deref(), name, "{text}");
            assert_eq!(person.email.as_deref(), email, "{text}");
        }
    }
}
