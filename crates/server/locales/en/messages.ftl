# Messages of the model (crates/model/src/message.rs): the key is the group and the code, the variables are the parameters.
# All but warnings, clean-up notes and errors of labels, categories and passwords begin with a small letter: they may stand inside a sentence.
feed-error-bad-address = { $problem }
feed-error-bad-credentials = the user name or password can’t be used: { $problem }
feed-error-private-name = Lede may not connect there: the host name belongs to a private network
feed-error-private-address = Lede may not connect there: the host is not on the public internet
feed-error-closed-port = Lede may not connect there: port { $port } isn’t open for this kind of request
feed-error-bad-target = the site points to an address that can’t be followed: { $problem }
feed-error-too-many-redirects = the site redirected more than { $most } times
feed-error-redirect-to-nowhere = the site redirected without saying where
feed-error-unencrypted = the site redirects to an unencrypted address, and the password for this feed must not go there
feed-error-unknown-host = there is no server by that name
feed-error-no-connection = couldn’t connect to the server
feed-error-certificate-name = no secure connection to the server: its certificate is for another name
feed-error-certificate-time = no secure connection to the server: its certificate has expired or isn’t valid yet
feed-error-certificate-issuer = no secure connection to the server: its certificate comes from an unknown authority
feed-error-no-encryption = no secure connection to the server: it doesn’t support encryption that Lede can use
feed-error-slow-name = looking up the host name took longer than { $seconds } s
feed-error-slow-connection = connecting to the server took longer than { $seconds } s
feed-error-slow-encryption = securing the connection took longer than { $seconds } s
feed-error-slow-answer = the server took longer than { $seconds } s to answer
feed-error-slow-request = the whole request took longer than { $seconds } s
feed-error-slow-body = the server is sending too slowly
feed-error-large-headers = the answer has too many headers, or headers that are too long
feed-error-large-body = the answer is larger than { $bytes } bytes
feed-error-absurd-body = the answer unpacks to an absurd size
feed-error-unexpected-not-modified = the server answered 304 Not Modified without being asked for changes
feed-error-answered = the server answered { $status }
feed-error-truncated = the transfer broke off early
feed-error-bad-packing = the server’s compressed answer couldn’t be unpacked
feed-error-unknown-packing = the server’s answer is compressed in an unknown way ({ $name })
feed-error-not-http = the server’s answer isn’t valid HTTP
feed-error-bot-wall = the site is behind a bot check ({ $name }) that blocks feed readers
feed-error-busy = too many requests to this site are waiting; Lede will try again later
feed-error-empty = the server sent an empty document
feed-error-is-page = the address leads to a web page, not a feed
feed-error-is-json = the address leads to a JSON document, not a feed
feed-error-is-list = the address leads to a subscription list (OPML), not a feed
feed-error-is-xml = the address leads to some other XML document, not a feed
feed-error-is-other = the address leads to something that isn’t a feed
feed-error-bad-json = the JSON document can’t be read: { $reason }
feed-error-page-now = the address leads to a web page, not a feed, and the page links to no feed
feed-error-page-with-feed = the address leads to a web page, not a feed; it links to this feed: { $feed }
feed-error-page-with-feeds = the address leads to a web page, not a feed; it links to these feeds: { $feeds }
feed-error-too-complicated = the document couldn’t be read within { $seconds } s
feed-error-broken = reading the document failed; please report its address
feed-error-no-feed-found = there’s no feed at that address, and the page there doesn’t link to one
feed-error-list-cut = the file ends in the middle; what comes after is missing
feed-error-list-full = { $most ->
    [one] you follow one feed, which is the limit here
   *[other] you follow { $most } feeds, which is the limit here
}
feed-error-not-allowed = your account may follow feeds that are already here, but not add new ones
feed-error-private-to-other = someone here reads this address with their own password, and only they can follow it
feed-error-followed-by-others = other people here follow this address too, so it can’t be read with your password
feed-error-access-unreadable = the password for this feed can’t be read any more, because this server’s secret has changed: enter it again
feed-error-listed-twice = it’s in the list more than once
feed-error-unknown = it failed for a reason that this version of Lede doesn’t know

schedule-reason-every-minutes = it’s fetched { $minutes }
schedule-reason-failure = { $number ->
    [one] it failed once; Lede waits longer each time
   *[other] it failed { $number } times in a row; Lede waits longer each time
}
schedule-reason-failed-times = { $times ->
    [one] it failed once
   *[other] it failed { $times } times in a row
}
schedule-reason-quiet-until = the feed says nothing new will come before { $time }
schedule-reason-server-asks = the server asks us not to come back sooner
schedule-reason-feed-asks = the feed asks us not to come back sooner
schedule-reason-timetable = this is one of the times set for all feeds
schedule-reason-quiet-for-days = the feed says nothing new will come for days; Lede checks once a day
schedule-reason-server-said = the server said when to come back
schedule-reason-fewer-requests = the server asked for fewer requests
schedule-reason-gone = the publisher says it’s gone for good
schedule-reason-failed = it failed
schedule-reason-followed-again = someone is following it again
schedule-reason-nobody-follows = no one is waiting for new items
schedule-reason-new-plan = its earlier schedule no longer applies
schedule-reason-new-access = its user name or password changed
schedule-reason-asked = someone asked for it now
schedule-reason-new = it’s new here
schedule-reason-moved-here = another feed moved here
schedule-reason-unknown = a reason that this version of Lede doesn’t know

