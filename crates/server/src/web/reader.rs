//! Reading view: the tree of feeds, lists of items, and single items.

mod article;
mod list_query;
mod place;
mod rows;
mod tree;

use std::borrow::Cow;

use askama::Template;
use axum::Extension;
use axum::extract::{Form, Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use lede_core::categories::{self, Sidebar};
use lede_core::maintenance::health::{self, Notices};
use lede_core::reading::{self, ItemPage, PAGE};
use lede_core::search::{self, SearchOrder, SearchPage, SearchQuery};
use lede_core::suggested_feeds::{self, Starter};
use lede_core::{accounts, articles};
use lede_model::feed::{FeedStatus, Subscription};
use lede_model::ids::{CategoryId, FeedId, ItemId, LabelId, UserId};
use lede_model::item::{
    Item, ItemFilter, ItemSummary, List, Order, Position, Scope, Start, TextChoice,
};
use lede_model::user::User;
use serde::Deserialize;

use self::article::{Article, ArticleState, ArticleText, FileKind};
pub(crate) use self::list_query::search_address;
use self::list_query::{ListQuery, ListRequest};
use self::rows::{FoundBy, ItemRow, Marked, rows};
pub(super) use self::tree::LabelNode;
use self::tree::Tree;
use super::feeds::fetch_status::FetchStatus;
use super::page::Page;
use super::sign_in::set_up_page;
use crate::AppState;
use crate::error::{ApiError, search_error};
use crate::middleware::{Caller, Client, CurrentUser};

/// Parts that every page of the reading view has around its content.
struct Shell {
    tree: Tree,
    /// Notices that are shown to all users.
    notices: Notices,
}

#[derive(Template)]
#[template(path = "reader/home.html", blocks = ["main"])]
struct HomePage {
    shell: Shell,
    page: Page,
    heading: String,
    scope: ScopeView,
    /// Number of unread items in the list, after the key by which the page's script refers to it.
    unread: Option<(String, i64)>,
    /// Search text, if the list is a search.
    text: Option<String>,
    /// Scope of the search; `None` for all feeds.
    within: Option<Within>,
    /// Placeholder of the search field, which names the scope of a search from this list.
    search_hint: Cow<'static, str>,
    /// Number of results, as text.
    found: Option<Cow<'static, str>>,
    /// True if the search is saved already.
    is_kept: bool,
    /// Title and text of the reason that a search was not carried out.
    problem: Option<(String, String)>,
    /// True for the history: no new items appear in it, and none in it is left to be marked.
    is_history: bool,
    tabs: Vec<Tab>,
    is_oldest_first: bool,
    /// URLs of the list with the newest and with the oldest items first.
    newest_first: String,
    oldest_first: String,
    is_by_relevance: bool,
    /// URL of the search with the best matches first.
    by_relevance: String,
    /// URL of the list in the tree.
    tree_address: String,
    list: ListRows,
    /// URL of the beginning of the list.
    newest: String,
    empty: Option<Empty>,
    /// Last fetch result of the list's feed, if it failed.
    trouble: Option<FetchStatus>,
    /// Suggested feeds for a user who follows none.
    starters: &'static [Starter],
    open: Option<Article>,
}

/// Limited scope of a search.
struct Within {
    name: String,
    /// URL of the same search without the limit.
    everywhere: String,
}

/// Scope of the list, for scripts.
struct ScopeView {
    feed: Option<FeedId>,
    category: Option<CategoryId>,
    label: Option<LabelId>,
    /// The newest item of the instance: marking all as read does not go beyond it.
    newest_item: ItemId,
}

/// Rows of a list, with the URLs of adjacent pages.
#[derive(Template)]
#[template(path = "reader/rows.html")]
struct ListRows {
    page: Page,
    /// Link to previous rows, if these are not the first.
    newer: Option<Newer>,
    items: Vec<ItemRow>,
    /// URL of the next rows, for the page's script.
    more: Option<String>,
    /// URL of the next page, for browsers without script.
    older: Option<String>,
}

/// Link to the rows before a list that begins in the middle.
struct Newer {
    label: Cow<'static, str>,
    /// URL of the previous rows, for the page's script.
    address: Option<String>,
    /// URL of the beginning of the list, for browsers without script.
    beginning: String,
}

struct Tab {
    label: Cow<'static, str>,
    address: String,
    is_current: bool,
}

/// Reason that a list is empty, which selects the message.
enum Empty {
    NoFeeds,
    /// None of the feeds has been fetched yet.
    OnTheWay,
    NothingUnread,
    NothingStarred,
    NothingRead,
    NothingLabelled,
    NothingAtAll,
    /// The feed never had any items.
    NothingPublished,
    /// The feed never had any items, because it cannot be fetched or parsed.
    InTrouble,
    NothingFound,
    /// The list continued here when its URL was made; since then the rest was read or removed.
    NothingOlder,
}

impl Empty {
    /// Returns the reason why a list has no items. `new_feed` is its feed if no item of it is
    /// stored.
    fn of(
        wanted: &ListRequest,
        start: Start,
        followed: &Sidebar,
        new_feed: Option<&Subscription>,
        is_search: bool,
    ) -> Self {
        if followed.subscriptions.is_empty() {
            return Self::NoFeeds;
        }
        if followed.subscriptions.iter().all(is_on_its_way) {
            return Self::OnTheWay;
        }
        match (new_feed, wanted.list.filter) {
            (Some(feed), _) if is_on_its_way(feed) => Self::OnTheWay,
            (Some(feed), _) if feed.feed.status != FeedStatus::Active => Self::InTrouble,
            (Some(_), _) => Self::NothingPublished,
            _ if start != Start::FIRST => Self::NothingOlder,
            _ if is_search => Self::NothingFound,
            (_, ItemFilter::Unread) => Self::NothingUnread,
            (_, ItemFilter::Starred | ItemFilter::UnreadStarred) => Self::NothingStarred,
            (_, ItemFilter::Read) => Self::NothingRead,
            (_, ItemFilter::All) if wanted.asked.label.is_some() => Self::NothingLabelled,
            (_, ItemFilter::All) => Self::NothingAtAll,
        }
    }
}

#[derive(Template)]
#[template(path = "reader/item.html")]
struct Standalone {
    shell: Shell,
    page: Page,
    item: Article,
}

/// An item without the page around it, which the page's script inserts.
#[derive(Template)]
#[template(path = "reader/view.html")]
pub(super) struct ItemView {
    page: Page,
    item: Article,
}

impl ItemView {
    pub(super) fn new(app: &AppState, page: &Page, user: UserId, item: Item) -> Self {
        Self {
            item: Article::new(app, page, user, item),
            page: page.clone(),
        }
    }
}

/// Only the text of an item.
#[derive(Template)]
#[template(path = "reader/text_only.html")]
struct TextOnly {
    page: Page,
    text: ArticleText,
}

/// `GET /`: the set-up page while there is no account, otherwise the reading view.
pub(crate) async fn home(
    State(app): State<AppState>,
    Extension(client): Extension<Client>,
    caller: Caller,
    page: Page,
    Query(asked): Query<ListQuery>,
) -> Result<Response, ApiError> {
    match caller.user() {
        Some(user) => match list_page(&app, user, &page, asked).await? {
            Ok((status, home)) => Ok(page.answer(status, &home)),
            Err(gone) => Ok(gone),
        },
        None if accounts::needs_set_up(&app.lede).await? => {
            Ok(set_up_page(&client, &page, String::new(), None))
        }
        None => Ok(Redirect::to("/auth/login").into_response()),
    }
}

/// A page of the list, or the reason that there is none.
enum ListResult {
    Page(ItemPage, Option<FoundBy>),
    /// The scope does not exist or does not belong to the user.
    Gone,
    /// The search text is invalid, or the rate limit was exceeded.
    Problem(ApiError),
}

async fn find(
    app: &AppState,
    user: &User,
    wanted: &ListRequest,
    start: Start,
) -> Result<ListResult, ApiError> {
    let Some(text) = wanted.asked.text() else {
        let page = reading::list(&app.lede, user.id, wanted.list, start, PAGE, false).await?;
        return Ok(page.map_or(ListResult::Gone, |page| ListResult::Page(page, None)));
    };
    if let Err(error) = app.limits.search(app, user) {
        return Ok(ListResult::Problem(error));
    }
    let asked = SearchQuery {
        text: text.to_owned(),
        list: wanted.list,
        order: wanted.search_order,
        start,
        limit: PAGE,
    };
    Ok(match search::page(&app.lede, user.id, asked).await {
        Ok(Some(found)) => {
            let SearchPage {
                page,
                query,
                snippets,
            } = found;
            ListResult::Page(page, Some(FoundBy { query, snippets }))
        }
        Ok(None) => ListResult::Gone,
        Err(error) => {
            let error = search_error("q", error);
            if error.status.is_server_error() {
                return Err(error);
            }
            ListResult::Problem(error)
        }
    })
}

#[expect(
    clippy::too_many_arguments,
    reason = "each is a part of the request or of what was found"
)]
fn list_rows(
    app: &AppState,
    user: &User,
    page: &Page,
    followed: &Sidebar,
    wanted: &ListRequest,
    found: ItemPage,
    query: Option<&FoundBy>,
    begins_at: Option<Position>,
) -> ListRows {
    let cursor = |at: Position| at.to_cursor(&wanted.name(user.id));
    let next = found.next.map(cursor);
    let address = |path| {
        let next = next.as_deref()?;
        Some(wanted.address(path, wanted.list, Some(("after", next))))
    };
    let newer = begins_at.map(|at| Newer {
        label: page.t(match wanted.list.order {
            Order::Newest => "list-newer",
            Order::Oldest => "list-older",
        }),
        // Search results cannot be walked backwards.
        address: wanted.asked.text().is_none().then(|| {
            let before = cursor(at);
            wanted.address("/list", wanted.list, Some(("before", &before)))
        }),
        beginning: wanted.beginning(),
    });
    ListRows {
        page: page.clone(),
        newer,
        more: address("/list"),
        older: address("/"),
        items: rows(app, page, followed, user.id, found.items, query),
    }
}

