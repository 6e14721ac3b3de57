# Managing feeds, rules and saved searches.
## Adding
feeds-add-title = Add a feed
feeds-add-label = Address
feeds-bookmark-drag = Drag this to your bookmarks bar to follow any site while you’re on it:
feeds-bookmark = Follow in Lede
feeds-add-look = Find feed
feeds-add-help = Any site, blog, feed or YouTube channel: type the address your browser shows.
feeds-add-access = More: user name, password…
feeds-add-asking = Checking { $address }…
feeds-add-choose = This site has several feeds. Which one?
feeds-add-untitled = Untitled feed
feeds-add-previewing = Loading preview…
feeds-add-newest = Newest items
feeds-add-empty = The feed works, but nothing has been published in it yet.
feeds-add-follow = Follow
feeds-add-followed = You’re already following this feed.
feeds-add-followed-mark = already following
feeds-add-to-feed = Go to feed
feeds-add-plain = If the site has no encryption, type http:// before its address.
feeds-not-an-address = That isn’t a web address.
    .action = Type it the way your browser shows it, for example news.example.org.

## Subscription lists
feeds-opml = Subscription list (OPML)
feeds-opml-text = Coming from another reader? Drop its list anywhere on this page, or choose the file. Categories are kept, and feeds you already follow don’t change.
feeds-opml-file = File
feeds-opml-address = Or its address
feeds-opml-import = Import
feeds-opml-export = Export my feeds
feeds-opml-reading = Reading the list…
feeds-opml-fetching = Fetching the list…
feeds-import-not-a-list = This file isn’t a subscription list.
    .action = Export an OPML file from your other reader and choose that.
feeds-import-not-a-list-there = There’s no subscription list at this address.
    .action = Enter the address of the OPML file itself, or download it and choose the file.
feeds-import-title = Import
feeds-import-running = Importing…
feeds-import-done = Import finished.
feeds-import-total = Feeds in the list
feeds-import-added = Added
feeds-import-existing = Already following
feeds-import-failed = Not added
feeds-import-fetches = New feeds
feeds-import-fetched = Fetched
feeds-import-unfetched = Couldn’t be fetched
feeds-import-waiting = Waiting
feeds-import-to-fix = New feeds that couldn’t be fetched
feeds-import-empty = There are no feeds in this list.
feeds-import-next = New feeds fill up over the next few minutes.
feeds-import-goes-on = You can leave this page; the import continues.
feeds-import-failures = What failed and why
feeds-import-more-failures = { $count ->
    [one] And one more.
   *[other] And { $count } more.
}
feeds-import-gone = Import not found
    .text = It finished long ago, or it isn’t yours.
feeds-to-list = Go to your feeds

## Arranging
feeds-none = You aren’t following anything yet
feeds-none-text = Add a site you like to read, or import your list from another reader.
feeds-search = Find a feed
feeds-search-button = Find
feeds-found = { $count ->
    [one] One feed found
   *[other] { $count } feeds found
}
feeds-unread = unread
feeds-up = Up
feeds-down = Down
feeds-up-name = Move { $name } up
feeds-down-name = Move { $name } down
feeds-select = Select { $name }
feeds-select-all = Select all
feeds-select-all-in = Select all in { $name }
feeds-paused-mark = paused
feeds-trouble-error = not working
feeds-trouble-stopped = stopped
feeds-selected = Selected feeds:
feeds-move-to = Move to
feeds-move = Move
feeds-unsubscribe = Unsubscribe…
feeds-unsubscribe-selected-text = You’ll stop following them and lose your read marks in them for good. Items that you starred or labelled stay.
feeds-unsubscribe-selected = Unsubscribe from selected feeds
feeds-done-moved = Moved.
feeds-done-unsubscribed = Unsubscribed.
feeds-done-category-added = Category added.
feeds-done-category-changed = Category saved.
feeds-done-category-deleted = Category deleted. Its feeds are still here.

