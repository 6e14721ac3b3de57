# What is kept in English (model::said): why a feed brought nothing, what is wrong with an address or a
# search, what is wrong with the instance, what a clean-up noted, what a
# take-out could not bring. All but warnings and notes begin small: they may stand inside a sentence.
trouble-private-name = Lede may not connect there: the host name belongs to a private network
trouble-private-address = Lede may not connect there: the host is not on the public internet
trouble-closed-port = Lede may not connect there: port { $port } isn’t open for this kind of request
trouble-bad-target = the site points to an address that can’t be followed: { $problem }
trouble-many-redirects = the site redirected more than { $most } times
trouble-redirect-to-nowhere = the site redirected without saying where
trouble-unencrypted = the site redirects to an unencrypted address, and the password for this feed must not go there
trouble-unknown-host = there is no server by that name
trouble-no-connection = couldn’t connect to the server
trouble-certificate-name = no secure connection to the server: its certificate is for another name
trouble-certificate-time = no secure connection to the server: its certificate has expired or isn’t valid yet
trouble-certificate-issuer = no secure connection to the server: its certificate comes from an unknown authority
trouble-no-encryption = no secure connection to the server: it doesn’t support encryption that Lede can use
trouble-slow-name = looking up the host name took longer than { $seconds } s
trouble-slow-connection = connecting to the server took longer than { $seconds } s
trouble-slow-encryption = securing the connection took longer than { $seconds } s
trouble-slow-answer = the server took longer than { $seconds } s to answer
trouble-slow-request = the whole request took longer than { $seconds } s
trouble-slow-body = the server is sending too slowly
trouble-large-headers = the answer has too many headers, or headers that are too long
trouble-large-body = the answer is larger than { $bytes } bytes
trouble-absurd-body = the answer unpacks to an absurd size
trouble-not-modified = the server answered 304 Not Modified without being asked for changes
trouble-answered = the server answered { $status }
trouble-truncated = the transfer broke off early
trouble-bad-packing = the server’s compressed answer couldn’t be unpacked
trouble-unknown-packing = the server’s answer is compressed in an unknown way ({ $name })
trouble-not-http = the server’s answer isn’t valid HTTP
trouble-bot-wall = the site is behind a bot check ({ $name }) that blocks feed readers
trouble-busy = too many requests to this site are waiting; Lede will try again later
trouble-empty = the server sent an empty document
trouble-is-page = the address leads to a web page, not a feed
trouble-is-json = the address leads to a JSON document, not a feed
trouble-is-list = the address leads to a subscription list (OPML), not a feed
trouble-is-xml = the address leads to some other XML document, not a feed
trouble-is-other = the address leads to something that isn’t a feed
trouble-bad-json = the JSON document can’t be read: { $reason }
trouble-page-now = the address is now a web page, not a feed, and links to no feed
trouble-page-with-feed = the address is now a web page, not a feed; it links to this feed: { $feed }
trouble-page-with-feeds = the address is now a web page, not a feed; it links to these feeds: { $feeds }
trouble-complicated = the document couldn’t be read within { $seconds } s
trouble-broken = reading the document failed; please report its address
trouble-no-feed-found = there’s no feed at that address, and the page there doesn’t link to one
trouble-list-cut = the file ends in the middle; what comes after is missing
trouble-list-full = { $count ->
    [one] you follow one feed, which is the limit here
   *[other] you follow { $count } feeds, which is the limit here
}
trouble-not-allowed = your account may follow feeds that are already here, but not add new ones
trouble-kept-by-other = someone here reads this address with their own password, and only they can follow it
trouble-followed-by-others = other people here follow this address too, so it can’t be read with your password
trouble-access-unreadable = the password for this feed can’t be read any more, because this Lede’s secret has changed: enter it again

address-empty = the address is empty
address-long = the address is longer than 2048 characters
address-character = the address contains a space, a backslash or a control character
address-scheme = only http and https addresses can be followed, not { $scheme }:
address-credentials = the address contains a user name or password
address-obscure = the host is a number in an unusual form; write it as a plain dotted address
address-malformed = that isn’t a web address
access-too-long = what you entered may have at most { $most } characters
access-control-character = what you entered can’t contain line breaks or control characters
access-colon = a user name can’t contain a colon

