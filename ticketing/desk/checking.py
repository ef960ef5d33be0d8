"""Check of a desk for damage, and repairs. Damaged data is reported and not ranked."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ticketing.desk.bundles import Bundles
from ticketing.errors import (
    BundleAway,
    BundleError,
    InputError,
    NotFound,
    StoreAway,
    StoreError,
    StoreFull,
)
from ticketing.files import PRIVATE, private_folder
from ticketing.history import AuditEntry
from ticketing.model.bundle import MANIFEST
from ticketing.plurals import counted
from ticketing.stores.damage import BACKUP, Finding, half_written
from ticketing.stores.files import let_go
from ticketing.stores.jobs import all_jobs
from ticketing.tickets import ModelKind
from ticketing.times import utc_now

if TYPE_CHECKING:
    from ticketing.retrieval.recommend import Recommender
    from ticketing.stores.blocks import CodeBlock

UNREADABLE = (StoreError, ValueError, TypeError, KeyError)
"""Exceptions raised while reading a damaged record."""

ASIDE = "damaged"
"""Folder below the home for damaged files that cannot be repaired."""


class Checking(Bundles):
    """Checks all that the desk keeps."""

    def findings(self) -> Iterator[Finding]:
        """All damage. The store comes before what depends on it: if each finding is mended at once,
        later checks see repaired data and do not report its consequences.

        Raises StoreAway, and StoreFull if a store that takes no writes cannot be checked.
        """
        checks: dict[str, Callable[[], Iterator[Finding]]] = {
            "home": self._open_files,
            "store": self.whole.findings,
            "records": self._unreadable,
            "bundles": self._bundles,
            "codes": self._codes,
            "broker": self._messages,
        }
        for name, check in checks.items():
            try:
                yield from check()
            except (StoreAway, StoreFull):
                raise
            except (*UNREADABLE, InputError) as error:  # as for an encoder's folder that is gone
                yield _unreadable(name, error)

    def judged_and_gone(self) -> int:
        """Number of judged tickets that no longer exist. This is no damage, as tickets may be
        deleted."""
        judged = {judgment.ticket_id for judgment in self.whole.judgments()}
        return len(judged) - len(self.whole.matching_ids(sorted(judged)))

    def unencoded(self) -> int:
        """Number of tickets that no query finds, since the serving bundle has no codes of them;
        without those that cannot be encoded."""
        serving = self.whole.serving()
        return len(set(self.whole.stale_ids(serving)) - self._set_aside(serving)) if serving else 0

    def trouble(self) -> list[str]:
        """Sentences for monitoring: damaged codes that are left out of answers, and a store that
        takes no writes. Raises StoreError if a part of the store is missing, or if the last query
        failed because of the store and fails again, StoreAway."""
        self._try_again()
        said = []
        serving = self.whole.serving()
        if serving and self.whole.damaged_codes(serving):
            said.append(
                "The codes of some tickets are damaged, and left out of answers; run `ticketing"
                " check --repair`."
            )
        try:
            self.whole.require_room()
        except StoreFull as error:
            said.append(f"{error} Judgments and new tickets are refused until then.")
        return said

    def _open_files(self) -> Iterator[Finding]:
        """Files of the home that others than the owner may read."""
        home = self.settings.home
        walked = os.walk(home)
        inside = (Path(at, name) for at, folders, files in walked for name in folders + files)
        wide = [path for path in (home, *inside) if _is_open(path)]
        if wide:
            what = f"others may read {counted(len(wide), 'file')}, as {wide[0].name}"
            yield Finding(str(home), what, "take that from them", partial(_close, wide))

    def _unreadable(self) -> Iterator[Finding]:
        """Records that the program itself cannot read."""
        store = self.whole
        kinds: dict[str, Callable[[], object]] = {
            "queries": lambda: sum(1 for _ in store.queries()),
            "judgments": lambda: sum(1 for _ in store.judgments()),
            "verdicts": lambda: sum(1 for _ in store.verdicts()),
            "audit": lambda: sum(1 for _ in store.events(AuditEntry)),
            "jobs": lambda: all_jobs(store),
            "accounts": store.accounts,
            "tokens": store.tokens,
        }
        for name, read in kinds.items():
            try:
                read()
            except (StoreAway, StoreFull):
                raise
            except UNREADABLE as error:
                yield _unreadable(name, error)

    def _bundles(self) -> Iterator[Finding]:
        """Damaged bundles, half-written ones, and serving bundles that are missing."""
        yield from half_written(self.models.folder)
        for bundle_id in self.models.ids():
            try:
                self.models.verify(bundle_id)
            except (BundleError, NotFound) as error:
                yield self._unusable(bundle_id, error)
        for kind in ModelKind:
            serving = self.whole.serving(kind)
            if serving and serving not in self.models.ids():
                what = f"it serves ({kind}) and is neither here nor in the store"
                previous = self.whole.previous_serving(kind)
                if kind == ModelKind.RANKING and previous in self.models.ids():
                    todo = f"let {previous} serve again, or train"
                    yield Finding(f"bundle {serving}", what, todo, self.rollback)
                else:
                    yield Finding(f"bundle {serving}", what, f"train anew, or {BACKUP}")

    def _unusable(self, bundle_id: str, error: BundleError | NotFound) -> Finding:
        where, what = f"bundle {bundle_id}", str(error).rstrip(".")
        if (path := self.models.folder / bundle_id).exists():
            return Finding(where, what, "move it aside", partial(self._move_aside, path))
        if isinstance(error, BundleError | BundleAway):
            return Finding(where, what, "then check again")
        todo = "let go of it, so that whoever has it still puts it there again"
        mend = partial(let_go, self.whole, f"bundle/{bundle_id}/{MANIFEST}")
        return Finding(where, what, todo, mend)

    def _codes(self) -> Iterator[Finding]:
        """Codes of deleted bundles, damaged rows, rows that do not fit their bundle's layout, and
        tickets that the serving bundle has no codes of."""
        here, serving = self.models.ids(), self.whole.serving()
        for bundle_id in self.whole.bundles():
            if bundle_id in here:
                yield from self._rows(bundle_id)
            elif bundle_id != serving:
                mend = partial(self._drop, bundle_id)
                what = "the bundle is neither here nor in the store"
                yield Finding(f"codes of bundle {bundle_id}", what, "delete them", mend)
        if serving in here and (count := self.unencoded()):
            what = f"they lack {counted(count, 'ticket')}"
            mend = partial(self._encode_anew, serving, [])
            yield Finding(f"codes of bundle {serving}", what, "encode them", mend)

    def _rows(self, bundle_id: str) -> Iterator[Finding]:
        """Rows of codes that have changed, and rows that the bundle cannot use."""
        where, block = f"codes of bundle {bundle_id}", None
        try:
            block = self.whole.codes(bundle_id)
        except StoreAway:
            raise
        except StoreError:  # all rows were lost
            pass
        if damaged := self.whole.damaged_codes(bundle_id):
            what = f"{counted(len(damaged), 'row')} changed" if block else "all rows were lost"
            what += f", as that of ticket {damaged[0]}"
            mend = partial(self._encode_anew, bundle_id, damaged)
            yield Finding(where, what, "encode these tickets anew", mend)
        if block is not None:
            yield from self._incomparable(bundle_id, where, block)

    def _incomparable(self, bundle_id: str, where: str, block: CodeBlock) -> Iterator[Finding]:
        """What keeps a bundle from comparing queries with a block, or its index from helping."""
        try:
            recommender = self.recommender(bundle_id)
            layout = recommender.model.layout
        except (BundleError, NotFound) as error:
            yield Finding(where, f"they cannot be compared: {error}".rstrip("."), "train anew")
            return
        presence = block.codes[block.live, -1] if len(block.live) else np.empty(0, np.uint8)
        if block.codes.shape[1] not in (0, layout.width):
            yield Finding(where, "they are not as wide as the bundle's", "train anew")
        elif len(wrong := np.flatnonzero(presence >= 1 << layout.components)):
            ids = [block.ids[i] for i in wrong.tolist()]
            what = f"{counted(len(ids), 'row')} of more components than there are, as of {ids[0]}"
            mend = partial(self._encode_anew, bundle_id, ids)
            yield Finding(where, what, "encode these tickets anew", mend)
        elif unusable := recommender.damaged_index():
            what = f"{counted(len(unusable), 'file')} of the index cannot be used, as {unusable[0]}"
            mend = partial(self._derive_anew, recommender, unusable)
            yield Finding(where, what, "make the index anew", mend)

    def _derive_anew(self, recommender: Recommender, unusable: list[Path]) -> str:
        for path in unusable:
            path.unlink(missing_ok=True)
        recommender.derive()
        return "the index was made anew"

    def _encode_anew(self, bundle_id: str, ids: list[str]) -> str:
        self.whole.forget_codes(bundle_id, ids)
        before = self.whole.count_codes(bundle_id)
        self._encode_stale(bundle_id)
        count = self.whole.count_codes(bundle_id) - before
        return f"{counted(count, 'ticket')} encoded anew"

    def _drop(self, bundle_id: str) -> str:
        self.whole.drop_codes(bundle_id)
        return "they were deleted"

    def _messages(self) -> Iterator[Finding]:
        """Files of the broker that are not messages; a worker would discard them."""
        for path in sorted((self.settings.home / "broker").glob("*.msg")):
            try:
                whole = isinstance(json.loads(path.read_bytes()), dict)
            except FileNotFoundError:  # a worker took it
                continue
            except (OSError, ValueError, RecursionError):
                whole = False
            if not whole:
                mend = partial(self._move_aside, path)
                yield Finding(str(path), "this is no message", "move it aside", mend)

    def _move_aside(self, path: Path) -> str:
        place = self.settings.home / ASIDE / f"{utc_now():%Y%m%dT%H%M%S}-{path.name}"
        private_folder(place.parent)
        path.rename(place)
        return f"it was moved to {place}"


def _unreadable(where: str, error: Exception) -> Finding:
    """A finding: why something could not be read, and what to do."""
    if not isinstance(error, StoreError | InputError):
        return Finding(where, f"they cannot all be read ({type(error).__name__})", BACKUP)
    what, _, todo = str(error).rstrip(".").partition("; ")
    return Finding(where, what, todo or BACKUP)


def _is_open(path: Path) -> bool:
    """Whether others may read a file; False if it was deleted just now."""
    try:
        return not path.is_symlink() and bool(path.stat().st_mode & PRIVATE)
    except FileNotFoundError:
        return False


def _close(paths: list[Path]) -> str:
    for path in paths:
        with suppress(FileNotFoundError):
            path.chmod(path.stat().st_mode & ~PRIVATE)
    return "they are their owner's alone now"