/// Returns the title of the list, or `None` if its scope does not belong to the user.
fn heading(page: &Page, followed: &Sidebar, wanted: &ListRequest) -> Option<String> {
    if let Some(text) = wanted.asked.text() {
        let kept = followed.searches.iter().find(|kept| kept.query == text);
        return Some(kept.map_or_else(
            || page.with("list-search", "text", text).into(),
            |kept| kept.name.clone(),
        ));
    }
    match wanted.list.scope {
        Scope::Everything if wanted.list.filter == ItemFilter::Starred => {
            Some(page.t("tree-starred").into())
        }
        Scope::Everything if wanted.is_history() => Some(page.t("tree-history").into()),
        Scope::Everything => Some(page.t("tree-all").into()),
        scope => scope_name(followed, scope),
    }
}

/// Returns the name of a scope, or `None` for all feeds and for a scope that does not belong to the
/// user.
fn scope_name(followed: &Sidebar, scope: Scope) -> Option<String> {
    match scope {
        Scope::Everything => None,
        Scope::Feed(feed) => followed
            .subscriptions
            .iter()
            .find(|subscription| subscription.feed.id == feed)
            .map(|subscription| subscription.title().to_owned()),
        Scope::Category(category) => followed
            .categories
            .iter()
            .find(|count| count.category.id == category)
            .map(|count| count.category.name.clone()),
        Scope::Label(label) => followed
            .labels
            .iter()
            .find(|count| count.label.id == label)
            .map(|count| count.label.name.clone()),
    }
}

