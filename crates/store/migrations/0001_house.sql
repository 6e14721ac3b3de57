-- The house: people, their sign-in, feeds, items and what people did with them.
-- Words in braces are spelled per engine by src/migrate.rs.

-- "user" is a reserved word; columns that point here are called user_id all the same.
CREATE TABLE account (
    id {id},
    -- Lower case; 'owner' in single-user mode.
    email TEXT NOT NULL UNIQUE,
    -- argon2id in PHC form. NULL: signs in through a provider only.
    password_hash TEXT,
    role TEXT NOT NULL,
    -- Tokens issued before this are void: password and role changes move it.
    tokens_valid_from {int} NOT NULL,
    created_at {int} NOT NULL
);

-- Who somebody is elsewhere (OpenID Connect). Never matched by e-mail.
CREATE TABLE identity (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    provider TEXT NOT NULL,
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    created_at {int} NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX identity_of_user ON identity (user_id);

-- Only the hash of the cookie's value: a copy of this table opens no session.
CREATE TABLE session (
    id_hash {bytes} PRIMARY KEY,
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    csrf_token TEXT NOT NULL,
    created_at {int} NOT NULL,
    used_at {int} NOT NULL
);
CREATE INDEX session_of_user ON session (user_id);
CREATE INDEX session_used ON session (used_at);

CREATE TABLE revoked_token (
    jti TEXT PRIMARY KEY,
    expires_at {int} NOT NULL
);
CREATE INDEX revoked_token_expires ON revoked_token (expires_at);

-- A sign-in that is under way at a provider: single use, bound to one browser.
CREATE TABLE sign_in_attempt (
    state_hash {bytes} PRIMARY KEY,
    browser_hash {bytes} NOT NULL,
    provider TEXT NOT NULL,
    nonce TEXT NOT NULL,
    pkce_verifier TEXT NOT NULL,
    return_to TEXT NOT NULL,
    -- Set when somebody who is signed in links a provider to the account.
    user_id {int} REFERENCES account (id) ON DELETE CASCADE,
    expires_at {int} NOT NULL
);
CREATE INDEX sign_in_attempt_expires ON sign_in_attempt (expires_at);

-- One row per address, shared by everybody who follows it and fetched once.
CREATE TABLE feed (
    id {id},
    url TEXT NOT NULL UNIQUE,
    site_url TEXT,
    title TEXT NOT NULL,
    root_domain TEXT NOT NULL,
    etag TEXT,
    last_modified TEXT,
    status TEXT NOT NULL,
    last_error TEXT,
    last_fetched_at {int},
    next_fetch_at {int},
    created_at {int} NOT NULL
);

CREATE TABLE subscription (
    id {id},
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    feed_id {int} NOT NULL REFERENCES feed (id) ON DELETE CASCADE,
    title TEXT,
    interval_minutes {int},
    created_at {int} NOT NULL,
    UNIQUE (user_id, feed_id)
);
CREATE INDEX subscription_feed ON subscription (feed_id, user_id);

-- Narrow: what lists show. The text lies in item_body and is read when an item is opened.
CREATE TABLE item (
    id {id},
    feed_id {int} NOT NULL REFERENCES feed (id) ON DELETE CASCADE,
    identity_key TEXT NOT NULL,
    url TEXT,
    title TEXT NOT NULL,
    author TEXT,
    excerpt TEXT NOT NULL,
    lede TEXT NOT NULL,
    published_at {int},
    first_seen_at {int} NOT NULL,
    sort_at {int} NOT NULL,
    -- When its content last changed. NULL: never, which is how an upsert knows a new row.
    updated_at {int},
    content_hash {bytes} NOT NULL,
    UNIQUE (feed_id, identity_key)
);
CREATE INDEX item_feed_sort ON item (feed_id, sort_at, id);
CREATE INDEX item_sort ON item (sort_at, id);

CREATE TABLE item_body (
    item_id {int} PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE,
    html TEXT NOT NULL,
    policy_version {int} NOT NULL
);

-- Unread is a row, read is its absence: the question asked most reads only what it answers.
CREATE TABLE unread (
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    feed_id {int} NOT NULL,
    sort_at {int} NOT NULL,
    item_id {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, feed_id, sort_at, item_id)
) {clustered};
CREATE INDEX unread_user_sort ON unread (user_id, sort_at, item_id);
CREATE INDEX unread_item ON unread (item_id);

-- kind: 1 starred, 2 read (and when).
CREATE TABLE mark (
    user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    kind {int} NOT NULL,
    sort_at {int} NOT NULL,
    item_id {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    at {int} NOT NULL,
    PRIMARY KEY (user_id, kind, sort_at, item_id)
) {clustered};
CREATE INDEX mark_item ON mark (item_id, user_id, kind);

-- What the instance remembers about itself.
CREATE TABLE setting (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
