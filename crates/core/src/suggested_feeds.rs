//! Suggested feeds for a user who follows nothing yet.
//!
//! They are well known, free to read and likely to last, a few for each language of the interface.
//! No request is made to their servers before a user chooses them.

use lede_feed::opml::{self, Feed, List, Outline, Settings};
use lede_model::user::User;

use crate::Lede;
use crate::opml::{Import, ImportError};

/// A feed that is suggested to new users.
#[derive(Debug, Clone, Copy)]
pub struct Starter {
    /// The publisher's title of the feed.
    pub title: &'static str,
    /// The subject of the feed, in its own language.
    pub about: &'static str,
    pub url: &'static str,
}

const fn starter(title: &'static str, about: &'static str, url: &'static str) -> Starter {
    Starter { title, about, url }
}

/// Suggested feeds by their language.
const STARTERS: [(&str, [Starter; 5]); 3] = [
    (
        "en",
        [
            starter(
                "BBC News",
                "world news",
                "https://feeds.bbci.co.uk/news/world/rss.xml",
            ),
            starter(
                "The Guardian",
                "world news and comment",
                "https://www.theguardian.com/international/rss",
            ),
            starter(
                "Ars Technica",
                "technology and science",
                "https://feeds.arstechnica.com/arstechnica/index",
            ),
            starter(
                "Quanta Magazine",
                "mathematics and nature",
                "https://www.quantamagazine.org/feed/",
            ),
            starter("NASA", "space", "https://www.nasa.gov/feed/"),
        ],
    ),
    (
        "ja",
        [
            starter(
                "BBCニュース",
                "世界のニュース",
                "https://feeds.bbci.co.uk/japanese/rss.xml",
            ),
            starter(
                "ITmedia NEWS",
                "ITと社会",
                "https://rss.itmedia.co.jp/rss/2.0/news_bursts.xml",
            ),
            starter(
                "GIGAZINE",
                "科学・テクノロジー・文化",
                "https://gigazine.net/news/rss_2.0/",
            ),
            starter(
                "Publickey",
                "エンタープライズIT",
                "https://www.publickey1.jp/atom.xml",
            ),
            starter(
                "デイリーポータルZ",
                "読みもの",
                "https://dailyportalz.jp/feed/headline",
            ),
        ],
    ),
    (
        "pt",
        [
            starter(
                "Agência Brasil",
                "notícias do Brasil",
                "https://agenciabrasil.ebc.com.br/rss/ultimasnoticias/feed.xml",
            ),
            starter(
                "BBC News Brasil",
                "Brasil e mundo",
                "https://feeds.bbci.co.uk/portuguese/rss.xml",
            ),
            starter("g1", "notícias do dia", "https://g1.globo.com/rss/g1/"),
            starter("Tecnoblog", "tecnologia", "https://tecnoblog.net/feed/"),
            starter(
                "Pesquisa FAPESP",
                "ciência",
                "https://revistapesquisa.fapesp.br/feed/",
            ),
        ],
    ),
];

/// Returns the feeds in a language, or those in English if there are none.
pub fn in_language(tag: &str) -> &'static [Starter] {
    let found = STARTERS.iter().find(|(language, _)| *language == tag);
    let (_, starters) = found.unwrap_or(&STARTERS[0]);
    starters
}

/// Follows the feeds at `urls` for `user`, in the same way as an imported list.
pub async fn follow(lede: &Lede, user: &User, urls: &[String]) -> Result<Import, ImportError> {
    let all = STARTERS.iter().flat_map(|(_, starters)| starters);
    let chosen = all.filter(|starter| urls.iter().any(|url| url == starter.url));
    let outline = |starter: &Starter| {
        Outline::Feed(Feed {
            title: Some(starter.title.to_owned()),
            url: starter.url.to_owned(),
            settings: Settings {
                is_publishers_title: true,
                ..Settings::default()
            },
            ..Feed::default()
        })
    };
    let list = List {
        outlines: chosen.map(outline).collect(),
        ..List::default()
    };
    let list = opml::write(&list, lede.clock.now());
    crate::opml::import(lede, user, list.into_bytes(), None).await
}

#[cfg(test)]
mod tests {
    use lede_model::address::WebUrl;

    use super::*;

    #[test]
    fn each_has_an_address_that_can_be_followed_and_no_two_the_same() {
        let all = STARTERS.iter().flat_map(|(_, starters)| starters);
        let mut urls: Vec<&str> = all.map(|starter| starter.url).collect();
        for url in &urls {
            assert_eq!(WebUrl::parse(url).unwrap().as_str(), *url);
        }
        urls.sort_unstable();
        urls.dedup();
        assert_eq!(urls.len(), 15);
    }
}
