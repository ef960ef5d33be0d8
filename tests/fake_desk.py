"""A real desk on a SQLite store with a dozen gas turbine tickets; only the ranking is a stub.

The stub counts shared words, and its parts add up to the distance.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from tests.fake_records import jobs, tickets
from ticketing.desk import Desk
from ticketing.encoders.topics import TopicEncoder, TopicWords
from ticketing.errors import InputError
from ticketing.jobs import Job
from ticketing.model.registry import Registry
from ticketing.reasons import Part, Reason, SharedTopic, SharedWord
from ticketing.recommendations import Outlook, Recommendation, Recommendations
from ticketing.retrieval.notes import WEAK, nothing_to_search
from ticketing.retrieval.topics import main_topics
from ticketing.settings import Settings
from ticketing.stores.blocks import CodeRow
from ticketing.stores.protocols import Store, TicketsWithCodes
from ticketing.stores.sqlite import SQLiteStore
from ticketing.text import tokenize
from ticketing.text.vocabulary import Vocabulary
from ticketing.tickets import Filters, Query, Ticket
from topic_models import DocNADE, DocNADESettings

NOTICE = "This knowledge base is generated: its tickets are invented, for demonstration only."
LIKELY = 0.25
PAIRS = {
    ("SUB1", "SUB2"): 0.25,
    ("SUB1", "DESC2"): 0.17,
    ("SUB1", "SOL2"): 0.08,
    ("DESC1", "SUB2"): 0.17,
    ("DESC1", "DESC2"): 0.25,
    ("DESC1", "SOL2"): 0.08,
}
CHANNELS = {"h": 0.37, "E": 0.14, "T": 0.25, "L": 0.2}
AGE = 0.04
"""The time part of the distance; the channels have the rest."""
TOPICS = {
    17: ("exhaust", "spread", "burner"),
    3: ("filter", "pressure"),
    5: ("valve",),
    6: ("gearbox",),
}
"""Words that indicate each of the fake model's topics; other words indicate none."""
COMMON_WORDS = {"a", "and", "at", "for", "from", "in", "is", "no", "of", "on", "the", "to"}


def topic_model() -> SimpleNamespace:
    """The topics of a Model; each word of `TOPICS` has loading 1 for its topic."""
    words = [word for group in TOPICS.values() for word in group]
    docnade = DocNADE(DocNADESettings(vocabulary_size=len(words), topics=18))
    encoder = TopicEncoder(docnade, TopicWords(range(1, len(words) + 1)))
    encoder.loadings = np.zeros((len(words), 18), np.float32)
    for topic, group in TOPICS.items():
        encoder.loadings[[words.index(word) for word in group], topic] = 1
    return SimpleNamespace(
        id="fake-bundle",
        settings=SimpleNamespace(topics=18),
        calibration=SimpleNamespace(outlook=outlook_of),
        vocabulary=Vocabulary(words, [3] * len(words), 12),
        topics=encoder,
    )


def outlook_of(chance: float) -> Outlook:
    """The fake model's outlook for a chance of an answer."""
    return Outlook.LIKELY if chance >= LIKELY else Outlook.NOTHING


class WordRanker:
    """Replaces a Recommender: the more words a ticket shares, the nearer it is."""

    def __init__(self, store: TicketsWithCodes, model: SimpleNamespace, timed: bool = True):
        self.store = store
        self.model = model
        self.timed = timed

    def over(self, store: TicketsWithCodes, solved: object = None) -> "WordRanker":
        """The same ranker over another store; solved queries are ignored."""
        return WordRanker(store, self.model, self.timed)

    def by_text(self) -> "WordRanker":
        """The same ranker without the time part."""
        return WordRanker(self.store, self.model, timed=False)

    def rank(self, query: Query, filters: Filters = Filters(), limit: int = 10):
        """(ticket id, distance) of the nearest tickets, nearest first, ties by id."""
        items = self.recommend(query, filters, limit).items
        return [(item.ticket.id, item.distance) for item in items]

    def nearest(self, query: Query) -> SimpleNamespace:
        """The needed part of the nearest tickets: the chance of an answer."""
        return SimpleNamespace(chances=SimpleNamespace(answered=self.recommend(query).chance))

    def recommend(
        self,
        query: Query,
        filters: Filters = Filters(),
        limit: int = 10,
        exhaustive: bool = False,
    ) -> Recommendations:
        """The nearest tickets with scores and reasons; always compares all. Raises InputError for a
        blank query."""
        if not (query.subject.strip() or query.description.strip()):
            raise InputError("The query is blank: give a subject or a description.")
        found = [t for t in self.store.iter_tickets(filters) if t.id != query.ticket_id]
        asked = words(query.subject, query.description)
        proposed = [propose(ticket, asked, self.timed) for ticket in found]
        proposed.sort(key=lambda r: (r.distance, r.ticket.id))
        items = tuple(replace(r, rank=i) for i, r in enumerate(proposed[:limit], 1))
        chance = items[0].chance if items else 0.0
        outlook = outlook_of(chance)
        note = WEAK if items else nothing_to_search(filters)
        weights = CHANNELS | ({"age": AGE} if self.timed else {})
        return Recommendations(
            query,
            self.model.id,
            items,
            outlook,
            chance,
            note="" if outlook == Outlook.LIKELY else note,
            searched=len(found),
            typical={channel: 2.4 * weight for channel, weight in weights.items()},
        )


