-- What a person read, the last read first.

-- Rules marked read what had just arrived, with that time. Nobody read it: that it is not unread says enough.
DELETE FROM mark WHERE kind = 2
    AND EXISTS (SELECT 1 FROM item i WHERE i.id = mark.item_id AND i.first_seen_at = mark.at);
CREATE INDEX mark_read ON mark (user_id, at, item_id) WHERE kind = 2;
