# Names and things that every page has.
lede = Lede
motto = News that doesn’t bury the lede
to-reader = Go to reader
skip = Skip to content
sections = Sections
section-reader = Reader
section-dashboard = Dashboard
section-feeds = Feeds
section-rules = Rules
section-settings = Settings
section-admin = Administration
failed = Something went wrong

save = Save
saved = Saved
close = Close
cancel = Cancel
delete = Delete
edit = Edit
add = Add

not-here = Page not found
    .text = The address may be mistyped, or the page may have been removed.

age-now = now
age-minutes = { $count } min
age-hours = { $count } h
age-days = { $count } d
ago-now = just now
ago-minutes = { $count } min ago
ago-hours = { $count } h ago
ago-days = { $count } d ago
date-months = January February March April May June July August September October November December
date-months-short = Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec
date-day = { $day } { $month }
date-day-year = { $day } { $month } { $year }
date-exact = { $day } { $month } { $year }, { $time } UTC
try-again = Try again
unreachable = Can’t reach Lede. What you typed is still here: check your connection and try again.
offline-page = Can’t reach Lede
    .text = This page needs a connection. Items saved for offline reading are still available.
offline-read = Read saved items

bell = Notifications
bell-read-all = Mark all read
bell-failed = Couldn’t load your notifications. Close this list and open it again.
bell-empty = No notifications
    .text = Turn them on in the settings of a feed, or for the items that a rule matches.
browser-notifications-allow = Allow notifications in this browser
browser-notifications-granted = This browser shows your notifications while Lede is open in a tab.
browser-notifications-denied = This browser blocks notifications from Lede. Allow them in its settings for this site, then load this page again.
browser-notifications-unsupported = This browser can’t show notifications here. They need a browser that supports them, and an address with https.
