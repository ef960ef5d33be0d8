"""The tables, and the stamp that says whose database it is and of which version."""

import sqlite3
import string

APPLICATION = 0x7469636B
"""PRAGMA application_id of our databases ("tick")."""

VERSION = 2
"""PRAGMA user_version; a change of the tables below raises it."""

# Tokens come ready-made and joined by blanks: punctuation must not split them again.
# Inside two levels of SQL strings, each level doubles its own quote.
_PUNCTUATION = string.punctuation.replace("'", "''").replace('"', '""')

TABLES = (
    # Narrow columns come first, so that filters and versions are read without the texts.
    """CREATE TABLE tickets (
        pk INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        version TEXT NOT NULL,
        product TEXT NOT NULL,
        status TEXT NOT NULL,
        created TEXT,
        subject TEXT NOT NULL,
        description TEXT NOT NULL,
        solution TEXT NOT NULL
    )""",
    "CREATE INDEX tickets_filters ON tickets (product, status, created)",
    "CREATE INDEX tickets_versions ON tickets (id, version)",
    f"""CREATE VIRTUAL TABLE words USING fts5(
        tokens, tokenize = "ascii tokenchars '{_PUNCTUATION}'"
    )""",
    "CREATE VIRTUAL TABLE vocabulary USING fts5vocab('words', 'row')",
    """CREATE TABLE queries (
        id TEXT PRIMARY KEY,
        subject TEXT NOT NULL,
        description TEXT NOT NULL,
        ticket_id TEXT NOT NULL
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
        bundle_id TEXT NOT NULL
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
        PRIMARY KEY (file, ticket)
    ) WITHOUT ROWID""",
    "CREATE INDEX codes_topics ON codes (file, topic)",
    "CREATE UNIQUE INDEX codes_rows ON codes (file, row)",
    "CREATE INDEX codes_of_ticket ON codes (ticket)",
    """CREATE TABLE serving (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        bundle_id TEXT NOT NULL
    )""",
    """CREATE TABLE jobs (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        bundle_id TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'cancelled', 'failed')),
        total INTEGER NOT NULL,
        done INTEGER NOT NULL,
        created TEXT NOT NULL,
        heartbeat TEXT,
        started TEXT,
        finished TEXT,
        cancel_requested INTEGER NOT NULL DEFAULT 0,
        errors TEXT NOT NULL DEFAULT '{}',
        message TEXT NOT NULL DEFAULT ''
    )""",
    """CREATE UNIQUE INDEX jobs_unfinished ON jobs (kind, bundle_id)
        WHERE state IN ('queued', 'running')""",
)

_OLD = (
    "export its judgments with the program that wrote it (`ticketing labels export`), then import"
    " tickets and judgments into a new TICKETING_HOME"
)


def is_ready(connection: sqlite3.Connection) -> bool:
    """Whether the database carries our stamp in this version; False for an empty one.

    Raises ValueError, with the second half of a sentence, for any other database.
    """
    application, version, objects = connection.execute(
        "SELECT (SELECT application_id FROM pragma_application_id),"
        " (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_master)"
    ).fetchone()
    if application == APPLICATION:
        if version == VERSION:
            return True
        raise ValueError(
            f"has format {version}, and this program reads format {VERSION}; "
            + ("run the program that wrote it, or a newer one" if version > VERSION else _OLD)
        )
    if application or version or objects:
        raise ValueError("belongs to another program; name another folder")
    return False


def create(connection: sqlite3.Connection) -> None:
    """Make the tables and stamp the database, inside the caller's transaction."""
    for statement in TABLES:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
