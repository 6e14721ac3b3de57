-- Some of the feed's items share an id or an address and have extended keys (model::identity), which a
-- fetch has to look up too.
ALTER TABLE feed ADD COLUMN shares_keys BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE feed SET shares_keys = TRUE WHERE id IN (
    SELECT i.feed_id FROM item i WHERE i.identity_key LIKE '%
%' UNION ALL SELECT t.feed_id FROM tombstone t WHERE t.identity_key LIKE '%
%');
