# The dashboard: the list of feeds and the latest digest. The English texts of its errors are a contract.
dashboard-bad-filters = Invalid filter parameters
dashboard-bad-query = Invalid query parameters
dashboard-list-failed = Failed to load feeds
dashboard-feed-failed = Failed to load feed
dashboard-feed-gone = Feed not found
dashboard-add-failed = Failed to add feed. Please try again.
dashboard-edit-failed = Failed to update feed
dashboard-delete-failed = Failed to delete feed
dashboard-taken = You have already added this feed
dashboard-exists = A feed with this URL already exists
dashboard-name-missing = Feed name is required
dashboard-name-long = Feed name must be less than 255 characters
dashboard-name-odd = Feed name must not contain control characters
dashboard-url-missing = Feed URL is required
dashboard-url-long = Feed URL must have at most 2048 characters
dashboard-url-credentials = Feed URL must not contain a user name or password
dashboard-url-odd = Invalid URL format. Must start with http:// or https://

dashboard-noscript = This page needs JavaScript. You can manage your feeds without it here:
dashboard-loading = Loading…

dashboard-summary = Latest summary
dashboard-summary-empty = No summary yet. A summary sums up the last 24 hours in your feeds in a few paragraphs.
dashboard-summary-none = Summaries aren’t available on this server yet. Everything new is waiting for you in the reader.
dashboard-summary-generate = Generate summary
dashboard-summary-nothing = No articles found from the last 24 hours
    .action = Add a feed, or come back when something new has arrived.
dashboard-summary-unavailable = AI service is temporarily unavailable
    .action = This server can’t write summaries yet. Everything new is waiting for you in the reader.
dashboard-summary-failed = Failed to generate summary. Please try again later.
    .action = If it keeps happening, your administrator can find the reason in the log.

dashboard-feeds = Your feeds
dashboard-filters = Filter feeds
dashboard-search = Search by name
dashboard-status = Status
dashboard-all = All
dashboard-working = Working
dashboard-pending = Pending
dashboard-error = Error
dashboard-paused = paused by you
dashboard-fetched = last fetched:
dashboard-stopped = Lede has stopped trying. Correct the address, or resume the feed under Feeds.
dashboard-next = Next attempt:
dashboard-total = { $count ->
    [one] { $count } feed
   *[other] { $count } feeds
}
dashboard-pages = Pages
dashboard-page = Page { $page } of { $pages }
dashboard-previous = Previous
dashboard-next-page = Next
dashboard-none = You aren’t following any feeds yet
    .text = Add one above. To find a site’s feed, or to import a list from another reader, go to
dashboard-none-found = No matching feeds
    .text = None of your feeds has that name and status.
dashboard-show-all = Show all feeds

dashboard-add = Add a feed
dashboard-added = Feed added. Fetching it now.
dashboard-name = Name
dashboard-url = Feed URL
dashboard-add-help = The address of the feed itself. It’s fetched in the background; its status shows the result.
dashboard-edit-help = A new address is a different feed: read marks and stars from the old one are lost.
dashboard-delete = Delete this feed?
    .text = You’ll stop following it and lose your read marks and stars in it. Other people who follow it keep it.
    .button = Delete feed
