"""Tickets, labelled pairs and end-user queries from the fault catalogue.

Two tickets of one fault are each other's answer (YES), tickets of related faults help
somewhat (REL), all others do not (NO). Everything depends on the seed and the
catalogue alone: each ticket has a random stream of its own, so the first thousand of
200,000 tickets differ from a base of one thousand in nothing but their dates.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from random import Random

from ticketing.demo.catalogue import Catalogue, Fault, load_catalogue
from ticketing.demo.writer import Author, Vocabulary, Writer, deal, everything, without
from ticketing.tickets import Grade, Label, Query, Ticket

TICKETS = 949
LABELS = 421
LABELLED_QUERIES = 50
GOLD_QUERIES = 28
FIRST_DAY = datetime(2012, 1, 2, 6)
SPAN = timedelta(days=6 * 365)
SEED = 2018


@dataclass(frozen=True)
class DemoBase:
    """The demonstration knowledge base.

    `labels` are the judged pairs of earlier queries; `gold` holds every YES and REL
    ticket of the end-user queries, none of which occurs in `labels`.
    """

    tickets: tuple[Ticket, ...]
    labels: tuple[Label, ...]
    gold: tuple[Label, ...]


def generate(seed: int = SEED, tickets: int = TICKETS) -> DemoBase:
    """The whole base in memory; `iter_tickets` yields the same tickets one by one.

    Raises ValueError for a base too small to hold two tickets of every fault.
    """
    plan = _Plan(load_catalogue(), seed)
    if tickets < 2 * len(plan.deck):
        raise ValueError(f"a base needs at least {2 * len(plan.deck)} tickets, not {tickets}")
    archive = tuple(plan.tickets(tickets))
    ids: dict[str, list[str]] = {}
    for number, ticket in enumerate(archive):
        ids.setdefault(plan.fault_of(number).key, []).append(ticket.id)
    return DemoBase(archive, tuple(_labels(plan, ids)), tuple(_gold(plan, ids)))


def iter_tickets(seed: int = SEED, tickets: int = TICKETS) -> Iterator[Ticket]:
    """The tickets of `generate(seed, tickets)` in constant memory."""
    return _Plan(load_catalogue(), seed).tickets(tickets)


class _Plan:
    """Assigns faults to queries and tickets, and wordings to their authors."""

    def __init__(self, catalogue: Catalogue, seed: int):
        self.catalogue, self.seed = catalogue, seed
        self.deck = [f for f in catalogue.faults for _ in range(3 if f.common else 1)]
        self._shuffled: tuple[int, list[Fault]] = (-1, [])

    @cached_property
    def asked(self) -> list[Fault]:
        """Faults with labelled queries; the first ones also have an end-user query.

        Assemblies take turns. Faults go first whose assembly also has unrelated ones.
        """
        faults = self.catalogue.faults
        sizes = Counter(fault.assembly for fault in faults)
        mixed = Random(f"{self.seed}/asked").sample(faults, len(faults))
        mixed.sort(key=lambda fault: len(fault.related) + 1 == sizes[fault.assembly])
        turns: Counter[str] = Counter()
        order = {}
        for fault in mixed:
            order[fault.key] = turns[fault.assembly]
            turns[fault.assembly] += 1
        return sorted(mixed, key=lambda fault: order[fault.key])[:LABELLED_QUERIES]

    @cached_property
    def hands(self) -> dict[str, dict[Author, Vocabulary]]:
        """The wordings open to each author, by fault key.

        Wordings reserved for the end user of the test are missing from the tickets of the fault and
        of its related faults. All other tickets use them, so a model can learn them from those.
        """
        hands = {}
        for fault in self.catalogue.faults:
            whole = everything(fault, self.catalogue)
            hands[fault.key] = dict.fromkeys(Author, whole)
        gold = self.asked[:GOLD_QUERIES]
        for fault in gold:
            whole = hands[fault.key][Author.SERVICE]
            hands[fault.key] = deal(whole, Random(f"{self.seed}/deal/{fault.key}"))
        for fault in gold:
            kept = hands[fault.key][Author.END_USER]
            for key in fault.related:
                hands[key][Author.SERVICE] = without(hands[key][Author.SERVICE], kept)
        return hands

    def fault_of(self, number: int) -> Fault:
        """The fault of a ticket: all faults in turn, shuffled anew each time round."""
        turn, place = divmod(number, len(self.deck))
        if self._shuffled[0] != turn:
            order = Random(f"{self.seed}/deck/{turn}").sample(self.deck, len(self.deck))
            self._shuffled = (turn, order)
        return self._shuffled[1][place]

    def tickets(self, count: int) -> Iterator[Ticket]:
        for number in range(count):
            rng = Random(f"{self.seed}/ticket/{number}")
            created = FIRST_DAY + SPAN * ((number + rng.random()) / count)
            created = created.replace(microsecond=0)
            fault = self.fault_of(number)
            vocabulary = self.hands[fault.key][Author.SERVICE]
            writer = Writer(self.catalogue, vocabulary, rng, created)
            closed = rng.random() > 0.03
            yield Ticket(
                id=f"SR-{100001 + number}",
                subject=writer.subject(vocabulary.texts["subjects"]),
                description=writer.description(round(rng.gauss(56, 14))),
                solution=writer.solution(round(rng.gauss(64, 14)), closed),
                product=writer.product,
                status="Closed" if closed else "Open",
                created=created,
            )

    def query(self, fault: Fault, author: Author) -> Query:
        rng = Random(f"{self.seed}/query/{author.name}/{fault.key}")
        hand = self.hands[fault.key][author]
        return Writer(self.catalogue, hand, rng, FIRST_DAY + SPAN).query()


def _labels(plan: _Plan, ids: dict[str, list[str]]) -> Iterator[Label]:
    """LABELS judged pairs: for each query some YES, some REL, and for the rest NO.

    Half of the NO tickets come from the same assembly where it has unrelated faults.
    """
    for number, fault in enumerate(plan.asked):
        query = plan.query(fault, Author.EARLIER)
        rng = Random(f"{plan.seed}/labels/{fault.key}")
        size = LABELS // LABELLED_QUERIES + (number < LABELS % LABELLED_QUERIES)
        near = [t for key in sorted(fault.related) for t in ids[key]]
        apart = [f for f in plan.catalogue.faults if f.key not in fault.related | {fault.key}]
        beside = [t for f in apart if f.assembly == fault.assembly for t in ids[f.key]]
        others = [t for f in apart if f.assembly != fault.assembly for t in ids[f.key]]
        yes = rng.sample(ids[fault.key], min(rng.randrange(2, 5), len(ids[fault.key])))
        rel = rng.sample(near, min(rng.randrange(2, 4), len(near)))
        left = size - len(yes) - len(rel)
        no = rng.sample(beside, min(left // 2, len(beside)))
        no += rng.sample(others, left - len(no))
        for grade, chosen in ((Grade.YES, yes), (Grade.REL, rel), (Grade.NO, no)):
            yield from (Label(query, ticket_id, grade) for ticket_id in chosen)


def _gold(plan: _Plan, ids: dict[str, list[str]]) -> Iterator[Label]:
    for fault in plan.asked[:GOLD_QUERIES]:
        query = plan.query(fault, Author.END_USER)
        yield from (Label(query, ticket_id, Grade.YES) for ticket_id in ids[fault.key])
        for key in sorted(fault.related):
            yield from (Label(query, ticket_id, Grade.REL) for ticket_id in ids[key])
