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

dashboard-noscript = This page needs JavaScript. Without it, manage what you follow here:
dashboard-loading = Loading…

dashboard-summary = Latest summary
dashboard-summary-empty = No summary yet. It tells in a few paragraphs what the last 24 hours brought in the feeds you follow.
dashboard-summary-generate = Generate summary
dashboard-summary-nothing = No articles found from the last 24 hours
    .action = Add a feed, or come back when something new has arrived.
dashboard-summary-unavailable = AI service is temporarily unavailable
    .action = Summaries cannot be written here yet. Everything that is new waits for you in the reader.
dashboard-summary-failed = Failed to generate summary. Please try again later.
    .action = If it stays like this, whoever runs this Lede finds the reason in its log.

dashboard-feeds = Your feeds
dashboard-filters = Which feeds
dashboard-search = Search by name
dashboard-status = Status
dashboard-all = All
dashboard-working = Working
dashboard-pending = Pending
dashboard-error = Error
dashboard-paused = paused by you
dashboard-fetched = last fetched:
dashboard-stopped = Lede no longer tries it. Correct its address, or resume it under Feeds.
dashboard-next = Next try:
dashboard-total = { $count ->
    [one] { $count } feed
   *[other] { $count } feeds
}
dashboard-pages = Pages of the list
dashboard-page = Page { $page } of { $pages }
dashboard-previous = Previous
dashboard-next-page = Next
dashboard-none = You follow no feed yet
    .text = Add one above. To look for the feed of a site, or to bring a list from another reader, go to
dashboard-none-found = No feed like that
    .text = None of your feeds has this name and this status.
dashboard-show-all = Show all feeds

dashboard-add = Add a feed
dashboard-added = The feed was added. It is being fetched.
dashboard-name = Name
dashboard-url = Feed URL
dashboard-add-help = The address of the feed itself. It is fetched in the background; its status tells how that went.
dashboard-edit-help = At another address there is another feed: what you read and starred in the old one is forgotten.
dashboard-delete = Delete this feed?
    .text = You no longer follow it, and what you read and starred in it is forgotten. Others who follow it keep it.
    .button = Delete feed
