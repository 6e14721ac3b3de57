# The reading view.
feed-gone = That feed is not here
    .text = It was removed, or it is not among the feeds you follow.
category-gone = That category is not here
    .text = It was removed. The feeds that were in it are still there.
item-gone = That item is not here
    .text = It was removed, or it is not among the feeds you follow.

account-of = Settings and account of { $name }
theme-system = Theme: as the system
search = Search

tree = Feeds
tree-add = Add
tree-manage = Manage feeds
tree-all = All items
tree-starred = Starred
tree-history = History
tree-searches = Searches
tree-feeds = Feeds
tree-fold = Feeds of { $name }
tree-trouble = Trouble: { $trouble }
tree-in-trouble = in trouble
unread-word = unread

list = Items
list-search = Search: { $text }
list-more = More items
tabs = Which items
tab-unread = Unread
tab-all = All
tab-starred = Starred
order-newest = Newest first
order-oldest = Oldest first
density = Room for each item: list, cards or titles
feed-settings = About this feed
mark-all = Mark all read
search-keep = Keep this search
row-unread = Unread:
row-starred = starred
row-read = Read
date-estimated = estimated: the feed gives no date
unread-removed =
    { $count ->
        [one] One unread item was too old and removed by the last clean-up. Star what you want to keep.
       *[other] { $count } unread items were too old and removed by the last clean-up. Star what you want to keep.
    }

empty-no-feeds = What do you like to read?
    .text = Type the address of a newspaper, a blog or any other site. Lede looks for its feed and brings you what is new.
empty-import = Or bring your feeds from another reader (OPML)
starters = Or begin with a few that many people read
starters-follow = Follow these
empty-on-the-way = Your feeds are being fetched
    .text = What they have appears here in a moment.
add-address = Address of a site or feed
add-placeholder = news.example.org
add-find = Find its feed
empty-unread = All read
    .text = There is nothing unread here.
empty-show-all = Show all items
empty-starred = No stars yet
    .text = Star an item to keep it: starred items are never removed.
empty-read = Nothing read yet
    .text = What you open is listed here, the last read first.
empty-show-unread = Show what is unread
empty-all = Nothing here yet
    .text = New items appear here as they come.
empty-found = Nothing found
    .text = Try fewer or other words, or the beginning of a word with an asterisk: econom*
empty-older = That was all
    .text = There is nothing older here.
empty-newest = Back to the newest

article = Article
pane-empty = Choose an item, or press j.
article-back = Back
reading-time = { $count } min read
star = Star
mark-unread = Mark unread
original = Original
share = Share
files = Files
megabytes = { $size } MB
comments = Comments
steps = Next and previous item
previous = Previous
next = Next
no-text = The feed carries no text for this item.
no-text-original = Open the original to read it.
whole-fetch = Fetch the whole article
whole-fetching = Fetching the whole article…
whole-not-found = Nothing more could be read on the item’s page.

keys-title = Keyboard
keys-next = next, previous item
keys-next-unread = next, previous unread item
keys-open = open or close the item
keys-read = read or unread
keys-star = star
keys-original = open the original
keys-new = show what has come
keys-all-read = mark all read (can be undone)
keys-undo = undo
keys-search = search
keys-views = all, unread, starred, history
keys-places = dashboard, feeds
keys-feeds = next, previous feed with something unread
keys-add = add a feed
keys-density = list, cards, titles
keys-theme = light or dark
keys-tree = hide, show the feeds
keys-move = move the chosen feed or category
keys-refresh = fetch this feed now
keys-help = this help
keys-back = back
