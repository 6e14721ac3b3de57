-- The search index has the words of both texts of an item: its feed's, and its article's where that was fetched.

-- So far an article's words stood in the place of its feed's: those items are put in anew.
INSERT INTO search_queue (item_id) SELECT item_id FROM item_body WHERE full_html IS NOT NULL ORDER BY item_id;
