"""Base class of all parts of a desk: settings, store, bundles, and the models loaded here.

Modules that load torch are imported only where a model is needed, so that a list of jobs stays
fast.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from ticketing.desk.leases import HeldLease, held
from ticketing.desk.loaded import Loaded
from ticketing.errors import (
    BundleAway,
    BundleError,
    EncoderAway,
    NewDesk,
    NotFound,
    NotReady,
    StoreError,
)
from ticketing.jobs import JobKind, JobState
from ticketing.model.registry import Registry
from ticketing.settings import Settings
from ticketing.stores.blocks import CodeRow
from ticketing.stores.protocols import Store, parted
from ticketing.stores.visible_events import see_no_more
from ticketing.tickets import ModelKind, Query, Ticket

if TYPE_CHECKING:
    from ticketing.classification.classifier import CategoryClassifier
    from ticketing.retrieval.recommend import Recommender


T = TypeVar("T")

log = logging.getLogger(__name__)

BATCH = 128
"""Number of tickets encoded at a time."""


class DeskBase:
    """State and helpers that every part of a desk shares."""

    def __init__(self, settings: Settings, store: Store, models: Registry):
        self.settings = settings
        self.store = store
        """The store as the present person may see it; by default all of it. See `Desk.seen_by`."""
        self.whole = store
        """The whole store: for training, encoding and promotion."""
        self.groups: frozenset[str] | None = None
        """Groups of the present person; None sees all tickets."""
        self.models = models
        self._recommenders: Loaded[Recommender] = Loaded(
            self._load_recommender, self._prepare, self._keep_up
        )
        self._unanswered: list[StoreError] = []
        """The store's error if the last query failed because of it; shared by `seen_by`."""
        self._hiding: dict[frozenset[str] | None, tuple[float, bool]] = {}
        """For some groups: when it was last checked whether tickets are hidden from them, and the
        result; shared by `seen_by`."""
        self._pools: dict[tuple[str, str, frozenset[str] | None], tuple[str, ...]] = {}
        self._classifiers: Loaded[CategoryClassifier] = Loaded(
            self._load_classifier, lambda _: None, lambda _: None
        )

    def sees_all(self) -> bool:
        """Whether no ticket is hidden from the present person."""
        return self.groups is None or see_no_more(self.whole, None, self.groups)

    def _known_query(self, query_id: str) -> Query:
        """A query that was asked before. Raises NotFound, and StoreFull if the store takes no
        writes, so that no query was kept."""
        query = self.store.get_query(query_id)
        if query is None:
            self.whole.require_room()  # a full store has kept no query
            raise NotFound(f"There is no query {query_id}; ask it again.")
        return query

    def recommender(self, bundle_id: str = "") -> Recommender:
        """The ranker of a bundle over the tickets that may be seen. The caller waits until a given
        bundle is loaded. Without `bundle_id` it is the serving bundle, or the one that served
        before until the serving one is loaded.

        Raises NewDesk if no bundle serves, NotFound and BundleError for a bundle that cannot
        be loaded, BundleAway for a serving bundle that is not here yet, InputError for a bundle
        that does not rank.
        """
        from ticketing.retrieval.solved import solved_seen

        found = self._recommender(bundle_id)
        if self.store is self.whole:
            return found
        return found.over(self.store, solved_seen(found.solved, self.store.matching_ids))

    def _recommender(self, bundle_id: str = "") -> Recommender:
        """As `recommender`, over all tickets."""
        if bundle_id:
            return self._recommenders.named(bundle_id)
        serving = self.whole.serving()
        if not serving:
            raise NewDesk("No model serves yet: run `ticketing train`.")
        found = self._served(self._recommenders, ModelKind.RANKING, serving)
        if found.model.id == serving or found.model.id in self.whole.bundles():
            return found
        return self._had(serving)  # codes of the other bundle were dropped, as by a restore

    def _had(self, bundle_id: str) -> Recommender:
        """The ranker of a bundle that exists on some machine. Raises BundleAway, BundleError."""
        try:
            return self.recommender(bundle_id)
        except NotFound as error:
            raise _away(bundle_id, error) from None

    def _served(self, loaded: Loaded[T], kind: ModelKind, serving: str) -> T:
        """The loaded model of the serving bundle. If it cannot be loaded and none was loaded
        before, the model of the bundle that served before it."""
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
        """Bundles that must have fresh codes: the serving one, and before it the one that still
        answers until the serving one is loaded."""
        serving, answering = self.whole.serving(), self._recommenders.answering
        if answering in ("", serving) or answering not in self.whole.bundles():
            return [serving] if serving else []
        return [answering, serving]

    def encode(
        self, bundle_id: str, tickets: Sequence[Ticket], tokens: Mapping[str, str] | None = None
    ) -> list[CodeRow]:
        """Encode tickets with a bundle: codes, main topics and, if the store keeps them, vectors,
        in the order given. `tokens` by ticket id are those kept by the store, if known.

        Raises BundleAway if the bundle cannot be loaded here, BundleError.
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
        """Encode tickets that have no fresh codes under a bundle, page by page. Tickets that were
        set aside are tried again only if they are in `among`, since their texts may have
        changed."""
        set_aside, after = self._set_aside(bundle_id), ""
        while stale := self.whole.stale_ids(bundle_id, BATCH, after, among):
            if read := self.whole.read_tickets([id for id in stale if id not in set_aside]):
                tickets, tokens = parted(read)
                self.whole.put_codes(bundle_id, self.encode(bundle_id, tickets, tokens))
            after = stale[-1]
        for id in sorted(set_aside.intersection(among or ())):
            self._encode_again(bundle_id, id)

    def _keep_up(self, bundle_id: str) -> None:
        """Encode tickets that have no fresh codes under a bundle, unless it was deleted: a process
        may still answer with it, or load it."""
        if bundle_id in {self.whole.serving(), *self.whole.bundles()}:
            self._encode_stale(bundle_id)

    def _encode_again(self, bundle_id: str, id: str) -> None:
        """Encode a ticket that was set aside. If it fails again, the ticket waits for the next
        reindex."""
        read = self.whole.read_tickets(self.whole.stale_ids(bundle_id, among=[id]))
        tickets, tokens = parted(read)
        try:
            rows = self.encode(bundle_id, tickets, tokens) if tickets else []
        except (BundleError, BundleAway, StoreError, OSError):  # not caused by the ticket's text
            raise
        except Exception as error:
            log.warning("ticket %s is still set aside: %s", id, error)
        else:
            self.whole.put_codes(bundle_id, rows)

    def _set_aside(self, bundle_id: str) -> set[str]:
        """Tickets that could not be encoded in the last complete reindex with this bundle or
        since."""
        found: set[str] = set()
        for job in self.whole.jobs(kind=JobKind.REINDEX, bundle_id=bundle_id):
            found |= job.errors.keys()
            if job.state == JobState.DONE:
                break
        return found

    def _prepare(self, bundle_id: str) -> None:
        """Do whatever the first query with a bundle would wait for."""
        self._keep_up(bundle_id)
        self._warm(self._recommenders.named(bundle_id))

    def _warm(self, recommender: Recommender) -> None:
        """Rank a typical query, so that files are read and loops are compiled."""
        from ticketing.retrieval.topics import main_topics

        recommender.recommend(Query("Problem", "It does not start."))
        main_topics(recommender.model, [Ticket("", "Problem")])

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Context manager: remember the store's error until a later block succeeds."""
        try:
            yield
        except StoreError as error:
            self._unanswered[:] = [error]
            raise
        self._unanswered.clear()

    def _try_again(self) -> None:
        """If the last query failed because of the store, try one now. Raises StoreError if it fails
        again."""
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
        """Those of a bundle's words that occur in tickets that may be seen."""
        if self.store is self.whole:
            return set(words)
        return self.store.known_words(list(dict.fromkeys(words)))

    def _one_training(self, what: str) -> AbstractContextManager[HeldLease]:
        """Context manager: only one training of a kind at a time. Raises NotReady if another
        process, on any machine, is training."""
        busy = NotReady("Another training is running on this desk; wait for its end.")
        return held(self.whole, what, or_raise=busy)


def _away(bundle_id: str, error: NotFound) -> BundleAway:
    kind = EncoderAway if isinstance(error, EncoderAway) else BundleAway
    return kind(f"Bundle {bundle_id} is not on this machine yet: {error}")
