//! Time zones: offsets, names and places, after a time or after a day alone.

use jiff::tz::TimeZone;

use super::{DateParts, Token, words};

#[derive(Debug)]
pub(super) enum Zone {
    Minutes(i32),
    Place(TimeZone),
}

impl DateParts {
    /// Parses a zone after a day without a time, which then means midnight there; returns the
    /// remaining tokens. XML Schema writes `2021-03-06+01:00`, which looks like a time of day.
    pub(super) fn take_lone_zone<'a>(&mut self, tokens: &[Token<'a>]) -> Option<Vec<Token<'a>>> {
        use Token::{Blank, Number, Sign, Word};
        let is_time = |tokens: &[Token<'_>]| {
            tokens.windows(3).any(|window| {
                matches!(window, [Number(..), Sign(':') | Word("h"), Number(..)])
                    || matches!(window, [Number(_, 8), Word("t"), Number(..)])
            })
        };
        let is_iso = matches!(
            tokens,
            [
                Number(_, 4),
                Sign('-'),
                Number(_, 2),
                Sign('-'),
                Number(_, 2),
                ..
            ]
        );
        let at = match tokens {
            // A sign directly after the day is a zone only in the standard's form.
            [
                ..,
                Sign('+' | '-' | '\u{2212}'),
                Number(_, 2),
                Sign(':'),
                Number(_, 2),
            ] if is_iso && tokens.len() == 9 => tokens.len() - 4,
            [
                ..,
                Blank,
                Sign('+' | '-' | '\u{2212}'),
                Number(_, 2),
                Sign(':'),
                Number(_, 2),
            ] => tokens.len() - 4,
            [.., Blank, Sign('+' | '-' | '\u{2212}'), Number(_, 4)] => tokens.len() - 2,
            [.., Number(..), Sign('+'), Number(_, 4)] => tokens.len() - 2,
            [.., Number(..), Word("z")] => tokens.len() - 1,
            [.., Blank, Word("gmt" | "utc"), Sign('+' | '-'), Number(..)] => tokens.len() - 3,
            [.., Blank, Word(name)]
                if name.len() > 1
                    && words::zone_minutes(name).is_some()
                    && words::name(name).is_none() =>
            {
                tokens.len() - 1
            }
            _ => return None,
        };
        let rest = &tokens[..at];
        let numbers = rest
            .iter()
            .filter(|token| matches!(token, Number(..)))
            .count();
        let is_day = numbers >= 2 || matches!(rest, [Number(_, 8)]);
        if is_time(rest) || !is_day || self.take_zone(tokens, at)? != tokens.len() {
            self.zone = None;
            return None;
        }
        Some(rest.to_vec())
    }

    /// Parses the zone that may follow a time. Returns `None` only for an invalid zone.
    pub(super) fn take_zone(&mut self, tokens: &[Token<'_>], start: usize) -> Option<usize> {
        use Token::{Number, Sign, Word};
        let at = start + usize::from(matches!(tokens.get(start), Some(Token::Blank)));
        match tokens[at.min(tokens.len())..] {
            [
                Sign(sign @ ('+' | '-' | '\u{2212}')),
                Number(value, digits),
                ..,
            ] => {
                let (minutes, mut after) = offset(value, digits, &tokens[at + 2..])?;
                self.zone = Some(Zone::Minutes(if sign == '+' { minutes } else { -minutes }));
                after += at + 2;
                // `-05:00Z` and `+0200 CEST` give the zone twice; the number is right.
                let next = after + usize::from(matches!(tokens.get(after), Some(Token::Blank)));
                if let Some(Word(name)) = tokens.get(next)
                    && words::zone_minutes(name).is_some()
                {
                    after = next + 1;
                }
                Some(after)
            }
            [Word(area), Sign('/'), Word(place), ..] => {
                self.zone = Some(named_place(area, place));
                Some(at + 3)
            }
            [
                Word("gmt" | "utc" | "ut" | "z"),
                Sign(sign @ ('+' | '-')),
                Number(value, digits),
                ..,
            ] => {
                let (minutes, after) = offset(value, digits, &tokens[at + 3..])?;
                self.zone = Some(Zone::Minutes(if sign == '+' { minutes } else { -minutes }));
                Some(at + 3 + after)
            }
            [Word(name), ..] => {
                if let Some(minutes) = words::zone_minutes(name) {
                    self.zone = Some(Zone::Minutes(minutes));
                    Some(at + 1)
                } else {
                    Some(start)
                }
            }
            _ => Some(start),
        }
    }
}

/// Parses an offset such as `0200`, `02`, `2` or `02:00`. Returns the minutes and the number of
/// tokens of `rest` that it used.
fn offset(value: u64, digits: usize, rest: &[Token<'_>]) -> Option<(i32, usize)> {
    let (hours, minutes, taken) = match (digits, rest) {
        (1..=2, [Token::Sign(':'), Token::Number(minutes, 1..=2), ..]) => (value, *minutes, 2),
        (1..=2, _) => (value, 0, 0),
        (3..=4, _) => (value / 100, value % 100, 0),
        _ => return None,
    };
    if hours > 15 || minutes > 59 {
        return None;
    }
    Some((i32::try_from(hours * 60 + minutes).ok()?, taken))
}

/// Resolves a place such as `europe/brussels`. An unknown place is read as UTC, which is at most
/// hours off.
fn named_place(area: &str, place: &str) -> Zone {
    if area == "etc" {
        return Zone::Minutes(words::zone_minutes(place).unwrap_or(0));
    }
    match TimeZone::get(&format!("{area}/{place}")) {
        Ok(zone) => Zone::Place(zone),
        Err(_) => Zone::Minutes(0),
    }
}
