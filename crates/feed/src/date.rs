//! Parsing of dates in feeds.
//!
//! RFC 822 and RFC 3339 are the rule; the exceptions come in every order, language and time zone.
//! So a date is not matched against formats but split into parts: the time is the part with colons,
//! the zone follows it, and the rest must form a day in the only possible way. Every word and
//! number must have a meaning, or there is no date: a wrong instant is worse than none, since
//! without one the caller falls back to the moment the entry was first seen.
//!
//! There is no clock here. A date that needs the current date to be understood (`16 Nov`) is
//! refused.

mod day;
mod names;
mod words;
mod zone;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use lede_model::time::Timestamp;

use day::{YEARS, day, full_year, ordinal, week_date, with_month};
use words::{Half, Name, Word};
use zone::Zone;

/// Maximum length of a date; anything longer is a text in the wrong place.
const MAX_BYTES: usize = 128;
const MAX_TOKENS: usize = 32;
/// All days of the week as a bit set.
const ALL_DAYS: u8 = 0x7f;
/// Korean dates are written without a zone and mean Korean time.
const KOREA_MINUTES: i32 = 9 * 60;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token<'a> {
    /// Value and number of digits.
    Number(u64, usize),
    Word(&'a str),
    Sign(char),
    /// White space; it matters only around signs.
    Blank,
}

/// Parses `text` as an instant. Returns `None` unless exactly one interpretation exists.
pub fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_BYTES {
        return None;
    }
    let lower = words::folded(text);
    // A suffix such as `(Central European Time)` repeats the zone.
    let lower = match lower.split_once('(') {
        Some((before, after)) if after.ends_with(')') => before,
        _ => &lower,
    };
    let tokens = tokens(lower)?;
    let mut reading = DateParts::default();
    let rest = reading.take_time(&tokens)?;
    reading.take_day(&rest)?;
    // A Unix timestamp can mean any year, and a zone can move a day out of the bounds.
    reading.instant().filter(|at| {
        let year = at.to_jiff().to_zoned(TimeZone::UTC).year();
        YEARS.contains(&year)
    })
}

fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let mut tokens = Vec::with_capacity(MAX_TOKENS);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let run = |belongs: fn(char) -> bool| rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        let (token, length) = if first.is_ascii_digit() {
            let length = run(|c| c.is_ascii_digit());
            (Token::Number(rest[..length].parse().ok()?, length), length)
        } else if first.is_alphabetic() {
            let length = run(|c| c.is_alphabetic() || c == '_');
            (Token::Word(&rest[..length]), length)
        } else if first.is_whitespace() {
            (Token::Blank, run(char::is_whitespace))
        } else if rest.starts_with("\\n") {
            // A line break that was escaped in transit.
            (Token::Blank, 2)
        } else {
            (Token::Sign(first), first.len_utf8())
        };
        tokens.push(token);
        rest = &rest[length..];
        if tokens.len() > MAX_TOKENS {
            return None;
        }
    }
    Some(tokens)
}

/// Parts of the date that have been parsed so far.
#[derive(Debug, Default)]
struct DateParts {
    date: Option<Date>,
    time: Option<(i8, i8, i8)>,
    next_day: bool,
    zone: Option<Zone>,
    half: Option<Half>,
    korean: bool,
}

