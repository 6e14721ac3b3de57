//! Assigns finished values to the feed, the current entry, or its source.
//!
//! Conflicts between several values are resolved here. In general, a value directly in an entry
//! beats a nested one, an element of the format itself beats that of a module, and a later value of
//! equal rank replaces an earlier one, except for titles, where the first one wins.

mod addresses;
mod draft;

use std::sync::Arc;

use crate::date;
pub(super) use crate::parse::builder::addresses::{IdKind, identifier};
use crate::parse::builder::draft::{Draft, Ranks, outranks};
use crate::parse::element::Element as E;
use crate::parse::{
    MAX_AUTHORS, MAX_CATEGORIES, MAX_CATEGORY_BYTES, MAX_ENTRIES, MAX_NAME_BYTES, MAX_TITLE_BYTES,
    person, text,
};
use crate::parsed::{Category, FeedKind, ParsedFeed, Person, Source, Text, TextKind};

pub(super) struct FeedBuilder {
    pub(super) feed: ParsedFeed,
    entry: Option<Draft>,
    source: Option<Source>,
    person: Option<Person>,
    /// Set inside `<image>` or `<textInput>`, whose titles and links are ignored for the feed.
    aside: Option<Aside>,
    is_fresh: bool,
    /// Bytes that the resolution of references has added so far.
    grown: usize,
    /// Ranks of the values of the feed itself.
    ranks: Ranks,
    period: Option<u32>,
    frequency: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aside {
    Image,
    TextInput,
}

impl FeedBuilder {
    pub(super) fn new() -> Self {
        Self {
            feed: ParsedFeed::empty(FeedKind::Rss),
            entry: None,
            source: None,
            person: None,
            aside: None,
            is_fresh: true,
            grown: 0,
            ranks: Ranks::NONE,
            period: None,
            frequency: None,
        }
    }

    /// Returns `true` if an entry is open.
    pub(super) fn has_entry(&self) -> bool {
        self.entry.is_some()
    }

    /// Sets the format from a root element; only the first root counts. Values that were read
    /// before it belong to a page around the feed: its title, its style sheets.
    pub(super) fn begin_feed(&mut self, kind: FeedKind) {
        if !std::mem::replace(&mut self.is_fresh, false) {
            return;
        }
        let language = self.feed.language.take();
        self.feed = ParsedFeed {
            language,
            entries: std::mem::take(&mut self.feed.entries),
            ..ParsedFeed::empty(kind)
        };
        self.ranks = Ranks::NONE;
    }

    pub(super) fn is_full(&self) -> bool {
        self.feed.entries.len() >= MAX_ENTRIES
    }

    pub(super) fn finish(mut self) -> ParsedFeed {
        self.end_entry();
        let feed = &mut self.feed;
        let by_rel = |rel: &'static str| feed.links.iter().filter(move |link| link.rel == rel);
        feed.self_url = by_rel("self").next().map(|link| link.href.clone());
        feed.hub_urls = by_rel("hub").map(|link| link.href.clone()).collect();
        if feed.site_url.is_none() {
            feed.site_url = by_rel("alternate").next().map(|link| link.href.clone());
        }
        if let Some(period) = self.period {
            feed.hints.period_minutes = Some(period / self.frequency.unwrap_or(1).max(1));
        }
        self.feed
    }

    // Containers

    pub(super) fn begin_entry(&mut self, depth: usize, base: &Arc<str>) {
        self.end_entry();
        self.aside = None;
        self.entry = Some(Draft::new(depth, base));
    }

    fn end_entry(&mut self) {
        self.source = None;
        if let Some(draft) = self.entry.take()
            && !self.is_full()
        {
            self.feed.entries.push(draft.finished());
        }
    }

    pub(super) fn begin_source(&mut self, base: &str, url: Option<&str>) {
        if self.entry.is_some() {
            let link = url.and_then(|url| self.absolute(base, url));
            self.source = Some(Source {
                link,
                ..Source::default()
            });
        }
    }

    pub(super) fn begin_person(&mut self) {
        self.person = Some(Person::default());
    }

    pub(super) fn begin_aside(&mut self, is_image: bool) {
        self.aside = Some(if is_image {
            Aside::Image
        } else {
            Aside::TextInput
        });
    }

    /// Processes the end of an element at `depth`.
    pub(super) fn leave(&mut self, element: E, depth: usize) {
        match element {
            E::Entry
                if self
                    .entry
                    .as_ref()
                    .is_some_and(|draft| draft.depth == depth) =>
            {
                self.end_entry();
            }
            E::Source => {
                // HTML has an element of this name too, which has no meaning here.
                if let (Some(source), Some(draft)) = (self.source.take(), &mut self.entry)
                    && source != Source::default()
                {
                    draft.entry.source = Some(source);
                }
            }
            E::Image | E::TextInput => self.aside = None,
            E::MediaContent => {
                if let Some(draft) = &mut self.entry {
                    draft.open_media = None;
                }
            }
            _ => {}
        }
    }

