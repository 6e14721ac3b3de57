-- Labels: a person's own words on items.

CREATE TABLE label (
    id {id},
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- The name in lower case: names that only differ in case are one.
    name_key TEXT NOT NULL,
    created_at {int} NOT NULL,
    UNIQUE (user_id, name_key)
);

-- Its person is the label's, whose row takes these along; it stands here for looking up by item.
CREATE TABLE item_label (
    label_id {int} NOT NULL REFERENCES label (id) ON DELETE CASCADE,
    sort_at {int} NOT NULL,
    item_id {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    user_id {int} NOT NULL,
    at {int} NOT NULL,
    PRIMARY KEY (label_id, sort_at, item_id)
) {clustered};
CREATE INDEX item_label_item ON item_label (item_id, user_id, label_id);

-- The label that a rule gives. Who removes it removes the rules that do nothing else.
ALTER TABLE rule ADD COLUMN label_id {int} REFERENCES label (id) ON DELETE SET NULL;
CREATE INDEX rule_label ON rule (label_id);
