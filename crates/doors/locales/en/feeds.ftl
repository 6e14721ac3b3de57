# Managing feeds, rules and saved searches.
## Adding
feeds-add-title = Add a feed
feeds-add-label = Address
feeds-bookmark-drag = Drag this to your bookmarks bar, and follow any site while you are on it:
feeds-bookmark = Follow in Lede
feeds-add-look = Look
feeds-add-help = Any site, blog, feed or YouTube channel: type its address as the browser shows it.
feeds-add-access = More: user name, password …
feeds-add-asking = Asking { $address } …
feeds-add-choose = This site has several feeds. Which one?
feeds-add-untitled = Feed without a name
feeds-add-previewing = Looking at that feed …
feeds-add-newest = Newest items
feeds-add-empty = The feed is there, but its publisher has put nothing into it so far.
feeds-add-follow = Follow
feeds-add-followed = You follow this feed already.
feeds-add-followed-mark = followed already
feeds-add-to-feed = To the feed
feeds-not-an-address = That is not a web address.
    .action = Type it as your browser shows it, for example news.example.org.

## Subscription lists
feeds-opml = Subscription list (OPML)
feeds-opml-text = Coming from another reader? Drop its list anywhere on this page, or choose the file. Categories come along, and what you follow already stays as it is.
feeds-opml-file = File
feeds-opml-address = Or its address
feeds-opml-import = Import
feeds-opml-export = Export my feeds
feeds-opml-reading = Reading the list …
feeds-opml-fetching = Fetching the list …
feeds-import-not-a-list = This file is not a subscription list.
    .action = Export an OPML file from your other reader and choose that one.
feeds-import-not-a-list-there = There is no subscription list at this address.
    .action = Give the address of the OPML file itself, or download it in your browser and choose the file.
feeds-import-title = Import
feeds-import-running = Taking in the list …
feeds-import-done = The list is taken in.
feeds-import-total = Feeds in the list
feeds-import-added = Added
feeds-import-existing = Followed before
feeds-import-failed = Failed
feeds-import-empty = The list names no feed.
feeds-import-next = New feeds fill up as Lede comes to them, within a few minutes.
feeds-import-goes-on = You can leave this page; it goes on.
feeds-import-failures = What failed, and why
feeds-import-more-failures = { $count ->
    [one] And one more.
   *[other] And { $count } more.
}
feeds-import-gone = That import is not here
    .text = It was finished long ago, or it is not yours.
feeds-to-list = To your feeds

## Arranging
feeds-none = You follow nothing yet
feeds-none-text = Add a site that you like to read, or bring the list of another reader.
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
feeds-paused-mark = paused
feeds-trouble-error = in trouble
feeds-trouble-stopped = given up
feeds-selected = With the selected feeds:
feeds-move-to = Move to
feeds-move = Move
feeds-unsubscribe = Unsubscribe …
feeds-unsubscribe-selected-text = You no longer follow them, and your marks and stars in them go for good.
feeds-unsubscribe-selected = Unsubscribe from the selected feeds
feeds-said-moved = Moved.
feeds-said-unsubscribed = No longer followed.
feeds-said-category-added = The category is there.
feeds-said-category-changed = The category is changed.
feeds-said-category-deleted = The category is gone; its feeds are still here.

## Categories
feeds-category = Category
feeds-no-category = No category
feeds-category-empty = Nothing in here yet. Drag feeds here, or select some and move them.
feeds-category-new = New category
feeds-category-name = Name
feeds-category-parent = Inside
feeds-category-top = – nothing: at the top –
feeds-category-delete = Delete the category …
feeds-category-delete-empty = Nothing is in it, so nothing else changes.
feeds-category-delete-text = { $count ->
    [one] Only the category goes. Its one feed moves up and stays followed.
   *[other] Only the category goes. Its { $count } feeds move up and stay followed.
}
feeds-category-delete-inner = { $count ->
    [one] The category inside it moves up, too.
   *[other] The { $count } categories inside it move up, too.
}
feeds-category-delete-button = Delete the category
feeds-category-gone = That category is not here
    .text = It was removed, or it is not yours.
