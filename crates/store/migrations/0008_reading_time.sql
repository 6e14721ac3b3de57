-- How long an item takes to read, counted once when its text is stored. NULL: not counted, or nothing to read.
ALTER TABLE item ADD COLUMN reading_minutes {int};