/// Returns the script's key and the number of unread items, for lists to which new items are added.
fn unread_in(followed: &Sidebar, wanted: &ListRequest) -> Option<(String, i64)> {
    let is_of_what_comes = matches!(wanted.list.filter, ItemFilter::Unread | ItemFilter::All);
    if wanted.asked.text().is_some() || !is_of_what_comes {
        return None;
    }
    let feeds = &followed.subscriptions;
    Some(match wanted.list.scope {
        Scope::Everything => ("all".to_owned(), feeds.iter().map(|feed| feed.unread).sum()),
        Scope::Feed(id) => {
            let feed = feeds.iter().find(|feed| feed.feed.id == id)?;
            (id.to_string(), feed.unread)
        }
        Scope::Category(id) => {
            let mut counts = followed.categories.iter();
            let count = counts.find(|count| count.category.id == id)?;
            (format!("category-{id}"), count.unread)
        }
        Scope::Label(id) => {
            let count = followed.labels.iter().find(|count| count.label.id == id)?;
            (format!("label-{id}"), count.unread)
        }
    })
}

/// Formats the number of results, as far as they were counted.
fn how_much(page: &Page, found: &ItemPage) -> Option<Cow<'static, str>> {
    let total = found.total.filter(|total| *total > 0)?;
    let is_more = total >= search::TOTAL_LIMIT && found.next.is_some();
    Some(page.count(if is_more { "found-more" } else { "found" }, total))
}

