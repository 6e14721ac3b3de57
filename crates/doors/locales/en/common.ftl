# Names and things that every page has.
lede = Lede
motto = News that does not bury the lede
to-reader = To the reader
skip = To the content
sections = Sections
section-reader = Reader
section-dashboard = Dashboard
section-feeds = Feeds
section-rules = Rules
section-settings = Settings
section-admin = Administration
failed = That did not work

save = Save
saved = Saved
close = Close
cancel = Cancel
delete = Delete
edit = Edit
add = Add

not-here = There is nothing here
    .text = The address may be mistyped, or what was here is gone.

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
unreachable = Lede cannot be reached. What you typed is still here: check your connection and try again.
offline-page = Lede cannot be reached
    .text = This page needs a connection. What was kept for reading offline can be read without one.
offline-read = Read what was kept
