-- Marking everything read is undone by returning to the round that it ended: its rows stay until then.

-- The round that the sweep ended. NULL: it removed rows, which are in its parts.
ALTER TABLE sweep ADD COLUMN round {int};
