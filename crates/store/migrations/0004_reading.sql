-- Reading: how people sort, search, filter, keep and take away what they follow; how the house is kept.

-- A person's tree of categories.
CREATE TABLE category (
    id {id},
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- NULL: at the top.
    parent_id {int} REFERENCES category (id) ON DELETE SET NULL,
    -- Among those with the same parent; the name decides between equals.
    position {int} NOT NULL,
    created_at {int} NOT NULL
);
CREATE INDEX category_of_user ON category (user_id);
CREATE INDEX category_parent ON category (parent_id);

ALTER TABLE subscription ADD COLUMN category_id {int} REFERENCES category (id) ON DELETE SET NULL;
-- Among those of the same category; the title decides between equals.
ALTER TABLE subscription ADD COLUMN position {int} NOT NULL DEFAULT 0;
-- Whether the person is told of what is new in it.
ALTER TABLE subscription ADD COLUMN notify BOOLEAN NOT NULL DEFAULT FALSE;
-- Since when nothing new is wanted from it. NULL: it is followed.
ALTER TABLE subscription ADD COLUMN paused_at {int};
-- With the title, which lists show: they need not look the row up.
DROP INDEX subscription_feed;
CREATE INDEX subscription_feed ON subscription (feed_id, user_id, title);
CREATE INDEX subscription_category ON subscription (category_id);

-- Questions that are asked again and again.
CREATE TABLE saved_search (
    id {id},
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    query TEXT NOT NULL,
    position {int} NOT NULL,
    created_at {int} NOT NULL
);
CREATE INDEX saved_search_of_user ON saved_search (user_id);

-- What happens to a person's new items that match: all conditions that are not NULL.
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
    created_at {int} NOT NULL
);
CREATE INDEX rule_of_user ON rule (user_id);
CREATE INDEX rule_feed ON rule (feed_id);
CREATE INDEX rule_category ON rule (category_id);

{unread_table};

-- mark.kind: 1 starred, 2 read (and when), 3 hidden by a rule.

-- What somebody wants to be told of, until it is delivered.
CREATE TABLE notice (
    id {id},
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    item_id {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    created_at {int} NOT NULL,
    UNIQUE (user_id, item_id)
);
CREATE INDEX notice_item ON notice (item_id);

-- Many items that were marked read at once, kept for a while so that it can be undone.
CREATE TABLE sweep (
    id {id},
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    swept_at {int} NOT NULL
);
CREATE INDEX sweep_of_user ON sweep (user_id);
CREATE INDEX sweep_age ON sweep (swept_at);
-- The unread rows that a sweep removed, packed.
CREATE TABLE sweep_part (
    id {id},
    sweep_id {int} NOT NULL REFERENCES sweep (id) ON DELETE CASCADE,
    items {bytes} NOT NULL
);
CREATE INDEX sweep_part_of ON sweep_part (sweep_id, id);

-- A subscription list that is being taken in, and what became of each of its entries.
CREATE TABLE import (
    id {id},
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    created_at {int} NOT NULL,
    -- NULL: not all entries have been worked on.
    finished_at {int}
);
CREATE INDEX import_of_user ON import (user_id);
CREATE TABLE import_entry (
    import_id {int} NOT NULL REFERENCES import (id) ON DELETE CASCADE,
    place {int} NOT NULL,
    url TEXT NOT NULL,
    title TEXT,
    -- JSON: its site, the category that it goes to, and its settings.
    details TEXT NOT NULL,
    -- added, existing or failed. NULL: not worked on yet.
    outcome TEXT,
    reason TEXT,
    PRIMARY KEY (import_id, place)
) {clustered};

-- Removing an item must not make SQLite rewrite its search index: the clean-up does that, in small steps.
{search_patience};

-- Which items have an article of their own: the clean-up walks these and no others.
CREATE INDEX item_body_article ON item_body (item_id) WHERE full_html IS NOT NULL;

-- One line for each time that old items were removed.
CREATE TABLE cleanup_log (
    id {id},
    executed_at {int} NOT NULL,
    posts_removed {int} NOT NULL,
    full_content_cleared {int} NOT NULL,
    summaries_cleared {int} NOT NULL,
    unread_removed {int} NOT NULL,
    bytes_freed {int} NOT NULL,
    duration_ms {int} NOT NULL,
    notes TEXT NOT NULL
);

-- What people did, for whoever runs the instance: user_registered, user_login, feed_added,
-- summary_generated.
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

-- Passwords for one app each, made by us: long and random, so a plain hash keeps them.
CREATE TABLE app_password (
    id {id},
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- read or write.
    scope TEXT NOT NULL,
    password_hash {bytes} NOT NULL UNIQUE,
    -- Of what Fever clients send instead of the password: MD5 of address and password.
    fever_key_hash {bytes} NOT NULL UNIQUE,
    created_at {int} NOT NULL,
    used_at {int}
);
CREATE INDEX app_password_of_user ON app_password (user_id);
