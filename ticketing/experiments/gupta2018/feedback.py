"""Simulates the effect of judging: a desk judges the ten best tickets of some queries per month and
retrains.

The archive's own links play the judge. Each month the serving bundle ranks older tickets for some
queries of that month, the ten proposed tickets are judged by the links, and a candidate is trained
on all judgments so far and on the text available at the month's end, never on a link that was not
shown. The candidate serves unless it loses (`evaluation.promotion`) on the test judgments, which no
training sees. All bundles rank the next month's queries, and so does one trained on the same text
without judgments.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial

import numpy as np

from ticketing.errors import InputError
from ticketing.evaluation.comparison import Line, measured
from ticketing.evaluation.indexed_words import IndexedWords
from ticketing.evaluation.metrics import Run, evaluate, with_answers
from ticketing.evaluation.promotion import compare
from ticketing.evaluation.runs import Ranked, run_peer, run_queries
from ticketing.experiments.cache import (
    TrainingCache,
    archive_digest,
    digest,
    find_or_make,
    labels_digest,
    settings_digest,
)
from ticketing.files import Json
from ticketing.model.settings import NetworkSettings
from ticketing.retrieval.memory import TicketsInMemory, encoded
from ticketing.retrieval.recommend import Recommender
from ticketing.stores.protocols import Tickets
from ticketing.tickets import Grade, Label, Query, grades_of, queries_of
from ticketing.training.settings import TrainingSettings

SHOWN = 10
DESK, SERVED, CANDIDATE, UNTAUGHT, WORDS = "desk", "served", "candidate", "no feedback", "BM25"
ABOUT = {
    DESK: "what serves after the month: the candidate, unless it was refused",
    SERVED: "what served in the month",
    CANDIDATE: "learned from all judgments so far",
    UNTAUGHT: "learned from the same text without any judgment",
    WORDS: "words of all components",
}
IN_MEMORY = 3
"""Number of bundles whose codes are in memory: serving, candidate, and without judgments."""

Train = Callable[[NetworkSettings, TrainingSettings, datetime, Sequence[Label]], str]
"""Trains on the tickets created before a date and on labels; returns the bundle's id."""


@dataclass(frozen=True)
class Month:
    """A month, from its first moment to that of the next one."""

    start: datetime
    end: datetime

    def __str__(self) -> str:
        return f"{self.start:%Y-%m}"


@dataclass(frozen=True)
class MonthResult:
    """The result of one month: judgments, the decision, and runs on the next month's queries."""

    month: Month
    judged: Sequence[Label]
    promoted: bool
    why: str
    measured: Sequence[Label]
    """Links of the next month's queries."""
    runs: Mapping[str, Run]

    def accuracy(self, name: str) -> float:
        """Acc@10 of a ranker on the next month's queries; NaN where none has a YES."""
        values = evaluate(self.measured, self.runs[name])["Acc@10"]
        return float(np.mean(values)) if values else np.nan


def whole_months(since: datetime, before: datetime) -> list[Month]:
    """The whole months between two dates."""
    found, start = [], datetime(since.year, since.month, 1)
    while (following := _next_month(start)) <= before:
        if start >= since:
            found.append(Month(start, following))
        start = following
    return found


def judge_shown(query: Query, run: Run, gold: Mapping[str, Grade]) -> list[Label]:
    """The tickets proposed for a query, graded by its links; a ticket without a link is a NO."""
    return [Label(query, id, gold.get(id, Grade.NO)) for id, _ in run[query.id][:SHOWN]]


def pooled_lines(results: Sequence[MonthResult]) -> list[Line]:
    """Every ranker on the queries of all months together."""
    labels = [label for result in results for label in result.measured]
    return [
        measured(
            name,
            about,
            Ranked({id: run for result in results for id, run in result.runs[name].items()}, {}),
            labels,
        )
        for name, about in ABOUT.items()
    ]