impl DateParts {
    /// Parses the time and the zone after it; returns the remaining tokens.
    fn take_time<'a>(&mut self, tokens: &[Token<'a>]) -> Option<Vec<Token<'a>>> {
        use Token::{Number, Sign, Word};
        if let Some(rest) = self.take_lone_zone(tokens) {
            return Some(rest);
        }
        let start = tokens.windows(3).position(|window| {
            matches!(
                window,
                [Number(_, 1..=2), Sign(':'), Number(..)]
                    | [Number(_, 1..=2), Word("h"), Number(..)]
            )
        });
        let Some(start) = start else {
            return self.take_compact_time(tokens);
        };
        let mut rest = tokens[..start].to_vec();
        let (Number(hour, _), Number(minute, 1..=2)) = (tokens[start], tokens[start + 2]) else {
            return None;
        };
        let mut at = start + 3;
        let mut second = 0;
        if let [Sign(':'), Number(value, 1..=2), ..] = tokens[at..] {
            second = value;
            at += 2;
            if let [Sign('.' | ','), Number(..), ..] = tokens[at..] {
                at += 2;
            }
        }
        if matches!(tokens.get(at), Some(Sign(':'))) {
            return None;
        }
        at = self.take_half(tokens, at);
        at = self.take_zone(tokens, at)?;
        at = self.take_half(tokens, at);
        rest.push(Token::Blank);
        rest.extend_from_slice(&tokens[at..]);
        self.note_time(hour, minute, second, &mut rest)?;
        Some(rest)
    }

    /// Parses `20210306T0905Z`: the only form of time without colons.
    fn take_compact_time<'a>(&mut self, tokens: &[Token<'a>]) -> Option<Vec<Token<'a>>> {
        let [
            Token::Number(_, 8),
            Token::Word("t"),
            Token::Number(clock, digits @ (4 | 6)),
            ..,
        ] = *tokens
        else {
            return Some(tokens.to_vec());
        };
        let clock = if digits == 4 { clock * 100 } else { clock };
        self.note_time(
            clock / 10_000,
            clock / 100 % 100,
            clock % 100,
            &mut Vec::new(),
        )?;
        let at = self.take_zone(tokens, 3)?;
        let mut rest = vec![tokens[0]];
        rest.extend_from_slice(&tokens[at..]);
        Some(rest)
    }

    /// Parses `am` or `pm` at `at`, after an optional blank. Returns the position after it.
    fn take_half(&mut self, tokens: &[Token<'_>], at: usize) -> usize {
        let word = at + usize::from(matches!(tokens.get(at), Some(Token::Blank)));
        if let Some(Token::Word(name)) = tokens.get(word)
            && let Some(Word::Half(half)) = words::meaning(name)
        {
            self.note_half(name, half);
            return word + 1;
        }
        // The dotted forms `a.m.` and `p.m.`.
        if let [
            Token::Word(letter @ ("a" | "p")),
            Token::Sign('.'),
            Token::Word("m"),
            ..,
        ] = tokens[word.min(tokens.len())..]
        {
            self.half = Some(if letter == "a" { Half::Am } else { Half::Pm });
            return word + 3;
        }
        at
    }

    fn note_half(&mut self, name: &str, half: Half) {
        self.half = Some(half);
        self.korean |= words::is_korean(name);
    }

    fn note_time(
        &mut self,
        hour: u64,
        minute: u64,
        second: u64,
        before: &mut Vec<Token<'_>>,
    ) -> Option<()> {
        // Korean and Chinese put the half of the day in front of the hour.
        before.retain(|token| match token {
            Token::Word(name) => match words::meaning(name) {
                Some(Word::Half(half)) => {
                    self.note_half(name, half);
                    false
                }
                _ => true,
            },
            _ => true,
        });
        let hour = match (self.half, hour) {
            (Some(Half::Am), 12) => 0,
            (Some(Half::Pm), 1..=11) => hour + 12,
            _ => hour,
        };
        let (minute, second) = (i8::try_from(minute).ok()?, i8::try_from(second).ok()?);
        let hour = match (hour, minute, second) {
            (24, 0, 0) => {
                self.next_day = true;
                0
            }
            _ => i8::try_from(hour).ok()?,
        };
        // A leap second is mapped to the second before it.
        let second = if second == 60 { 59 } else { second };
        Time::new(hour, minute, second, 0).ok()?;
        self.time = Some((hour, minute, second));
        Some(())
    }

    /// Parses all tokens that are not part of the time as a day.
    fn take_day(&mut self, tokens: &[Token<'_>]) -> Option<()> {
        let mut numbers: Vec<(u64, usize)> = Vec::new();
        // Names, and the count of numbers before each.
        let mut names: Vec<(Name, usize)> = Vec::new();
        let mut week = false;
        let mut separator = None;
        for (at, token) in tokens.iter().enumerate() {
            match *token {
                Token::Number(value, digits) => numbers.push((value, digits)),
                Token::Sign(sign @ ('-' | '/' | '.')) => {
                    let between_numbers = matches!(
                        (at.checked_sub(1).map(|b| tokens[b]), tokens.get(at + 1)),
                        (Some(Token::Number(..)), Some(Token::Number(..)))
                    );
                    if between_numbers {
                        separator = Some(sign);
                    } else if numbers.is_empty() && sign == '-' && at == 0 {
                        return self.take_truncated(&tokens[1..]);
                    }
                }
                Token::Sign(',' | '،' | ';' | '\'' | '’' | '|' | '·' | '–' | '—' | '\u{200f}')
                | Token::Blank => {}
                // Day of the week in parentheses: `(土)`.
                Token::Sign('(' | '（') if is_day_name(tokens.get(at + 1)) => {}
                Token::Sign(')' | '）') if is_day_name(tokens.get(at.wrapping_sub(1))) => {}
                Token::Sign(_) => return None,
                Token::Word(name) => match words::meaning(name) {
                    Some(Word::Korean) => self.korean = true,
                    Some(Word::Filler) => {}
                    Some(Word::Ordinal) if !numbers.is_empty() => {}
                    _ if words::name(name).is_some() => {
                        names.extend(words::name(name).map(|name| (name, numbers.len())));
                    }
                    _ if name == "w" && numbers.len() == 1 => week = true,
                    _ if self.time.is_some()
                        && at + 1 >= tokens.len()
                        && self.zone.is_none()
                        && words::is_unknown_zone(name) => {}
                    _ => return None,
                },
            }
        }
        let (month, days) = month_and_days(&names, numbers.len())?;
        self.date = Some(match (month, week) {
            (Some((name, at)), false) => {
                let readings = name.months.into_iter().filter(|month| *month != 0);
                let dates = readings.filter_map(|month| with_month(month, at, &numbers));
                on_one_of(days, dates)?
            }
            (None, true) => week_date(&numbers)?,
            (None, false) => self.numeric(&numbers, separator, days)?,
            (Some(_), true) => return None,
        });
        Some(())
    }

    /// Parses ISO 8601 without the century: `-03-12`, `-0312`.
    fn take_truncated(&mut self, tokens: &[Token<'_>]) -> Option<()> {
        let (year, month) = match *tokens {
            [
                Token::Number(year, 2),
                Token::Sign('-'),
                Token::Number(month, 2),
            ] => (year, month),
            [Token::Number(both, 4)] => (both / 100, both % 100),
            _ => return None,
        };
        self.date = Some(day(full_year(year, 2)?, month, 1)?);
        Some(())
    }

    /// Parses a day that is written in numbers only.
    fn numeric(
        &mut self,
        numbers: &[(u64, usize)],
        separator: Option<char>,
        days: u8,
    ) -> Option<Date> {
        match *numbers {
            [(year, 4)] => day(full_year(year, 4)?, 1, 1),
            [(value, 8)] => day(
                full_year(value / 10_000, 4)?,
                value / 100 % 100,
                value % 100,
            ),
            [(value, 7)] => ordinal(full_year(value / 1000, 4)?, value % 1000),
            [(value, 6)] => day(
                full_year(value / 10_000, 2)?,
                value / 100 % 100,
                value % 100,
            ),
            // Without a leading zero, five digits are more likely a mistyped year.
            [(value, 5)] if value < 10_000 => ordinal(full_year(value / 1000, 2)?, value % 1000),
            [(value, 9 | 10 | 13)] if self.time.is_none() => {
                let milliseconds = if value > 99_999_999_999 {
                    value
                } else {
                    value * 1000
                };
                self.unix(i64::try_from(milliseconds).ok()?)
            }
            [(value, 12 | 14)] if self.time.is_none() => {
                let value = if value > 99_999_999_999_999 || numbers[0].1 == 14 {
                    value
                } else {
                    value * 100
                };
                let clock = value % 1_000_000;
                self.note_time(
                    clock / 10_000,
                    clock / 100 % 100,
                    clock % 100,
                    &mut Vec::new(),
                )?;
                let value = value / 1_000_000;
                day(
                    full_year(value / 10_000, 4)?,
                    value / 100 % 100,
                    value % 100,
                )
            }
            [(year, 4), (value, 3)] => ordinal(full_year(year, 4)?, value),
            [(year, 2), (value, 3)] => ordinal(full_year(year, 2)?, value),
            [(year, 4), (month, 1..=2)] => day(full_year(year, 4)?, month, 1),
            // The month may have a superfluous leading zero.
            [(year, 4), (month, 1..=3), (date, 1..=2)] => day(full_year(year, 4)?, month, date),
            [(first, 1..=2), (second, 1..=2), (year, 4)] => {
                let year = full_year(year, 4)?;
                // With slashes the month comes first, as in the USA, unless that is impossible or
                // contradicts the day of the week.
                let american = (separator == Some('/')).then(|| day(year, first, second));
                let readings = [american.flatten(), day(year, second, first)];
                on_one_of(days, readings.into_iter().flatten())
            }
            [(first, 2), (second, 2), (third, 2)] => match separator {
                Some('/') => day(full_year(third, 2)?, first, second),
                Some('.') => day(full_year(third, 2)?, second, first),
                _ => day(full_year(first, 2)?, second, third),
            },
            _ => None,
        }
    }

    /// Sets the time from milliseconds since 1970 and returns the day.
    fn unix(&mut self, milliseconds: i64) -> Option<Date> {
        let at = jiff::Timestamp::from_millisecond(milliseconds).ok()?;
        let civil = at.to_zoned(TimeZone::UTC).datetime();
        self.time = Some((civil.hour(), civil.minute(), civil.second()));
        Some(civil.date())
    }

    fn instant(self) -> Option<Timestamp> {
        let (hour, minute, second) = self.time.unwrap_or_default();
        let mut date = self.date?;
        if self.next_day {
            date = date.tomorrow().ok()?;
        }
        let civil = DateTime::from_parts(date, Time::new(hour, minute, second, 0).ok()?);
        let offset = match self.zone {
            Some(Zone::Place(place)) => {
                return Some(place.to_timestamp(civil).ok()?.into());
            }
            Some(Zone::Minutes(minutes)) => minutes,
            None if self.korean => KOREA_MINUTES,
            None => 0,
        };
        let utc = TimeZone::UTC.to_timestamp(civil).ok()?;
        let seconds = utc.as_second() - i64::from(offset) * 60;
        Some(Timestamp::from_seconds(seconds))
    }
}

/// Finds the month among the names, with the count of numbers before it, and the days of the week
/// that the other names mean. "mar" is March and, in French, Spanish and Italian, Tuesday: it is
/// the day if another name or the numbers leave no room for a month. Returns `None` if there is no
/// such interpretation.
fn month_and_days(names: &[(Name, usize)], numbers: usize) -> Option<(Option<(Name, usize)>, u8)> {
    let claims = names.iter().filter(|(name, _)| name.is_month()).count();
    // Three numbers are a complete day.
    let wanted = usize::from(numbers < 3);
    let mut surplus = claims.saturating_sub(wanted);
    let mut days = ALL_DAYS;
    let mut month = None;
    for (name, at) in names {
        let is_month = name.is_month() && !(surplus > 0 && name.is_day());
        if is_month && month.is_none() {
            month = Some((*name, *at));
        } else if name.is_day() && *at <= 3 {
            surplus = surplus.saturating_sub(usize::from(name.is_month()));
            days &= name.days;
        } else {
            return None;
        }
    }
    Some((month, days))
}

/// Returns the first candidate that falls on one of `days`, or the first of all if none does: days
/// of the week are wrong more often than dates.
fn on_one_of(days: u8, readings: impl Iterator<Item = Date> + Clone) -> Option<Date> {
    let falls_right = |date: &Date| days & 1 << date.weekday().to_monday_zero_offset() != 0;
    readings
        .clone()
        .find(falls_right)
        .or_else(|| readings.clone().next())
}

fn is_day_name(token: Option<&Token<'_>>) -> bool {
    match token {
        Some(Token::Word(word)) => words::name(word).is_some_and(Name::is_day),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
