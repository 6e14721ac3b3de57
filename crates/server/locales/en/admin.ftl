# Administration.
admin-pages = Administration pages
admin-overview = Overview
admin-users = People
admin-status = Status
admin-kb = { $count } KB
admin-mb = { $count } MB
admin-gb = { $count } GB
admin-seconds = { $count } s
admin-first-page = Back to the start
admin-next-page = Next page
admin-followers = { $count ->
        [one] { $count } follower
       *[other] { $count } followers
    }

admin-followings = Subscriptions
admin-database = Database
admin-disk = Free disk space
admin-days = Items by day
admin-days-text = { $count ->
        [one] { $count } item in the last two weeks.
       *[other] { $count } items in the last two weeks.
    }
admin-as-table = As a table
admin-day = Day
admin-items = Items
admin-waiting = Waiting
admin-waiting-feeds = Feeds to fetch
admin-waiting-search = Items to index for search
admin-all-jobs = All background jobs
admin-since = oldest: { $age }
admin-trouble = Feeds not working
admin-no-trouble = All feeds are working.
admin-all-trouble = All feeds that aren’t working
admin-events = Recent activity
admin-no-events = Nothing yet.
admin-event-registered = created an account
admin-event-login = signed in
admin-event-feed = started following a feed
admin-event-jobs-retried = retried failed background jobs
admin-event-jobs-dropped = dropped failed background jobs

admin-you = you
admin-follows = { $count ->
        [one] { $count } feed
       *[other] { $count } feeds
    }
admin-seen = last seen: { $age }
admin-not-seen = never signed in
admin-made = joined
admin-by-provider = signs in with a provider
admin-role-help = Members can follow any feed, viewers only feeds already here, and administrators can do everything. Changing a role signs the person out.
admin-password-help = At least 12 characters. Pass it on to the person, who can change it in their settings.
admin-remove = Delete account
admin-remove-text = The feeds, read marks and stars of { $email } are deleted immediately and for good. Feeds that other people follow stay for them.
admin-remove-button = Delete for good
admin-new = New account
admin-new-single = There is only one account in single-user mode. Remove the APP_PASSWORD setting to add more.
admin-done-added = Account created.
admin-done-role = Role changed.
admin-done-password = Password changed. The person has been signed out everywhere.
admin-done-removed = Account deleted.

admin-feeds = All feeds
    .text = Each feed is fetched once for everyone who follows it. A disabled feed isn’t fetched at all.
admin-feeds-search = Title or address
admin-search = Search
admin-feeds-which = Which feeds
admin-feeds-all = All
admin-feeds-active = OK
admin-feeds-trouble = Not working
admin-feeds-stopped = Stopped
admin-feeds-disabled = Disabled
admin-feeds-none = No matching feeds.
admin-feed-active = OK
admin-feed-error = failing, will retry
admin-feed-stopped = stopped
admin-feed-disabled = disabled
admin-fetched = last fetched: { $age }
admin-next-fetch = next:
admin-retry = Fetch now
admin-enable = Enable
admin-disable = Disable
admin-done-enabled = Enabled.
admin-done-disabled = Disabled.
admin-done-failed = Fetching failed.
admin-done-fetched = { $count ->
        [one] Fetched: { $count } new item.
       *[other] Fetched: { $count } new items.
    }

admin-checks = Health
admin-all-well = Everything is fine: the database responds, work is up to date and there is enough disk space.
admin-disk-low = The disk is nearly full, so nothing new is fetched. Fetching resumes by itself once there is space.
admin-version = Version
admin-schema = schema { $number }
admin-address = Address
admin-jobs = Background jobs
    .text = What Lede does by itself after items and feeds are stored. A job that fails is tried again; one that keeps failing is listed here.
admin-jobs-article = Articles to fetch
admin-jobs-icon = Icons to look for
admin-jobs-import = Lists to import
admin-jobs-notification = Notifications to deliver
admin-jobs-removal = Private feeds to remove
admin-jobs-kind = Job
admin-jobs-waiting = Waiting
admin-jobs-oldest = Oldest
admin-jobs-scheduled = Later
admin-jobs-failed = Failed
admin-jobs-none-failed = No job has failed.
admin-jobs-failed-title = Failed jobs
admin-jobs-retry = Retry
admin-jobs-drop = Drop
admin-jobs-retry-all = Retry all { $count }
admin-jobs-drop-all = Drop all { $count }
admin-job-subject = no. { $number }
admin-job-attempts = { $count ->
    [one] one attempt
   *[other] { $count } attempts
}
admin-job-database = The database didn’t respond or refused the change.
admin-job-interrupted = Lede stopped in the middle of every attempt.
admin-job-panicked = Lede ran into a bug; the log says more.
admin-job-rate-limited = The server asked for fewer requests.
admin-job-unreachable = The site didn’t respond, or responded with an error.
admin-done-retried = { $count ->
    [0] There was nothing to retry.
    [one] The job will run again now.
   *[other] { $count } jobs will run again now.
}
admin-done-dropped = { $count ->
    [0] There was nothing to drop.
    [one] Job dropped.
   *[other] { $count } jobs dropped.
}
admin-room = Storage
admin-unused = Unused space
admin-disk-unknown = Only known to the database server
admin-vacuum = Compact database
admin-vacuum-text = You can keep reading meanwhile; changes wait a few seconds.
admin-vacuum-needs = The database is rewritten, which needs { $size } of free disk space.
admin-done-vacuumed = Done: the database is now { $size } smaller.
admin-cleanups = Clean-ups
admin-no-cleanups = None yet; there is one every day.
admin-cleanup-at = When
admin-cleanup-removed = Read items removed
admin-cleanup-unread = Unread items removed
admin-cleanup-articles = Articles cleared
admin-cleanup-freed = Freed
admin-cleanup-took = Duration
admin-cleanup-notes = Notes
admin-settings = Current settings
    .text = Set in the environment, .env or lede.toml; changes take effect after a restart. Secrets aren’t shown.
admin-setting = Setting
admin-value = Value
admin-origin = Source
admin-origin-environment = environment
admin-origin-default = default
