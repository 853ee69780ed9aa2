"""The SQLite schema of a corpus, with row versions.

A document's row, its passages included, never changes its words: a document that is read again gets a new row, and
the old one dies. `born` and `died` are generations, one a batch of changes; a reader at generation g sees the rows with
born <= g < died. So the keyword index may lag behind without ever showing half a change, and what it lacks can be told
from these columns alone. The dead are buried when the keyword index has let go of them.
"""

from typing import Final

STORE: Final = "corpus.sqlite"
"""The file of these tables, in the folder of a corpus."""

VERSION: Final = 1
"""Goes up when the tables change."""

SCHEMA: Final = """
CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('generation', 0), ('identity', abs(random()));
CREATE TABLE documents(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL, source TEXT NOT NULL, sha256 TEXT NOT NULL, size INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL, title TEXT NOT NULL, title_key TEXT NOT NULL, type TEXT NOT NULL,
    language TEXT NOT NULL, date TEXT,
    first INTEGER NOT NULL, count INTEGER NOT NULL,  -- its passages are first, first + 1, ... count of them
    born INTEGER NOT NULL, died INTEGER
);
CREATE UNIQUE INDEX live_paths ON documents(path) WHERE died IS NULL;
CREATE UNIQUE INDEX live_sources ON documents(source) WHERE died IS NULL;
CREATE INDEX born ON documents(born);
CREATE INDEX dead ON documents(died) WHERE died IS NOT NULL;
CREATE INDEX titles ON documents(title_key);
CREATE TABLE passages(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL,
    hash TEXT NOT NULL,   -- passage_id of the text
    key BLOB NOT NULL,    -- of what is embedded: title, headings and text
    headings TEXT NOT NULL,  -- a JSON list
    locator TEXT NOT NULL, first_line INTEGER NOT NULL, last_line INTEGER NOT NULL, page INTEGER,
    text TEXT NOT NULL
);
CREATE TABLE failures(
    path TEXT PRIMARY KEY, source TEXT NOT NULL, sha256 TEXT NOT NULL, size INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL, problem TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE models(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL);
CREATE TABLE vectors(
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    model INTEGER NOT NULL, key BLOB NOT NULL,
    vector BLOB NOT NULL,  -- float16, little-endian, of length one
    UNIQUE(model, key)
);
"""