class FeedbackSimulation:
    """Simulates the months; results of an earlier run are only read.

    `links` are the labels of queries that are tickets of `store`. `is_test` says by a query's id
    whether its judgments are kept from training. `train` saves to `trainings.models`.
    """

    def __init__(
        self,
        trainings: TrainingCache,
        store: Tickets,
        links: Sequence[Label],
        network: NetworkSettings,
        training: TrainingSettings,
        train: Train,
        is_test: Callable[[str], bool],
        queries_a_month: int,
        threads: int = 1,
    ):
        self.tickets = list(store.iter_tickets())
        self.links, self.queries_a_month = links, queries_a_month
        self._created = {ticket.id: ticket.created for ticket in self.tickets}
        self._gold = grades_of(links)
        self._words = IndexedWords(TicketsInMemory(self.tickets))
        self._trainings, self._is_test = trainings, is_test
        self._settings, self._train, self._threads = (network, training), train, threads
        shape = settings_digest(network, training)
        self._texts = digest(archive_digest(self.tickets), shape)

    def run(self, months: Sequence[Month]) -> list[MonthResult]:
        """The results of the months, in order. Raises InputError if no month is followed by a query
        with a YES to measure on."""
        if not any(with_answers(self._of(_following(month))) for month in months):
            raise InputError("No month is followed by a query with a YES, to measure on.")
        until = _following(months[-1]).end
        recommender = lru_cache(IN_MEMORY)(partial(self._recommender, until))
        serving = self._trained("without judgments", months[0].start, [], 2 * len(months) + 1)
        judged: list[Label] = []
        results: list[MonthResult] = []
        for place, month in enumerate(months):
            left = 2 * (len(months) - place)
            key = digest(
                self._texts, serving, str(month), *map(labels_digest, (judged, self.links))
            )
            path = self._trainings.folder / "months" / f"{key}-{self.queries_a_month}.json"
            record = find_or_make(
                path, partial(self._record, month, serving, judged, recommender, left)
            )
            serving = record["serving"]
            shown = self._labels(record["judged"])
            judged = judged + shown
            measured = with_answers(self._of(_following(month)))
            promoted, why = record["promoted"], record["why"]
            results.append(MonthResult(month, shown, promoted, why, measured, record["runs"]))
        return results

    def _record(
        self,
        month: Month,
        serving: str,
        before: Sequence[Label],
        recommender: Callable[[str], Recommender],
        left: int,
    ) -> Json:
        """The result of one month as JSON."""
        queries = self._some(queries_of(self._of(month)), str(month))
        run = run_queries(recommender(serving), queries, SHOWN)
        shown = [x for query in queries for x in judge_shown(query, run, self._gold[query.id])]
        judged = [*before, *shown]
        learned = [label for label in judged if not self._is_test(label.query.id)]
        candidate = self._trained(f"{month}, candidate", month.end, learned, left)
        untaught = self._trained(f"{month}, no feedback", month.end, [], left - 1)
        test = [label for label in judged if self._is_test(label.query.id)]
        found = compare(recommender(candidate), recommender(serving), test)
        bundles = {
            DESK: candidate if found.may_serve else serving,
            SERVED: serving,
            CANDIDATE: candidate,
            UNTAUGHT: untaught,
        }
        following = queries_of(with_answers(self._of(_following(month))))
        runs = {
            name: run_queries(recommender(bundle), following) for name, bundle in bundles.items()
        }
        return {
            "judged": [(x.query.id, x.ticket_id, int(x.grade)) for x in shown],
            "serving": bundles[DESK],
            "promoted": found.may_serve,
            "why": str(found),
            "runs": {**runs, WORDS: run_peer(self._words, following)},
        }

    def _of(self, month: Month) -> list[Label]:
        """Links of the queries that were created in a month."""
        return [
            label
            for label in self.links
            if (created := self._created.get(label.query.ticket_id))
            and month.start <= created < month.end
        ]

    def _some(self, queries: Sequence[Query], seed: str) -> list[Query]:
        """A random sample of a month's queries, of limited size."""
        ordered = sorted(queries, key=lambda query: query.id)
        count = min(self.queries_a_month, len(ordered))
        return random.Random(seed).sample(ordered, count)

    def _labels(self, judged: Sequence[tuple[str, str, int]]) -> list[Label]:
        queries = {label.query.id: label.query for label in self.links}
        return [Label(queries[id], ticket, Grade(grade)) for id, ticket, grade in judged]

    def _trained(self, name: str, before: datetime, labels: Sequence[Label], left: int) -> str:
        """The id of a bundle trained on these labels and on the text before a date."""
        key = digest(self._texts, f"before {before}", labels_digest(labels))
        train = partial(self._train, *self._settings, before, labels)
        return self._trainings.bundle(key, name, train, left)

    def _recommender(self, until: datetime, bundle: str) -> Recommender:
        """A ranker of the tickets created before a date, which are all that queries of these months
        can find."""
        model = self._trainings.model(bundle)
        tickets = [ticket for ticket in self.tickets if ticket.created and ticket.created < until]
        return Recommender(encoded(model, tickets, bundle), model, self._threads)


def _next_month(start: datetime) -> datetime:
    return datetime(start.year + start.month // 12, start.month % 12 + 1, 1)


def _following(month: Month) -> Month:
    return Month(month.end, _next_month(month.end))
