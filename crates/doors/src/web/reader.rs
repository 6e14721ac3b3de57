//! The reading view: what is followed, what is new in it, and one item.

use askama::Template;
use axum::Extension;
use axum::extract::{Form, Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use lede_core::discover::FeedKind;
use lede_core::housekeeping::health::{self, Notices};
use lede_core::reading::{self, PAGE};
use lede_core::subscribe::{self, SubscribeError};
use lede_core::{accounts, articles, images};
use lede_model::address::WebUrl;
use lede_model::content::CleanHtml;
use lede_model::feed::{FeedStatus, Subscription};
use lede_model::ids::{FeedId, ItemId};
use lede_model::item::{Item, ItemFilter, ItemSummary, List, Position, Scope, Start};
use lede_model::time::Timestamp;
use lede_model::user::User;
use serde::Deserialize;

use super::page::Page;
use super::sign_in::{sentence, set_up_page};
use super::words::Words;
use crate::Doors;
use crate::error::ApiError;
use crate::guard::{Caller, Client, PageReader};
use crate::reader::feeds::{add_error, favicon_address};

/// What the address of a list says.
#[derive(Deserialize, Default, Clone)]
pub(crate) struct HomeQuery {
    feed: Option<i64>,
    show: Option<String>,
    after: Option<String>,
}

/// A feed in the tree.
struct FeedRow {
    id: FeedId,
    title: String,
    unread: i64,
    is_current: bool,
    trouble: Option<String>,
    /// Where its icon is.
    icon: Option<String>,
}

/// An item in the list.
struct ItemRow {
    id: ItemId,
    title: String,
    lede: String,
    feed_id: FeedId,
    feed_title: String,
    is_read: bool,
    is_starred: bool,
    /// For programs.
    published: String,
    /// For a glance.
    age: String,
    /// For those who want to know, and for screen readers.
    exact: String,
    is_estimated: bool,
}

/// What the side of every page shows.
struct Side {
    feeds: Vec<FeedRow>,
    total_unread: i64,
    /// No feed chosen: the list is of all.
    is_all: bool,
    user: String,
    /// What everybody is told.
    notices: Notices,
}

/// Other feeds of a site whose best one was just followed.
struct Offer {
    followed: String,
    others: Vec<OfferedFeed>,
}

struct OfferedFeed {
    url: String,
    /// The page's name for it.
    title: Option<String>,
    kind: Option<&'static str>,
}

/// What the add box says after a try.
#[derive(Default)]
struct AddBox {
    url: String,
    error: Option<(String, String)>,
}

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    page: Page,
    side: Side,
    add: AddBox,
    heading: String,
    /// The one feed that the list is of.
    feed: Option<FeedId>,
    offer: Option<Offer>,
    tabs: Vec<Tab>,
    items: Vec<ItemRow>,
    /// Where the list begins.
    newest: String,
    older: Option<String>,
    empty: Option<Empty>,
}

struct Tab {
    label: &'static str,
    address: String,
    is_current: bool,
}

/// Why a list is empty, which decides what to say.
enum Empty {
    NoFeeds,
    NothingUnread,
    NothingStarred,
    NothingAtAll,
    /// The list went on here when its address was made; meanwhile the rest is read or gone.
    NothingOlder,
}

#[derive(Template)]
#[template(path = "item.html")]
struct ItemPage {
    page: Page,
    side: Side,
    add: AddBox,
    item: ItemRow,
    author: Option<String>,
    url: Option<String>,
    text: ItemText,
}

/// The text of an item, by itself where it is put into the page later.
#[derive(Template)]
#[template(path = "item_text.html")]
struct ItemText {
    page: Page,
    id: ItemId,
    html: CleanHtml,
    has_url: bool,
    article: ArticleState,
}

/// What there is to say about the whole article.
enum ArticleState {
    /// It is what is shown, or the feed's own text will do.
    Settled,
    /// The feed says next to nothing: it is fetched as soon as the page is there.
    Fetching,
    /// It may be fetched by whoever wants it.
    OnDemand,
    /// It was tried just now.
    NotFound,
}

