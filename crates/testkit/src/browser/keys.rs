//! Conversion of key names, as in `KeyboardEvent.key`, to DevTools key events.

use serde_json::{Value, json};

/// A parsed key with its modifiers, such as `Control+Shift+K`.
#[derive(Debug, PartialEq)]
pub(super) struct Stroke {
    modifiers: u8,
    key: String,
    code: String,
    number: u32,
    /// The text that the key types; `None` if it types nothing.
    text: Option<String>,
}

/// Keys whose name is not the text they type: name (also the `code`), key code, text.
const NAMED: [(&str, u32, Option<&str>); 16] = [
    ("Backspace", 8, None),
    ("Tab", 9, None),
    ("Enter", 13, Some("\r")),
    ("Escape", 27, None),
    ("PageUp", 33, None),
    ("PageDown", 34, None),
    ("End", 35, None),
    ("Home", 36, None),
    ("ArrowLeft", 37, None),
    ("ArrowUp", 38, None),
    ("ArrowRight", 39, None),
    ("ArrowDown", 40, None),
    ("Insert", 45, None),
    ("Delete", 46, None),
    ("Space", 32, Some(" ")),
    ("F10", 121, None),
];

impl Stroke {
    /// Parses `Enter`, `j`, `?`, `Control+k`, `Shift+Tab`, `Control++`; `None` for an unknown name.
    pub(super) fn parse(name: &str) -> Option<Stroke> {
        let mut rest = name;
        let mut modifiers = 0;
        while let Some((before, after)) = rest
            .split_once('+')
            .filter(|(before, after)| !before.is_empty() && !after.is_empty())
        {
            modifiers |= match before {
                "Alt" => 1,
                "Control" => 2,
                "Meta" => 4,
                "Shift" => 8,
                _ => return None,
            };
            rest = after;
        }
        let mut stroke = key(rest)?;
        // With Control, Alt or Meta a key types no text.
        if modifiers & 0b0111 != 0 {
            stroke.text = None;
        }
        stroke.modifiers = modifiers;
        Some(stroke)
    }

    /// Returns the parameters of `Input.dispatchKeyEvent` for key down and key up.
    pub(super) fn events(&self) -> [Value; 2] {
        let event = |kind: &str| {
            json!({
                "type": kind,
                "modifiers": self.modifiers,
                "key": self.key,
                "code": self.code,
                "windowsVirtualKeyCode": self.number,
            })
        };
        let mut down = event(if self.text.is_some() {
            "keyDown"
        } else {
            "rawKeyDown"
        });
        if let Some(text) = &self.text {
            down["text"] = text.as_str().into();
        }
        [down, event("keyUp")]
    }
}

fn key(name: &str) -> Option<Stroke> {
    if let Some((name, number, text)) = NAMED.iter().find(|(known, ..)| *known == name) {
        return Some(Stroke {
            modifiers: 0,
            key: if *name == "Space" { " " } else { name }.to_owned(),
            code: (*name).to_owned(),
            number: *number,
            text: text.map(str::to_owned),
        });
    }
    let mut characters = name.chars();
    let character = characters.next().filter(|_| characters.next().is_none())?;
    let upper = character.to_ascii_uppercase();
    let code = match upper {
        'A'..='Z' => format!("Key{upper}"),
        '0'..='9' => format!("Digit{upper}"),
        _ => String::new(), // Depends on the keyboard layout; no test should rely on it.
    };
    Some(Stroke {
        modifiers: 0,
        key: name.to_owned(),
        number: if code.is_empty() { 0 } else { u32::from(upper) },
        code,
        text: Some(name.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_keys_are_read_with_their_modifiers() {
        let table = [
            ("j", Some((0, "j", "KeyJ", 74, Some("j")))),
            ("?", Some((0, "?", "", 0, Some("?")))),
            ("+", Some((0, "+", "", 0, Some("+")))),
            ("Enter", Some((0, "Enter", "Enter", 13, Some("\r")))),
            ("Space", Some((0, " ", "Space", 32, Some(" ")))),
            ("Shift+Tab", Some((8, "Tab", "Tab", 9, None))),
            ("Control+Shift+K", Some((10, "K", "KeyK", 75, None))),
            ("Control++", Some((2, "+", "", 0, None))),
            ("Ctrl+k", None),
            ("Entr", None),
            ("", None),
        ];
        for (name, expected) in table {
            let expected = expected.map(|(modifiers, key, code, number, text)| Stroke {
                modifiers,
                key: key.to_owned(),
                code: code.to_owned(),
                number,
                text: text.map(str::to_owned),
            });
            assert_eq!(Stroke::parse(name), expected, "{name}");
        }
    }
}