feeds-category-name-wrong = A category needs a name of 1 to 100 characters.
    .action = Type another name.
feeds-category-cycle = A category cannot stand in itself or in one of its own.
    .action = Choose another one.
feeds-category-too-deep = Categories can stand at most ten deep in each other.
    .action = Choose a place further up.

## One feed
feeds-read = Read it
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
feeds-health = How it is doing
feeds-health-good = All is well.
feeds-health-waiting = It has not been fetched yet.
feeds-health-error = It is in trouble, and Lede keeps trying.
feeds-health-stopped = Lede has given up on it.
feeds-health-paused = You paused it: nothing new comes.
feeds-remedy-refused = The site refuses programs or wants a sign-in. See whether the feed opens in your browser; perhaps the site has another one.
feeds-remedy-access = The site wants a user name and a password.
feeds-remedy-gone = The feed has probably moved or ended. Open the site, look for its feed, and change the address below.
feeds-remedy-wait = Such failures usually pass by themselves. If it stays for days, see whether the site still answers.
feeds-last-answer = Last answer
feeds-answer-good = It answered as it should.
feeds-failing-since = Failing since
feeds-failures = { $count ->
    [one] once
   *[other] { $count } times in a row
}
feeds-next = Next try
feeds-next-never = None is planned.
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
feeds-why-interval = { $count ->
    [one] it is fetched every minute
   *[other] it is fetched every { $count } minutes
}
feeds-why-failure = { $count ->
    [one] it failed once; Lede waits longer each time
   *[other] it failed { $count } times in a row; Lede waits longer each time
}
feeds-why-given-up = { $count ->
    [one] it failed once
   *[other] it failed { $count } times in a row
}
feeds-why-silence = the feed says that nothing new comes before { $time }
feeds-why-server-asks = the server asks not to come back sooner
feeds-why-feed-asks = the feed asks not to come back sooner
feeds-why-timetable = it is one of the times that are set for all feeds
feeds-why-quiet-days = the feed says that nothing new comes for days; it is looked at once a day
feeds-why-server-said = the server said when to come back
feeds-why-fewer = the server asked for fewer requests
feeds-why-gone = its publisher says that it is gone for good
feeds-why-failed = it failed
feeds-why-followed = somebody follows it again
feeds-why-nobody = nobody wants anything new from it
feeds-why-new-plan = its earlier plan no longer holds
feeds-why-new-access = what its server is shown has changed
feeds-why-asked = somebody asked for it now
feeds-why-new = it is new here
feeds-why-moved-here = another feed moved here
feeds-address = Address
feeds-site = Site
feeds-followed-since = Followed since
feeds-refresh = Fetch now
feeds-refreshing = Asking the server …
feeds-resume = Resume
feeds-said-refreshed = { $count ->
    [one] Fetched: one new item.
   *[other] Fetched: { $count } new items.
}
feeds-said-failed = Fetching it failed; see below why.
feeds-said-resumed = It goes on.
feeds-said-address = You follow the feed at the new address now.
feeds-said-access = It works: the feed is read with what you entered.
feeds-said-access-forgotten = Forgotten. The feed is read without it from now on.
feeds-change-address = Change the address …
feeds-change-address-text = Lede follows what is there instead, with the same name, category and settings. Your marks in the old feed go.
feeds-new-address = New address
feeds-change-address-button = Change
feeds-settings = How you follow it
feeds-own-title = Your name for it
feeds-own-title-help = Leave it empty for the publisher’s own.
feeds-interval = Fetched
feeds-interval-help = Not sooner than the server allows.
feeds-interval-usual = { $count ->
    [one] as usual, every minute
   *[other] as usual, every { $count } minutes
}
feeds-interval-auto = as often as it posts
feeds-interval-minutes = { $count ->
    [one] every minute
   *[other] every { $count } minutes
}
feeds-interval-hours = { $count ->
    [one] every hour
   *[other] every { $count } hours
}
feeds-full-text = Fetch whole articles
feeds-full-text-help = Where the feed has only their beginning, Lede reads them on their page.
feeds-notify = Tell me of new items
feeds-notify-help = Your open pages show a note when something comes.
feeds-pause = Pause it
feeds-pause-help = Nothing new comes until you go on; what is here stays.
feeds-access = Access: user name, password …
feeds-access-text = For feeds behind a password. What you enter goes to the feed’s own site and nowhere else. It is kept sealed and is never shown again, and only you can follow the feed here.
feeds-access-yours = Only you can follow this feed here, until you unsubscribe: then it goes, with all its items.
feeds-access-unreadable = What you entered can no longer be read, because the instance’s secret changed. Enter it again.
feeds-access-plain = The address begins with http, not https: whoever is between this Lede and the site can read what you enter.
feeds-access-moved = The feed has moved to { $address }. What you entered is for the old site, so that Lede does not move by itself: change the address below if you trust the new one.
feeds-access-enter = Enter user name and password
feeds-access-username = User name
feeds-access-password = Password
feeds-access-user-agent = User-Agent
feeds-access-user-agent-help = Instead of Lede’s own name, where a site wants another.
feeds-access-cookie = Cookie
feeds-access-cookie-help = As your browser sends it: name=value; name=value
feeds-access-kept = There is one. Leave it empty to keep it.
feeds-access-save = Save and try
feeds-access-forget = Forget all of it
feeds-unsubscribe-text = You no longer follow this feed, and your marks in it go for good. You can follow it again, but they do not come back.
feeds-unsubscribe-stars = { $count ->
    [one] One starred item is lost.
   *[other] { $count } starred items are lost.
}
feeds-unsubscribe-button = Unsubscribe