address-error-empty = the address is empty
address-error-too-long = the address is longer than 2048 characters
address-error-forbidden-character = the address contains a space, a backslash or a control character
address-error-scheme = only http and https addresses can be followed, not { $scheme }:
address-error-credentials = the address contains a user name or password
address-error-obscure-host = the host is a number in an unusual form; write it as a plain dotted address
address-error-malformed = that isn’t a web address
credentials-error-too-long = what you entered may have at most { $most } characters
credentials-error-control-character = what you entered can’t contain line breaks or control characters
credentials-error-colon = a user name can’t contain a colon

query-error-empty = the search is empty; type what to look for
query-error-no-word = the search has no word in it; type what to look for
query-error-only-exclusions = the search only says what to leave out; add a word, or a filter such as is:unread
query-error-too-long = the search has more than { $most } characters
query-error-too-many-terms = the search has more than { $most } words, phrases and filters
query-error-short-prefix = there must be at least two letters before a *
query-error-incomplete = type what to look for right after “{ $field }:”, without a space
query-error-unknown-state = “is:” must be followed by unread, read or starred
query-error-bad-date = “{ $field }:” must be followed by a date such as 2026, 2026-03 or 2026-03-01
query-error-excluded-date = “{ $field }:” can’t be left out with a minus; use “{ $other }:” instead
query-error-bad-or = OR must be between words or phrases

shortcut-error-unknown = there is no action called “{ $action }”
shortcut-error-not-one-character = the key for “{ $action }” must be a single letter, digit or sign
shortcut-error-begins-places = the key { $key } starts the shortcuts for places, so it can’t be used for “{ $action }”
shortcut-error-clash = the key { $key } is used for both “{ $one }” and “{ $other }”: choose another for one of them

share-target-error-no-name = the service needs a name
share-target-error-long-name = the name of a service can have at most { $most } characters
share-target-error-long-address = the address of a service can have at most { $most } characters
share-target-error-scheme = the address of a service must begin with https://, http:// or mailto:
share-target-error-no-item = the address of a service must contain { $place } where the item’s address goes
share-target-error-unknown-place = { $place } isn’t something that can be filled in; only url and title are
share-target-error-too-early = the item can only be filled in after the server’s name, or after the ? of a mailto: address
share-target-error-unusable = the address of a service can’t be used: { $problem }
share-target-error-no-server = enter the address of your { $name }: it runs on your own server
share-target-error-too-many = you can have { $most } services at most
style-sheet-error-too-long = can be { $most } KiB at most
style-sheet-error-control-character = contains characters that don’t belong in a style sheet

entry-error-unreadable = { $reason }
entry-error-bad-address = { $problem }
entry-error-bad-feed = { $error }
entry-error-bad-service = { $problem }
entry-error-bad-style-sheet = the style sheet { $problem }
entry-error-unknown-look = that text size or line length isn’t available
entry-error-no-name = its name is empty
entry-error-long-name = its name is longer than { $most } characters
entry-error-bad-query = its search can’t be used: { $problem }
entry-error-bad-category-name = the category’s name is empty, too long, or has control characters
entry-error-bad-label-name = the label’s name is empty, too long, or has control characters
entry-error-bad-title = its title is too long, or has control characters
entry-error-bad-depth = categories can be nested one to { $most } levels deep
entry-error-many-categories = you have { $most } categories, which is the limit
entry-error-many-labels = you have { $most } labels, which is the limit
entry-error-many-searches = you have { $most } saved searches, which is the limit
entry-error-many-rules = you have { $most } rules, which is the limit
entry-error-no-category = its category doesn’t exist
entry-error-no-label = its label doesn’t exist
entry-error-no-condition = it doesn’t say which items it applies to
entry-error-no-action = it does nothing
entry-error-not-followed = you don’t follow its feed here
entry-error-bad-key = its key isn’t one that Lede makes
entry-error-bad-text = its text couldn’t be read
entry-error-not-allowed = it isn’t here, and your account may not add new feeds

