-- Unread items are counted when they change and not when somebody asks.

-- The unread items of a person in a feed, kept by src/unread.rs.
ALTER TABLE subscription ADD COLUMN unread {int} NOT NULL DEFAULT 0;
-- Only unread rows of this round count. Whoever marks everything read begins the next one; the rows of the
-- one before are removed later, when nobody waits for it.
ALTER TABLE account ADD COLUMN round {int} NOT NULL DEFAULT 0;
{unread_rounds};
UPDATE subscription SET unread = (SELECT COUNT(*) FROM unread u
    WHERE u.user_id = subscription.user_id AND u.feed_id = subscription.feed_id);