## Rules
rules-intro = A rule acts on new items as they come. What is here already stays as it is.
rules-new = New rule
rules-edit = Rule
rules-name = Name
rules-which = Which items (all that you fill in must hold)
rules-query = Search words
rules-query-help = As in the search field: sponsored, "two words", title:review, author:ann, -sport
rules-feed = Feed
rules-any-feed = any feed
rules-any-category = any category
rules-what = What happens to them
rules-read = Mark them read
rules-star = Star them
rules-hide = Hide them
rules-hide-help = They are in no list and are not found either.
rules-notify = Tell me of them
rules-label = Give them the label
rules-label-help = One of yours, or the name of a new one; blank for none.
rules-enabled = This rule acts
rules-make = Make the rule
rules-and = {", "}
rules-does-read = marks read
rules-does-star = stars
rules-does-hide = hides
rules-does-notify = tells you
rules-does-label = labels it “{ $name }”
rules-in = in { $name }
rules-off-mark = off
rules-turn-on = Turn on
rules-turn-off = Turn off
rules-delete = Delete the rule …
rules-delete-text = It no longer acts. What it did stays.
rules-delete-button = Delete the rule
rules-matched = { $count ->
    [one] In the last week it would have been about one item.
   *[other] In the last week it would have been about { $count } items.
}
rules-matched-more = In the last week it would have been about { $count } items or more.
rules-no-condition = Say which items the rule is about.
    .action = Fill in search words, or choose a feed or a category.
rules-no-action = Say what happens to the items.
    .action = Tick at least one of the boxes, or name a label.
rules-bad-query = The search words cannot be understood.
    .action = Use words of which at least one must be there; close quotation marks and brackets.
rules-bad-name = A name of 1 to 100 characters is needed.
    .action = Type another name.
rules-gone = That is not here
    .text = It was removed, or it is not yours.
rules-said-added = The rule acts from now on.
rules-said-on = The rule acts again.
rules-said-off = The rule rests.
rules-said-deleted = The rule is gone.
rules-said-search-added = The search is kept.
rules-said-search-deleted = The search is gone.
rules-searches = Saved searches
rules-searches-text = What you look for again and again; they stand beside your feeds with what is unread.
rules-search-keep = Keep the search
rules-search = Saved search
rules-search-delete = Delete the search …
rules-search-delete-text = It no longer stands beside your feeds. What it finds stays.
rules-search-delete-button = Delete the search
