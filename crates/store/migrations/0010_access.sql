-- Feeds that are read with what one person entered: a password, a cookie, a name for the reader.

-- The one person who may follow it. It stays so when the password is forgotten, because the items that it
-- opened are still there; with the person, or with their following of it, the feed goes.
ALTER TABLE feed ADD COLUMN keeper_id {int} REFERENCES account (id) ON DELETE CASCADE;
-- Sealed for this row and its origin with the instance's secret (core::access).
ALTER TABLE feed ADD COLUMN access {bytes};
CREATE INDEX feed_keeper ON feed (keeper_id) WHERE keeper_id IS NOT NULL;
