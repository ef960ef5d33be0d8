"""What all parts of a desk stand on: settings, store, models, and what ranks under each bundle.

What loads torch is imported where a model is asked for, so that a list of jobs costs no model.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from ticketing.desk.leases import HeldLease, Taken, held
from ticketing.desk.loaded import Loaded
from ticketing.errors import (
    BundleAway,
    BundleError,
    EncoderAway,
    NotFound,
    NothingServes,
    NotReady,
    StoreError,
)
from ticketing.jobs import JobKind, JobState
from ticketing.model.registry import Registry
from ticketing.settings import Settings
from ticketing.stores.blocks import CodeRow
from ticketing.stores.protocols import Store, parted
from ticketing.tickets import ModelKind, Query, Ticket

if TYPE_CHECKING:
    from ticketing.classification.classifier import CategoryClassifier
    from ticketing.retrieval.recommend import Recommender


T = TypeVar("T")

log = logging.getLogger(__name__)

BATCH = 128
"""Tickets encoded at a time."""


class DeskBase:
    """What every part of a desk stands on."""

    def __init__(self, settings: Settings, store: Store, models: Registry):
        self.settings = settings
        self.store = store
        """What whoever asks may see, all by default; see `Desk.seen_by`."""
        self.whole = store
        """All there is: what is trained on, encoded and promoted for everybody."""
        self.groups: frozenset[str] | None = None
        """Of whoever asks; None sees all."""
        self.models = models
        self._recommenders: Loaded[Recommender] = Loaded(
            self._load_recommender, self._prepare, self._encode_stale
        )
        self._unanswered: list[StoreError] = []
        """What the store said when the last question failed for it; shared by `seen_by`."""
        self._hiding: dict[frozenset[str] | None, tuple[float, bool]] = {}
        """From whom tickets were hidden, and when that was looked up; shared by `seen_by`."""
        self._pools: dict[tuple[str, str, frozenset[str] | None], tuple[str, ...]] = {}
        self._classifiers: Loaded[CategoryClassifier] = Loaded(
            self._load_classifier, lambda _: None, lambda _: None
        )

    def sees_all(self) -> bool:
        """Whether no ticket is hidden from whoever asks."""
        return self.store.count_tickets() == self.whole.count_tickets()

    def _known_query(self, query_id: str) -> Query:
        """A query that was asked before. Raises NotFound, and StoreFull where nothing is kept."""
        query = self.store.get_query(query_id)
        if query is None:
            self.whole.require_room()  # without any, no query was kept
            raise NotFound(f"There is no query {query_id}; ask it again.")
        return query

    def recommender(self, bundle_id: str = "") -> Recommender:
        """Ranks what may be seen under the given bundle, for which whoever asks waits, or under the
        serving one; until that is loaded here, under the one that served here before it.

        Raises NothingServes where none does, NotFound and BundleError for a bundle that cannot be
        had, BundleAway for a serving one that cannot be had yet, InputError for one that does not
        rank.
        """
        from ticketing.retrieval.solved import solved_seen

        found = self._recommender(bundle_id)
        if self.store is self.whole:
            return found
        return found.over(self.store, solved_seen(found.solved, self.store.matching_ids))

    def _recommender(self, bundle_id: str = "") -> Recommender:
        """Ranks all there is."""
        if bundle_id:
            return self._recommenders.named(bundle_id)
        serving = self.whole.serving()
        if not serving:
            raise NothingServes("No model serves yet: run `ticketing train`.")
        found = self._served(self._recommenders, ModelKind.RANKING, serving)
        if found.model.id == serving or found.model.id in self.whole.bundles():
            return found
        return self._had(serving)  # the other one's codes went, as when a desk is restored

    def _had(self, bundle_id: str) -> Recommender:
        """Ranks under a bundle that somebody has. Raises BundleAway, BundleError."""
        try:
            return self.recommender(bundle_id)
        except NotFound as error:
            raise _away(bundle_id, error) from None

    def _served(self, loaded: Loaded[T], kind: ModelKind, serving: str) -> T:
        """The model of a kind that answers here; where that of the serving bundle cannot be had
        and nothing has answered yet, the one that served before."""
        try:
            return loaded.serving(serving)
        except NotFound as error:
            if previous := self.whole.previous_serving(kind):
                with suppress(NotFound):
                    found = loaded.serving(previous)
                    loaded.failure = error
                    return found
            raise _away(serving, error) from None

    def _in_use(self) -> list[str]:
        """The bundle that serves, after the one that answers here until that is loaded."""
        serving, answering = self.whole.serving(), self._recommenders.answering
        if answering in ("", serving) or answering not in self.whole.bundles():
            return [serving] if serving else []
        return [answering, serving]

    def encode(
        self, bundle_id: str, tickets: Sequence[Ticket], tokens: Mapping[str, str] | None = None
    ) -> list[CodeRow]:
        """Codes, main topics and, where the store keeps them, vectors of tickets under a bundle, in
        the order given. `tokens`, by id, are those that a store keeps, where they are known.

        Raises BundleAway where it cannot be had here, BundleError.
        """
        from ticketing.model.components import kept_fields
        from ticketing.retrieval.topics import main_topics

        model = self._had(bundle_id).model
        tokens = tokens or {}
        texts = [kept_fields(ticket, tokens.get(ticket.id, "")) for ticket in tickets]
        rows, topics = model.encode_tickets(tickets, texts), main_topics(model, tickets, texts)
        vectors = [b""] * len(tickets)
        if self.whole.keeps_vectors:
            vectors = [vector.tobytes() for vector in model.projection.ticket_vectors(rows)]
        return [
            CodeRow(ticket.id, ticket.version, row.tobytes(), topic, vector)
            for ticket, row, topic, vector in zip(tickets, rows, topics, vectors, strict=True)
        ]

    def _encode_stale(self, bundle_id: str, among: Sequence[str] | None = None) -> None:
        """Give tickets without fresh codes under a bundle theirs, page by page. Those that were set
        aside are tried again where they are `among` some, whose texts may be others now."""
        set_aside, after = self._set_aside(bundle_id), ""
        while stale := self.whole.stale_ids(bundle_id, BATCH, after, among):
            if read := self.whole.read_tickets([id for id in stale if id not in set_aside]):
                tickets, tokens = parted(read)
                self.whole.put_codes(bundle_id, self.encode(bundle_id, tickets, tokens))
            after = stale[-1]
        for id in sorted(set_aside.intersection(among or ())):
            self._encode_again(bundle_id, id)

    def _encode_again(self, bundle_id: str, id: str) -> None:
        """Encode a ticket that was set aside; one that still cannot be waits for a reindex."""
        read = self.whole.read_tickets(self.whole.stale_ids(bundle_id, among=[id]))
        tickets, tokens = parted(read)
        try:
            rows = self.encode(bundle_id, tickets, tokens) if tickets else []
        except (BundleError, BundleAway, StoreError, OSError):  # are not of its text
            raise
        except Exception as error:
            log.warning("ticket %s is still set aside: %s", id, error)
        else:
            self.whole.put_codes(bundle_id, rows)

    def _set_aside(self, bundle_id: str) -> set[str]:
        """Tickets that the last whole reindex under this bundle, or one since, could not encode."""
        found: set[str] = set()
        for job in self.whole.jobs(kind=JobKind.REINDEX, bundle_id=bundle_id):
            found |= job.errors.keys()
            if job.state == JobState.DONE:
                break
        return found

    def _prepare(self, bundle_id: str) -> None:
        """Do all that a first query under a bundle would wait for."""
        self._encode_stale(bundle_id)
        self._warm(self._recommenders.named(bundle_id))

    def _warm(self, recommender: Recommender) -> None:
        """Ask for what is in every archive, so that whatever is read or compiled once is."""
        from ticketing.retrieval.topics import main_topics

        recommender.recommend(Query("Problem", "It does not start."))
        main_topics(recommender.model, [Ticket("", "Problem")])

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Remember, until a block succeeds, what the store said where one that answers failed."""
        try:
            yield
        except StoreError as error:
            self._unanswered[:] = [error]
            raise
        self._unanswered.clear()

    def _try_again(self) -> None:
        """Ask once more where the last question failed for the store. Raises StoreError where it
        fails again."""
        if self._unanswered and self.whole.serving():
            with suppress(NotFound, NotReady, BundleError), self._answering():
                self._warm(self.recommender())

    def _load_recommender(self, bundle_id: str) -> Recommender:
        from ticketing.desk.solved import SolvedQueries
        from ticketing.model.saving import model_in
        from ticketing.retrieval.recommend import Recommender

        model = model_in(self.models.load(bundle_id), self.settings.home / "checkpoints")
        solved = SolvedQueries(model, self.whole)
        return Recommender(self.whole, model, self.settings.threads, solved=solved)

    def _load_classifier(self, bundle_id: str) -> CategoryClassifier:
        from ticketing.classification.classifier import CategoryClassifier

        classifier = CategoryClassifier.load(self.models, bundle_id)
        classifier.suggest("warm up")
        return classifier

    def _shown_words(self, words: Iterable[str]) -> set[str]:
        """Which of a bundle's words may be shown: those of tickets that may be seen."""
        if self.store is self.whole:
            return set(words)
        return self.store.known_words(list(dict.fromkeys(words)))

    @contextmanager
    def _one_training(self, what: str) -> Iterator[HeldLease]:
        """Raises NotReady when another process, on whichever machine, is training the same on this
        desk: one that was killed a moment ago is waited for, as long as nobody knows it."""
        try:
            with held(self.whole, what, wait=True) as lease:
                yield lease
        except Taken:
            raise NotReady("Another training is running on this desk; wait for its end.") from None


def _away(bundle_id: str, error: NotFound) -> BundleAway:
    kind = EncoderAway if isinstance(error, EncoderAway) else BundleAway
    return kind(f"Bundle {bundle_id} is not on this machine yet: {error}")
