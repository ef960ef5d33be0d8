"""Restore a desk from a backup: unpack it beside the present data, verify it, then switch
atomically."""

import hashlib
import os
import shutil
import sqlite3
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path, PurePosixPath

from pydantic import TypeAdapter

from ticketing.desk.backup import KEPT, Manifest, damaged, read, verified
from ticketing.desk.models import Models
from ticketing.errors import BundleError, InputError, NotFound, StoreAway, StoreError, StoreFull
from ticketing.files import (
    desk_folder,
    link_or_copy,
    private_folder,
    sole_folder,
    sync_folder,
    write_atomically,
)
from ticketing.model.registry import Registry
from ticketing.settings import FOLDER, Settings, folder_of
from ticketing.stores import open_store
from ticketing.stores.damage import StoreDamaged
from ticketing.stores.migration import BYTES, Shown, copy_all, require_equal
from ticketing.stores.protocols import Store
from ticketing.stores.replacement import keep_content, replace_content
from ticketing.stores.snapshot import damage_of
from ticketing.stores.sqlite import SQLiteStore
from ticketing.stores.sqlite.database import DATABASE
from ticketing.times import utc_now

UNPACKED = ".restoring"
"""Folder in which a backup is unpacked, before any present data is changed."""

KEEPING = ".replaced"
"""Folder in which the old desk is collected before it is renamed."""

FILLING = ".restored"
"""Marker file: a store on servers is being filled, which is not atomic. It holds the digest of the
backup used (empty if an older program wrote it)."""

OF_STORE = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", "codes", "files")


def restore(settings: Settings, file: Path, replace: bool, shown: Shown) -> Manifest:
    """Replace the desk of the settings by the one in a backup. With `replace`, the old content of
    the home is kept there in a folder `replaced-<time>`.

    The whole backup is verified before anything is changed. Processes with an open SQLite store
    keep it open and switch to the new desk at one moment. An interrupted restore leaves the old
    desk or the new one; on servers, it leaves a home that no command opens until `restore` has run
    again.

    Raises InputError for a file that is not a complete backup and for a store that is not empty,
    StoreError for a store that is damaged and in use or has a later format, Conflict while another
    restore runs there, StoreAway.
    """
    manifest, folder = verified(file, shown), _folder(settings)
    with _places(place for place in (settings.home, folder) if place):
        if folder and not replace:
            _require_empty(folder)
        unpacked = {"home": settings.home / UNPACKED, "store": settings.home / UNPACKED / "store"}
        if folder:
            unpacked["store"] = folder / UNPACKED / "store"
        _unpack(file, manifest, unpacked, shown)
        if damage := damage_of(unpacked["store"]):
            raise InputError(f"The database in {file} is damaged ({damage}); name another backup.")
        SQLiteStore(unpacked["store"]).close()  # refuses a later format
        if folder:
            _into_folder(settings.home, folder, shown)
        else:
            _into_servers(settings, manifest, shown)
    return manifest


@contextmanager
def _places(folders: Iterable[Path]) -> Iterator[None]:
    """Context manager: an empty folder for unpacking in each of the folders; leftovers of killed
    restores are deleted at the start, and those of this one at the end."""
    with ExitStack() as stack:
        for folder in dict.fromkeys(folders):
            desk_folder(folder)
            stack.enter_context(sole_folder(folder / UNPACKED))
            shutil.rmtree(folder / KEEPING, ignore_errors=True)
            stack.callback(shutil.rmtree, folder / KEEPING, ignore_errors=True)
        yield


def require_restored(home: Path) -> None:
    """Raises StoreError if a restore to servers was interrupted."""
    if (home / FILLING).exists():
        raise StoreError(
            f"A restore of {home} was interrupted; run `ticketing restore` again, with the same"
            " file."
        )


def _folder(settings: Settings) -> Path | None:
    """The folder of the store's database, or None for a store on servers."""
    if not settings.store:
        return settings.home
    if settings.store.startswith(FOLDER):
        return folder_of(settings.store)
    return None


def _require_empty(folder: Path) -> None:
    path = folder / DATABASE
    if not path.exists():
        return
    try:
        with closing(SQLiteStore(folder)) as store:
            empty = not _holds_anything(store)
    except StoreAway:
        raise
    except StoreError:
        empty = False
    if not empty:
        raise InputError(
            f"{path} is there already; name an empty home with TICKETING_HOME, or replace the desk"
            " with --replace."
        )


def _holds_anything(store: Store) -> bool:
    kept = (store.iter_tickets(), store.judgments(), store.queries(), iter(store.accounts()))
    return any(next(iter(some), None) is not None for some in kept)


def _into_folder(home: Path, folder: Path, shown: Shown) -> None:
    aside = f"replaced-{utc_now():%Y%m%dT%H%M%S%f}"
    there = (folder / DATABASE).exists() or any((home / name).exists() for name in KEPT)
    unpacked = home / UNPACKED
    if there:
        _link(home, home / KEEPING)
    _add_bundles(unpacked / "models", Registry(home / "models"))

    def replace(keep: bool) -> None:
        (folder / DATABASE).touch(mode=0o600)  # SQLite gives its other files the same mode
        with closing(_opened(folder)) as live:
            replace_content(
                live,
                folder / UNPACKED / "store",
                partial(_keep, live, home, aside, shown) if keep else lambda: None,
                shown,
            )

    try:
        replace(there)
    except StoreDamaged:  # a damaged database is the reason to replace it
        if (folder / DATABASE).is_file():
            _require_unused(folder)
        _move_aside(home, folder, aside)
        replace(False)
    _take_files(home, unpacked)
    (home / FILLING).unlink(missing_ok=True)  # this desk is now complete


