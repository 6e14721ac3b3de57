# Administration.
admin-pages = Pages of administration
admin-overview = Overview
admin-users = People
admin-status = Status
admin-kb = { $count } KB
admin-mb = { $count } MB
admin-gb = { $count } GB
admin-seconds = { $count } s
admin-first-page = To the beginning
admin-next-page = Next page
admin-followers = { $count ->
        [one] { $count } follower
       *[other] { $count } followers
    }

admin-followings = Subscriptions
admin-database = Database
admin-disk = Free on the disk
admin-days = Items by day
admin-days-text = { $count ->
        [one] { $count } item is dated within the last two weeks.
       *[other] { $count } items are dated within the last two weeks.
    }
admin-as-table = As a table
admin-day = Day
admin-items = Items
admin-waiting = Waiting
admin-waiting-feeds = Feeds to fetch
admin-waiting-search = Items to index for search
admin-queue-article = Articles to fetch
admin-queue-icon = Icons to look for
admin-queue-import = Lists to take in
admin-queue-summary = Summaries to make
admin-since = the first since: { $age }
admin-trouble = Feeds in trouble
admin-no-trouble = All feeds answer.
admin-all-trouble = All feeds in trouble
admin-events = What people did last
admin-no-events = Nothing yet.
admin-event-registered = made an account
admin-event-login = signed in
admin-event-feed = followed a feed

admin-you = you
admin-follows = { $count ->
        [one] { $count } feed
       *[other] { $count } feeds
    }
admin-seen = last seen: { $age }
admin-not-seen = not signed in
admin-made = since { $at }
admin-by-provider = signs in through a provider
admin-role-help = Members follow any feed, viewers only feeds that are here, administrators do everything. A change signs the person out.
admin-password-help = At least 12 characters. Tell it to the person, who can change it in the settings.
admin-remove = Remove the account
admin-remove-text = The feeds list, marks and stars of { $email } go at once and for good. Feeds that others follow stay for them.
admin-remove-button = Remove it for good
admin-new = A new account
admin-new-single = In single-user mode there is one account. Remove the setting APP_PASSWORD to have several.
admin-said-added = The account is made.
admin-said-role = The role is changed.
admin-said-password = The password is changed, and the person is signed out everywhere.
admin-said-removed = The account is removed.

admin-feeds = All feeds
    .text = One fetch serves everybody who follows a feed. A disabled one is fetched for nobody.
admin-feeds-search = Title or address
admin-search = Search
admin-feeds-which = Which feeds
admin-feeds-all = All
admin-feeds-active = Well
admin-feeds-trouble = In trouble
admin-feeds-stopped = Given up
admin-feeds-disabled = Disabled
admin-feeds-none = There is no such feed.
admin-feed-active = well
admin-feed-error = failing, tried again
admin-feed-stopped = given up
admin-feed-disabled = disabled
admin-fetched = last fetched: { $age }
admin-next-fetch = next: { $at }
admin-retry = Fetch now
admin-enable = Enable
admin-disable = Disable
admin-said-enabled = It is fetched again.
admin-said-disabled = It is fetched no more.
admin-said-failed = The fetch failed.
admin-said-fetched = { $count ->
        [one] Fetched: { $count } new item.
       *[other] Fetched: { $count } new items.
    }

admin-checks = Health
admin-all-well = All is well: the database answers, work is done in time, and there is room.
admin-disk-low = The disk is nearly full, so nothing new is fetched. Make room; it goes on by itself.
admin-version = Version
admin-schema = schema { $number }
admin-address = Address
admin-room = Room
admin-unused = Unused in it
admin-disk-unknown = Known to the database’s server only
admin-vacuum = Give back unused room
admin-vacuum-text = Everything can be read meanwhile; what is written waits for some seconds.
admin-vacuum-needs = The database is written anew, for which { $size } must be free on the disk.
admin-said-vacuumed = Done: the database is { $size } smaller.
admin-cleanups = Clean-ups
admin-no-cleanups = There was none so far; it comes once a day.
admin-cleanup-at = When
admin-cleanup-removed = Read items removed
admin-cleanup-unread = Unread items removed
admin-cleanup-articles = Articles cleared
admin-cleanup-freed = Freed
admin-cleanup-took = Took
admin-cleanup-notes = Notes
admin-settings = Settings in force
    .text = Set in the environment, .env or lede.toml; a change needs a new start. Secrets are not shown.
admin-setting = Setting
admin-value = Value
admin-origin = From
admin-origin-environment = environment
admin-origin-default = default
