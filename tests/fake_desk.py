"""A desk in memory with a dozen gas turbine tickets, for tests of what stands on a Desk.

Judging is the real Desk's; ranking counts shared words, and its parts add up to the distance.
"""

import math
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime
from types import SimpleNamespace

import numpy as np

from ticketing.desk import Desk
from ticketing.encoders.topics import TopicChannel
from ticketing.errors import InputError, NotReady, StoreFull
from ticketing.retrieval.topics import main_topics
from ticketing.stores.protocols import PutCounts
from ticketing.text import tokenize
from ticketing.text.vocabulary import Vocabulary
from ticketing.tickets import (
    Filters,
    Job,
    Judgment,
    Part,
    Query,
    Recommendation,
    Recommendations,
    SharedTopic,
    Ticket,
)

NOTICE = "This knowledge base is generated: its tickets are invented, for demonstration only."
FLOOR = 2.0
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
"""The part of the distance that is time; the channels have the rest."""
TOPICS = {
    17: ("exhaust", "spread", "burner"),
    3: ("filter", "pressure"),
    5: ("valve",),
    6: ("gearbox",),
}
"""Words that speak for each of the fake model's topics; others speak for none."""
COMMON_WORDS = {"a", "and", "at", "for", "from", "in", "is", "no", "of", "on", "the", "to"}


def tickets() -> list[Ticket]:
    """Twelve tickets; GT-0107 is long, GT-0108 has no solution, GT-0111 no description."""
    rows = [
        (
            "GT-0101",
            "Exhaust temperature spread high, trip on start",
            "Unit trips at about 35 % load during run up. Spread between hottest and coldest "
            "exhaust thermocouple reaches 64 deg C. Thermocouple 9 and its neighbours read cold.",
            "Burner 7 was partly blocked by coke. Pulled and cleaned the pilot nozzle, new "
            "swirler seal.\nSpread after restart 18 deg C, unit released.",
            "SGT-400",
            "closed",
            "2014-03-02",
        ),
        (
            "GT-0102",
            "Vibration bearing 2 rising with load",
            "Radial vibration at bearing 2 climbs from 3 to 9 mm/s above 80 % load, 1x dominant.",
            "Trim balance on the power turbine coupling, 42 g at 110 deg. Vibration now 2.8 mm/s.",
            "SGT-400",
            "closed",
            "2013-11-19",
        ),
        (
            "GT-0103",
            "Lube oil pressure low alarm after filter change",
            "LOP dropped to 1.1 bar after changeover of the duplex filter, standby pump came in.",
            "Air was trapped in the new filter. Vented the housing through the bleed screw, "
            "pressure back at 1.9 bar. Note added to the changeover procedure.",
            "SGT-300",
            "closed",
            "2014-01-08",
        ),
        (
            "GT-0104",
            "Flame out at base load",
            "Loss of flame detected on both scanners, gas control valve was hunting before.",
            "Gas valve position feedback was loose; tightened the LVDT connector and re-tuned the "
            "valve. Cleaned the scanner lenses as well.",
            "SGT-400",
            "closed",
            "2012-07-23",
        ),
        (
            "GT-0105",
            "Inlet guide vanes stuck",
            "IGV do not follow the demand, deviation 8 deg, run up stops at 60 % speed.",
            "Actuator linkage was dry and corroded. Replaced the bearings of the unison ring and "
            "greased it.",
            "SGT-300",
            "closed",
            "2013-02-14",
        ),
        (
            "GT-0106",
            "Cold spot in exhaust, burner nine",
            "Swirl angle of the cold sector points at one can. Fuel gas pressure is normal.",
            "Can 9 had a cracked transition piece; replaced it together with the igniter.",
            "SGT-400",
            "in service",
            "2014-05-30",
        ),
        (
            "GT-0107",
            "Compressor performance degraded over six months",
            " ".join(
                f"Week {week}: compressor efficiency {87 - week * 0.2:.1f} %, discharge pressure "
                f"down {week * 0.04:.2f} bar, ambient {12 + week % 9} deg C, no alarm."
                for week in range(1, 25)
            ),
            "Offline water wash with detergent in three cycles, then an inspection of the inlet "
            "filter house: two panels bypassed dust. Panels sealed.",
            "SGT-700",
            "closed",
            "2014-06-11",
        ),
        (
            "GT-0108",
            "Starter motor does not disengage",
            "Clutch stays engaged above 60 % speed, start aborted by the operator.",
            "",
            "SGT-700",
            "open",
            "2014-08-01",
        ),
        (
            "GT-0109",
            "Gas leak alarm in enclosure",
            "Detector 3 shows 12 % LEL with the unit at standstill.",
            "Flange gasket on the purge line replaced, leak test passed with nitrogen at 30 bar.",
            "SGT-300",
            "closed",
            "2013-09-05",
        ),
        (
            "GT-0110",
            "HMI freezes, trends not updating",
            "Operator station stops refreshing about once a day, needs a reboot.",
            "Archive disk was full. Moved the old trends to the server, retention now 90 days.",
            "SGT-700",
            "closed",
            "2014-02-27",
        ),
        (
            "GT-0111",
            "Anti icing valve fails to open",
            "",
            "Solenoid coil open circuit, coil replaced.",
            "SGT-400",
            "closed",
            "2012-12-03",
        ),
        (
            "GT-0112",
            "<script>alert('subject')</script> spread \"high\" & <b>bold</b>",
            "Operator pasted <img src=x onerror=alert(1)> here, exhaust spread 55 deg C.",
            "</div><script>alert('solution')</script> Filter the log export.",
            "SGT-300",
            "closed",
            "2013-05-17",
        ),
    ]
    return [Ticket(*row[:6], created=datetime.fromisoformat(row[6])) for row in rows]


