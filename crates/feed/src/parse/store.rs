//! Puts finished values where they belong: into the feed, the entry at hand, or its source.
//!
//! Which of two equal claims wins is decided here. The rule of thumb: what stands directly in an
//! entry beats what stands deeper, a format's own word beats a module's, and a later value of
//! equal standing replaces an earlier one, except for titles, where the first is the real one.

use std::borrow::Cow;
use std::sync::Arc;

use lede_model::content::ContentHash;

use crate::date;
use crate::links;
use crate::parse::element::Element as E;
use crate::parse::{
    MAX_AUTHORS, MAX_CATEGORIES, MAX_CATEGORY_BYTES, MAX_CONTENTS, MAX_ENCLOSURES, MAX_ENTRIES,
    MAX_ID_BYTES, MAX_LINK_BYTES, MAX_LINKS, MAX_NAME_BYTES, MAX_TITLE_BYTES, person, text,
};
use crate::parsed::{
    Category, Enclosure, FeedKind, FetchHints, Link, ParsedEntry, ParsedFeed, Person, Source, Text,
    TextKind,
};

/// What an identifier says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IdKind {
    /// Atom's `id`: no link, but if it happens to be one it serves for want of a better.
    Plain,
    /// A `guid` that is also the address of the entry.
    Address,
    /// A `guid` that says not to be an address.
    Opaque,
}

/// A feed under construction.
pub(super) struct Store {
    pub(super) feed: ParsedFeed,
    entry: Option<Draft>,
    source: Option<Source>,
    person: Option<Person>,
    /// Inside `<image>` or `<textInput>`, whose titles and links are nobody else's.
    aside: Option<Aside>,
    is_fresh: bool,
    /// The same for the feed itself.
    ranks: Ranks,
    period: Option<u32>,
    frequency: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aside {
    Image,
    TextInput,
}

/// An entry under construction, with what is only used if nothing better comes.
struct Draft {
    entry: ParsedEntry,
    depth: usize,
    ranks: Ranks,
    media_title: Option<Text>,
    long_summary: Option<Text>,
    media_description: Option<Text>,
    subtitle: Option<Text>,
}

/// How deep the values that are kept so far stood.
#[derive(Debug, Clone, Copy)]
struct Ranks {
    title: usize,
    summary: usize,
    content: usize,
    link: usize,
    id: usize,
    published: usize,
    updated: usize,
    author: usize,
}

/// Deeper than anything.
const NOWHERE: usize = usize::MAX;

impl Ranks {
    const NONE: Self = Self {
        title: NOWHERE,
        summary: NOWHERE,
        content: NOWHERE,
        link: NOWHERE,
        id: NOWHERE,
        published: NOWHERE,
        updated: NOWHERE,
        author: NOWHERE,
    };
}

/// Whether a value at `depth` replaces or joins what is kept; if so, its depth is the new rank.
fn outranks(rank: &mut usize, depth: usize) -> bool {
    let good = depth <= *rank;
    if good {
        *rank = depth;
    }
    good
}

impl Link {
    /// The page of a feed or an entry.
    pub(super) fn alternate(href: String) -> Self {
        Self {
            href,
            rel: "alternate".to_owned(),
            mime: None,
            title: None,
            hreflang: None,
            length: None,
        }
    }

    /// Whether this is the page for people, not another file format of the same thing.
    fn is_page(&self) -> bool {
        self.rel == "alternate"
            && self.mime.as_deref().is_none_or(|mime| {
                let mime = mime.trim().to_ascii_lowercase();
                matches!(mime.as_str(), "" | "html" | "xhtml")
                    || mime.starts_with("text/html")
                    || mime.starts_with("application/xhtml+xml")
            })
    }
}

impl ParsedFeed {
    /// A feed without anything in it.
    pub(super) fn empty(kind: FeedKind) -> Self {
        Self {
            kind,
            encoding: "UTF-8",
            recovered: false,
            id: None,
            title: None,
            subtitle: None,
            site_url: None,
            self_url: None,
            hub_urls: Vec::new(),
            new_url: None,
            links: Vec::new(),
            language: None,
            image: None,
            icon: None,
            authors: Vec::new(),
            contributors: Vec::new(),
            publisher: None,
            categories: Vec::new(),
            rights: None,
            updated_at: None,
            published_at: None,
            hints: FetchHints::default(),
            entries: Vec::new(),
        }
    }
}

impl Store {
    pub(super) fn new() -> Self {
        Self {
            feed: ParsedFeed::empty(FeedKind::Rss),
            entry: None,
            source: None,
            person: None,
            aside: None,
            is_fresh: true,
            ranks: Ranks::NONE,
            period: None,
            frequency: None,
        }
    }