impl ItemText {
    fn new(doors: &Doors, user: &User, page: &Page, item: Item, has_been_tried: bool) -> Self {
        let article = match &item {
            _ if item.full_html.is_some() => ArticleState::Settled,
            _ if has_been_tried => ArticleState::NotFound,
            item if articles::wants_article(&doors.lede, item) => ArticleState::Fetching,
            item if articles::may_fetch(&doors.lede, item) => ArticleState::OnDemand,
            _ => ArticleState::Settled,
        };
        let html = item.full_html.unwrap_or(item.html);
        Self {
            page: page.clone(),
            id: item.summary.id,
            html: images::for_reader(&doors.lede, user.id, html),
            has_url: item.summary.url.is_some(),
            article,
        }
    }
}

/// The result of the add box, put into the page without reloading it.
#[derive(Template)]
#[template(path = "add_error.html")]
struct AddError<'a> {
    message: &'a str,
    action: &'a str,
}

impl HomeQuery {
    fn filter(&self) -> ItemFilter {
        self.show
            .as_deref()
            .and_then(ItemFilter::from_word)
            .unwrap_or(ItemFilter::Unread)
    }

    fn list(&self) -> List {
        List {
            scope: self
                .feed
                .map_or(Scope::Everything, |feed| Scope::Feed(feed.into())),
            filter: self.filter(),
            ..List::default()
        }
    }

    fn address(&self, filter: ItemFilter, after: Option<&str>) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        if let Some(feed) = self.feed {
            query.append_pair("feed", &feed.to_string());
        }
        if filter != ItemFilter::Unread {
            query.append_pair("show", filter.as_str());
        }
        if let Some(after) = after {
            query.append_pair("after", after);
        }
        let query = query.finish();
        if query.is_empty() {
            "/".to_owned()
        } else {
            format!("/?{query}")
        }
    }
}

fn side(
    subscriptions: &[Subscription],
    current: Option<FeedId>,
    user: &User,
    notices: Notices,
) -> Side {
    let feeds: Vec<FeedRow> = subscriptions
        .iter()
        .map(|subscription| FeedRow {
            id: subscription.feed.id,
            title: subscription.title().to_owned(),
            unread: subscription.unread,
            is_current: current == Some(subscription.feed.id),
            icon: subscription
                .has_icon
                .then(|| favicon_address(subscription.feed.id)),
            trouble: (subscription.feed.status != FeedStatus::Active).then(|| {
                subscription
                    .last_error
                    .clone()
                    .unwrap_or_else(|| "in trouble".to_owned())
            }),
        })
        .collect();
    Side {
        total_unread: feeds.iter().map(|feed| feed.unread).sum(),
        is_all: current.is_none(),
        feeds,
        user: user.email.clone(),
        notices,
    }
}

fn item_row(words: Words, item: &ItemSummary, now: Timestamp) -> ItemRow {
    ItemRow {
        id: item.id,
        title: item.title.clone(),
        lede: item.lede.clone(),
        feed_id: item.feed_id,
        feed_title: item.feed_title.clone(),
        is_read: item.is_read,
        is_starred: item.is_starred,
        published: item.published_at.to_string(),
        age: words.age(item.published_at, now).into(),
        exact: words.exact(item.published_at).into(),
        is_estimated: item.is_date_estimated,
    }
}

/// `GET /`: the set-up page while nobody has an account, the reading view after that.
pub(crate) async fn home(
    State(doors): State<Doors>,
    Extension(client): Extension<Client>,
    caller: Caller,
    page: Page,
    Query(query): Query<HomeQuery>,
) -> Result<Response, ApiError> {
    match caller.user() {
        Some(user) => {
            list_page(
                &doors,
                user,
                page,
                &query,
                AddBox::default(),
                StatusCode::OK,
            )
            .await
        }
        None if accounts::needs_set_up(&doors.lede).await? => {
            Ok(set_up_page(&client, &page, String::new(), None))
        }
        None => Ok(Redirect::to("/auth/login").into_response()),
    }
}

