-- Items are counted when they come and go and not when somebody asks.

-- The items of a feed, kept by src/tally.rs.
ALTER TABLE feed ADD COLUMN items {int} NOT NULL DEFAULT 0;
UPDATE feed SET items = (SELECT COUNT(*) FROM item i WHERE i.feed_id = feed.id);