class FakeDesk(Desk):
    """A desk that ranks without a trained model, on SQLite below its home or on another store."""

    def __init__(
        self,
        settings: Settings,
        records: Sequence[Ticket] | None = None,
        past_jobs: Sequence[Job] | None = None,
        serves: bool = True,
        store: Store | None = None,
    ):
        store = store or SQLiteStore(settings.home)
        super().__init__(settings, store, Registry(settings.home / "models"))
        (settings.home / "notice.txt").write_text(NOTICE)
        self.ranker = WordRanker(self.store, topic_model())
        for job in reversed(jobs() if past_jobs is None else past_jobs):
            self.store.put_job(job)
        if serves:
            self.store.set_serving(self.ranker.model.id)
        self.put_tickets(tickets() if records is None else records)

    def recommender(self, bundle_id: str = "") -> WordRanker:
        """The stub. Raises NotReady if no bundle serves, NotFound for an unknown bundle."""
        if not (bundle_id or self.store.serving()):
            return super().recommender()
        if bundle_id not in ("", self.ranker.model.id):
            self.models.require(bundle_id)
        return WordRanker(self.store, self.ranker.model)

    def _recommender(self, bundle_id: str = "") -> WordRanker:
        return self.recommender(bundle_id) if bundle_id else super()._recommender()

    def _serve(self, bundle_id: str) -> None:
        """Switch, without verifying codes, since there are none."""
        self.store.set_serving(bundle_id)

    def save_bundle(self, labels: int) -> str:
        """A bundle that can be listed, promoted and deleted; returns its id."""
        return self.models.save(
            {
                "data": {"tickets": 12, "labels": labels},
                "network": {"pairs": "cross-level", "channels": ["h", "E", "T", "L"]},
                "training": {"loss": "in-batch"},
            },
            {},
            {},
        )

    def encode(self, bundle_id: str, tickets: Sequence[Ticket], tokens=None) -> list[CodeRow]:
        """The main topics of tickets, with codes of one byte each, which nothing scans."""
        topics = main_topics(self.ranker.model, tickets)
        found = zip(tickets, topics, strict=True)
        return [CodeRow(ticket.id, ticket.version, b"0", topic) for ticket, topic in found]


def words(*texts: str) -> frozenset[str]:
    """The tokens worth highlighting: no masks, no common words."""
    tokens = (token for text in texts for token in tokenize(text))
    return frozenset(token for token in tokens if token[0] != "<") - COMMON_WORDS


def propose(ticket: Ticket, asked: frozenset[str], timed: bool) -> Recommendation:
    """A recommendation whose distance falls with each shared word; the time part is a share of
    it."""
    shared = sorted(asked & words(ticket.subject, ticket.description, ticket.solution))
    distance = 2.4 / (1 + len(shared)) * (1 if timed else 1 - AGE)
    return Recommendation(
        rank=0,
        ticket=ticket,
        chance=math.exp(-distance),
        chance_related=0.0,
        distance=distance,
        parts=(
            *(
                Part(channel, *pair, distance * share * weight)
                for pair, share in PAIRS.items()
                for channel, weight in CHANNELS.items()
            ),
            *([Part("age", "", "", distance * AGE)] if timed else []),
        ),
        topics=(SharedTopic(17, ("burner", "spread", "exhaust", "nozzle", "cold"), 0.31),)
        if shared
        else (),
        reason=Reason(tuple(SharedWord(word, 1.0, (word,)) for word in shared)),
        answer=ticket.solution,
    )
