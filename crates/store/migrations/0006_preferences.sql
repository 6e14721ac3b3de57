-- How a person likes the reader: JSON, because only the reader looks into it and all of it is read at once.
ALTER TABLE account ADD COLUMN preferences TEXT NOT NULL DEFAULT '';
