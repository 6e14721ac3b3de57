-- What is learnt beside and after the crawl: icons, articles, the search index; what removed items
-- leave behind; what a feed asks for.

-- What the feed itself asks for, remembered for the answers that carry no feed (304).
ALTER TABLE feed ADD COLUMN asked_minutes {int};
-- Hours of the day and days of the week (Monday first) in which it says nothing new comes: bits.
ALTER TABLE feed ADD COLUMN skip_hours {int} NOT NULL DEFAULT 0;
ALTER TABLE feed ADD COLUMN skip_days {int} NOT NULL DEFAULT 0;
-- Where it was fetched from before a redirect was believed, for whoever wants that undone.
ALTER TABLE feed ADD COLUMN previous_url TEXT;
-- Where it announces what is new (WebSub).
ALTER TABLE feed ADD COLUMN hub_url TEXT;

-- The site's small picture, as it was fetched and checked.
CREATE TABLE icon (
    feed_id {int} PRIMARY KEY REFERENCES feed (id) ON DELETE CASCADE,
    content_type TEXT NOT NULL,
    bytes {bytes} NOT NULL
);

-- Whether articles are fetched from their pages where the feed has only their beginning.
ALTER TABLE subscription ADD COLUMN full_text BOOLEAN NOT NULL DEFAULT TRUE;

ALTER TABLE item ADD COLUMN language TEXT;
ALTER TABLE item ADD COLUMN image_url TEXT;
-- Files, tags and where it is discussed, as JSON.
ALTER TABLE item_body ADD COLUMN details TEXT;
-- The article from its page, and when that was last tried.
ALTER TABLE item_body ADD COLUMN full_html TEXT;
ALTER TABLE item_body ADD COLUMN full_text_tried_at {int};

-- Items that were removed and must not come back while their feed still lists them.
CREATE TABLE tombstone (
    feed_id {int} NOT NULL REFERENCES feed (id) ON DELETE CASCADE,
    identity_key TEXT NOT NULL,
    url_key TEXT,
    removed_at {int} NOT NULL,
    PRIMARY KEY (feed_id, identity_key)
) {clustered};

-- Work that waits until it is done, whatever is restarted meanwhile. The key is the row that it is
-- about; what a queue's jobs do is known to the code that takes them.
CREATE TABLE job (
    id {id},
    queue TEXT NOT NULL,
    key {int} NOT NULL,
    run_at {int} NOT NULL,
    lease_until {int} NOT NULL DEFAULT 0,
    lease_token {int} NOT NULL DEFAULT 0,
    UNIQUE (queue, key)
);
CREATE INDEX job_due ON job (queue, run_at, id);

-- Items whose text the search index does not have yet, in the order in which they came. An item
-- that changes again is here twice.
CREATE TABLE search_queue (
    id {id},
    item_id {int} NOT NULL
);
{search_table};
