"""The tables of a store; what is written once is never changed."""

from __future__ import annotations

__all__ = ["APPLICATION_ID", "FORMAT", "SCHEMA"]

APPLICATION_ID = 0x44415254  # "DART", at byte 68 of the file
FORMAT = 1  # SQLite's user_version, at byte 60 of the file

SCHEMA = """
PRAGMA application_id = 0x44415254;
PRAGMA user_version = 1;

-- The trace's header as one line; `digest` is the contract's, and begins the chain.
CREATE TABLE header (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    line BLOB NOT NULL,
    digest TEXT NOT NULL
) STRICT;

-- `data` is the snapshot of a checkpoint; `chain` hashes the record and the chain before it.
CREATE TABLE record (
    number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL
        CHECK (kind IN ('event', 'doubt', 'announce', 'withdraw', 'claim', 'escalate')),
    subject TEXT NOT NULL,
    line BLOB NOT NULL,
    data BLOB,
    chain BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX claimed_once ON record (subject) WHERE kind = 'claim';

CREATE TRIGGER header_stays BEFORE UPDATE ON header
BEGIN SELECT RAISE(ABORT, 'the header is never changed'); END;
CREATE TRIGGER header_is_kept BEFORE DELETE ON header
BEGIN SELECT RAISE(ABORT, 'the header is never deleted'); END;
CREATE TRIGGER header_is_one BEFORE INSERT ON header WHEN EXISTS (SELECT 1 FROM header)
BEGIN SELECT RAISE(ABORT, 'there is one header'); END;

CREATE TRIGGER record_stays BEFORE UPDATE ON record
BEGIN SELECT RAISE(ABORT, 'a record is never changed'); END;
CREATE TRIGGER record_is_kept BEFORE DELETE ON record
BEGIN SELECT RAISE(ABORT, 'a record is never deleted'); END;
CREATE TRIGGER record_is_next BEFORE INSERT ON record
WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM record)
BEGIN SELECT RAISE(ABORT, 'a record is only ever appended'); END;
"""
