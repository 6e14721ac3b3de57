# What is kept in English (model::said): why a feed brought nothing, what is wrong with an address or a
# search, what is wrong with the instance, what a clean-up noted, what a
# take-out could not bring. All but warnings and notes begin small: they may stand inside a sentence.
trouble-private-name = Lede may not connect there: the host name is one of a private network
trouble-private-address = Lede may not connect there: the host is not on the public internet
trouble-closed-port = Lede may not connect there: port { $port } is not open for this kind of request
trouble-bad-target = the site points to an address that cannot be followed: { $problem }
trouble-many-redirects = the site redirected more than { $most } times
trouble-redirect-to-nowhere = the site redirected without saying where to
trouble-unencrypted = the site redirects to an address without encryption, and the password kept for this feed may not go there
trouble-unknown-host = the host name could not be resolved
trouble-no-connection = no connection to the server
trouble-certificate-name = no secure connection to the server: its certificate is for another name
trouble-certificate-time = no secure connection to the server: its certificate is not valid at this time
trouble-certificate-issuer = no secure connection to the server: its certificate was issued by an unknown authority
trouble-no-encryption = no secure connection to the server: the encryption could not be agreed on
trouble-slow-name = resolving the host name took longer than { $seconds } s
trouble-slow-connection = connecting to the server took longer than { $seconds } s
trouble-slow-encryption = securing the connection took longer than { $seconds } s
trouble-slow-answer = waiting for the server's answer took longer than { $seconds } s
trouble-slow-request = the whole request took longer than { $seconds } s
trouble-slow-body = the server sends too slowly
trouble-large-headers = the answer has too many or too long headers
trouble-large-body = the answer is larger than { $bytes } bytes
trouble-absurd-body = the answer unpacks to an absurd size
trouble-not-modified = the server answered 304 Not Modified to a request without a condition
trouble-answered = the server answered { $status }
trouble-truncated = the transfer broke off before the end
trouble-bad-packing = the server's compression could not be undone
trouble-not-http = the server's answer is not valid HTTP
trouble-bot-wall = the site is behind a bot wall ({ $name }) that turns feed readers away
trouble-busy = too many requests to this host are waiting; it will be tried again later
trouble-empty = the server sent an empty document
trouble-is-page = the address leads to a web page, not to a feed
trouble-is-json = the address leads to a JSON document, not to a feed
trouble-is-list = the address leads to a subscription list (OPML), not to a feed
trouble-is-xml = the address leads to an XML document of another kind, not to a feed
trouble-is-other = the address leads to something else, not to a feed
trouble-bad-json = the document is JSON that cannot be read: { $reason }
trouble-page-now = the address is a web page now, not a feed; it links to no feed
trouble-page-with-feed = the address is a web page now, not a feed; it links to this feed: { $feed }
trouble-page-with-feeds = the address is a web page now, not a feed; it links to these feeds: { $feeds }
trouble-complicated = the document could not be read within { $seconds } s
trouble-broken = the document made the reader fail; please report its address
trouble-no-feed-found = there is no feed at that address, and the page there points to none
trouble-list-cut = the file ends in the middle; what comes after is missing
trouble-list-full = { $count ->
    [one] you follow one feed, which is the limit here
   *[other] you follow { $count } feeds, which is the limit here
}
trouble-not-allowed = your account may follow feeds that are known here, but not add new ones
trouble-kept-by-other = this address is read with somebody's password here, and only that person may follow it
trouble-followed-by-others = others follow this address here too, so that it cannot be read with your password
trouble-access-unreadable = the password kept for this feed can no longer be read because the instance's secret changed: enter it again

address-empty = the address is empty
address-long = the address is longer than 2048 characters
address-character = the address contains a blank, a backslash or a control character
address-scheme = only http and https addresses can be followed, not { $scheme }:
address-credentials = the address contains a user name or password
address-obscure = the host is a number in an unusual form; write it as a plain dotted address
address-malformed = that is not a web address
access-too-long = must be at most { $most } characters long
access-control-character = must not contain line breaks or control characters
access-colon = must not contain a colon

