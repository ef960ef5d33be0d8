"""The tables, and the numbers that identify the database and its version."""

import string

APPLICATION = 0x7469636B
"""PRAGMA application_id of this program's databases ("tick")."""

VERSION = 16
"""PRAGMA user_version; increased by each change of the tables below."""

# Tokens come ready-made and joined by blanks: punctuation must not split them again.
# Inside two levels of SQL strings, each level doubles its own quote.
_PUNCTUATION = string.punctuation.replace("'", "''").replace('"', '""')

FILTERS = """CREATE INDEX tickets_filters
    ON tickets (product, status, created, has_solution, groups)"""
"""A covering index for filters, so that counting needs no other data."""

CREATED = """CREATE INDEX tickets_created
    ON tickets (created, product, status, has_solution, groups)"""
"""Finds the newest ticket that passes a filter without reading tickets."""

FILTER_CHANGES = """CREATE TABLE filter_changes (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        ticket INTEGER NOT NULL UNIQUE REFERENCES tickets (pk) ON DELETE CASCADE
    )"""
"""The last change of each ticket of which a filter other than groups has changed since it was put;
numbers are never reused."""

ACCOUNTS = """CREATE TABLE accounts (
        name TEXT PRIMARY KEY,
        password_hash TEXT NOT NULL,
        role TEXT NOT NULL,
        groups TEXT NOT NULL
    )"""

PEOPLE = (
    "ALTER TABLE accounts ADD COLUMN disabled INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE accounts ADD COLUMN identity TEXT NOT NULL DEFAULT ''",
    """CREATE TABLE sessions (
        key TEXT PRIMARY KEY,
        name TEXT NOT NULL REFERENCES accounts (name) ON DELETE CASCADE,
        created TEXT NOT NULL,
        seen TEXT NOT NULL
    )""",
    """CREATE TABLE tokens (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        key TEXT NOT NULL,
        owner TEXT NOT NULL REFERENCES accounts (name) ON DELETE CASCADE,
        label TEXT NOT NULL,
        scopes TEXT NOT NULL,
        created TEXT NOT NULL,
        expires TEXT NOT NULL
    )""",
)

VERDICTS = (
    """CREATE TABLE verdicts (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        event_id TEXT NOT NULL UNIQUE,
        subject TEXT NOT NULL,
        category TEXT NOT NULL,
        right INTEGER CHECK (right IN (0, 1)),
        judge TEXT NOT NULL,
        time TEXT NOT NULL,
        bundle_id TEXT NOT NULL
    )""",
    "CREATE INDEX verdicts_of_subject ON verdicts (subject, number)",
    """CREATE TRIGGER verdicts_stay BEFORE DELETE ON verdicts
        BEGIN SELECT RAISE(ABORT, 'verdicts are never deleted'); END""",
    """CREATE TRIGGER verdicts_stand BEFORE UPDATE ON verdicts
        BEGIN SELECT RAISE(ABORT, 'verdicts are never changed'); END""",
)

HISTORY_STAYS = """CREATE TRIGGER history_stays BEFORE DELETE ON history
        WHEN OLD.kind NOT IN ('asking', 'saved query')
        BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END"""

HISTORY_OF_KIND = "CREATE INDEX IF NOT EXISTS history_of_kind ON history (kind, number)"
"""For reading one kind of events. A database of a format before 5 gets it in a later step."""

HISTORY = (
    """CREATE TABLE history (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        event_id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        person TEXT NOT NULL,
        event TEXT NOT NULL
    )""",
    "CREATE INDEX history_of_person ON history (kind, person, number)",
    HISTORY_OF_KIND,
    HISTORY_STAYS,
    """CREATE TRIGGER history_stands BEFORE UPDATE ON history
        BEGIN SELECT RAISE(ABORT, 'history is never changed'); END""",
)

LITERALS = (
    """CREATE TABLE literals (
        literal TEXT NOT NULL,
        ticket INTEGER NOT NULL REFERENCES tickets (pk) ON DELETE CASCADE,
        PRIMARY KEY (literal, ticket)
    ) WITHOUT ROWID""",
    "CREATE INDEX literals_of_ticket ON literals (ticket)",
)
"""Which tickets contain a number or code, with the keys of `literal_keys`."""

FILES = """CREATE TABLE files (
        name TEXT PRIMARY KEY,
        bytes INTEGER NOT NULL,
        sha256 TEXT NOT NULL,
        put TEXT NOT NULL
    ) WITHOUT ROWID"""