## Categories
feeds-category = Category
feeds-no-category = No category
feeds-category-empty = Nothing here yet. Drag feeds here, or select some and move them.
feeds-category-new = New category
feeds-category-name = Name
feeds-category-parent = Inside
feeds-category-top = Top level
feeds-category-delete = Delete category…
feeds-category-delete-empty = It’s empty, so nothing else changes.
feeds-category-delete-text = { $count ->
    [one] Only the category is deleted. Its one feed moves up a level.
   *[other] Only the category is deleted. Its { $count } feeds move up a level.
}
feeds-category-delete-inner = { $count ->
    [one] So does the category inside it.
   *[other] So do the { $count } categories inside it.
}
feeds-category-delete-button = Delete category
feeds-category-gone = Category not found
    .text = It was deleted, or it isn’t yours.

## One feed
feeds-read = Read this feed
feeds-count-unread = { $count ->
    [one] one unread
   *[other] { $count } unread
}
feeds-count-items = { $count ->
    [one] one item
   *[other] { $count } items
}
feeds-count-starred = { $count ->
    [one] one starred
   *[other] { $count } starred
}
feeds-health = Health
feeds-health-good = Everything is fine.
feeds-health-waiting = Not fetched yet.
feeds-health-error = This feed isn’t working right now. Lede keeps trying.
feeds-health-stopped = Lede has stopped trying this feed.
feeds-health-paused = You paused this feed: no new items until you resume.
feeds-remedy-refused = The site blocks feed readers or asks visitors to sign in. See if the feed opens in your browser; the site may have another one.
feeds-remedy-access = The site asks for a user name and password.
feeds-remedy-gone = The feed has probably moved or shut down. Look for its feed on the site, and change the address below.
feeds-remedy-wait = This usually passes by itself. If it goes on for days, check whether the site still responds.
feeds-last-answer = Last fetch
feeds-answer-good = OK
feeds-failing-since = Failing since
feeds-failures = { $count ->
    [one] once
   *[other] { $count } times in a row
}
feeds-next = Next fetch
feeds-next-never = Not planned
feeds-soon = in a moment
feeds-in-minutes = { $count ->
    [one] in one minute
   *[other] in { $count } minutes
}
feeds-in-hours = { $count ->
    [one] in one hour
   *[other] in { $count } hours
}
feeds-because = Why: { $why }
feeds-address = Address
feeds-site = Site
feeds-followed-since = Following since
feeds-refresh = Fetch now
feeds-refreshing = Fetching…
feeds-resume = Resume
feeds-done-refreshed = { $count ->
    [one] Fetched: one new item.
   *[other] Fetched: { $count } new items.
}
feeds-done-failed = Fetching failed; the reason is below.
feeds-done-resumed = Resumed.
feeds-done-address = You’re now following the feed at its new address.
feeds-done-access = It works: the feed is now read with what you entered.
feeds-done-access-forgotten = Removed. The feed is now read without a password.
feeds-change-address = Change address…
feeds-change-address-text = Lede follows what’s there instead, under the same name, category and settings. Your read marks and stars in the old feed are lost.
feeds-new-address = New address
feeds-change-address-button = Change
feeds-settings = Your settings for this feed
feeds-own-title = Your name for this feed
feeds-own-title-help = Leave empty to use the publisher’s.
feeds-interval = Fetch
feeds-interval-help = Never sooner than the server allows.
feeds-interval-usual = default ({ $interval })
feeds-interval-auto = as often as it publishes
feeds-interval-mixed = every { $hours } h { $minutes } min
feeds-interval-minutes = { $count ->
    [one] every minute
   *[other] every { $count } min
}
feeds-interval-hours = { $count ->
    [one] every hour
   *[other] every { $count } h
}
feeds-full-text = Fetch full articles
feeds-full-text-help = When the feed only has the beginning, Lede gets the rest from the article’s page.
feeds-notify = Show new items in the bell
feeds-notify-help = New items of this feed are listed in the bell at the top of every page.
feeds-pause = Pause this feed
feeds-pause-help = No new items until you resume; what’s here stays.
feeds-access = Access: user name, password…
feeds-access-text = For feeds behind a password. What you enter is sent to the feed’s own site and nowhere else. It’s stored encrypted and never shown again, and only you will be able to follow the feed here.
feeds-access-yours = Only you can follow this feed here. If you unsubscribe, it’s deleted with all items that you haven’t starred or labelled.
feeds-access-unreadable = What you entered can’t be read any more, because this server’s secret has changed. Please enter it again.
feeds-access-plain = The address starts with http, not https: anyone between this server and the site can read what you enter.
feeds-access-moved = The feed has moved to { $address }. Your password is for the old site, so Lede doesn’t switch by itself: change the address below if you trust the new one.
feeds-access-enter = Enter user name and password
feeds-access-username = User name
feeds-access-password = Password
feeds-access-user-agent = User-Agent
feeds-access-user-agent-help = Sent instead of Lede’s own name, for sites that insist on another.
feeds-access-cookie = Cookie
feeds-access-cookie-help = The way your browser sends it: name=value; name=value
feeds-access-kept = Saved. Leave empty to keep it.
feeds-access-save = Save and test
feeds-access-forget = Remove all of this
feeds-unsubscribe-text = You’ll stop following this feed and lose your read marks in it for good. You can follow it again, but they won’t come back.
feeds-unsubscribe-stars = { $count ->
    [one] The item that you starred stays.
   *[other] The { $count } items that you starred stay.
}
feeds-unsubscribe-button = Unsubscribe

