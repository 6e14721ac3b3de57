-- The crawl: who fetches which feed when, and the receipt of the last fetch.

-- Fetched at all; an operator may switch a feed off for everybody.
ALTER TABLE feed ADD COLUMN enabled BOOLEAN NOT NULL DEFAULT TRUE;
-- Fetched although nobody follows it.
ALTER TABLE feed ADD COLUMN polling BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE feed ADD COLUMN failure_policy TEXT NOT NULL DEFAULT 'patient';
ALTER TABLE feed ADD COLUMN failures_in_a_row {int} NOT NULL DEFAULT 0;
ALTER TABLE feed ADD COLUMN failing_since {int};
-- Vibe's word: success, temporary_error, permanent_error, unauthorized. NULL: not fetched yet.
ALTER TABLE feed ADD COLUMN last_fetch_status TEXT;
-- Why the next fetch is when it is, or why there is none, for people.
ALTER TABLE feed ADD COLUMN next_fetch_why TEXT;
-- SHA-256 of the last body: the last filter where servers never answer 304.
ALTER TABLE feed ADD COLUMN body_hash {bytes};
-- Free when in the past. The token grows with each acquisition; results of an older one are void.
ALTER TABLE feed ADD COLUMN lease_until {int} NOT NULL DEFAULT 0;
ALTER TABLE feed ADD COLUMN lease_token {int} NOT NULL DEFAULT 0;
-- A permanent redirect that has not been seen for long enough to be believed.
ALTER TABLE feed ADD COLUMN moving_to TEXT;
ALTER TABLE feed ADD COLUMN moving_since {int};
CREATE INDEX feed_due ON feed (next_fetch_at, id) WHERE next_fetch_at IS NOT NULL;

-- Whether the feed's ids and addresses tell its items apart (model::identity).
ALTER TABLE feed ADD COLUMN guids_unreliable BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE feed ADD COLUMN guid_collisions {int} NOT NULL DEFAULT 0;
ALTER TABLE feed ADD COLUMN allow_duplicate_urls BOOLEAN NOT NULL DEFAULT FALSE;
-- The item's address as it is compared.
ALTER TABLE item ADD COLUMN url_key TEXT;
CREATE INDEX item_feed_url ON item (feed_id, url_key) WHERE url_key IS NOT NULL;
