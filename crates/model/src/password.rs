//! Password strength rules.
//!
//! Every way to set a password uses them, so that the set-up page and `ADMIN_PASSWORD` agree.

use crate::message::messages;

/// Minimum length of a password, in characters.
pub const MIN_CHARS: usize = 12;
/// Maximum length of a password, in characters. Argon2 would accept more, but the cost of hashing
/// grows with the length and no user types more.
pub const MAX_CHARS: usize = 256;

/// Letters and digits that must remain of a password without common words: `admin1234567` has seven.
const MIN_REST: usize = 10;

/// Words that may not make up most of a password, and keyboard patterns.
const WEAK: [&str; 14] = [
    "admin",
    "password",
    "passwort",
    "test",
    "secret",
    "changeme",
    "letmein",
    "welcome",
    "qwertyuiop",
    "qwerty",
    "asdfghjkl",
    "zxcvbnm",
    "lede",
    "default",
];

messages! {
    /// Reason why a password is refused; the text is for the user who chose it.
    pub enum WeakPassword("weak-password") {
        TooShort("too_short") { least: usize } => "the password needs at least {least} characters",
        TooLong("too_long") { most: usize } => "the password may have at most {most} characters",
        /// A well-known word with decoration.
        Common("common") => "the password is a common word with little around it; take a few unrelated words instead",
        /// `111111111111`, `123456789012`, `abcabcabcabc`.
        Pattern("pattern") => "the password repeats or counts; take a few unrelated words instead",
        /// Mostly the local part of the account's e-mail address.
        LikeEmail("like_email") => "the password is made of the e-mail address; take a few unrelated words instead",
    }
}

/// Checks `password` for the account of `email`.
pub fn check(password: &str, email: &str) -> Result<(), WeakPassword> {
    let chars = password.chars().count();
    if chars < MIN_CHARS {
        return Err(WeakPassword::TooShort { least: MIN_CHARS });
    }
    if chars > MAX_CHARS {
        return Err(WeakPassword::TooLong { most: MAX_CHARS });
    }
    let lower = password.to_lowercase();
    if repeats_or_counts(&lower) {
        return Err(WeakPassword::Pattern);
    }
    let name = email.split('@').next().unwrap_or_default().to_lowercase();
    if name.chars().count() >= 4 && mostly(&lower, &[&name]) {
        return Err(WeakPassword::LikeEmail);
    }
    if mostly(&lower, &WEAK) {
        return Err(WeakPassword::Common);
    }
    Ok(())
}

/// Returns `true` if `password` contains one of `words` and fewer than [`MIN_REST`] letters and
/// digits remain without them.
fn mostly(password: &str, words: &[&str]) -> bool {
    let mut rest = password.to_owned();
    for word in words {
        rest = rest.replace(word, "");
    }
    rest.len() != password.len() && rest.chars().filter(|c| c.is_alphanumeric()).count() < MIN_REST
}

/// Returns `true` if there are fewer than five distinct characters, or if most characters follow
/// the one before in sequence.
fn repeats_or_counts(password: &str) -> bool {
    let chars: Vec<char> = password.chars().collect();
    let mut different = chars.clone();
    different.sort_unstable();
    different.dedup();
    if different.len() < 5 {
        return true;
    }
    let steps = chars.windows(2).filter(|pair| {
        let step = i64::from(u32::from(pair[1])) - i64::from(u32::from(pair[0]));
        // 9 → 0 continues the count.
        matches!(step, -1..=1) || (pair[0], pair[1]) == ('9', '0')
    });
    steps.count() * 5 >= (chars.len() - 1) * 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_passwords_are_refused_with_their_reason() {
        let too_short = WeakPassword::TooShort { least: MIN_CHARS };
        for (password, why) in [
            ("short", too_short.clone()),
            ("elevenchars", too_short),
            ("111111111111", WeakPassword::Pattern),
            ("123456789012", WeakPassword::Pattern),
            ("abcdefghijkl", WeakPassword::Pattern),
            ("abababababab", WeakPassword::Pattern),
            ("admin1234567", WeakPassword::Common),
            ("AdminAdmin2024", WeakPassword::Common),
            ("Password2024!", WeakPassword::Common),
            ("test-secret-9", WeakPassword::Common),
            ("qwertyuiop12", WeakPassword::Common),
            ("asdfghjkl!!!", WeakPassword::Common),
            ("margaret1984", WeakPassword::LikeEmail),
        ] {
            assert_eq!(
                check(password, "margaret@example.org"),
                Err(why),
                "{password}"
            );
        }
        assert_eq!(
            check(&"long and winding ".repeat(20), "a@b.c"),
            Err(WeakPassword::TooLong { most: MAX_CHARS })
        );
    }

    #[test]
    fn long_and_strange_is_enough() {
        for password in [
            "correct horse battery",
            "7hG!k2mQ9zLp",
            "新聞を読むのが好きです朝も夜も",
            "my admin is a tall giraffe",
        ] {
            assert_eq!(
                check(password, "margaret@example.org"),
                Ok(()),
                "{password}"
            );
        }
    }
}