## Rules
rules-intro = Rules apply to new items as they arrive. Items already here don’t change.
rules-new = New rule
rules-edit = Rule
rules-name = Name
rules-which = Which items (all conditions must match)
rules-query = Search words
rules-query-help = Same as in the search box: sponsored, "two words", title:review, author:ann, -sport
rules-feed = Feed
rules-any-feed = any feed
rules-any-category = any category
rules-what = What to do with them
rules-read = Mark as read
rules-star = Star
rules-hide = Hide
rules-hide-help = They won’t appear in any list or search.
rules-notify = Notify me in the bell
rules-label = Add the label
rules-label-help = One of yours, or a name for a new one. Leave empty for none.
rules-enabled = Rule is on
rules-make = Create rule
rules-and = {", "}
rules-does-read = marks as read
rules-does-star = stars
rules-does-hide = hides
rules-does-notify = notifies you
rules-does-label = adds the label “{ $name }”
rules-in = in { $name }
rules-off-mark = off
rules-turn-on = Turn on
rules-turn-off = Turn off
rules-delete = Delete rule…
rules-delete-text = It stops working. What it has already done stays.
rules-delete-button = Delete rule
rules-matched = { $count ->
    [one] It would have matched one item in the last week.
   *[other] It would have matched { $count } items in the last week.
}
rules-matched-more = It would have matched { $count } or more items in the last week.
rules-no-condition = Choose which items the rule applies to.
    .action = Fill in search words, or choose a feed or category.
rules-no-action = Choose what happens to the items.
    .action = Tick at least one box, or enter a label.
rules-bad-query = Those search words can’t be understood.
    .action = Include at least one word that must be there, and close quotation marks and brackets.
rules-bad-name = Enter a name of 1 to 100 characters.
    .action = Type another name.
rules-gone = Not found
    .text = It was deleted, or it isn’t yours.
rules-done-added = Rule created.
rules-done-on = Rule turned on.
rules-done-off = Rule turned off.
rules-done-deleted = Rule deleted.
rules-done-search-added = Search saved.
rules-done-search-deleted = Search deleted.
rules-searches = Saved searches
rules-searches-text = Searches you use often. They appear next to your feeds, with their unread items.
rules-search-keep = Save search
rules-search = Saved search
rules-search-delete = Delete search…
rules-search-delete-text = It disappears from your list of feeds. The items it finds stay.
rules-search-delete-button = Delete search