def jobs() -> list[Job]:
    """A running job with two tickets set aside, and a finished one."""
    return [
        Job(
            id="7f3a",
            kind="reindex",
            bundle_id="b2c4d6e8f0a1",
            state="running",
            total=949,
            done=320,
            created=datetime(2014, 9, 1, 8, 0),
            started=datetime(2014, 9, 1, 8, 0, 10),
            heartbeat=datetime(2014, 9, 1, 8, 0, 18),
            errors={"GT-0107": "The text is longer than can be encoded."},
        ),
        Job(
            id="1b9e",
            kind="reindex",
            bundle_id="a1b2c3d4e5f6",
            state="done",
            total=900,
            done=900,
            created=datetime(2014, 8, 1, 8, 0),
            started=datetime(2014, 8, 1, 8, 0),
            heartbeat=datetime(2014, 8, 1, 8, 0, 30),
            finished=datetime(2014, 8, 1, 8, 0, 30),
        ),
    ]


def topic_model() -> SimpleNamespace:
    """What a Model shows of its topics; each of `TOPICS`' words speaks for its topic by 1."""
    words = [word for group in TOPICS.values() for word in group]
    channel = TopicChannel(None, range(1, len(words) + 1))
    channel.loadings = np.zeros((len(words), 18), np.float32)
    for topic, group in TOPICS.items():
        channel.loadings[[words.index(word) for word in group], topic] = 1
    return SimpleNamespace(
        id="fake-bundle",
        settings=SimpleNamespace(topics=18),
        vocabulary=Vocabulary(words, [3] * len(words), 12),
        network=SimpleNamespace(topics=channel),
    )


class FakeStore:
    """The part of a Store that the page uses, in dictionaries."""

    def __init__(self, records: list[Ticket]):
        self.records = {ticket.id: ticket for ticket in records}
        self.queries: dict[str, Query] = {}
        self.events: list[Judgment] = []
        self.bundle = "fake-bundle"
        self.job_records = jobs()
        self.model = topic_model()

    def get_tickets(self, ids) -> dict[str, Ticket]:
        return {i: self.records[i] for i in ids if i in self.records}

    def count_tickets(self, filters: Filters = Filters()) -> int:
        return sum(passes(ticket, filters) for ticket in self.records.values())

    def delete_tickets(self, ids) -> int:
        return sum(self.records.pop(i, None) is not None for i in ids)

    def facets(self) -> dict[str, list[str]]:
        names = ("product", "status")
        return {n: sorted({getattr(t, n) for t in self.records.values()} - {""}) for n in names}

    def put_query(self, query: Query) -> str:
        self.queries[query.id] = query
        return query.id

    def get_query(self, query_id: str) -> Query | None:
        return self.queries.get(query_id)

    def add_judgments(self, judgments) -> int:
        known = {event.event_id for event in self.events}
        new = [event for event in judgments if event.event_id not in known]
        self.events += new
        return len(new)

    def judgments(self, query_id: str = "") -> Iterator[Judgment]:
        return (event for event in self.events if query_id in ("", event.query.id))

    def _topics(self, filters: Filters) -> dict[str, int | None]:
        found = [t for t in self.records.values() if passes(t, filters)]
        return dict(zip((t.id for t in found), main_topics(self.model, found), strict=True))

    def topic_counts(self, bundle_id, filters=Filters()):
        def month(id):
            created = self.records[id].created
            return created and date(created.year, created.month, 1)

        return Counter((topic, month(id)) for id, topic in self._topics(filters).items())

    def topic_tickets(self, bundle_id, topic, filters=Filters(), limit=10, offset=0) -> list[str]:
        found = [id for id, own in self._topics(filters).items() if own == topic]
        found.sort(key=lambda id: self.records[id].created or datetime.min, reverse=True)
        return found[offset : offset + limit]

    def serving(self) -> str:
        return self.bundle

    def jobs(self, limit: int = 20) -> list[Job]:
        return self.job_records[:limit]

    def close(self) -> None:
        pass


