//! Articles fetched from their pages, stored next to the text of the feed.

use lede_model::address::WebUrl;
use lede_model::content::CleanHtml;
use lede_model::ids::{FeedId, ItemId};
use lede_model::item::ItemDetails;
use lede_model::time::Timestamp;

use crate::access::StoredCredentials;
use crate::{Db, StoreResult, feeds, params, search, statements};

/// An item whose article should be fetched.
#[derive(Debug, Clone)]
pub struct ArticleSource {
    pub item: ItemId,
    /// Address of the page with the article.
    pub url: WebUrl,
    /// Title as plain text.
    pub title: String,
    /// Text of the feed.
    pub html: CleanHtml,
    /// Enclosures and the like, as in the item.
    pub details: ItemDetails,
    /// Home page of the feed's site.
    pub site_url: Option<WebUrl>,
    pub feed: FeedId,
    /// Credentials for the server of the feed.
    pub kept: StoredCredentials,
}

/// An article extracted from its page, ready to be stored.
#[derive(Debug, Clone)]
pub struct Article {
    pub html: CleanHtml,
    /// True if it is shown unless the user chose otherwise. Lists then describe it instead of the
    /// feed's text.
    pub is_default: bool,
    /// `None` if there is no text.
    pub reading_minutes: Option<i64>,
    /// Excerpt for lists. `None` keeps the excerpt of the feed.
    pub excerpt: Option<String>,
    /// One-line summary for lists. `None` keeps that of the feed.
    pub lede: Option<String>,
}

statements! {
    /// Limits attempts to one a day, regardless of the number of callers.
    BEGIN = "UPDATE item_body SET full_text_tried_at = $1
             WHERE item_id = $2 AND COALESCE(full_text_tried_at, 0) <= $3";
    WANTED = "SELECT i.id, i.url, i.title, b.html, f.id, f.url, f.access, b.details, f.site_url
              FROM item i JOIN item_body b ON b.item_id = i.id JOIN feed f ON f.id = i.feed_id
              WHERE i.id = $1 AND i.url IS NOT NULL";
    SET = "UPDATE item_body SET full_html = $1, full_is_default = $2 WHERE item_id = $3";
    TELL = "UPDATE item SET excerpt = COALESCE($1, excerpt), lede = COALESCE($2, lede), reading_minutes = $3
            WHERE id = $4";
}

/// Records an attempt to fetch the article of `item` and returns its source. Returns `None` if it
/// was tried since `tried_before`, is gone, or has no address.
pub fn begin(
    db: &mut Db<'_>,
    item: ItemId,
    now: Timestamp,
    tried_before: Timestamp,
) -> StoreResult<Option<ArticleSource>> {
    if db.execute(BEGIN, params![now, item, tried_before])? == 0 {
        return Ok(None);
    }
    let wanted = db.find(WANTED, params![item], |row| {
        #[expect(
            clippy::disallowed_methods,
            reason = "what the store keeps went through the sanitiser"
        )]
        let html = CleanHtml::assume_clean(row.get(3)?);
        // Written by the sanitiser, so it parses; a row edited by hand has no article.
        let url = WebUrl::parse(&row.get::<String>(1)?).ok();
        Ok(url.map(|url| {
            let item = row.get(0)?;
            let title = row.get(2)?;
            Ok(ArticleSource {
                item,
                url,
                title,
                html,
                // Written by Lede; invalid JSON in an edited row only loses the details.
                details: row
                    .get::<Option<String>>(7)?
                    .and_then(|json| serde_json::from_str(&json).ok())
                    .unwrap_or_default(),
                site_url: row
                    .get::<Option<String>>(8)?
                    .and_then(|url| WebUrl::parse(&url).ok()),
                feed: row.get(4)?,
                kept: StoredCredentials {
                    url: feeds::url_of(5, &row.get::<String>(5)?)?,
                    sealed: row.get(6)?,
                },
            })
        }))
    })?;
    wanted.flatten().transpose()
}

/// Stores the article of `item` and enqueues the item for the search index.
pub fn set(db: &mut Db<'_>, item: ItemId, article: &Article) -> StoreResult<()> {
    let values = params![article.html.as_str(), article.is_default, item];
    if db.execute(SET, values)? == 0 {
        // The item was removed during the fetch.
        return Ok(());
    }
    let Article {
        excerpt,
        lede,
        reading_minutes,
        ..
    } = article;
    if article.is_default {
        let told = params![excerpt.as_deref(), lede.as_deref(), *reading_minutes, item];
        db.execute(TELL, told)?;
    }
    search::enqueue(db, &[item])
}
