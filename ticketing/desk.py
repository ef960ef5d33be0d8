"""The desk: store, models and settings wired together, and every use case as one method.

The command line, the page, the API and the worker call a Desk and nothing below it.
"""

import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from ticketing.errors import InputError, NotFound, NotReady, StoreFull
from ticketing.evaluation.promotion import Comparison, compare
from ticketing.labels import derive_labels, is_held_out
from ticketing.retrieval.recommend import Recommender
from ticketing.retrieval.topics import (
    Topic,
    TopicSurvey,
    TopicTrend,
    describe,
    main_topics,
    survey,
)
from ticketing.retrieval.verify import verify_codes
from ticketing.settings import Settings
from ticketing.similarity.bundle import Models
from ticketing.similarity.config import NetworkSettings, TrainingSettings
from ticketing.similarity.model import Model
from ticketing.similarity.neighbours import ticket_vectors
from ticketing.stores import open_store
from ticketing.stores.protocol import CodeRow, PutCounts, TicketStore
from ticketing.tickets import Filters, Grade, Judgment, Label, Query, Recommendations, Ticket

BATCH = 128
"""Tickets encoded at a time."""

A_FEW = 32
"""Tickets that may come between a reindexing and its promotion."""


class Desk:
    """One desk's knowledge base and the models that serve it."""

    def __init__(self, settings: Settings, store: TicketStore, models: Models):
        self.settings = settings
        self.store = store
        self.models = models
        self._recommenders: dict[str, Recommender] = {}
        self._loading = threading.Lock()

    @property
    def notice(self) -> str:
        """A sentence shown on every page (the demonstration base says that it is generated)."""
        path = self.settings.home / "notice.txt"
        return path.read_text().strip() if path.exists() else ""

    # asking and judging ---------------------------------------------------------
    def recommend(
        self, query: Query, filters: Filters = Filters(), limit: int = 10
    ) -> Recommendations:
        """The best past tickets for a query, which is remembered under `query.id`, unless the
        store takes no writes.

        Raises NotReady when no bundle serves yet, InputError for a blank query.
        """
        answer = self.recommender().recommend(query, filters, limit)
        with suppress(StoreFull):
            self.store.put_query(query)
        return answer

    def warm_up(self) -> None:
        """Load the serving bundle, if any, and all that a first query would wait for."""
        if self.store.serving():
            self.recommender().rank(Query("warm up"))
            self.topic_of(Ticket("", "warm up"))

    def recommender(self, bundle_id: str = "") -> Recommender:
        """Ranks under the given bundle, or the serving one.

        Raises NotReady, NotFound, BundleError.
        """
        bundle_id = bundle_id or self.store.serving()
        if not bundle_id:
            raise NotReady("No model serves yet: run `ticketing train`, then `ticketing reindex`.")
        with self._loading:
            if bundle_id not in self._recommenders:
                model = Model.from_bundle(self.models.load(bundle_id))
                self._recommenders[bundle_id] = Recommender(
                    self.store, model, self.settings.threads
                )
            return self._recommenders[bundle_id]

    def judge(
        self,
        query_id: str,
        ticket_id: str,
        grade: Grade | None,
        judge: str,
        *,
        rank: int | None = None,
        score: float | None = None,
        event_id: str = "",
    ) -> Judgment:
        """Record a grade (or its undo, None) as an event; the same `event_id` twice is once.

        Raises NotFound for an unknown query or ticket.
        """
        query = self.store.get_query(query_id)
        if query is None:
            raise NotFound(f"There is no query {query_id}; ask it again.")
        if ticket_id not in self.store.get_tickets([ticket_id]):
            raise NotFound(f"There is no ticket {ticket_id}; it may have been deleted meanwhile.")
        judgment = Judgment(
            event_id=event_id or uuid.uuid4().hex,
            query=query,
            ticket_id=ticket_id,
            grade=grade,
            judge=judge,
            time=datetime.now(UTC).replace(tzinfo=None),
            rank=rank,
            score=score,
            bundle_id=self.store.serving(),
        )
        self.store.add_judgments([judgment])
        return judgment

    def grades(self, query_id: str, judge: str) -> dict[str, Grade]:
        """This judge's present grades for a query, by ticket id (undone ones are absent)."""
        latest = {j.ticket_id: j.grade for j in self.store.judgments(query_id) if j.judge == judge}
        return {ticket: grade for ticket, grade in latest.items() if grade is not None}

    # the knowledge base -----------------------------------------------------------
    def put_tickets(self, tickets: Sequence[Ticket]) -> PutCounts:
        """Add or change tickets; under a serving bundle they are encoded and found at once.

        A bundle whose codes are being built gets them from its job, which ends only when no
        ticket is without fresh codes.
        """
        counts = self.store.put_tickets(tickets)
        encoded_for = ""
        while (serving := self.store.serving()) != encoded_for:  # it may change meanwhile
            self._encode_stale(serving, [ticket.id for ticket in tickets])
            encoded_for = serving
        return counts

    def delete_tickets(self, ids: Sequence[str]) -> int:
        """Delete tickets; the next query no longer finds them."""
        return self.store.delete_tickets(ids)

    def encode(self, bundle_id: str, tickets: Sequence[Ticket]) -> list[CodeRow]:
        """Codes and main topics of tickets under a bundle, in the order given."""
        model = self.recommender(bundle_id).model
        rows, topics = model.encode_tickets(tickets), main_topics(model, tickets)
        vectors = ticket_vectors(model, rows)
        return [
            CodeRow(ticket.id, ticket.version, row.tobytes(), topic, vector.tobytes())
            for ticket, row, topic, vector in zip(tickets, rows, topics, vectors, strict=True)
        ]

    def _encode_stale(self, bundle_id: str, among: Sequence[str] | None = None) -> None:
        """Give tickets without fresh codes under a bundle theirs, page by page."""
        set_aside, after = self._set_aside(bundle_id), ""
        while stale := self.store.stale_ids(bundle_id, BATCH, after, among):
            if tickets := self.store.get_tickets([id for id in stale if id not in set_aside]):
                self.store.put_codes(bundle_id, self.encode(bundle_id, list(tickets.values())))
            after = stale[-1]

    # topics -------------------------------------------------------------------------
    def topics(self, filters: Filters = Filters()) -> TopicSurvey:
        """What the tickets are about under the serving bundle, and when.

        Raises NotReady when no bundle serves yet or the serving one has no topics.
        """
        return survey(self.store, self.recommender().model, filters)

    def topic(self, number: int, filters: Filters = Filters()) -> tuple[TopicSurvey, TopicTrend]:
        """One topic's trend among all; a topic that no matching ticket has is one of 0 tickets.

        Raises NotReady as `topics` does, and NotFound.
        """
        topic = describe(self.recommender().model, number)
        found = self.topics(filters)
        return found, found.trend(topic)

    def topic_tickets(
        self, topic: int, filters: Filters = Filters(), limit: int = 10, offset: int = 0
    ) -> list[Ticket]:
        """Tickets whose main topic this is under the serving bundle, newest first."""
        ids = self.store.topic_tickets(self.store.serving(), topic, filters, limit, offset)
        found = self.store.get_tickets(ids)
        return [found[id] for id in ids if id in found]

    def topic_of(self, ticket: Ticket) -> Topic | None:
        """The main topic of a ticket's present text; None where it has none or no bundle serves."""
        if not self.store.serving():
            return None
        model = self.recommender().model
        [topic] = main_topics(model, [ticket])
        return None if topic is None else describe(model, topic)

    # models -----------------------------------------------------------------------
    def labels(self) -> list[Label]:
        """What all judgments come to."""
        return derive_labels(self.store.judgments())

    def train(
        self,
        network: NetworkSettings,
        training: TrainingSettings,
        before: datetime | None = None,
        vectors_file: Path | None = None,
        labels: Sequence[Label] | None = None,
    ) -> str:
        """Train on tickets (created before a date, if given) and labels (those of
        `training_labels`, unless others are given); returns the bundle's id."""
        from ticketing.similarity.recipe import train

        with self._one_training():
            return train(
                list(self.store.iter_tickets(Filters(created_before=before))),
                self.training_labels(before) if labels is None else labels,
                network,
                training,
                self.models,
                self.settings.home / "checkpoints",
                vectors_file,
            )

    def training_labels(self, before: datetime | None = None) -> list[Label]:
        """Labels to learn from, of tickets created before a date if one is given; those of
        held-out queries are left for `promote` to measure on."""
        known = {ticket.id for ticket in self.store.iter_tickets(Filters(created_before=before))}
        return [
            label
            for label in self.labels()
            if not is_held_out(label.query.id)
            and label.ticket_id in known
            and (not before or not label.query.ticket_id or label.query.ticket_id in known)
        ]

    @contextmanager
    def _one_training(self) -> Iterator[None]:
        """Raises NotReady when another process is training on this desk."""
        from filelock import FileLock, Timeout

        try:
            with FileLock(self.settings.home / "training.lock", timeout=0):
                yield
        except Timeout:
            raise NotReady("Another training is running on this desk; wait for its end.") from None

    def newest_bundle(self) -> str:
        """The bundle trained last. Raises NotReady when there is none."""
        ids = self.models.ids()
        if not ids:
            raise NotReady("There is no model yet: run `ticketing train`.")
        return ids[-1]

    def compare(self, bundle_id: str, other_id: str) -> Comparison:
        """Both bundles on the held-out judgments."""
        held_out = [label for label in self.labels() if is_held_out(label.query.id)]
        return compare(self.recommender(bundle_id), self.recommender(other_id), held_out)

    def promote(self, bundle_id: str, force: bool = False) -> str:
        """Let a bundle serve if it is no worse than the serving one on held-out judgments.

        Returns a sentence that says what happened and by how much. Tickets that came since its
        reindexing are encoded first. Raises NotReady while more than a few lack codes under it,
        NotFound and BundleError where it cannot serve.
        """
        self.recommender(bundle_id)
        stale = set(self.store.stale_ids(bundle_id)) - self._set_aside(bundle_id)
        if len(stale) > A_FEW and not force:
            raise NotReady(
                f"{len(stale)} tickets have no codes under bundle {bundle_id}; "
                "run `ticketing reindex`."
            )
        serving = self.store.serving()
        if serving == bundle_id:
            return f"Bundle {bundle_id} serves already."
        if serving and not force:
            comparison = self.compare(bundle_id, serving)
            if not comparison.may_serve:
                return f"Bundle {bundle_id} was not promoted: {comparison}."
            self._serve(bundle_id)
            return f"Bundle {bundle_id} serves now: {comparison}."
        self._serve(bundle_id)
        return f"Bundle {bundle_id} serves now."

    def _serve(self, bundle_id: str) -> None:
        """Switch to a bundle whose codes are verified; tickets that others put until then, or
        during it, are not missed."""
        self._encode_stale(bundle_id)
        verify_codes(self.recommender(bundle_id))
        self.store.set_serving(bundle_id)
        self._encode_stale(bundle_id)

    def _set_aside(self, bundle_id: str) -> set[str]:
        """Tickets that a job could not encode under this bundle."""
        return {id for job in self.store.jobs() if job.bundle_id == bundle_id for id in job.errors}

    def rollback(self) -> str:
        """Let the bundle that served before serve again; what came since is encoded under it first.

        Raises NotReady when there is none.
        """
        previous = self.store.previous_serving()
        if not previous:
            raise NotReady("No other bundle has served before; there is nothing to go back to.")
        self._serve(previous)
        return f"Bundle {previous} serves again."

    def close(self) -> None:
        """Release files and connections."""
        self.store.close()


def open_desk(settings: Settings) -> Desk:
    """The desk that the settings describe; its home is created where it is missing.

    Raises InputError when the home can't be written to.
    """
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"The home {settings.home} cannot be used ({error.strerror}); set TICKETING_HOME."
        ) from None
    return Desk(settings, open_store(settings), Models(settings.home / "models"))