    /// Whether no root was seen yet, so that the next one tells the format.
    pub(super) fn is_fresh(&mut self) -> bool {
        std::mem::replace(&mut self.is_fresh, false)
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

    // Places

    pub(super) fn begin_entry(&mut self, depth: usize, base: &Arc<str>) {
        self.end_entry();
        self.aside = None;
        self.entry = Some(Draft {
            entry: ParsedEntry {
                base: Some(Arc::clone(base)),
                ..ParsedEntry::default()
            },
            depth,
            ranks: Ranks::NONE,
            media_title: None,
            long_summary: None,
            media_description: None,
            subtitle: None,
        });
    }

    fn end_entry(&mut self) {
        let Some(draft) = self.entry.take() else {
            return;
        };
        self.source = None;
        let mut entry = draft.entry;
        entry.title = entry.title.or(draft.media_title);
        let fallbacks = [draft.long_summary, draft.media_description, draft.subtitle];
        for fallback in fallbacks.into_iter().flatten() {
            match &entry.summary {
                None => entry.summary = Some(fallback),
                Some(summary)
                    if entry.content.is_empty() && fallback.value.len() > summary.value.len() =>
                {
                    entry.content.push(fallback);
                }
                Some(_) => {}
            }
        }
        if entry.link.is_none() {
            let other = entry.links.iter().find(|link| link.rel == "alternate");
            entry.link = other.map(|link| link.href.clone());
        }
        if !self.is_full() {
            self.feed.entries.push(entry);
        }
    }

    pub(super) fn begin_source(&mut self, base: &str, url: Option<&str>) {
        if self.entry.is_some() {
            self.source = Some(Source {
                link: url.and_then(|url| absolute(base, url)),
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

    /// An element at `depth` has ended.
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
                if let (Some(source), Some(draft)) = (self.source.take(), &mut self.entry) {
                    draft.entry.source = Some(source);
                }
            }
            E::Image | E::TextInput => self.aside = None,
            _ => {}
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
            E::MediaDescription => draft.media_description = Some(text),
            E::MediaTitle => draft.media_title = draft.media_title.take().or(Some(text)),
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

    /// A value that is neither text nor address.
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

    /// A language tag: the root's `xml:lang`, which a `<language>` overrides.
    pub(super) fn language(&mut self, value: &str) {
        let value = name(value);
        match &mut self.entry {
            Some(draft) => draft.entry.language = Some(value),
            None => self.feed.language = Some(value),
        }
    }

    /// Ends an author, contributor or publisher; `text` is what stood directly inside.
    pub(super) fn end_person(&mut self, role: E, text: &str, depth: usize) {
        let Some(mut person) = self.person.take() else {
            return;
        };
        if person == Person::default() {
            person = person::split(&text::on_one_line(text));
            if let Some(name) = &mut person.name {
                text::cut(name, MAX_NAME_BYTES);
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
                if authors.len() < MAX_AUTHORS && !authors.contains(&person) {
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

    /// `<url>` or `<uri>`: of a person or of the picture.
    pub(super) fn url(&mut self, base: &str, value: &str) {
        let Some(url) = absolute(base, value) else {
            return;
        };
        if let Some(person) = &mut self.person {
            person.url = Some(url);
        } else if self.aside == Some(Aside::Image) {
            match &mut self.entry {
                Some(draft) => draft.entry.image = Some(url),
                None => self.feed.image = Some(url),
            }
        }
    }

    /// A value that is an address and nothing else.
    pub(super) fn address(&mut self, element: E, base: &str, value: &str) {
        let Some(url) = absolute(base, value) else {
            return;
        };
        if self.source.is_some() {
            return;
        }
        match (&mut self.entry, element) {
            (Some(draft), E::Comments) => draft.entry.comments_url = Some(url),
            (Some(draft), E::CommentRss) => draft.entry.comments_feed_url = Some(url),
            (Some(_), E::MediaThumbnail) => self.thumbnail(base, &url),
            (None, E::Icon) => self.feed.icon = Some(url),
            (None, E::Logo) => self.feed.image = Some(url),
            (None, E::NewFeedUrl) => self.feed.new_url = Some(url),
            _ => {}
        }
    }

    /// `rdf:about` is the identifier until a better one comes.
    pub(super) fn rdf_about(&mut self, about: &str) {
        if let Some(draft) = &mut self.entry
            && !about.is_empty()
        {
            draft.entry.id = Some(identifier(about));
        }
    }

    pub(super) fn id(&mut self, base: &str, value: &str, kind: IdKind, depth: usize) {
        if value.is_empty() || self.aside.is_some() {
            return;
        }
        // Only what is plainly a path is made absolute. A bare `12345` must stay what it is, or
        // the entry would change its identity with the address of the feed.
        let id = if kind != IdKind::Opaque && value.starts_with('/') {
            identifier(&links::resolve(base, value))
        } else {
            identifier(value)
        };
        if let Some(source) = &mut self.source {
            source.id = Some(id);
            return;
        }
        let Some(draft) = &mut self.entry else {
            self.feed.id = Some(id);
            return;
        };
        if !outranks(&mut draft.ranks.id, depth) {
            return;
        }
        let is_web = links::scheme(&id)
            .is_some_and(|s| s.eq_ignore_ascii_case("http") || s.eq_ignore_ascii_case("https"));
        draft.entry.id_is_permalink = kind == IdKind::Address && is_web;
        if kind != IdKind::Opaque && is_web && draft.entry.link.is_none() {
            draft.entry.link = absolute(base, &id);
        }
        draft.entry.id = Some(id);
    }

    pub(super) fn link(&mut self, base: &str, mut link: Link, depth: usize) {
        if self.aside.is_some() {
            return;
        }
        // Escaped once too often, which no address survives.
        if link.href.contains("&amp;") {
            link.href = link.href.replace("&amp;", "&");
        }
        let Some(href) = absolute(base, &link.href) else {
            return;
        };
        link.href = href;
        let page = link.is_page().then(|| link.href.clone());
        let links = if let Some(source) = &mut self.source {
            source.link = page.or(source.link.take());
            &mut source.links
        } else if let Some(draft) = &mut self.entry {
            if link.rel == "enclosure" {
                let length = link.length.as_deref().and_then(|n| n.trim().parse().ok());
                draft.enclosure(link.href.clone(), link.mime.clone(), length);
            }
            if let Some(page) = page
                && outranks(&mut draft.ranks.link, depth)
            {
                draft.entry.link = Some(page);
            }
            if link.rel == "replies" && draft.entry.comments_url.is_none() && link_is_html(&link) {
                draft.entry.comments_url = Some(link.href.clone());
            }
            &mut draft.entry.links
        } else {
            if let Some(page) = page
                && outranks(&mut self.ranks.link, depth)
            {
                self.feed.site_url = Some(page);
            }
            &mut self.feed.links
        };
        if links.len() < MAX_LINKS {
            links.push(link);
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

    pub(super) fn enclosure(
        &mut self,
        base: &str,
        url: Option<Cow<'_, str>>,
        mime: Option<Cow<'_, str>>,
        length: Option<Cow<'_, str>>,
    ) {
        let url = url.and_then(|url| absolute(base, &url));
        if let (Some(url), Some(draft)) = (url, &mut self.entry) {
            let mime = mime.map(|mime| name(&mime)).filter(|mime| !mime.is_empty());
            let length = length.and_then(|length| length.trim().parse().ok());
            draft.enclosure(url, mime, length);
        }
    }

    /// `itunes:image`.
    pub(super) fn image(&mut self, base: &str, url: Option<&str>) {
        let Some(url) = url.and_then(|url| absolute(base, url)) else {
            return;
        };
        match &mut self.entry {
            Some(draft) => draft.entry.image = Some(url),
            None => self.feed.image = Some(url),
        }
    }

    pub(super) fn thumbnail(&mut self, base: &str, url: &str) {
        if let (Some(url), Some(draft)) = (absolute(base, url), &mut self.entry)
            && draft.entry.thumbnails.len() < MAX_ENCLOSURES
            && !draft.entry.thumbnails.contains(&url)
        {
            draft.entry.thumbnails.push(url);
        }
    }

    /// The text of an RSS `<source>` is the name of that feed.
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

impl Draft {
    /// A second description beside a first is the full text, if there is none yet.
    fn summary(&mut self, text: Text, depth: usize) {
        let is_second = self.entry.summary.is_some() && depth == self.ranks.summary;
        if !outranks(&mut self.ranks.summary, depth) {
            return;
        }
        if is_second && self.entry.content.is_empty() {
            if self.entry.summary.as_ref() != Some(&text) {
                self.content(text, depth);
            }
        } else {
            self.entry.summary = Some(text);
        }
    }

    fn content(&mut self, text: Text, depth: usize) {
        if depth < self.ranks.content {
            self.entry.content.clear();
        }
        if outranks(&mut self.ranks.content, depth) && self.entry.content.len() < MAX_CONTENTS {
            self.entry.content.push(text);
        }
    }

    fn enclosure(&mut self, url: String, mime: Option<String>, length: Option<u64>) {
        let known = &mut self.entry.enclosures;
        if known.len() < MAX_ENCLOSURES && !known.iter().any(|e| e.url == url) {
            known.push(Enclosure { url, mime, length });
        }
    }
}

fn link_is_html(link: &Link) -> bool {
    link.mime
        .as_deref()
        .is_none_or(|mime| mime.contains("html"))
}

/// `reference` made absolute; too long ones lead nowhere and are dropped.
fn absolute(base: &str, reference: &str) -> Option<String> {
    let url = links::resolve(base, reference);
    (!url.is_empty() && url.len() <= MAX_LINK_BYTES).then(|| url.into_owned())
}

/// A short value, cut to what it may take.
fn name(value: &str) -> String {
    let mut value = value.trim().to_owned();
    text::cut(&mut value, MAX_NAME_BYTES);
    value
}

/// An identifier; a longer one than is kept is replaced by its hash, which is just as unique.
pub(super) fn identifier(value: &str) -> String {
    if value.len() <= MAX_ID_BYTES {
        return value.to_owned();
    }
    let hash = ContentHash::of([value]);
    let hex: String = hash.as_bytes().iter().map(|b| format!("{b:02x}")).collect();
    format!("sha256:{hex}")
}