query-empty = the search is empty; type what to look for
query-no-word = the search has no word in it; type what to look for
query-only-exclusions = the search only says what to leave out; add a word, or a filter such as is:unread
query-long = the search has more than { $most } characters
query-many-terms = the search has more than { $most } words, phrases and filters
query-short-prefix = there must be at least two letters before a *
query-incomplete = type what to look for right after “{ $field }:”, without a space
query-unknown-state = “is:” must be followed by unread, read or starred
query-bad-date = “{ $field }:” must be followed by a date such as 2026, 2026-03 or 2026-03-01
query-excluded-date = “{ $field }:” can’t be left out with a minus; use “{ $other }:” instead
query-bad-or = OR must be between words or phrases

key-unknown = there is no action called “{ $action }”
key-not-one = the key for “{ $action }” must be a single letter, digit or sign
key-begins-places = the key { $key } starts the shortcuts for places, so it can’t be used for “{ $action }”
key-clash = the key { $key } is used for both “{ $one }” and “{ $other }”: choose another for one of them

service-no-name = the service needs a name
service-long-name = the name of a service can have at most { $most } characters
service-long-address = the address of a service can have at most { $most } characters
service-scheme = the address of a service must begin with https://, http:// or mailto:
service-no-item = the address of a service must contain { $place } where the item’s address goes
service-unknown-place = { $place } isn’t something that can be filled in; only url and title are
service-early = the item can only be filled in after the server’s name, or after the ? of a mailto: address
service-unusable = the address of a service can’t be used: { $problem }
service-no-server = enter the address of your { $name }: it runs on your own server
service-many = you can have { $most } services at most
style-too-long = can be { $most } KiB at most
style-control-character = contains characters that don’t belong in a style sheet

entry-unreadable = { $reason }
entry-unknown-look = that text size or line length isn’t available
entry-no-name = its name is empty
entry-long-name = its name is longer than { $most } characters
entry-bad-query = its search can’t be used: { $problem }
entry-bad-category-name = the category’s name is empty, too long, or has control characters
entry-bad-label-name = the label’s name is empty, too long, or has control characters
entry-bad-title = its title is too long, or has control characters
entry-bad-depth = categories can be nested one to { $most } levels deep
entry-many-categories = you have { $most } categories, which is the limit
entry-many-labels = you have { $most } labels, which is the limit
entry-many-searches = you have { $most } saved searches, which is the limit
entry-many-rules = you have { $most } rules, which is the limit
entry-no-category = its category doesn’t exist
entry-no-label = its label doesn’t exist
entry-no-condition = it doesn’t say which items it applies to
entry-no-action = it does nothing
entry-not-followed = you don’t follow its feed here
entry-bad-key = its key isn’t one that Lede makes
entry-bad-text = its text couldn’t be read
entry-not-allowed = it isn’t here, and your account may not add new feeds

warning-disk-full = The disk is nearly full ({ $free } MB are free), so nothing can be changed and nothing new is fetched. Lede resumes by itself once there is space.
warning-disk-low = The disk is nearly full ({ $free } MB are free), so nothing new is fetched. Lede resumes by itself once there is space.
warning-stuck = Feeds and articles have been waiting for over an hour. Check that the worker is running, and look at the log.
warning-large = The database is { $size } MB, more than MAX_DB_SIZE_MB allows ({ $limit } MB). The next clean-up makes it smaller where it can.
warning-still-large = The database is larger than MAX_DB_SIZE_MB allows, and there’s nothing left that may be removed. Raise the limit, or keep items for a shorter time.
warning-no-backup = No backup was made on { $day }: { $error }.

note-removed = { $items } items read more than { $days } days ago were removed to free up space.
note-kept-by-postgres = PostgreSQL keeps the space for new rows; VACUUM FULL returns it to the disk.
note-not-smaller = The database wasn’t compacted: { $error }.
note-still-large = The database is still larger than MAX_DB_SIZE_MB.

obstacle-room = there isn’t enough disk space: { $needed } MB are needed and { $free } MB are free
obstacle-in-use = a server may be using the database
obstacle-copy = there’s no space for a copy: it needs about { $needed } MB on top of the 200 MB kept free, and { $free } MB are free; free up space, or write it to another disk
obstacle-file = { $path } can’t be written ({ $reason }); check the folder and its free disk space
obstacle-incomplete = { $table } has { $found } rows after copying instead of { $expected }; nothing was changed
obstacle-broken-off = it stopped halfway; the log says why
obstacle-not-copied = copying failed ({ $reason }); nothing was changed

label-name-length = A label’s name must have 1 to { $most } characters.
label-name-character = A label’s name can’t contain control characters.
label-name-taken = You already have a label with that name.
label-too-many = You have { $most } labels, which is the limit. Delete one you no longer need.
label-many-on-item = An item can have at most { $most } labels.
