"""Copies a store to another one, repeatedly, until both are equal."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, zip_longest
from typing import Protocol, TypeVar

from ticketing.batches import batches
from ticketing.errors import InputError, NotFound, StoreAway, StoreError
from ticketing.plurals import plural
from ticketing.schedule import Schedule
from ticketing.stores.blocks import CodeRow
from ticketing.stores.files import lasting_files
from ticketing.stores.history import KINDS
from ticketing.stores.jobs import all_jobs
from ticketing.stores.protocols import Store
from ticketing.tickets import ModelKind

T = TypeVar("T")

AT_ONCE = 500

Located = Callable[[str, Sequence[CodeRow]], Sequence[CodeRow]]
"""Adds to rows of a bundle's codes the vectors for approximate search."""

Went = Callable[[int], object]
"""Called with the number of further items done."""

BYTES = "B"
"""Unit of progress in bytes instead of items."""


class Shown(Protocol):
    """Shows the progress of work."""

    def __call__(self, what: str, total: int | None, unit: str = "") -> Went:
        """Begin to show a piece of work and its total, if known; the returned function is called
        with the progress. The unit is BYTES, or "" for items."""


def copy_all(source: Store, target: Store, located: Located, shown: Shown) -> None:
    """Copy all that is missing in the target; an interrupted copy continues when run again.

    What both have stays as it is in the target, except tickets, jobs, files and the serving
    bundles, which become those of the source at the beginning: codes of a bundle that is promoted
    meanwhile may have been copied before all were there.
    """
    served = [
        (kind, bundle_id)
        for kind in ModelKind
        for bundle_id in (source.previous_serving(kind), source.serving(kind))
        if bundle_id
    ]
    _copy(source.iter_tickets(), target.put_tickets, shown("tickets", source.count_tickets()))
    _copy(source.queries(), target.put_queries, shown("queries", None))
    _copy(source.judgments(), target.add_judgments, shown("judgments", None))
    _copy(source.verdicts(), target.add_verdicts, shown("verdicts", None))
    for events, name in KINDS.items():
        _copy(source.events(events), target.add_events, shown(plural(name), None))
    _copy_jobs(source, target, shown("jobs", None))
    for bundle_id in source.bundles():
        _copy(
            source.code_rows(bundle_id),
            partial(_put_codes, target, bundle_id, located),
            shown(f"codes of {bundle_id}", source.count_codes(bundle_id)),
        )
    there = {file.name: file.sha256 for file in target.files()}
    for file in _counted(lasting_files(source), shown("files", None)):
        if there.get(file.name) != file.sha256:
            _put_file(source, target, file.name)
    for account in _counted(source.accounts(), shown("accounts", None)):
        if target.get_account(account.name) is None:  # one may have been disabled since
            target.put_account(account)
    for token in _counted(source.tokens(), shown("tokens", None)):
        if target.get_token(token.id) is None:
            target.add_token(token)
    if target.schedule() == Schedule():
        target.set_schedule(source.schedule(), Schedule())
    for kind, bundle_id in served:
        target.set_serving(bundle_id, kind)


def _copy_jobs(source: Store, target: Store, went: Went) -> None:
    """Copy new and changed jobs. Finished ones that the target has come first, since only one job
    of a kind and bundle may be unfinished."""
    there = {job.id: job for job in all_jobs(target)}
    changed = [job for job in all_jobs(source)[::-1] if there.get(job.id) != job]
    changed.sort(key=lambda job: not (job.finished and job.id in there))
    for job in _counted(changed, went):
        target.put_job(job)


def _put_file(source: Store, target: Store, name: str) -> None:
    """Copy a file, unless it is deleted meanwhile, as the files of an import are at its end. A file
    that is replaced meanwhile is read again."""
    for again in (True, False):
        try:
            target.put_file(name, source.file_chunks(name))
            return
        except (NotFound, StoreAway):
            if name not in {file.name for file in source.files(name)}:
                return
            if not again:
                raise


def require_no_other(source: Store, target: Store) -> None:
    """Raises InputError if the target holds data that the source does not, so that it is another
    desk."""
    for what, ids in _IDS.items():
        here = set(ids(target))
        if here and (others := here - set(ids(source))):
            raise InputError(
                f"The target holds another desk: the source has no {what} {min(others)}; name an"
                " empty target."
            )


_IDS: dict[str, Callable[[Store], Iterable[str]]] = {
    "account": lambda store: (account.name for account in store.accounts()),
    "judgment": lambda store: (judgment.event_id for judgment in store.judgments()),
    "ticket": lambda store: (ticket.id for ticket in store.iter_tickets()),
}
"""What tells one desk from another."""


def _put_codes(target: Store, bundle_id: str, located: Located, rows: Sequence[CodeRow]) -> int:
    return target.put_codes(bundle_id, located(bundle_id, rows))


def require_equal(source: Store, target: Store, shown: Shown) -> None:
    """Raises StoreError naming the first difference between the stores."""
    for name, of in _PARTS.items():
        went = shown(f"{name}, compared", None)
        for ours, theirs in zip_longest(of(source), of(target)):
            if ours != theirs:
                raise StoreError(
                    f"The copy is not equal: of the {name}, {_short(ours)} in the source is"
                    f" {_short(theirs)} in the target; empty the target, or run it again if"
                    " somebody has been working on either."
                )
            went(1)


def _codes(store: Store) -> Iterator[tuple[object, ...]]:
    for bundle_id in store.bundles():
        for row in store.code_rows(bundle_id):
            yield bundle_id, row.ticket_id, row.version, row.code, row.topic


_PARTS: dict[str, Callable[[Store], Iterable[object]]] = {
    "tickets": lambda store: store.iter_tickets(),
    "queries": lambda store: sorted(store.queries(), key=lambda query: query.id),
    "judgments": lambda store: store.judgments(),
    "verdicts": lambda store: store.verdicts(),
    "history": lambda store: chain.from_iterable(store.events(kind) for kind in KINDS),
    "jobs": lambda store: sorted(all_jobs(store), key=lambda job: job.id),
    "codes": _codes,
    "files": lambda store: [(file.name, file.bytes, file.sha256) for file in lasting_files(store)],
    "accounts": lambda store: store.accounts(),
    "tokens": lambda store: sorted(store.tokens(), key=lambda token: token.id),
    "schedule": lambda store: [store.schedule()],
    "serving bundles": lambda store: [
        (kind, store.serving(kind), store.previous_serving(kind)) for kind in ModelKind
    ],
}
"""All content of a store in a defined order, without sessions: people sign in again."""


def _copy(items: Iterable[T], put: Callable[[list[T]], object], went: Went) -> None:
    for some in batches(items, AT_ONCE):
        put(some)
        went(len(some))


def _counted(items: Iterable[T], went: Went) -> Iterator[T]:
    for item in items:
        yield item
        went(1)


def _short(thing: object) -> str:
    return "missing" if thing is None else f"{thing!r:.120}"