/// Returns `true` if no item of the feed is stored.
async fn is_without_items(app: &AppState, user: UserId, feed: FeedId) -> Result<bool, ApiError> {
    let all = List {
        scope: Scope::Feed(feed),
        filter: ItemFilter::All,
        order: Order::Newest,
    };
    let page = reading::list(&app.lede, user, all, Start::FIRST, 1, false).await?;
    Ok(page.is_none_or(|page| page.items.is_empty()))
}

fn gone(page: &Page, scope: Scope) -> Response {
    let key = match scope {
        Scope::Category(_) => "category-gone",
        Scope::Label(_) => "label-gone",
        Scope::Feed(_) | Scope::Everything => "feed-gone",
    };
    page.message(StatusCode::NOT_FOUND, key)
}

/// Adds the open item to a list that does not contain it, or replaces the list by the page with
/// it. Returns the position of the item if the list begins there.
async fn include_open(
    app: &AppState,
    user: &User,
    followed: &Sidebar,
    wanted: &ListRequest,
    found: &mut ItemPage,
    item: &ItemSummary,
) -> Result<Option<Position>, ApiError> {
    let Some(place) = place::missing(found, followed, wanted, item) else {
        return Ok(None);
    };
    let mut begins_at = None;
    if place.is_further
        && let ListResult::Page(further, _) =
            find(app, user, wanted, Start::After(place.before)).await?
        && place.is_in(&further)
    {
        *found = further;
        begins_at = Some(item.position());
    }
    place.put(found, item);
    Ok(begins_at)
}

/// The tree leads to the history, so its tab is shown only there.
fn tabs(page: &Page, wanted: &ListRequest) -> Vec<Tab> {
    let tabs = [
        ("tab-unread", ItemFilter::Unread),
        ("tab-all", ItemFilter::All),
        ("tab-starred", ItemFilter::Starred),
        ("tree-history", ItemFilter::Read),
    ];
    let shown = match wanted.list.filter {
        ItemFilter::UnreadStarred => ItemFilter::Starred,
        filter => filter,
    };
    let tabs = tabs.into_iter().map(|(label, filter)| Tab {
        label: page.t(label),
        address: wanted.showing(filter),
        is_current: filter == shown,
    });
    tabs.take(if wanted.is_history() { 4 } else { 3 }).collect()
}