async fn list_page(
    doors: &Doors,
    user: &User,
    page: Page,
    query: &HomeQuery,
    add: AddBox,
    status: StatusCode,
) -> Result<Response, ApiError> {
    let feed = query.feed.map(FeedId::from);
    let subscriptions = reading::subscriptions(&doors.lede, user.id).await?;
    let heading = match feed {
        None => "All items".to_owned(),
        Some(feed) => match subscriptions
            .iter()
            .find(|subscription| subscription.feed.id == feed)
        {
            Some(subscription) => subscription.title().to_owned(),
            None => return Ok(gone(&page, "feed-gone")),
        },
    };
    let list = query.list();
    let name = list.name(user.id);
    let after = query.after.as_deref();
    let start = after.and_then(|cursor| Position::from_cursor(cursor, &name));
    let start = start.map_or(Start::FIRST, Start::After);
    let found = reading::list(&doors.lede, user.id, list, start, PAGE, false).await?;
    let Some(found) = found else {
        return Ok(gone(&page, "feed-gone"));
    };
    let notices = health::notices(&doors.lede).await?;
    let now = doors.lede.clock.now();
    let empty = found
        .items
        .is_empty()
        .then_some(match (subscriptions.is_empty(), list.filter) {
            (true, _) => Empty::NoFeeds,
            _ if start != Start::FIRST => Empty::NothingOlder,
            (false, ItemFilter::Unread) => Empty::NothingUnread,
            (false, ItemFilter::Starred | ItemFilter::UnreadStarred) => Empty::NothingStarred,
            (false, ItemFilter::All) => Empty::NothingAtAll,
        });
    let tabs = [
        ("Unread", ItemFilter::Unread),
        ("All", ItemFilter::All),
        ("Starred", ItemFilter::Starred),
    ]
    .map(|(label, which)| Tab {
        label,
        address: query.address(which, None),
        is_current: which == list.filter,
    })
    .into();
    let offer = feed.and_then(|feed| offer(doors, user, feed, &heading, &subscriptions));
    let home = HomePage {
        feed,
        offer,
        page: page.clone(),
        side: side(&subscriptions, feed, user, notices),
        add,
        heading,
        tabs,
        items: found
            .items
            .iter()
            .map(|item| item_row(page.words(), item, now))
            .collect(),
        newest: query.address(list.filter, None),
        older: found
            .next
            .map(|next| query.address(list.filter, Some(&next.to_cursor(&name)))),
        empty,
    };
    Ok(page.answer(status, &home))
}

/// What the site of `feed` has besides and is not followed yet, when it was added a moment ago.
fn offer(
    doors: &Doors,
    user: &User,
    feed: FeedId,
    heading: &str,
    subscriptions: &[Subscription],
) -> Option<Offer> {
    let candidates = doors.offers.of(user.id, feed, doors.lede.clock.now());
    let is_followed = |url: &WebUrl| {
        subscriptions
            .iter()
            .any(|subscription| subscription.feed.url == *url)
    };
    let others: Vec<OfferedFeed> = candidates
        .into_iter()
        .filter(|candidate| !is_followed(&candidate.url))
        .map(|candidate| OfferedFeed {
            title: candidate.title,
            url: candidate.url.as_str().to_owned(),
            kind: match candidate.kind {
                FeedKind::Atom => Some("Atom"),
                FeedKind::Rss => Some("RSS"),
                FeedKind::Json => Some("JSON Feed"),
                FeedKind::Unknown => None,
            },
        })
        .collect();
    (!others.is_empty()).then(|| Offer {
        followed: heading.to_owned(),
        others,
    })
}

fn gone(page: &Page, key: &str) -> Response {
    page.message(StatusCode::NOT_FOUND, key)
}

