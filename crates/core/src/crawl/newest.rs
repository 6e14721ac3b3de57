//! Selection of the newest entries of a document that has more than are ingested.
//!
//! Dates decide. Without dates, new entries are at one end of the document: at its beginning,
//! unless the last entry is not stored and the first one is. The outermost entry of the other end
//! is always ingested with them, so that the next fetch can detect whether that end changed.

use lede_feed::ParsedEntry;
use lede_model::time::Timestamp;

/// Entries ingested per fetch, at most.
pub(super) const MAX_ITEMS: usize = 500;
/// 1990. Earlier dates come from a clock that was never set.
const FIRST_DATE: Timestamp = Timestamp::from_seconds(631_152_000);

/// The end of a document at which new entries appear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NewEnd {
    First,
    Last,
}

impl NewEnd {
    /// Decides by whether the first and the last entry are stored already.
    pub(super) fn from_known(first: bool, last: bool) -> Self {
        match (first, last) {
            (true, false) => Self::Last,
            _ => Self::First,
        }
    }
}

/// Returns the first and the last entry if a selection is needed and dates do not suffice for it.
pub(super) fn undated_ends(entries: &[ParsedEntry], now: Timestamp) -> Option<[&ParsedEntry; 2]> {
    if entries.len() <= MAX_ITEMS || dates(entries, now).is_some() {
        return None;
    }
    Some([entries.first()?, entries.last()?])
}

/// Returns the entries to ingest: all of them in document order, or the newest ones, newest first.
pub(super) fn newest(entries: &[ParsedEntry], end: NewEnd, now: Timestamp) -> Vec<&ParsedEntry> {
    if entries.len() <= MAX_ITEMS {
        return entries.iter().collect();
    }
    match dates(entries, now) {
        Some(dates) => by_date(entries, &dates),
        None => at_end(entries, end),
    }
}

fn by_date<'e>(entries: &'e [ParsedEntry], dates: &[Timestamp]) -> Vec<&'e ParsedEntry> {
    let mut dated: Vec<(&ParsedEntry, Timestamp)> =
        entries.iter().zip(dates.iter().copied()).collect();
    // Between equal dates the order of the document decides, once the newest are first.
    if dates.first() < dates.last() {
        dated.reverse();
    }
    dated.sort_by_key(|(_, at)| std::cmp::Reverse(*at));
    dated.truncate(MAX_ITEMS);
    dated.into_iter().map(|(entry, _)| entry).collect()
}

fn at_end(entries: &[ParsedEntry], end: NewEnd) -> Vec<&ParsedEntry> {
    let most = MAX_ITEMS - 1;
    match end {
        NewEnd::First => entries[..most].iter().chain(entries.last()).collect(),
        NewEnd::Last => {
            let newest = entries[entries.len() - most..].iter().rev();
            newest.chain(entries.first()).collect()
        }
    }
}

/// Returns a date for each entry, or `None` if all dates are equal or missing. An entry without a
/// date gets that of the entry before it. A date in the future counts as now.
fn dates(entries: &[ParsedEntry], now: Timestamp) -> Option<Vec<Timestamp>> {
    let date = |entry: &ParsedEntry| {
        let at = entry.published_at.or(entry.updated_at).or(entry.created_at);
        at.filter(|at| *at >= FIRST_DATE).map(|at| at.min(now))
    };
    let mut last = entries.iter().find_map(date)?;
    let dates = entries.iter().map(|entry| {
        last = date(entry).unwrap_or(last);
        last
    });
    let dates: Vec<Timestamp> = dates.collect();
    let first = dates.first()?;
    dates.iter().any(|at| at != first).then_some(dates)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_773_489_600);

    /// Entries numbered by id, each dated by an offset in seconds from a day in 2025.
    fn entries(dates: impl Iterator<Item = Option<i64>>) -> Vec<ParsedEntry> {
        let entry = |(number, at): (usize, Option<i64>)| ParsedEntry {
            id: Some(number.to_string()),
            published_at: at.map(|at| Timestamp::from_seconds(1_750_000_000 + at)),
            ..ParsedEntry::default()
        };
        dates.enumerate().map(entry).collect()
    }

    fn numbers(chosen: &[&ParsedEntry]) -> Vec<i64> {
        let number = |entry: &&ParsedEntry| entry.id.as_deref().unwrap().parse().unwrap();
        chosen.iter().map(number).collect()
    }

    #[test]
    fn a_short_document_stays_as_it_is() {
        let short = entries((0..500).map(Some));
        assert_eq!(undated_ends(&short, NOW), None);
        let chosen = newest(&short, NewEnd::First, NOW);
        assert_eq!(numbers(&chosen), (0..500).collect::<Vec<_>>());
    }

    #[test]
    fn the_newest_by_date_are_chosen_whatever_their_order() {
        let newest_last: Vec<i64> = (200..700).rev().collect();
        let newest_first: Vec<i64> = (0..500).collect();
        for (document, chosen) in [
            (entries((0..700).map(Some)), &newest_last),
            (entries((0..700).rev().map(Some)), &newest_first),
            // Every second entry has no date and stands beside one that has.
            (
                entries((0..700).map(|n| (n % 2 == 0).then_some(n))),
                &newest_last,
            ),
            (entries((0..700).map(|n| Some(n / 10))), &newest_last),
            // Dates in the future count as now.
            (
                entries((0..700).map(|n| Some(if n < 200 { n } else { n * 1_000_000 }))),
                &newest_last,
            ),
        ] {
            assert_eq!(undated_ends(&document, NOW), None);
            let mut found = numbers(&newest(&document, NewEnd::First, NOW));
            let mut chosen = chosen.clone();
            found.sort_unstable();
            chosen.sort_unstable();
            assert_eq!(found, chosen);
        }
        let oldest_first = entries((0..700).map(Some));
        assert_eq!(
            numbers(&newest(&oldest_first, NewEnd::First, NOW)),
            newest_last
        );
    }

    #[test]
    fn without_dates_one_end_is_chosen_and_the_other_one_watched() {
        for document in [
            entries((0..700).map(|_| None)),
            entries((0..700).map(|_| Some(7))),
        ] {
            let ends = undated_ends(&document, NOW).expect("to be asked about");
            assert_eq!(numbers(&ends), [0, 699]);
            let first = numbers(&newest(&document, NewEnd::First, NOW));
            assert_eq!(first, (0..499).chain([699]).collect::<Vec<_>>());
            let last = numbers(&newest(&document, NewEnd::Last, NOW));
            assert_eq!(last, (201..700).rev().chain([0]).collect::<Vec<_>>());
        }
    }
}