    /// Assigns the elements that follow to `file`, an index returned by [`Self::enclosure`].
    pub(super) fn begin_media(&mut self, file: Option<usize>) {
        if let Some(draft) = &mut self.entry {
            draft.open_media = file;
        }
    }

    // Values

    pub(super) fn text(&mut self, element: E, mut text: Text, depth: usize) {
        if self.aside.is_some() {
            return;
        }
        if matches!(element, E::Title | E::MediaTitle) {
            text::cut(&mut text.value, MAX_TITLE_BYTES);
        }
        if let Some(source) = &mut self.source {
            match element {
                E::Title => source.title = source.title.take().or(Some(text)),
                E::Subtitle | E::Description => source.subtitle = Some(text),
                E::Rights => source.rights = Some(text),
                _ => {}
            }
            return;
        }
        let Some(draft) = &mut self.entry else {
            self.feed_text(element, text, depth);
            return;
        };
        match element {
            E::Title if depth < draft.ranks.title => {
                draft.ranks.title = depth;
                draft.entry.title = Some(text);
            }
            E::Description | E::Summary | E::Abstract => draft.summary(text, depth),
            E::Content | E::Encoded | E::Body => draft.content(text, depth),
            E::ItunesSummary => draft.long_summary = Some(text),
            E::MediaDescription | E::MediaTitle => draft.media_text(element, text),
            E::Subtitle => draft.subtitle = Some(text),
            E::Rights => draft.entry.rights = Some(text),
            _ => {}
        }
    }

    fn feed_text(&mut self, element: E, text: Text, depth: usize) {
        let feed = &mut self.feed;
        match element {
            E::Title if depth < self.ranks.title => {
                self.ranks.title = depth;
                feed.title = Some(text);
            }
            E::Subtitle | E::Description | E::Abstract => feed.subtitle = Some(text),
            E::Summary | E::ItunesSummary => {
                feed.subtitle = feed.subtitle.take().or(Some(text));
            }
            E::Rights => feed.rights = Some(text),
            _ => {}
        }
    }

    /// Assigns a value that is neither text nor address.
    pub(super) fn value(&mut self, element: E, value: &str, depth: usize) {
        if value.is_empty() {
            return;
        }
        if let Some(person) = &mut self.person {
            match element {
                E::Name => person.name = Some(name(value)),
                E::Email => person.email = Some(name(value)),
                _ => {}
            }
            return;
        }
        if self.aside.is_some() {
            return;
        }
        if let Some(source) = &mut self.source {
            if element == E::Updated {
                source.updated_at = date::parse(value);
            }
            return;
        }
        match element {
            E::Published | E::Updated => self.date(element, value, depth),
            E::Created => {
                if let Some(draft) = &mut self.entry {
                    draft.entry.created_at = date::parse(value);
                }
            }
            E::Tags => self.categories(value, None),
            E::ItunesKeywords => self.categories(value, Some("http://www.itunes.com/")),
            E::MediaKeywords => self.categories(value, None),
            E::Language => self.language(value),
            E::Duration => {
                if let Some(draft) = &mut self.entry {
                    draft.entry.duration = Some(name(value));
                }
            }
            _ if self.entry.is_none() => self.hint(element, value),
            _ => {}
        }
    }

    fn date(&mut self, element: E, value: &str, depth: usize) {
        let ranks = match &mut self.entry {
            Some(draft) => &mut draft.ranks,
            None => &mut self.ranks,
        };
        let rank = match element {
            E::Published => &mut ranks.published,
            _ => &mut ranks.updated,
        };
        if !outranks(rank, depth) {
            return;
        }
        let at = date::parse(value);
        match (&mut self.entry, element) {
            (Some(draft), E::Published) => {
                draft.entry.published_at = at;
                draft.entry.published_raw = Some(name(value));
            }
            (Some(draft), _) => {
                draft.entry.updated_at = at;
                draft.entry.updated_raw = Some(name(value));
            }
            (None, E::Published) => self.feed.published_at = at,
            (None, _) => self.feed.updated_at = at,
        }
    }

