-- A take-out is brought in before its feeds have been fetched: what it says of items that are not here waits
-- for them (src/awaited.rs).

-- A following that waits.
CREATE TABLE awaiting (
    id {id},
    subscription_id {int} NOT NULL UNIQUE REFERENCES subscription (id) ON DELETE CASCADE,
    -- When the take-out was written: what is dated before was no news then. 0 once the feed has brought something.
    exported_at {int} NOT NULL,
    kept_at {int} NOT NULL
);
CREATE INDEX awaiting_age ON awaiting (kept_at);
CREATE TABLE awaited_mark (
    awaiting_id {int} NOT NULL REFERENCES awaiting (id) ON DELETE CASCADE,
    identity_key TEXT NOT NULL,
    is_read BOOLEAN NOT NULL,
    read_at {int},
    is_hidden BOOLEAN NOT NULL,
    PRIMARY KEY (awaiting_id, identity_key)
) {clustered};