def _opened(folder: Path) -> SQLiteStore:
    """Open the store in a folder. Raises StoreDamaged if it cannot be opened for any other reason
    than StoreAway or StoreFull."""
    try:
        return SQLiteStore(folder)
    except (StoreAway, StoreFull):
        raise
    except StoreError as error:
        raise StoreDamaged(str(error)) from error


def _require_unused(folder: Path) -> None:
    """Raises StoreError if another process has the damaged database open."""
    with closing(sqlite3.connect(folder / DATABASE, timeout=0, isolation_level=None)) as found:
        try:
            found.execute("PRAGMA locking_mode = EXCLUSIVE")
            found.execute("BEGIN EXCLUSIVE")
            found.execute("ROLLBACK")
        except sqlite3.OperationalError:
            raise StoreError(
                f"{folder / DATABASE} is damaged and in use; end `ticketing serve` and"
                " `ticketing work` first."
            ) from None
        except sqlite3.DatabaseError:
            return


def _link(home: Path, target: Path) -> None:
    """Hard-link the files of a home into another folder; none of them is ever written in place."""
    private_folder(target)
    for path in (home / name for name in KEPT):
        if path.is_dir():
            hidden = shutil.ignore_patterns(".*")
            shutil.copytree(path, target / path.name, copy_function=_link_one, ignore=hidden)
        elif path.exists():
            link_or_copy(path, target / path.name)


def _link_one(path: str, target: str) -> None:
    link_or_copy(Path(path), Path(target))


def _keep(live: SQLiteStore, home: Path, aside: str, shown: Shown) -> None:
    """Keep the old desk as it is once nobody writes to it any more."""
    folder = live.database.folder
    keep_content(live, folder / KEEPING, shown)
    for place in dict.fromkeys((home, folder)):
        (place / KEEPING).rename(place / aside)
        sync_folder(place)


def _move_aside(home: Path, folder: Path, aside: str) -> None:
    """Keep the files of an unreadable database."""
    for place in dict.fromkeys((home, folder)):
        if (place / KEEPING).exists():
            (place / KEEPING).rename(place / aside)
    for path in (folder / name for name in OF_STORE):
        if path.exists():
            private_folder(folder / aside)
            path.rename(folder / aside / path.name)
    sync_folder(folder)


def _add_bundles(unpacked: Path, models: Registry) -> None:
    """Add bundles that are missing or damaged here; others are left alone, since they may be in
    use."""
    private_folder(models.folder)
    for path in sorted(unpacked.glob("*")):
        try:
            models.verify(path.name)
        except (NotFound, BundleError):
            models.delete(path.name)
            path.rename(models.folder / path.name)
    sync_folder(models.folder)


def _take_files(home: Path, unpacked: Path) -> None:
    """Move the other files into a home; an existing secret key stays, since running processes use
    it."""
    (home / "notice.txt").unlink(missing_ok=True)
    if (home / "secret_key").exists():
        (unpacked / "secret_key").unlink(missing_ok=True)
    for path in (unpacked / name for name in KEPT):
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            target = home / file.relative_to(unpacked)
            if file.is_file() and "models" not in file.relative_to(unpacked).parts:
                private_folder(target.parent)
                file.replace(target)
    sync_folder(home)


def _unpack(file: Path, manifest: Manifest, places: dict[str, Path], shown: Shown) -> None:
    for place in places.values():
        private_folder(place)
    went = shown("unpacked", manifest.bytes, BYTES)
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


def _into_servers(settings: Settings, manifest: Manifest, shown: Shown) -> None:
    """Copy the unpacked store to the empty store on servers, and compare both."""
    from ticketing.desk.vectors import Vectors  # loads models

    home, unpacked = settings.home, settings.home / UNPACKED
    digest = hashlib.sha256(TypeAdapter(Manifest).dump_json(manifest)).hexdigest()
    if (home / FILLING).exists() and (home / FILLING).read_text() not in (digest, ""):
        raise InputError(
            f"An interrupted restore of {home} began with another backup; name that one, or an"
            " empty home and an empty store with TICKETING_HOME and TICKETING_STORE_PREFIX."
        )
    with closing(SQLiteStore(unpacked / "store")) as source, closing(open_store(settings)) as store:
        if not (home / FILLING).exists() and _holds_anything(store):
            raise InputError(
                "The store holds a desk already; name an empty one with TICKETING_STORE_PREFIX."
            )
        write_atomically(home / FILLING, digest)
        sync_folder(home)
        copy_all(source, store, Vectors(Models(unpacked / "models", source)), shown)
        require_equal(source, store, shown)
    _add_bundles(unpacked / "models", Registry(home / "models"))
    _take_files(home, unpacked)
    (home / FILLING).unlink()
