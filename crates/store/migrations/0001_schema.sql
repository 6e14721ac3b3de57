-- The schema of Lede 0.1.0. Later changes are migrations of their own; a released file never changes.
-- Words in braces differ between the engines and are replaced by src/migrate.rs.

-- Accounts ----------------------------------------------------------------------------------------

-- "user" is a reserved word; columns that reference this table are called user_id all the same.
CREATE TABLE account (
    id {id},
    -- Lower case; 'owner' in single-user mode.
    email TEXT NOT NULL UNIQUE,
    -- argon2id in PHC form. NULL: signs in through a provider only.
    password_hash TEXT,
    role TEXT NOT NULL,
    -- Tokens issued before this time are void: changes of password and role move it.
    tokens_valid_from {int} NOT NULL,
    created_at {int} NOT NULL,
    -- Only unread rows of this round count. Marking everything as read begins the next one; the rows of
    -- the previous one are removed later.
    round {int} NOT NULL DEFAULT 0,
    -- JSON; it is always read as a whole.
    preferences TEXT NOT NULL DEFAULT ''
);

-- Accounts at OpenID providers. Never matched by e-mail address.
CREATE TABLE identity (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    provider TEXT NOT NULL,
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    created_at {int} NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX identity_of_user ON identity (user_id);

-- Only the hash of the cookie's value: a copy of this table opens no session.
CREATE TABLE session (
    id_hash {bytes} PRIMARY KEY,
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    csrf_token TEXT NOT NULL,
    created_at {int} NOT NULL,
    used_at {int} NOT NULL
);
CREATE INDEX session_of_user ON session (user_id);
CREATE INDEX session_used ON session (used_at);

CREATE TABLE revoked_token (
    jti TEXT PRIMARY KEY,
    expires_at {int} NOT NULL
);
CREATE INDEX revoked_token_expires ON revoked_token (expires_at);

-- Sign-ins in progress at a provider: single use, bound to one browser.
CREATE TABLE sign_in_attempt (
    state_hash {bytes} PRIMARY KEY,
    browser_hash {bytes} NOT NULL,
    provider TEXT NOT NULL,
    nonce TEXT NOT NULL,
    pkce_verifier TEXT NOT NULL,
    return_to TEXT NOT NULL,
    -- Set if a signed-in user links a provider to the account.
    user_id {int} REFERENCES account (id) ON DELETE CASCADE,
    expires_at {int} NOT NULL
);
CREATE INDEX sign_in_attempt_expires ON sign_in_attempt (expires_at);

-- Generated passwords for one app each: long and random, so a plain hash suffices.
CREATE TABLE app_password (
    id {id},
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- read or write.
    scope TEXT NOT NULL,
    password_hash {bytes} NOT NULL UNIQUE,
    -- Hash of the key that Fever clients send instead: MD5 of e-mail address and password.
    fever_key_hash {bytes} NOT NULL UNIQUE,
    created_at {int} NOT NULL,
    used_at {int}
);
CREATE INDEX app_password_of_user ON app_password (user_id);

-- Feeds -------------------------------------------------------------------------------------------

-- One row per address, shared by all subscribers and fetched once.
CREATE TABLE feed (
    id {id},
    url TEXT NOT NULL UNIQUE,
    site_url TEXT,
    title TEXT NOT NULL,
    root_domain TEXT NOT NULL,
    created_at {int} NOT NULL,
    -- Number of its items, maintained by src/item_counts.rs.
    items {int} NOT NULL DEFAULT 0,
    -- False if the operator disabled fetching.
    enabled BOOLEAN NOT NULL DEFAULT TRUE,
    -- True if it is fetched without subscribers.
    polling BOOLEAN NOT NULL DEFAULT FALSE,

    -- Result of the last fetch: active, error or stopped.
    status TEXT NOT NULL,
    -- success, temporary_error, permanent_error or unauthorized. NULL: never fetched.
    last_fetch_status TEXT,
    -- JSON of a model::feed_error::FeedError.
    last_error TEXT,
    last_fetched_at {int},
    failure_policy TEXT NOT NULL DEFAULT 'patient',
    failures_in_a_row {int} NOT NULL DEFAULT 0,
    failing_since {int},
    etag TEXT,
    last_modified TEXT,
    -- Version of the cleaning rules and SHA-256 of the last body, for servers that never answer 304.
    body_hash {bytes},

    next_fetch_at {int},
    -- JSON of a model::schedule::ScheduleReason: reason for that time, or for its absence.
    next_fetch_why TEXT,
    -- Free if in the past. Each acquisition increments the token and makes older ones void.
    lease_until {int} NOT NULL DEFAULT 0,
    lease_token {int} NOT NULL DEFAULT 0,
    -- Hints of the publisher, stored for responses without a document (304).
    asked_minutes {int},
    -- Hours of the day and days of the week (from Monday) without news, as bits.
    skip_hours {int} NOT NULL DEFAULT 0,
    skip_days {int} NOT NULL DEFAULT 0,
    -- WebSub hub.
    hub_url TEXT,

    -- A permanent redirect that is not adopted yet.
    moving_to TEXT,
    moving_since {int},
    -- Address before the last adopted redirect.
    previous_url TEXT,

    -- Reliability of ids and addresses (model::identity).
    guids_unreliable BOOLEAN NOT NULL DEFAULT FALSE,
    guid_collisions {int} NOT NULL DEFAULT 0,
    allow_duplicate_urls BOOLEAN NOT NULL DEFAULT FALSE,
    -- True if some items share an id or address and have extended keys, which a fetch has to look up.
    shares_keys BOOLEAN NOT NULL DEFAULT FALSE,

    -- Owner of a private feed, its only possible subscriber. Stays set when the credentials are
    -- discarded, because the items that they gave access to remain.
    owner_id {int} REFERENCES account (id) ON DELETE CASCADE,
    -- Credentials, encrypted for this row and its origin (core::access).
    access {bytes}
);
CREATE INDEX feed_due ON feed (next_fetch_at, id) WHERE next_fetch_at IS NOT NULL;
CREATE INDEX feed_owner ON feed (owner_id) WHERE owner_id IS NOT NULL;

CREATE TABLE icon (
    feed_id {int} PRIMARY KEY REFERENCES feed (id) ON DELETE CASCADE,
    content_type TEXT NOT NULL,
    bytes {bytes} NOT NULL
);

-- Subscriptions -----------------------------------------------------------------------------------

CREATE TABLE category (
    id {id},
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- NULL: top level.
    parent_id {int} REFERENCES category (id) ON DELETE SET NULL,
    -- Among siblings; equal positions sort by name.
    position {int} NOT NULL,
    created_at {int} NOT NULL
);
CREATE INDEX category_of_user ON category (user_id);
CREATE INDEX category_parent ON category (parent_id);

CREATE TABLE subscription (
    id {id},
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    feed_id {int} NOT NULL REFERENCES feed (id) ON DELETE CASCADE,
    -- The user's title. NULL: the publisher's.
    title TEXT,
    -- 0 adapts to the feed; NULL is the default.
    interval_minutes {int},
    created_at {int} NOT NULL,
    -- True to fetch articles from their pages if the feed has only their beginning.
    full_text BOOLEAN NOT NULL DEFAULT TRUE,
    -- The text that the user chose to read: true for articles, false for the feed's. NULL: not chosen.
    prefers_full BOOLEAN,
    category_id {int} REFERENCES category (id) ON DELETE SET NULL,
    -- Within the category; equal positions sort by title.
    position {int} NOT NULL DEFAULT 0,
    -- True to notify the user of new items.
    notify BOOLEAN NOT NULL DEFAULT FALSE,
    -- NULL: not paused.
    paused_at {int},
    -- Number of unread items, maintained by src/unread.rs.
    unread {int} NOT NULL DEFAULT 0,
    UNIQUE (user_id, feed_id)
);
-- With the title, so that lists need not look the row up.
CREATE INDEX subscription_feed ON subscription (feed_id, user_id, title);
CREATE INDEX subscription_category ON subscription (category_id);

-- Items -------------------------------------------------------------------------------------------

-- Narrow: the columns of lists. The text is in item_body and read when an item is opened.
CREATE TABLE item (
    id {id},
    feed_id {int} NOT NULL REFERENCES feed (id) ON DELETE CASCADE,
    identity_key TEXT NOT NULL,
    -- The address in the form that is compared.
    url_key TEXT,
    url TEXT,
    title TEXT NOT NULL,
    author TEXT,
    excerpt TEXT NOT NULL,
    lede TEXT NOT NULL,
    language TEXT,
    image_url TEXT,
    -- NULL: nothing to read.
    reading_minutes {int},
    published_at {int},
    first_seen_at {int} NOT NULL,
    sort_at {int} NOT NULL,
    -- Time of the last change of the content. NULL: never, by which an upsert detects a new row.
    updated_at {int},
    content_hash {bytes} NOT NULL,
    -- feed, import, manual or scraper (model::item::ItemOrigin).
    origin TEXT NOT NULL DEFAULT 'feed',
    -- The user who imported an item that its feed has not listed yet; only that user sees it. NULL for
    -- items of the feed. Not a foreign key: without the account, the item must not become the feed's.
    owner_id {int},
    UNIQUE (feed_id, identity_key)
);
CREATE INDEX item_feed_sort ON item (feed_id, sort_at, id);
CREATE INDEX item_sort ON item (sort_at, id);
CREATE INDEX item_feed_url ON item (feed_id, url_key) WHERE url_key IS NOT NULL;

CREATE TABLE item_body (
    item_id {int} PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE,
    html TEXT NOT NULL,
    policy_version {int} NOT NULL,
    -- Enclosures, tags and the comments page, as JSON.
    details TEXT,
    -- The article from its page, and the time of the last attempt to fetch it.
    full_html TEXT,
    -- True if the article is the feed's text and more of it, and is shown unless the user chose otherwise.
    full_is_default BOOLEAN NOT NULL DEFAULT FALSE,
    full_text_tried_at {int}
);
-- For the clean-up of articles.
CREATE INDEX item_body_article ON item_body (item_id) WHERE full_html IS NOT NULL;

-- Removed items, which must not come back while their feed still lists them.
CREATE TABLE tombstone (
    feed_id {int} NOT NULL REFERENCES feed (id) ON DELETE CASCADE,
    identity_key TEXT NOT NULL,
    url_key TEXT,
    removed_at {int} NOT NULL,
    PRIMARY KEY (feed_id, identity_key)
) {clustered};

-- Unread is a row, read is its absence: the most frequent query reads only what it returns.
CREATE TABLE unread (
    user_id {int} NOT NULL {unread_account},
    feed_id {int} NOT NULL,
    sort_at {int} NOT NULL,
    item_id {int} NOT NULL {unread_item},
    round {int} NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, round, feed_id, sort_at, item_id)
) {clustered};
CREATE INDEX unread_user_sort ON unread (user_id, round, sort_at, item_id);
CREATE INDEX unread_item ON unread (item_id);
{unread_triggers};

