"""Validation queries: not trained on, but used for early stopping, for fitting weights and for
calibration.

As in training, their texts and those of the candidates lack the words outside the vocabulary. A
search and the calibration use these words.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from ticketing.model.components import Components
from ticketing.model.layout import minute_of
from ticketing.model.recency import MINUTES_A_DAY, Recency, time_apart
from ticketing.networks.siamese import EncodedComponents, SiameseNetwork
from ticketing.tickets import Grade, Label, grades_of, queries_of
from ticketing.training.sampling import Archive
from ticketing.training.texts import FieldIds

FEWEST = 30
"""With fewer validation queries than this, tickets' subjects are also used as queries."""

MOST_QUERIES = 2000
"""Maximum number of queries, since memory grows with queries × candidates; of more queries a sample
is used. There are MOST_CANDIDATES candidates, or the tickets graded for these queries if those are
more."""

MOST_WEAK = 200
MOST_CANDIDATES = 4000
AT_ONCE = 256


def of_some_queries(labels: Sequence[Label], seed: int) -> list[Label]:
    """The labels of a seeded sample of at most MOST_QUERIES queries, in their order."""
    queries = sorted({label.query.id for label in labels})
    some = set(random.Random(seed).sample(queries, min(len(queries), MOST_QUERIES)))
    return [label for label in labels if label.query.id in some]


@dataclass(frozen=True)
class ValidationQuery:
    """A query and the grades of its tickets.

    `own` is the ticket that is the query itself; it is no answer unless graded. `weak` marks a
    query made from a ticket's subject. `time` is when it was asked, or None if unknown.
    """

    components: Components
    grades: Mapping[str, Grade]
    own: str = ""
    weak: bool = False
    time: datetime | None = None

    def right(self) -> set[str]:
        """Its YES tickets, or its REL tickets if it has no YES."""
        best = max(self.grades.values())
        return {id for id, grade in self.grades.items() if grade == best}


class ValidationSet:
    """Validation queries and the candidates among which they are ranked.

    Candidates are all graded tickets and a seeded sample of the others, about MOST_CANDIDATES. A
    weak query is a ticket's subject. That ticket is then a candidate without its subject and is in
    `left_out`: it must not be a weak positive in training.
    """

    def __init__(
        self, archive: Archive, queries: Mapping[str, FieldIds], labels: Sequence[Label], seed: int
    ):
        chance, created = random.Random(seed), archive.created
        own = {query.id: query.ticket_id for query in queries_of(labels)}
        self.queries = [
            ValidationQuery(archive.query(queries[id]), grades, own[id], time=created.get(own[id]))
            for id, grades in sorted(grades_of(labels).items())
            if max(grades.values()) > Grade.NO
        ]
        ids = sorted(archive.tickets)
        weak = []
        if len(self.queries) < FEWEST and len(ids) > 1:
            weak = chance.sample(ids, min(len(ids) // 10, MOST_WEAK))
        self.left_out = frozenset(weak)
        kept = set(weak).union(*(query.grades for query in self.queries))
        others = [id for id in ids if id not in kept]
        room = max(min(MOST_CANDIDATES - len(kept), len(others)), 0)
        self.candidates = sorted([*kept, *chance.sample(others, room)])
        self.minutes = np.array(
            [minute_of(created.get(id)) for id in self.candidates], dtype=np.int64
        )
        self.components = {id: archive.ticket(archive.tickets[id]) for id in self.candidates}
        for id in weak:
            fields = archive.tickets[id]
            rest = archive.ticket({**fields, "subject": []})
            if fields.get("subject") and any(rest):
                query = archive.query({"subject": fields["subject"]})
                self.queries.append(ValidationQuery(query, {id: Grade.YES}, weak=True))
                self.components[id] = rest

    def encode(self, network: SiameseNetwork) -> tuple[EncodedComponents, EncodedComponents]:
        """Encode the queries and the candidates."""
        components = [self.components[id] for id in self.candidates]
        starts = range(0, len(components), AT_ONCE)
        with torch.no_grad():
            candidates = EncodedComponents.join(
                [network.encode(components[i : i + AT_ONCE]) for i in starts]
            )
            return network.encode([query.components for query in self.queries]), candidates

    def distances(self, network: SiameseNetwork, recency: Recency = Recency()) -> Tensor:
        """-log g: [queries, candidates]; infinite for a candidate that is not eligible for a
        query."""
        queries, candidates = self.encode(network)
        with torch.no_grad():
            apart = network.crossed_distance(queries, candidates)
        ages = np.stack([recency.distances(query.time, self.minutes) for query in self.queries])
        return (apart + torch.from_numpy(ages).float()).masked_fill(~self.eligible, torch.inf)

    def times_apart(self) -> tuple[Tensor, float]:
        """`recency.time_apart` of queries and candidates [queries, candidates], and its mean.

        Candidates of unknown time get the mean; queries of unknown time get zeros.
        """
        asked = np.array([[minute_of(query.time)] for query in self.queries])
        known = (asked > 0) & (self.minutes > 0)  # [queries, candidates]
        apart = time_apart(asked, self.minutes)
        typical = float(apart[known].mean()) if known.any() else 0.0
        return torch.from_numpy(np.where(known, apart, typical * (asked > 0))).float(), typical

    def days_to_right(self) -> list[float]:
        """For each query, the days to its youngest right candidate that is not younger than the
        query; infinite if no time is known or all right candidates are younger."""
        found = []
        for query, right in zip(self.queries, self.right.numpy(), strict=True):
            known = self.minutes[right & (self.minutes > 0)]
            days = (minute_of(query.time) - known) / MINUTES_A_DAY  # negative where it is unknown
            found.append(float(days[days >= 0].min(initial=np.inf)))
        return found

    @cached_property
    def eligible(self) -> Tensor:
        """Which candidates a query could have found: bool [queries, candidates].

        Not the query's own ticket and not younger tickets, unless they were graded.
        """
        asked = np.array([minute_of(query.time) for query in self.queries])[:, None]
        own = np.array([query.own for query in self.queries])[:, None]
        younger = (asked > 0) & (asked < self.minutes)  # [queries, candidates]
        return self.graded | torch.from_numpy(~younger & (own != np.array(self.candidates)))

    @cached_property
    def graded(self) -> Tensor:
        """Which candidates were graded for which query: bool [queries, candidates]."""
        return torch.tensor([[id in x.grades for id in self.candidates] for x in self.queries])

    @cached_property
    def right(self) -> Tensor:
        """Which candidates are right for which query: bool [queries, candidates]."""
        right = [query.right() for query in self.queries]
        return torch.tensor([[id in ids for id in self.candidates] for ids in right])

    def quality(self, network: SiameseNetwork) -> float:
        """Mean reciprocal rank of the nearest right candidate; 0 without queries.

        If there are both people's and weak queries, each kind counts half. Ties count as ranked
        worse, so that a network to which all texts look alike gets a low value.
        """
        if not self.queries:
            return 0.0
        apart, right = self.distances(network), self.right
        nearest = apart.masked_fill(~right, torch.inf).min(1).values  # [queries]
        ranks = (~(apart > nearest[:, None]) & ~right).sum(1) + 1  # a NaN is never greater
        weak = torch.tensor([query.weak for query in self.queries])
        kinds = [kind for kind in (weak, ~weak) if kind.any()]
        return float(np.mean([float((1 / ranks[kind]).mean()) for kind in kinds]))