/// `GET /items/{id}`: one item. Showing it changes nothing; the page's script marks it read.
pub(crate) async fn item(
    State(doors): State<Doors>,
    who: PageReader,
    page: Page,
    Path(id): Path<i64>,
) -> Result<Response, ApiError> {
    let Some(found) = reading::find_item(&doors.lede, who.user.id, ItemId::from(id)).await? else {
        return Ok(gone(&page, "item-gone"));
    };
    let subscriptions = reading::subscriptions(&doors.lede, who.user.id).await?;
    let notices = health::notices(&doors.lede).await?;
    let shown = ItemPage {
        side: side(
            &subscriptions,
            Some(found.summary.feed_id),
            &who.user,
            notices,
        ),
        add: AddBox::default(),
        item: item_row(page.words(), &found.summary, doors.lede.clock.now()),
        author: found.summary.author.clone(),
        url: found
            .summary
            .url
            .as_ref()
            .map(|url| url.as_str().to_owned()),
        text: ItemText::new(&doors, &who.user, &page, found, false),
        page: page.clone(),
    };
    Ok(page.answer(StatusCode::OK, &shown))
}

/// `POST /items/{id}/article`: fetches the whole article. With script it takes the place of the
/// text; without, the page comes back with it.
pub(crate) async fn article(
    State(doors): State<Doors>,
    who: PageReader,
    page: Page,
    headers: HeaderMap,
    Path(id): Path<i64>,
) -> Result<Response, ApiError> {
    let found = articles::fetch_for_reader(&doors.lede, who.user.id, ItemId::from(id)).await?;
    let Some(found) = found else {
        return Ok(gone(&page, "item-gone"));
    };
    if !headers.contains_key("hx-request") {
        return Ok(Redirect::to(&format!("/items/{id}")).into_response());
    }
    let text = ItemText::new(&doors, &who.user, &page, found, true);
    Ok(page.answer(StatusCode::OK, &text))
}

/// What the add box sends.
#[derive(Deserialize)]
pub(crate) struct AddForm {
    #[serde(default)]
    url: String,
}

/// A person typed into the one field that there is: no field is named, and the remedy is an example.
fn add_error_for_people(error: SubscribeError) -> ApiError {
    let typed_wrongly = matches!(error, SubscribeError::Address(_));
    let message = error.to_string();
    let mut error = add_error(error);
    if typed_wrongly {
        error.message = message;
        "Type it as your browser shows it, for example news.example.org."
            .clone_into(&mut error.action);
    }
    error
}

/// `POST /subscriptions`: the add box. With script the error appears below the box; without, the
/// page comes back with it.
pub(crate) async fn subscribe(
    State(doors): State<Doors>,
    who: PageReader,
    page: Page,
    headers: HeaderMap,
    Form(form): Form<AddForm>,
) -> Result<Response, ApiError> {
    let outcome = match doors.limits.feed_work(&doors, &who.user) {
        Ok(()) => subscribe::subscribe(&doors.lede, &who.user, &form.url, None)
            .await
            .map_err(add_error_for_people),
        Err(error) => Err(error),
    };
    let by_script = headers.contains_key("hx-request");
    match outcome {
        Ok(followed) => {
            let feed = followed.subscription.feed.id;
            let now = doors.lede.clock.now();
            doors
                .offers
                .make(who.user.id, feed, followed.alternatives, now);
            let address = format!("/?feed={feed}");
            if by_script {
                return Ok((StatusCode::NO_CONTENT, [("HX-Redirect", address)]).into_response());
            }
            Ok(Redirect::to(&address).into_response())
        }
        Err(error) if error.status.is_server_error() => Ok(page.error(&error)),
        Err(error) => {
            let status = error.status;
            let (message, action) = page.explain(&error);
            let message = sentence(&message);
            if by_script {
                return Ok(page.answer(
                    status,
                    &AddError {
                        message: &message,
                        action: &action,
                    },
                ));
            }
            let add = AddBox {
                url: form.url,
                error: Some((message, action)),
            };
            list_page(&doors, &who.user, page, &HomeQuery::default(), add, status).await
        }
    }
}