-- kind: model::mark::MarkKind.
CREATE TABLE mark (
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    kind {int} NOT NULL,
    sort_at {int} NOT NULL,
    item_id {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    at {int} NOT NULL,
    PRIMARY KEY (user_id, kind, sort_at, item_id)
) {clustered};
CREATE INDEX mark_item ON mark (item_id, user_id, kind);
CREATE INDEX mark_read ON mark (user_id, at, item_id) WHERE kind = 2;

-- Bulk marks, stored for a while so that they can be undone.
CREATE TABLE bulk_mark (
    id {id},
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    marked_at {int} NOT NULL,
    -- The round that it ended. NULL: it removed unread rows, which are in its parts.
    round {int}
);
CREATE INDEX bulk_mark_of_user ON bulk_mark (user_id);
CREATE INDEX bulk_mark_age ON bulk_mark (marked_at);
CREATE TABLE bulk_mark_part (
    id {id},
    bulk_mark_id {int} NOT NULL REFERENCES bulk_mark (id) ON DELETE CASCADE,
    -- The removed unread rows, packed.
    items {bytes} NOT NULL
);
CREATE INDEX bulk_mark_part_of ON bulk_mark_part (bulk_mark_id, id);

CREATE TABLE label (
    id {id},
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- The name in lower case: names that differ only in case are equal.
    name_key TEXT NOT NULL,
    created_at {int} NOT NULL,
    UNIQUE (user_id, name_key)
);
-- user_id is the label's and only here for the index.
CREATE TABLE item_label (
    label_id {int} NOT NULL REFERENCES label (id) ON DELETE CASCADE,
    sort_at {int} NOT NULL,
    item_id {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    user_id {int} NOT NULL,
    at {int} NOT NULL,
    PRIMARY KEY (label_id, sort_at, item_id)
) {clustered};
CREATE INDEX item_label_item ON item_label (item_id, user_id, label_id);

-- Search and rules --------------------------------------------------------------------------------

-- Items that are not in the search index yet, in order of arrival. An item that changes again is here
-- twice.
CREATE TABLE search_queue (
    id {id},
    item_id {int} NOT NULL
);
{search_table};

CREATE TABLE saved_search (
    id {id},
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    query TEXT NOT NULL,
    position {int} NOT NULL,
    created_at {int} NOT NULL
);
CREATE INDEX saved_search_of_user ON saved_search (user_id);

-- Actions on new items that match all conditions that are not NULL.
CREATE TABLE rule (
    id {id},
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    enabled BOOLEAN NOT NULL,
    query TEXT,
    feed_id {int} REFERENCES feed (id) ON DELETE CASCADE,
    category_id {int} REFERENCES category (id) ON DELETE CASCADE,
    mark_read BOOLEAN NOT NULL,
    star BOOLEAN NOT NULL,
    hide BOOLEAN NOT NULL,
    notify BOOLEAN NOT NULL,
    created_at {int} NOT NULL,
    -- Label to add. Removing it removes the rules that do nothing else.
    label_id {int} REFERENCES label (id) ON DELETE SET NULL
);
CREATE INDEX rule_of_user ON rule (user_id);
CREATE INDEX rule_feed ON rule (feed_id);
CREATE INDEX rule_category ON rule (category_id);
CREATE INDEX rule_label ON rule (label_id);

-- The outbox (src/notifications.rs).
CREATE TABLE notification (
    id {id},
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    -- model::notification::Channel.
    channel {int} NOT NULL,
    -- The subject. A later kind of subject gets a column of its own, because a foreign key removes
    -- the notification with it.
    item_id {int} REFERENCES item (id) ON DELETE CASCADE,
    -- NULL: the subscription asks for all items, or the rule was deleted.
    rule_id {int} REFERENCES rule (id) ON DELETE SET NULL,
    -- False if a rule also marked the item read.
    item_was_unread BOOLEAN NOT NULL,
    -- model::notification::DeliveryState.
    state {int} NOT NULL,
    -- Attempts to deliver it.
    attempts {int} NOT NULL DEFAULT 0,
    created_at {int} NOT NULL,
    delivered_at {int},
    -- Set when the user reads the notification itself. Reading its item counts as well.
    read_at {int},
    UNIQUE (user_id, channel, item_id)
);
CREATE INDEX notification_of_user ON notification (user_id, channel, id);
CREATE INDEX notification_item ON notification (item_id);
CREATE INDEX notification_rule ON notification (rule_id) WHERE rule_id IS NOT NULL;
CREATE INDEX notification_age ON notification (created_at);

-- Imports -----------------------------------------------------------------------------------------

CREATE TABLE import (
    id {id},
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    created_at {int} NOT NULL,
    -- NULL: in progress.
    finished_at {int}
);
CREATE INDEX import_of_user ON import (user_id);
CREATE TABLE import_entry (
    import_id {int} NOT NULL REFERENCES import (id) ON DELETE CASCADE,
    place {int} NOT NULL,
    url TEXT NOT NULL,
    title TEXT,
    -- JSON: site, category and settings.
    details TEXT NOT NULL,
    -- added, existing or failed. NULL: pending.
    outcome TEXT,
    -- JSON of a model::feed_error::FeedError.
    reason TEXT,
    PRIMARY KEY (import_id, place)
) {clustered};

-- Imported marks of items that their feeds have not delivered yet (src/pending_marks.rs).
CREATE TABLE mark_import (
    id {id},
    subscription_id {int} NOT NULL UNIQUE REFERENCES subscription (id) ON DELETE CASCADE,
    -- Time of the export: older items were known then. 0 once the feed has delivered items.
    exported_at {int} NOT NULL,
    imported_at {int} NOT NULL
);
CREATE INDEX mark_import_age ON mark_import (imported_at);
CREATE TABLE pending_mark (
    mark_import_id {int} NOT NULL REFERENCES mark_import (id) ON DELETE CASCADE,
    identity_key TEXT NOT NULL,
    is_read BOOLEAN NOT NULL,
    read_at {int},
    is_hidden BOOLEAN NOT NULL,
    PRIMARY KEY (mark_import_id, identity_key)
) {clustered};

-- Jobs and operation ------------------------------------------------------------------------------

-- One job per kind and subject; `key` is the id of the subject's row.
CREATE TABLE job (
    id {id},
    kind TEXT NOT NULL,
    key {int} NOT NULL,
    -- JSON; NULL for kinds whose key says everything.
    payload TEXT,
    -- 0 low, 1 normal, 2 high.
    priority {int} NOT NULL DEFAULT 1,
    -- Not claimed before this time.
    run_after {int} NOT NULL,
    -- Claims since the last success; an attempt that a pause or a shutdown interrupts does not count.
    attempts {int} NOT NULL DEFAULT 0,
    -- Code of the last failed attempt (model::job::JobError).
    last_error TEXT,
    -- NULL: it is still tried.
    failed_at {int},
    -- True if it was enqueued again while a worker had it: it runs once more instead of being deleted.
    requeued BOOLEAN NOT NULL DEFAULT FALSE,
    lease_until {int} NOT NULL DEFAULT 0,
    lease_token {int} NOT NULL DEFAULT 0,
    created_at {int} NOT NULL DEFAULT 0,
    UNIQUE (kind, key)
);
CREATE INDEX job_due ON job (kind, priority, run_after, id) WHERE failed_at IS NULL;
CREATE INDEX job_failed ON job (failed_at, id) WHERE failed_at IS NOT NULL;

-- Values that the instance stores about itself.
CREATE TABLE setting (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE cleanup_log (
    id {id},
    executed_at {int} NOT NULL,
    posts_removed {int} NOT NULL,
    full_content_cleared {int} NOT NULL,
    unread_removed {int} NOT NULL,
    bytes_freed {int} NOT NULL,
    duration_ms {int} NOT NULL,
    -- JSON of model::warning::CleanupNote.
    notes TEXT NOT NULL
);

-- The audit log: user_registered, user_login, feed_added and so on.
CREATE TABLE event (
    id {id},
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    event_type TEXT NOT NULL,
    -- JSON.
    metadata TEXT,
    created_at {int} NOT NULL
);
CREATE INDEX event_of_user ON event (user_id);
CREATE INDEX event_age ON event (created_at);