warning-disk-full = The disk is nearly full ({ $free } MB are free), so nothing can be changed and nothing new is fetched. Lede resumes by itself once there is space.
warning-disk-low = The disk is nearly full ({ $free } MB are free), so nothing new is fetched. Lede resumes by itself once there is space.
warning-stuck = Feeds and articles have been waiting for over an hour. Check that the worker is running, and look at the log.
warning-too-large = The database is { $size } MB, more than MAX_DB_SIZE_MB allows ({ $limit } MB). The next clean-up makes it smaller where it can.
warning-still-too-large = The database is larger than MAX_DB_SIZE_MB allows, and there’s nothing left that may be removed. Raise the limit, or keep items for a shorter time.
warning-no-backup = No backup was made on { $day }: { $error }.
warning-unknown = There’s a warning that this version of Lede doesn’t know.

cleanup-note-removed-for-room = { $items } items read more than { $days } days ago were removed to free up space.
cleanup-note-kept-by-postgres = PostgreSQL keeps the space for new rows; VACUUM FULL returns it to the disk.
cleanup-note-not-smaller = The database wasn’t compacted: { $error }.
cleanup-note-still-too-large = The database is still larger than MAX_DB_SIZE_MB.
cleanup-note-unknown = There’s a note that this version of Lede doesn’t know.

maintenance-error-no-room-to-vacuum = there isn’t enough disk space: { $needed } MB are needed and { $free } MB are free
maintenance-error-in-use = a server may be using the database
maintenance-error-no-room-to-copy = there’s no space for a copy: it needs about { $needed } MB on top of the 200 MB kept free, and { $free } MB are free; free up space, or write it to another disk
maintenance-error-not-writable = { $path } can’t be written ({ $reason }); check the folder and its free disk space
maintenance-error-incomplete = { $table } has { $found } rows after copying instead of { $expected }; nothing was changed
maintenance-error-broken-off = it stopped halfway; the log says why
maintenance-error-not-copied = copying failed ({ $reason }); nothing was changed
maintenance-error-system = { $reason }

label-error-name-length = A label’s name must have 1 to { $most } characters.
label-error-name-character = A label’s name can’t contain control characters.
label-error-name-taken = You already have a label with that name.
label-error-too-many = You have { $most } labels, which is the limit. Delete one you no longer need.
label-error-too-many-on-item = An item can have at most { $most } labels.

category-error-name-length = A category needs a name of 1 to 100 characters.
    .action = Type another name.
category-error-cycle = A category can’t be inside itself or one of its own subcategories.
    .action = Choose another one.
category-error-too-deep = Categories can be nested ten levels deep at most.
    .action = Choose a place higher up.
category-error-name-character = A category’s name can’t contain control characters.
    .action = Type another name.
category-error-name-taken = There’s a category of that name in the same place already.
category-error-too-many = You have { $most } categories, which is the limit.

weak-password-too-short = The password needs at least { $least } characters.
weak-password-too-long = The password can have at most { $most } characters.
weak-password-common = That’s a common word with little added to it; try a few unrelated words instead.
weak-password-pattern = That password is a repeated or counted pattern; try a few unrelated words instead.
weak-password-like-email = That password is based on the e-mail address; try a few unrelated words instead.

opml-error-empty = the file is empty
opml-error-too-large = the file is larger than { $megabytes } MB
opml-error-binary = the file isn’t text, as a subscription list (OPML) is
opml-error-entities = the file declares entities that stand for others or for files, which no list needs
opml-error-feed = the file is a feed, not a subscription list (OPML)
opml-error-json = the file is a JSON document, not a subscription list (OPML)
opml-error-page = the file is a web page, not a subscription list (OPML)
opml-error-other-xml = the file is another kind of XML document, not a subscription list (OPML)
opml-error-other = the file isn’t a subscription list (OPML)
opml-error-too-many-lines = the list has more than { $most } lines; split it into several files
opml-error-too-slow = the file takes too long to read

input-error-missing = this is missing
input-error-repeated = this is given more than once
input-error-empty = this can’t be empty
input-error-too-long = this can have at most { $most } characters
input-error-control-character = this can’t contain control characters
input-error-not-a-number = this must be a whole number
input-error-not-a-flag = this must be true or false
input-error-too-large = this number is too large
input-error-too-small = this number is too small
input-error-out-of-range = this must be between { $least } and { $most }
input-error-wrong-number = between { $least } and { $most } items can be named
input-error-too-far = this must be between 0 and { $most }; use cursors to go further
input-error-none-of = this must be one of { $choices }
input-error-not-with = this can’t be combined with { $other }
input-error-not-a-time = this must be a time such as 2026-05-01T09:30:00Z
input-error-not-an-interval = this must be 30 to 720 minutes in steps of 30, or automatic
input-error-not-a-hash = this must be 64 hexadecimal digits
input-error-foreign-cursor = this cursor isn’t from this list
input-error-newest-only = search results are always newest first
input-error-bad-title = a title can have at most { $most } characters and no control characters
input-error-no-file = choose the file to import
input-error-unknown-action = that can’t be done here
input-error-no-condition = say which items the rule is about
input-error-no-action = choose what the rule does