    fn hint(&mut self, element: E, value: &str) {
        let hints = &mut self.feed.hints;
        match element {
            E::Ttl => hints.ttl_minutes = value.parse().ok(),
            E::Hour => {
                // Hour 24 is midnight in RSS 0.91.
                if let Some(hour) = value.parse::<u8>().ok().filter(|hour| *hour <= 24)
                    && !hints.skip_hours.contains(&(hour % 24))
                {
                    hints.skip_hours.push(hour % 24);
                }
            }
            E::Day => {
                const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
                let start = value.get(..3).unwrap_or_default().to_ascii_lowercase();
                if let Some(day) = (0u8..).zip(DAYS).find(|(_, known)| *known == start)
                    && !hints.skip_days.contains(&day.0)
                {
                    hints.skip_days.push(day.0);
                }
            }
            E::UpdatePeriod => {
                self.period = match value.to_ascii_lowercase().as_str() {
                    "hourly" => Some(60),
                    "daily" => Some(24 * 60),
                    "weekly" => Some(7 * 24 * 60),
                    "monthly" => Some(30 * 24 * 60),
                    "yearly" => Some(365 * 24 * 60),
                    _ => None,
                };
            }
            E::UpdateFrequency => self.frequency = value.parse().ok(),
            _ => {}
        }
    }

    /// Sets the language tag: `xml:lang` of the root, which a `<language>` overrides.
    pub(super) fn language(&mut self, value: &str) {
        let value = name(value);
        match &mut self.entry {
            Some(draft) => draft.entry.language = Some(value),
            None => self.feed.language = Some(value),
        }
    }

    /// Ends an author, contributor or publisher; `text` is its direct text content.
    pub(super) fn end_person(&mut self, role: E, text: &str, depth: usize) {
        let Some(mut person) = self.person.take() else {
            return;
        };
        if person == Person::default() {
            person = person::split(&text::on_one_line(text));
            for value in [&mut person.name, &mut person.email].into_iter().flatten() {
                text::cut(value, MAX_NAME_BYTES);
            }
        }
        if person == Person::default() {
            return;
        }
        match role {
            E::Author => {
                let mut unranked = depth;
                let (authors, rank) = match (&mut self.source, &mut self.entry) {
                    (Some(source), _) => (&mut source.authors, &mut unranked),
                    (None, Some(draft)) => (&mut draft.entry.authors, &mut draft.ranks.author),
                    (None, None) => (&mut self.feed.authors, &mut self.ranks.author),
                };
                if depth < *rank {
                    authors.clear();
                }
                if !outranks(rank, depth) {
                    return;
                }
                // Podcasts name the same person twice, once for readers and once for listeners.
                let twin = authors
                    .iter_mut()
                    .find(|known| person.name.is_some() && known.name == person.name);
                if let Some(twin) = twin {
                    twin.email = twin.email.take().or(person.email);
                    twin.url = twin.url.take().or(person.url);
                } else if authors.len() < MAX_AUTHORS && !authors.contains(&person) {
                    authors.push(person);
                }
            }
            E::Contributor => {
                let contributors = match (&self.source, &mut self.entry) {
                    (Some(_), _) => return,
                    (None, Some(draft)) => &mut draft.entry.contributors,
                    (None, None) => &mut self.feed.contributors,
                };
                if contributors.len() < MAX_AUTHORS {
                    contributors.push(person);
                }
            }
            E::Publisher | E::Owner if self.entry.is_none() => self.feed.publisher = Some(person),
            _ => {}
        }
    }

    pub(super) fn category(
        &mut self,
        term: Option<String>,
        scheme: Option<String>,
        label: Option<String>,
    ) {
        let present = |value: Option<String>| value.filter(|v| !v.trim().is_empty());
        let (term, label) = (present(term), present(label));
        let Some(mut term) = term.or_else(|| label.clone()) else {
            return;
        };
        text::cut(&mut term, MAX_CATEGORY_BYTES);
        let cut = |mut value: String| {
            text::cut(&mut value, MAX_CATEGORY_BYTES);
            value
        };
        let category = Category {
            term,
            scheme: present(scheme).map(cut),
            label: label.map(cut),
        };
        let categories = match (&mut self.source, &mut self.entry) {
            (Some(source), _) => &mut source.categories,
            (None, Some(draft)) => &mut draft.entry.categories,
            (None, None) => &mut self.feed.categories,
        };
        if categories.len() < MAX_CATEGORIES && !categories.contains(&category) {
            categories.push(category);
        }
    }

    fn categories(&mut self, list: &str, scheme: Option<&str>) {
        for term in list.split(',').map(str::trim).take(MAX_CATEGORIES) {
            self.category(Some(term.to_owned()), scheme.map(str::to_owned), None);
        }
    }

    /// Sets the title of the source: the text of an RSS `<source>` is the name of that feed.
    pub(super) fn source_text(&mut self, value: String, base: &Arc<str>) {
        if let Some(source) = &mut self.source
            && source.title.is_none()
            && !value.is_empty()
        {
            source.title = Some(Text {
                value,
                kind: TextKind::Plain,
                base: Arc::clone(base),
                language: None,
            });
        }
    }
}

/// Truncates a short value to its maximum length.
fn name(value: &str) -> String {
    let mut value = value.trim().to_owned();
    text::cut(&mut value, MAX_NAME_BYTES);
    value
}
