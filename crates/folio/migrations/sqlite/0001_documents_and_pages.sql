-- Documents and their pages. The same shape serves Postgres.
CREATE TABLE documents (
    key       INTEGER PRIMARY KEY,
    id        TEXT NOT NULL UNIQUE,   -- SHA-256 of content and options, hexadecimal
    name      TEXT NOT NULL,          -- what the user called it last
    folder    TEXT NOT NULL,          -- of its output, relative to the store; the first run decides
    options   TEXT NOT NULL,          -- for people; the id holds them
    engine    TEXT,                   -- what opened it last
    pages     INTEGER,                -- unknown until it was opened once
    title     TEXT,
    status    TEXT NOT NULL,          -- running, completed, partial, failed, interrupted
    reason    TEXT
);

CREATE TABLE pages (
    document  INTEGER NOT NULL REFERENCES documents (key),
    page      INTEGER NOT NULL,       -- from 1
    state     TEXT NOT NULL,          -- stored (on its way), completed, failed
    reason    TEXT,
    words     INTEGER NOT NULL DEFAULT 0,
    needs_ocr INTEGER NOT NULL DEFAULT 0,
    layout    TEXT,                   -- JSON, the same bytes as the page's file
    text      TEXT,                   -- in reading order
    layout_bytes INTEGER NOT NULL DEFAULT 0,  -- lengths of the page's files; an image that is not wanted has none
    image_bytes  INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (document, page)
);
