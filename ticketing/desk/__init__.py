"""The desk: store, models and settings in one object, with one method per use case.

The page, the API and the worker call a `Desk` and nothing below it, except the values that it
returns; import-linter checks this. Commands also read files and print tables by themselves.

`Desk` inherits from a class of most modules here; each adds some methods.

- `base`: the state that all parts share: settings, store, loaded models.
- `models`, `loaded`: the desk's bundles, and those that are loaded in this process.
- `bundles`, `bundle_list`: how a bundle comes to serve, and the list of all bundles.
- `training`, `material`, `checkpoints`: training, its input as a file, and its saved progress.
- `measuring`, `quality`: evaluation of bundles, and the quality of past answers.
- `asking`: answers to queries, and their history.
- `judging`, `solved`: judgments, and the queries that tickets solved according to them.
- `workspace`: rounds of judging, and the agreement of judges.
- `topics`, `categories`: topics of tickets, and proposals of the desk's own categories.
- `long_work`: work done as jobs. `imports` and `import_work` hold the requests and the work of
  imports.
- `leases`: locks in the store that only one process holds at a time.
- `scheduling`: the schedule of automatic trainings.
- `people`, `tokens`: accounts and sessions, and API tokens.
- `audit`, `trail`: the audit log, and events read page by page.
- `setup`, `readiness`: first steps of a new desk, and whether a process is ready.
- `checking`: finds and mends damage.
- `backup`, `restore`: backups; `vectors` recomputes vectors that a backup does not hold.
"""

import os
import uuid
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import Self

from ticketing.desk.backup import Backups
from ticketing.desk.bundle_list import BundleList
from ticketing.desk.checking import Checking
from ticketing.desk.long_work import LongWork
from ticketing.desk.models import Models
from ticketing.desk.people import People
from ticketing.desk.quality import QualityOverTime
from ticketing.desk.readiness import Readying
from ticketing.desk.restore import require_restored
from ticketing.desk.scheduling import Scheduling
from ticketing.desk.setup import SettingUp
from ticketing.desk.workspace import Workspace
from ticketing.errors import InputError
from ticketing.files import OF_A_DESK, desk_folder
from ticketing.history import FormerTicket
from ticketing.limits import require_ticket
from ticketing.people import Person
from ticketing.settings import FOLDER, Settings, folder_of
from ticketing.stores import open_store
from ticketing.stores.protocols import PutCounts
from ticketing.stores.visible import VisibleStore
from ticketing.tickets import Ticket
from ticketing.times import utc_now

MOST_LEFT = 500
"""Tickets that `encode_left` encodes at once: as many as an import stores at once."""


class Desk(
    LongWork,
    Workspace,
    Readying,
    QualityOverTime,
    SettingUp,
    BundleList,
    Scheduling,
    People,
    Checking,
    Backups,
):
    """One desk's knowledge base and the models that serve it."""

    @property
    def notice(self) -> str:
        """A sentence shown on every page (the demonstration base says that it is generated)."""
        path = self.settings.home / "notice.txt"
        return path.read_text("utf-8", errors="replace").strip() if path.exists() else ""

    @property
    def channel_labels(self) -> dict[str, str]:
        """The name that people read for each channel, by its letter."""
        from ticketing.encoders.registry import ENCODERS

        return {symbol: kind.label for symbol, kind in ENCODERS.items()}

    def warm_up(self) -> None:
        """Load the serving bundles, if any, and whatever else a first query or a first proposal of
        categories would wait for."""
        with self._answering():
            self.models.share_all()
            if self.store.serving():
                self._warm(self._recommender())
            if self.has_categories():
                self._serving_classifier()

    def seen_by(self, person: Person) -> Self:
        """This desk as a person sees it: tickets outside their groups, and all that refers to them,
        are hidden. Models and caches are shared, so a copy per request is cheap."""
        if person.groups is None:
            return self
        seen = copy(self)
        seen.groups = person.groups
        seen.store = VisibleStore(self.whole, person.groups, person.name)
        return seen

    # the knowledge base -----------------------------------------------------------
    def put_tickets(self, tickets: Sequence[Ticket], keep: Collection[str] = ()) -> PutCounts:
        """Add or change tickets. If a bundle serves, they are encoded at once and can be found.
        `keep` names fields that were not given: present tickets keep their values of these.

        A bundle whose codes are still being built gets these tickets' codes from its reindex job,
        which ends only when all tickets have fresh codes. Raises Conflict for the id of a ticket
        that the person may not see, InputError for a ticket that exceeds a limit.
        """
        for ticket in tickets:
            require_ticket(ticket)
        counts = self.store.put_tickets(tickets, keep=keep)
        self.encode_put([ticket.id for ticket in tickets])
        return counts

    def encode_put(self, ids: Sequence[str]) -> None:
        """Encode tickets that were just stored, so that the serving bundle finds them at once."""
        encoded: list[str] = []
        while left := [id for id in self._in_use() if id not in encoded]:  # it may change
            self._encode_stale(left[0], ids)
            encoded.append(left[0])

    def encode_left(self) -> None:
        """Encode tickets that a killed process stored and did not encode, so that queries find
        them. At most MOST_LEFT for each bundle in use, so that this ends soon."""
        for bundle_id in self._in_use():
            set_aside = self._set_aside(bundle_id)
            left = self.whole.stale_ids(bundle_id, MOST_LEFT + len(set_aside))
            self._encode_stale(bundle_id, among=sorted(set(left) - set_aside))

    def delete_tickets(self, ids: Sequence[str]) -> int:
        """Delete tickets; the next query no longer finds them. Returns how many there were.

        The id of a ticket that only some groups could see stays reserved for them, see
        `VisibleStore.put_tickets`.
        """
        former = [
            FormerTicket(uuid.uuid4().hex, utc_now(), ticket.id, ticket.groups)
            for ticket in self.store.get_tickets(ids).values()
            if ticket.groups
        ]
        if former:
            self.whole.add_events(former)
        return self.store.delete_tickets(ids)

    def close(self) -> None:
        """Release files and connections."""
        self._recommenders.close()
        self._classifiers.close()
        self.store.close()


def open_desk(settings: Settings) -> Desk:
    """Open the desk that the settings describe. Its home is created if it is missing, and only its
    owner may enter it.

    Raises InputError if the home cannot be written to, StoreError after an interrupted restore.
    """
    with _usable(settings.home):
        desk_folder(settings.home)
        require_restored(settings.home)
    store = open_store(settings)
    desk = Desk(settings, store, Models(settings.home / "models", store))
    feedback = settings.home / "categories" / "feedback.jsonl"
    if feedback.exists():
        desk.take_feedback(feedback)
    return desk


@contextmanager
def _usable(home: Path) -> Iterator[None]:
    """Raises InputError if a home cannot be created or entered."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"The home {home} cannot be used ({error.strerror}); let the user who runs this enter"
            " it and write to it, or name another with TICKETING_HOME."
        ) from None


def open_known_desk(settings: Settings) -> Desk:
    """Open a desk that exists already, for commands that make no sense on a new one. Raises
    InputError if there is none, and whatever `open_desk` raises."""
    folder = settings.home
    if settings.store.startswith(FOLDER):
        folder = folder_of(settings.store)
    with _usable(folder):
        there = set(os.listdir(folder)) if folder.exists() else set()
    if not (settings.store and folder == settings.home) and there.isdisjoint({*OF_A_DESK, "codes"}):
        raise InputError(
            f"There is no desk in {folder.absolute()}; set TICKETING_HOME to its home."
        )
    return open_desk(settings)