JOBS = (
    """CREATE TABLE jobs (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        bundle_id TEXT NOT NULL,
        state TEXT NOT NULL CHECK (
            state IN ('queued', 'running', 'waiting', 'done', 'cancelled', 'failed')
        ),
        total INTEGER NOT NULL,
        done INTEGER NOT NULL,
        created TEXT NOT NULL,
        heartbeat TEXT,
        started TEXT,
        finished TEXT,
        cancel_requested INTEGER NOT NULL DEFAULT 0,
        errors TEXT NOT NULL DEFAULT '{}',
        message TEXT NOT NULL DEFAULT '',
        step TEXT NOT NULL DEFAULT '',
        arguments TEXT NOT NULL DEFAULT '{}',
        result TEXT NOT NULL DEFAULT '{}',
        log TEXT NOT NULL DEFAULT '[]',
        asked_by TEXT NOT NULL DEFAULT '',
        attempts INTEGER NOT NULL DEFAULT 0
    )""",
    """CREATE UNIQUE INDEX jobs_unfinished ON jobs (kind, bundle_id)
        WHERE state IN ('queued', 'running', 'waiting') AND kind IN ('reindex', 'training')""",
)

LEASES = """CREATE TABLE leases (
        name TEXT PRIMARY KEY,
        holder TEXT NOT NULL,
        seconds REAL NOT NULL,
        turn INTEGER NOT NULL
    )"""

SCHEDULE = "CREATE TABLE schedule (number INTEGER PRIMARY KEY, record TEXT NOT NULL)"

TABLES = (
    # Narrow columns come first, so that filters and versions are read without the texts.
    """CREATE TABLE tickets (
        pk INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        version TEXT NOT NULL,
        product TEXT NOT NULL,
        status TEXT NOT NULL,
        created TEXT,
        groups TEXT NOT NULL DEFAULT '[]',
        has_solution INTEGER NOT NULL DEFAULT 0,
        subject TEXT NOT NULL,
        description TEXT NOT NULL,
        solution TEXT NOT NULL
    )""",
    FILTERS,
    CREATED,
    "CREATE INDEX tickets_versions ON tickets (id, version)",
    *LITERALS,
    f"""CREATE VIRTUAL TABLE words USING fts5(
        tokens, tokenize = "ascii tokenchars '{_PUNCTUATION}'"
    )""",
    # Parts of the index are merged by sixteens, not by fours: each word is written anew less often.
    "INSERT INTO words (words, rank) VALUES ('automerge', 16), ('crisismerge', 32)",
    """CREATE TABLE queries (
        id TEXT PRIMARY KEY,
        subject TEXT NOT NULL,
        description TEXT NOT NULL,
        ticket_id TEXT NOT NULL,
        asked TEXT NOT NULL
    )""",
    """CREATE TABLE judgments (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        event_id TEXT NOT NULL UNIQUE,
        query_id TEXT NOT NULL REFERENCES queries (id),
        ticket_id TEXT NOT NULL,
        grade INTEGER CHECK (grade IN (0, 1, 2)),
        judge TEXT NOT NULL,
        time TEXT NOT NULL,
        rank INTEGER,
        score REAL,
        bundle_id TEXT NOT NULL,
        note TEXT NOT NULL DEFAULT ''
    )""",
    "CREATE INDEX judgments_of_query ON judgments (query_id, number)",
    """CREATE TRIGGER judgments_stay BEFORE DELETE ON judgments
        BEGIN SELECT RAISE(ABORT, 'judgments are never deleted'); END""",
    """CREATE TRIGGER judgments_stand BEFORE UPDATE ON judgments
        BEGIN SELECT RAISE(ABORT, 'judgments are never changed'); END""",
    # `number` names the file; a bundle dropped and built again gets another one.
    """CREATE TABLE code_files (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        bundle_id TEXT NOT NULL UNIQUE,
        width INTEGER NOT NULL,
        rows INTEGER NOT NULL DEFAULT 0,
        deletions INTEGER NOT NULL DEFAULT 0
    )""",
    """CREATE TABLE codes (
        file INTEGER NOT NULL REFERENCES code_files (number) ON DELETE CASCADE,
        ticket INTEGER NOT NULL REFERENCES tickets (pk) ON DELETE CASCADE,
        row INTEGER NOT NULL,
        version TEXT NOT NULL,
        topic INTEGER,
        checksum INTEGER,
        PRIMARY KEY (file, ticket)
    ) WITHOUT ROWID""",
    "CREATE INDEX codes_topics ON codes (file, topic)",
    "CREATE UNIQUE INDEX codes_rows ON codes (file, row)",
    "CREATE INDEX codes_of_ticket ON codes (ticket)",
    """CREATE TABLE serving (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        bundle_id TEXT NOT NULL,
        kind TEXT NOT NULL DEFAULT 'ranking'
    )""",
    *JOBS,
    LEASES,
    SCHEDULE,
    FILTER_CHANGES,
    ACCOUNTS,
    *PEOPLE,
    *VERDICTS,
    *HISTORY,
    FILES,
)
