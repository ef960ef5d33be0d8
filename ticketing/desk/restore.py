"""A desk from its backup: unpacked beside what is there, compared, and moved in as a whole."""

import os
import shutil
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path, PurePosixPath

from ticketing.desk.backup import KEPT, Manifest, damaged, read, verified
from ticketing.errors import InputError, StoreError
from ticketing.files import private_folder, sync_folder
from ticketing.model.registry import Registry
from ticketing.settings import FOLDER, Settings
from ticketing.stores import open_store
from ticketing.stores.migration import Shown, copy_all, require_equal
from ticketing.stores.protocols import Store
from ticketing.stores.sqlite import SQLiteStore
from ticketing.times import utc_now

UNPACKED = ".restoring"
"""The folder in which a backup is unpacked: nothing that was there has been touched yet."""

WHOLE = ".restored"
"""The same folder once everything is in it: its content is about to be moved in."""

DATABASE = "tickets.sqlite3"

OF_STORE = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", "codes")


def restore(settings: Settings, file: Path, replace: bool, shown: Shown) -> Manifest:
    """Make the desk of the settings the one in a backup; `replace` moves what is in the home to a
    folder `replaced-<time>` there.

    The whole backup is compared with its digests before anything is touched. Interrupted, it
    leaves the old desk or, once everything is unpacked, a home that no command opens until
    `restore` has run again. Raises InputError for a file that is no whole backup and for a home or
    a store that is not empty, StoreError for a store that is in use or of a later format,
    StoreAway.
    """
    manifest, folder = verified(file, shown), _folder(settings)
    places = list(dict.fromkeys(place for place in (settings.home, folder) if place))
    for place in places:
        private_folder(place)
    interrupted = (settings.home / WHOLE).exists()
    if not (replace or interrupted):
        _require_empty(places)
    unpacked = {"home": settings.home / UNPACKED, "store": settings.home / UNPACKED / "store"}
    if folder:
        unpacked["store"] = folder / UNPACKED
    _unpack(file, manifest, unpacked, shown)
    SQLiteStore(unpacked["store"]).close()  # refuses a later format
    if folder:
        _require_unused(folder)
    else:
        _require_empty_server(settings, interrupted)
    for place in places:
        shutil.rmtree(place / WHOLE, ignore_errors=True)
        (place / UNPACKED).rename(place / WHOLE)
        sync_folder(place)
    if not folder:
        _fill(settings, settings.home / WHOLE, shown)
    for place in reversed(places):
        _move_in(place)
    return manifest


def require_restored(home: Path) -> None:
    """Raises StoreError for a home into which a backup was not moved as a whole."""
    if (home / WHOLE).exists():
        raise StoreError(
            f"A restore of {home} was interrupted; run `ticketing restore` again, with the same"
            " file."
        )


def _folder(settings: Settings) -> Path | None:
    """Where the store's database is; None for servers."""
    if not settings.store:
        return settings.home
    if settings.store.startswith(FOLDER):
        return Path(settings.store.removeprefix(FOLDER))
    return None


def _require_empty(places: list[Path]) -> None:
    for path in (place / name for place in places for name in (*KEPT, *OF_STORE)):
        if path.exists():
            raise InputError(
                f"{path} is there already; name an empty home with TICKETING_HOME, or move what is"
                " there aside with --replace."
            )


def _require_empty_server(settings: Settings, interrupted: bool) -> None:
    with closing(open_store(settings)) as store:
        if not interrupted and _holds_anything(store):
            raise InputError(
                "The store holds a desk already; name an empty one with TICKETING_STORE_PREFIX."
            )


def _holds_anything(store: Store) -> bool:
    kept = (store.iter_tickets(), store.judgments(), store.queries(), iter(store.accounts()))
    return any(next(iter(some), None) is not None for some in kept)


def _require_unused(folder: Path) -> None:
    """Raises StoreError where another process has the database open."""
    if not (folder / DATABASE).exists():
        return
    with closing(sqlite3.connect(folder / DATABASE, timeout=0, isolation_level=None)) as found:
        try:
            found.execute("PRAGMA locking_mode = EXCLUSIVE")
            found.execute("BEGIN EXCLUSIVE")
            found.execute("ROLLBACK")
        except sqlite3.OperationalError:
            raise StoreError(
                f"{folder / DATABASE} is in use; end `ticketing serve` and `ticketing work` first."
            ) from None
        except sqlite3.DatabaseError:
            return  # it is damaged, which is why it is replaced


def _unpack(file: Path, manifest: Manifest, places: dict[str, Path], shown: Shown) -> None:
    for place in places.values():
        shutil.rmtree(place, ignore_errors=True)  # of an interrupted one
        private_folder(place)
    went = shown("unpacked", sum(member.bytes for member in manifest.files.values()))
    with zipfile.ZipFile(file) as archive:
        for name in manifest.files:
            root, *parts = PurePosixPath(name).parts
            known = KEPT if root == "home" else OF_STORE
            if root not in places or not parts or parts[0] not in known or ".." in parts:
                raise damaged(file, name)
            path = places[root].joinpath(*parts)
            private_folder(path.parent)
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                for data in read(file, archive, name, manifest):
                    out.write(data)
                    went(len(data))
                out.flush()
                os.fsync(out.fileno())


def _fill(settings: Settings, whole: Path, shown: Shown) -> None:
    """Copy the unpacked store to the servers' and compare both."""
    from ticketing.desk.vectors import Vectors  # loads models

    with (
        closing(SQLiteStore(whole / "store")) as source,
        closing(open_store(settings)) as target,
    ):
        copy_all(source, target, Vectors(Registry(whole / "models")), shown)
        require_equal(source, target, shown)
    shutil.rmtree(whole / "store")


def _move_in(place: Path) -> None:
    """Put what was unpacked in the place of what is there, which is moved aside."""
    aside = place / f"replaced-{utc_now():%Y%m%dT%H%M%S}"
    for path in (place / name for name in (*KEPT, *OF_STORE)):
        if path.exists():
            private_folder(aside)
            path.rename(aside / path.name)
    for path in sorted((place / WHOLE).iterdir()):
        path.rename(place / path.name)
    sync_folder(place)
    (place / WHOLE).rmdir()
