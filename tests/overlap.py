"""Word overlap of the demonstration's queries and their right tickets.

English stop words (as listed by sklearn) and masks for numbers are left out.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from ticketing.demo.generator import DemoBase
from ticketing.text import tokenize
from ticketing.text.bm25 import BM25
from ticketing.tickets import Grade, Label, Query, Ticket

COMPONENTS = ("subject", "description", "solution")
SHOWN = 10


@dataclass(frozen=True)
class Overlap:
    """For pairs of query and ticket: share of the query's words that the ticket has, and
    Jaccard index of the two word sets; both of shape (pairs,)."""

    shared: npt.NDArray[np.float64]
    jaccard: npt.NDArray[np.float64]


def mean_words(tickets: Iterable[Ticket]) -> dict[str, float]:
    """Mean number of words, cut at white space, of each component."""
    tickets = list(tickets)
    return {
        name: float(np.mean([len(getattr(ticket, name).split()) for ticket in tickets]))
        for name in COMPONENTS
    }


def overlap(base: DemoBase, grade: Grade) -> Overlap:
    """Overlap of the end-user queries with their YES or REL tickets, or, for NO, with as
    many tickets drawn from those that are neither."""
    words = {ticket.id: _words(ticket.subject, ticket.description, ticket.solution)
             for ticket in base.tickets}  # fmt: skip
    pairs = _unrelated(base) if grade is Grade.NO else _pairs(base.gold, grade)
    shared, jaccard = [], []
    for query, ticket_id in pairs:
        asked, said = _words(query.subject, query.description), words[ticket_id]
        shared.append(len(asked & said) / len(asked))
        jaccard.append(len(asked & said) / len(asked | said))
    return Overlap(np.array(shared), np.array(jaccard))


def bm25_accuracy(base: DemoBase, components: tuple[str, ...], least: Grade = Grade.YES) -> float:
    """Share of the end-user queries with a ticket of at least grade `least` among the
    first SHOWN of BM25 over the given components."""
    texts = [
        [word for name in components for word in tokenize(getattr(ticket, name))]
        for ticket in base.tickets
    ]
    index = BM25(texts)
    right: dict[Query, set[str]] = {}
    for label in base.gold:
        right.setdefault(label.query, set())
        if label.grade >= least:
            right[label.query].add(label.ticket_id)
    scores = index.scores([tokenize(f"{query.subject} {query.description}") for query in right])
    found = 0
    for row, ids in zip(scores, right.values(), strict=True):
        best = np.argsort(-row, kind="stable")[:SHOWN]
        found += any(base.tickets[place].id in ids for place in best)
    return found / len(right)


def _words(*texts: str) -> set[str]:
    tokens = {token for text in texts for token in tokenize(text)}
    return {token for token in tokens if token.isalpha() and token not in ENGLISH_STOP_WORDS}


def _pairs(labels: Iterable[Label], grade: Grade) -> list[tuple[Query, str]]:
    return [(label.query, label.ticket_id) for label in labels if label.grade == grade]


def _unrelated(base: DemoBase) -> list[tuple[Query, str]]:
    """For each right pair the same query with a ticket that is neither YES nor REL."""
    judged: dict[Query, set[str]] = {}
    for label in base.gold:
        judged.setdefault(label.query, set()).add(label.ticket_id)
    rng = Random(0)
    everything = [ticket.id for ticket in base.tickets]
    return [
        (query, next(t for t in iter(lambda: rng.choice(everything), None) if t not in ids))
        for query, _ in _pairs(base.gold, Grade.YES)
        for ids in (judged[query],)
    ]