/// Returns the page of a list with its status, or the response if there is no such list.
async fn list_page(
    app: &AppState,
    user: &User,
    page: &Page,
    asked: ListQuery,
) -> Result<Result<(StatusCode, HomePage), Response>, ApiError> {
    let wanted = asked.by(&page.look);
    let scope = wanted.list.scope;
    let followed = categories::followed(&app.lede, user.id).await?;
    let Some(heading) = heading(page, &followed, &wanted) else {
        return Ok(Err(gone(page, scope)));
    };
    let open = match wanted.asked.item {
        Some(item) => reading::find_item(&app.lede, user.id, item).await?,
        None => None,
    };
    let start = wanted.start(user.id);
    let (mut found, query, problem) = match find(app, user, &wanted, start).await? {
        ListResult::Page(found, query) => (found, query, None),
        ListResult::Gone => return Ok(Err(gone(page, scope))),
        ListResult::Problem(error) => (
            ItemPage::new(Vec::new(), PAGE, None),
            None,
            Some(page.explain(&error)),
        ),
    };
    let how_much = query.as_ref().and_then(|_| how_much(page, &found));
    let begins_at = match &open {
        Some(item) if start == Start::FIRST && problem.is_none() => {
            include_open(app, user, &followed, &wanted, &mut found, &item.summary).await?
        }
        _ => None,
    };
    let of_feed = followed
        .subscriptions
        .iter()
        .find(|feed| scope == Scope::Feed(feed.feed.id))
        .filter(|_| query.is_none());
    let trouble = of_feed.map(|feed| FetchStatus::of(page, feed, app.lede.clock.now()));
    let trouble = trouble.filter(|receipt| receipt.is_trouble);
    let is_empty = found.items.is_empty() && problem.is_none();
    let new_feed = match of_feed {
        Some(feed) if is_empty => {
            let is_new = is_without_items(app, user.id, feed.feed.id).await?;
            is_new.then_some(feed)
        }
        _ => None,
    };
    let is_search = query.is_some();
    let empty = is_empty.then(|| Empty::of(&wanted, start, &followed, new_feed, is_search));
    let text = wanted.asked.text().map(str::to_owned);
    let status = match &problem {
        Some(_) => StatusCode::BAD_REQUEST,
        None => StatusCode::OK,
    };
    let home = HomePage {
        search_hint: match scope_name(&followed, scope) {
            Some(name) => page.with("search-in", "name", name),
            None => page.t("search"),
        },
        heading,
        unread: unread_in(&followed, &wanted),
        within: text
            .as_ref()
            .and_then(|_| scope_name(&followed, scope))
            .map(|name| Within {
                name,
                everywhere: wanted.everywhere(),
            }),
        found: how_much,
        scope: ScopeView {
            feed: wanted.asked.feed,
            category: wanted.asked.category,
            label: wanted.asked.label,
            newest_item: followed.newest_item,
        },
        is_kept: followed
            .searches
            .iter()
            .any(|kept| Some(kept.query.as_str()) == text.as_deref()),
        text,
        problem,
        is_history: wanted.is_history(),
        tabs: tabs(page, &wanted),
        is_oldest_first: wanted.list.order == Order::Oldest,
        newest_first: wanted.ordered(Order::Newest),
        oldest_first: wanted.ordered(Order::Oldest),
        is_by_relevance: wanted.search_order == SearchOrder::Relevance,
        by_relevance: wanted.by_relevance(),
        tree_address: wanted.tree_address(),
        list: list_rows(
            app,
            user,
            page,
            &followed,
            &wanted,
            found,
            query.as_ref(),
            begins_at,
        ),
        newest: wanted.beginning(),
        empty,
        trouble,
        // A viewer may only follow feeds that are here already, which few of the suggestions are.
        starters: match user.role.may_add_new_feeds() {
            true => suggested_feeds::in_language(page.tag()),
            false => &[],
        },
        open: open.map(|item| Article::new(app, page, user.id, item)),
        shell: shell(app, page, followed, &wanted).await?,
        page: page.clone(),
    };
    Ok(Ok((status, home)))
}

/// `GET /list/page`: a list with its head and without the page around it, for the page's script.
pub(crate) async fn list(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    Query(asked): Query<ListQuery>,
) -> Result<Response, ApiError> {
    Ok(match list_page(&app, &who.user, &page, asked).await? {
        // An invalid search is a list with a message.
        Ok((_, home)) => page.answer(StatusCode::OK, &home.as_main()),
        Err(gone) => gone,
    })
}

/// Returns `true` if the feed was never fetched, and will be.
fn is_on_its_way(subscription: &Subscription) -> bool {
    subscription.last_fetched_at.is_none() && subscription.feed.status == FeedStatus::Active
}

async fn shell(
    app: &AppState,
    page: &Page,
    followed: Sidebar,
    wanted: &ListRequest,
) -> Result<Shell, ApiError> {
    Ok(Shell {
        tree: Tree::new(page.words(), followed, wanted),
        notices: health::notices(&app.lede).await?,
    })
}

/// `GET /list`: the rows before or after a position in a list, for the page's script.
pub(crate) async fn more(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    Query(asked): Query<ListQuery>,
) -> Result<Response, ApiError> {
    let wanted = asked.by(&page.look);
    let user = &who.user;
    let followed = categories::followed(&app.lede, user.id).await?;
    if let Some(end) = wanted.end(user.id) {
        return newer(&app, user, &page, &followed, &wanted, end).await;
    }
    match find(&app, user, &wanted, wanted.start(user.id)).await? {
        ListResult::Page(found, query) => {
            let query = query.as_ref();
            let rows = list_rows(&app, user, &page, &followed, &wanted, found, query, None);
            Ok(page.answer(StatusCode::OK, &rows))
        }
        ListResult::Gone => Ok(gone(&page, wanted.list.scope)),
        ListResult::Problem(error) => Err(error),
    }
}

