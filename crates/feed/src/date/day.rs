//! Conversion of numbers to calendar days: years, ordinals, week dates and days with a named month.

use jiff::civil::{Date, ISOWeekDate, Weekday};

/// Range of accepted years. Plausibility is decided by the code that judges items.
pub(super) const YEARS: std::ops::RangeInclusive<i16> = 1900..=2199;
/// Two-digit years from here on belong to the 20th century, as in feedparser and e-mail.
const LAST_CENTURY_FROM: i16 = 90;

/// Expands a year of two or four digits.
pub(super) fn full_year(year: u64, digits: usize) -> Option<i16> {
    let year = i16::try_from(year).ok()?;
    let year = match digits {
        2 if year >= LAST_CENTURY_FROM => 1900 + year,
        2 => 2000 + year,
        _ => year,
    };
    YEARS.contains(&year).then_some(year)
}

/// Returns `None` if the calendar has no such day.
pub(super) fn day(year: i16, month: u64, day: u64) -> Option<Date> {
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// Returns the day with this number in the year, counted from one.
pub(super) fn ordinal(year: i16, value: u64) -> Option<Date> {
    let first = Date::new(year, 1, 1).ok()?;
    let value = i16::try_from(value).ok()?;
    if value < 1 || value > first.days_in_year() {
        return None;
    }
    first.with().day_of_year(value).build().ok()
}

/// Parses the numbers of an ISO week date: `2004-W29-5`, `2004W295`, `2004-W29`.
pub(super) fn week_date(numbers: &[(u64, usize)]) -> Option<Date> {
    let (year, week, weekday) = match *numbers {
        [(year, 4), (week, 2)] => (year, week, 1),
        [(year, 4), (both, 3)] => (year, both / 10, both % 10),
        [(year, 4), (week, 2), (weekday, 1)] => (year, week, weekday),
        _ => return None,
    };
    let weekday = Weekday::from_monday_one_offset(i8::try_from(weekday).ok()?).ok()?;
    let week = ISOWeekDate::new(full_year(year, 4)?, i8::try_from(week).ok()?, weekday).ok()?;
    Some(week.date())
}

/// Returns a day whose month is a word: the four-digit number is the year, else the first is the
/// day.
pub(super) fn with_month(month: u8, month_at: usize, numbers: &[(u64, usize)]) -> Option<Date> {
    let month = u64::from(month);
    match *numbers {
        [(year, 4)] => day(full_year(year, 4)?, month, 1),
        [(year, 4), (date, 1..=2)] | [(date, 1..=2), (year, 4)] => {
            day(full_year(year, 4)?, month, date)
        }
        // `99-Jan-31` starts with the year: the first number cannot be a day.
        [(first, 2), (last, 2)] if month_at == 1 && first > 31 => {
            day(full_year(first, 2)?, month, last)
        }
        [(date, 1..=2), (year, 2)] => day(full_year(year, 2)?, month, date),
        _ => None,
    }
}
