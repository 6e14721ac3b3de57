-- The user who imported an item that its feed has not listed yet; only that user sees it. NULL for the feed's own
-- items. No foreign key: when the account goes, the item must not become the feed's own, and nobody sees it.
ALTER TABLE item ADD COLUMN owner_id {int};
UPDATE item SET owner_id = COALESCE(
    (SELECT MIN(s.user_id) FROM subscription s
     WHERE s.feed_id = item.feed_id
         AND NOT EXISTS (SELECT 1 FROM mark m WHERE m.user_id = s.user_id AND m.kind = 3
                             AND m.sort_at = item.sort_at AND m.item_id = item.id)), 0)
WHERE length(content_hash) <> 32;