query-empty = is empty; say what to look for
query-no-word = has no word in it; say what to look for
query-only-exclusions = only says what to leave out; add a word, or a filter such as is:unread
query-long = has more than { $most } characters
query-many-terms = has more than { $most } words, phrases and filters
query-short-prefix = must have at least two letters before a *
query-incomplete = { $field }: must be followed by what to look for, without a blank
query-unknown-state = is: must be followed by unread, read or starred
query-bad-date = { $field }: must be followed by a date such as 2026, 2026-03 or 2026-03-01
query-excluded-date = { $field }: cannot be left out with a minus; use { $other }: instead
query-bad-or = OR must stand between words or phrases

key-unknown = there is no action called “{ $action }”
key-not-one = the key for “{ $action }” must be a single letter, digit or sign
key-begins-places = the key { $key } begins those of places and cannot be that for “{ $action }”
key-clash = the key { $key } is that for both “{ $one }” and “{ $other }”: give one of them another

service-no-name = the service needs a name
service-long-name = the name of a service has at most { $most } characters
service-long-address = the address of a service has at most { $most } characters
service-scheme = the address of a service must begin with https://, http:// or mailto:
service-no-item = the address of a service must have { $place } where the address of the item goes
service-unknown-place = nothing of an item goes in at { $place }; only its url and its title do
service-early = the item goes into the address of a service only after the server’s name, or after the ? of mailto:
service-unusable = the address of a service cannot be used: { $problem }
service-no-server = say where your { $name } is: it runs on a server of your own
service-many = you can have { $most } services, and no more
style-too-long = can be { $most } KiB at most
style-control-character = has characters that no style sheet has

entry-unreadable = { $reason }
entry-unknown-look = the size or the width of the text is none that can be chosen
entry-no-name = its name is empty
entry-long-name = its name is longer than { $most } characters
entry-bad-query = its query { $problem }
entry-bad-category-name = the category’s name is empty, too long, or has control characters
entry-bad-label-name = the label’s name is empty, too long, or has control characters
entry-bad-title = its title is too long, or has control characters
entry-bad-depth = a category stands one to { $most } levels deep
entry-many-categories = you have { $most } categories, which is the limit
entry-many-labels = you have { $most } labels, which is the limit
entry-many-searches = you keep { $most } searches, which is the limit
entry-many-rules = you have { $most } rules, which is the limit
entry-no-category = its category is not there
entry-no-label = its label is not there
entry-no-condition = it does not say which items it is about
entry-no-action = it does nothing
entry-not-followed = you do not follow its feed here
entry-bad-key = its key is none that Lede makes
entry-bad-text = its text could not be read
entry-not-allowed = it is not here, and your account may not add to what others share

warning-disk-full = The disk is nearly full ({ $free } MB are free), so nothing can be changed and nothing new is fetched. It goes on by itself when there is room.
warning-disk-low = The disk is nearly full ({ $free } MB are free), so nothing new is fetched. It goes on by itself when there is room.
warning-stuck = Feeds and articles have been waiting for over an hour. Look whether the worker runs, and what the log says.
warning-large = The database has { $size } MB, more than MAX_DB_SIZE_MB allows ({ $limit } MB). The next clean-up makes it smaller as far as it may.
warning-still-large = The database is larger than MAX_DB_SIZE_MB allows, and nothing more may be removed. Raise the limit, or keep items for a shorter time.
warning-no-backup = No backup was made on { $day }: { $error }.

note-removed = { $items } items that were read more than { $days } days ago were removed for their room.
note-kept-by-postgres = PostgreSQL keeps their room for new rows; VACUUM FULL gives it to the disk.
note-not-smaller = The database was not made smaller: { $error }.
note-still-large = The database is still larger than MAX_DB_SIZE_MB.

obstacle-room = there is not enough room on the disk: { $needed } MB are needed and { $free } MB are free
obstacle-in-use = a server may be using the database
obstacle-copy = there is no room for a copy: it needs about { $needed } MB beside the 200 MB that are left free, and { $free } MB are free; make room, or write it to another disk
obstacle-file = { $path } cannot be written ({ $reason }); check the folder and the room on its disk
obstacle-incomplete = { $table } has { $found } rows after copying instead of { $expected }; nothing was changed
obstacle-broken-off = it ended in the middle; the log says why
obstacle-not-copied = copying failed ({ $reason }); nothing was changed

label-name-length = A label’s name has 1 to { $most } characters.
label-name-character = A label’s name cannot have control characters.
label-name-taken = You have a label of that name already.
label-too-many = You have { $most } labels, which is the limit. Remove one that you no longer need.
label-many-on-item = An item can have at most { $most } labels.