/// Returns the rows before a position: walks the list in the opposite order and reverses the
/// result.
async fn newer(
    app: &AppState,
    user: &User,
    page: &Page,
    followed: &Sidebar,
    wanted: &ListRequest,
    end: Position,
) -> Result<Response, ApiError> {
    let back = List {
        order: wanted.list.order.turned(),
        ..wanted.list
    };
    let start = Start::After(end);
    let found = reading::list(&app.lede, user.id, back, start, PAGE, false).await?;
    let Some(mut found) = found else {
        return Ok(gone(page, wanted.list.scope));
    };
    found.items.reverse();
    // No link to the next rows: the page that requested these already has them.
    let begins_at = found.next.take();
    let rows = list_rows(app, user, page, followed, wanted, found, None, begins_at);
    Ok(page.answer(StatusCode::OK, &rows))
}

/// `GET /items/{id}`: one item. Showing it changes nothing; the page's script marks it as read.
pub(crate) async fn item(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    Path(id): Path<ItemId>,
) -> Result<Response, ApiError> {
    let Some(item) = reading::find_item(&app.lede, who.user.id, id).await? else {
        return Ok(page.message(StatusCode::NOT_FOUND, "item-gone"));
    };
    let item = Article::new(&app, &page, who.user.id, item);
    let followed = categories::followed(&app.lede, who.user.id).await?;
    let asked = ListQuery::for_feed(item.feed_id);
    let shown = Standalone {
        shell: shell(&app, &page, followed, &asked.by(&page.look)).await?,
        item,
        page: page.clone(),
    };
    Ok(page.answer(StatusCode::OK, &shown))
}

/// `GET /items/{id}/view`: the item without the page around it, for the page's script.
pub(crate) async fn view(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    Path(id): Path<ItemId>,
) -> Result<Response, ApiError> {
    let item = reading::find_item(&app.lede, who.user.id, id).await?;
    let item = item.ok_or_else(|| ApiError::not_found("The item"))?;
    let shown = ItemView::new(&app, &page, who.user.id, item);
    Ok(page.answer(StatusCode::OK, &shown))
}

/// `POST /items/{id}/article`: fetches the full article. With script it replaces the text; without,
/// the page is loaded again.
pub(crate) async fn article(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    headers: HeaderMap,
    Path(id): Path<ItemId>,
) -> Result<Response, ApiError> {
    let found = articles::fetch_for_reader(&app.lede, who.user.id, id).await?;
    let Some(found) = found else {
        return Ok(page.message(StatusCode::NOT_FOUND, "item-gone"));
    };
    if !headers.contains_key("hx-request") {
        return Ok(Redirect::to(&format!("/items/{id}")).into_response());
    }
    let text = TextOnly {
        text: ArticleText::new(&app, who.user.id, found, true),
        page: page.clone(),
    };
    Ok(page.answer(StatusCode::OK, &text))
}

/// Choice between the two texts of an item.
#[derive(Deserialize)]
pub(crate) struct TextForm {
    text: TextChoice,
}

/// `POST /items/{id}/text`: shows the feed's text or the full article, also of the other items of the
/// feed. With script it replaces the text; without, the page is loaded again.
pub(crate) async fn text(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    headers: HeaderMap,
    Path(id): Path<ItemId>,
    Form(form): Form<TextForm>,
) -> Result<Response, ApiError> {
    let found = articles::choose_text(&app.lede, who.user.id, id, form.text).await?;
    let Some(found) = found else {
        return Ok(page.message(StatusCode::NOT_FOUND, "item-gone"));
    };
    if !headers.contains_key("hx-request") {
        return Ok(Redirect::to(&format!("/items/{id}")).into_response());
    }
    let has_been_tried = form.text == TextChoice::Full;
    let text = TextOnly {
        text: ArticleText::new(&app, who.user.id, found, has_been_tried),
        page: page.clone(),
    };
    Ok(page.answer(StatusCode::OK, &text))
}
