"""Identifies a database and its version, and upgrades older ones."""

import sqlite3

from ticketing.stores.sqlite.schema import (
    ACCOUNTS,
    APPLICATION,
    CREATED,
    FILES,
    FILTER_CHANGES,
    FILTERS,
    HISTORY,
    HISTORY_OF_KIND,
    HISTORY_STAYS,
    JOBS,
    LEASES,
    LITERALS,
    PEOPLE,
    SCHEDULE,
    TABLES,
    VERDICTS,
    VERSION,
)

UPGRADES = {
    2: (
        "ALTER TABLE tickets ADD COLUMN groups TEXT NOT NULL DEFAULT '[]'",
        ACCOUNTS,
    ),
    3: ("ALTER TABLE serving ADD COLUMN kind TEXT NOT NULL DEFAULT 'ranking'", *VERDICTS),
    4: ("ALTER TABLE judgments ADD COLUMN note TEXT NOT NULL DEFAULT ''", *HISTORY),
    5: (
        "ALTER TABLE queries ADD COLUMN asked TEXT NOT NULL DEFAULT ''",
        "UPDATE queries SET asked = date('now')",
        "DROP TRIGGER history_stays",
        HISTORY_STAYS,
        *PEOPLE,
    ),
    6: (
        "ALTER TABLE codes ADD COLUMN checksum INTEGER",
        """UPDATE codes SET checksum = checksum_of(file,
            (SELECT width FROM code_files WHERE number = file), row)""",
    ),
    7: (),  # its index is replaced below
    8: (FILES,),
    9: (
        "DROP INDEX jobs_unfinished",
        "ALTER TABLE jobs RENAME TO jobs_9",
        *JOBS,
        """INSERT INTO jobs (number, id, kind, bundle_id, state, total, done, created, heartbeat,
            started, finished, cancel_requested, errors, message)
            SELECT * FROM jobs_9""",
        "DROP TABLE jobs_9",
        LEASES,
    ),
    10: (SCHEDULE,),
    11: (FILTER_CHANGES,),
    12: ("DROP TABLE vocabulary",),
    13: ("DROP TRIGGER history_stays", HISTORY_STAYS, HISTORY_OF_KIND),
    14: (
        *LITERALS,
        """INSERT INTO literals SELECT value, pk
            FROM tickets, json_each(literals_of(subject, description, solution))""",
    ),
    15: (
        "ALTER TABLE tickets ADD COLUMN has_solution INTEGER NOT NULL DEFAULT 0",
        "UPDATE tickets SET has_solution = 1 WHERE solution <> ''",
        "DROP INDEX tickets_filters",
        "DROP INDEX IF EXISTS tickets_created",
        FILTERS,
        CREATED,
    ),
}
"""The statements that upgrade a database of a version to the next one."""

_OLD = (
    "export its judgments with the program that wrote it (`ticketing labels export`), then import"
    " tickets and judgments into a new TICKETING_HOME"
)


def version_of(connection: sqlite3.Connection) -> int:
    """The version of a database of this program; 0 for an empty one.

    Raises ValueError, with the second half of a sentence, if it cannot be used.
    """
    application, version, objects = connection.execute(
        "SELECT (SELECT application_id FROM pragma_application_id),"
        " (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_master)"
    ).fetchone()
    if application == APPLICATION:
        if version == VERSION or version in UPGRADES:
            return int(version)
        raise ValueError(
            f"has format {version}, and this program reads format {VERSION}; "
            + ("run the program that wrote it, or a newer one" if version > VERSION else _OLD)
        )
    if application or version or objects:
        raise ValueError("belongs to another program; name another folder")
    return 0


def bring_up(connection: sqlite3.Connection, version: int) -> None:
    """Create all tables, or upgrade an older database, and write the version, inside the caller's
    transaction."""
    steps = [UPGRADES[older] for older in range(version, VERSION)] if version else [TABLES]
    for statement in (statement for step in steps for statement in step):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