class FakeDesk(Desk):
    """A Desk whose ranking needs no model."""

    def __init__(self, settings, records: list[Ticket] | None = None):
        super().__init__(
            settings, FakeStore(tickets() if records is None else records), models=None
        )

    def recommender(self, bundle_id: str = "") -> SimpleNamespace:
        """Only its model's topics are there."""
        if not self.store.serving():
            raise NotReady("No model serves yet: run `ticketing train` first.")
        return SimpleNamespace(model=self.store.model)

    @property
    def notice(self) -> str:
        return NOTICE

    def recommend(self, query, filters=Filters(), limit=10) -> Recommendations:
        if not (query.subject.strip() or query.description.strip()):
            raise InputError("The query is blank; give a subject, a description or both.")
        if not self.store.serving():
            raise NotReady("No model serves yet; run `ticketing train` first.")
        with suppress(StoreFull):
            self.store.put_query(query)
        found = [t for t in self.store.records.values() if passes(t, filters)]
        found = [t for t in found if t.id != query.ticket_id]
        asked = words(query.subject, query.description)
        proposed = [propose(t, asked) for t in found]
        proposed.sort(key=lambda r: (-r.similarity, r.ticket.id))
        items = tuple(replace(r, rank=i) for i, r in enumerate(proposed[:limit], 1))
        good = bool(items) and items[0].score >= FLOOR
        note = "" if good else "No past ticket comes close; these share little with your text."
        note = note if found else "The knowledge base is empty; there is nothing to search."
        return Recommendations(query, self.store.serving(), items, good, note, len(found))

    def put_tickets(self, tickets) -> PutCounts:
        added = sum(ticket.id not in self.store.records for ticket in tickets)
        self.store.records |= {ticket.id: ticket for ticket in tickets}
        return PutCounts(added=added, changed=len(tickets) - added)


def words(*texts: str) -> frozenset[str]:
    """The tokens worth marking: no masks, no common words."""
    tokens = (token for text in texts for token in tokenize(text))
    return frozenset(token for token in tokens if token[0] != "<") - COMMON_WORDS


def propose(ticket: Ticket, asked: frozenset[str]) -> Recommendation:
    """A recommendation whose distance falls with every shared word."""
    overlap = asked & words(ticket.subject, ticket.description, ticket.solution)
    distance = 2.4 / (1 + len(overlap))
    similarity = math.exp(-distance)
    return Recommendation(
        rank=0,
        ticket=ticket,
        score=1 + 4 * similarity,
        similarity=similarity,
        distance=distance,
        parts=(
            *(
                Part(channel, *pair, distance * share * weight)
                for pair, share in PAIRS.items()
                for channel, weight in CHANNELS.items()
            ),
            Part("age", "", "", distance * AGE),
        ),
        topics=(SharedTopic(17, ("burner", "spread", "exhaust", "nozzle", "cold"), 0.31),)
        if overlap
        else (),
        overlap=overlap,
    )


def passes(ticket: Ticket, filters: Filters) -> bool:
    """Whether a ticket may be found under the filters."""
    since, before = filters.created_since, filters.created_before
    return (
        filters.product in ("", ticket.product)
        and filters.status in ("", ticket.status)
        and (since is None or (ticket.created is not None and ticket.created >= since))
        and (before is None or (ticket.created is not None and ticket.created < before))
    )
