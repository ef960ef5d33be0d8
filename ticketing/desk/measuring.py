"""Evaluation of one or two bundles on labelled queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from ticketing.desk.bundles import Bundles
from ticketing.errors import InputError
from ticketing.evaluation.ages import ages_of
from ticketing.evaluation.bundle_diff import changes
from ticketing.evaluation.comparison import Line
from ticketing.evaluation.indexed_words import IndexedWords
from ticketing.evaluation.measurement import (
    NO_LABELS,
    NO_TICKETS,
    Measurement,
    Sample,
    measure_encoder,
    measure_ways,
    measure_words,
)
from ticketing.evaluation.peers import whole_of
from ticketing.evaluation.reliability import measure_trust
from ticketing.evaluation.runs import in_memory
from ticketing.evaluation.ways import part_ways, whole_ways
from ticketing.jobs import OnStep, Step, ignore_step
from ticketing.labels import is_test
from ticketing.retrieval.memory import findable
from ticketing.tickets import Filters, Label, queries_of, typed_words
from ticketing.times import require_period, shown_period
from ticketing.training.sampling import is_validation

if TYPE_CHECKING:
    from ticketing.encoders.transformer import Transformer
    from ticketing.retrieval.recommend import Recommender

FIT_QUERIES = 200
"""Queries whose labels are used to fit the map from distances to grades."""


@dataclass(frozen=True)
class Measuring:
    """What to evaluate: a bundle (default: the serving one), optionally another one, the period of
    the queries, and a sentence encoder as a baseline, named as `training.teacher`. With `untimed`,
    all are tested against the first bundle without time."""

    bundle: str = ""
    other: str = ""
    since: datetime | None = None
    before: datetime | None = None
    demo: bool = False
    encoder: str = ""
    untimed: bool = False


@dataclass(frozen=True)
class Measured:
    """The measurements, the ranker of the first bundle, and warnings about bundles that were
    trained on the queries."""

    found: Measurement
    recommender: Recommender
    warnings: tuple[str, ...]


def measure(
    desk: Bundles,
    measuring: Measuring,
    sample: Sample,
    others: Callable[[Sample], list[Line]] = lambda sample: [],
    reference: str = "",
    on_step: OnStep = ignore_step,
) -> Measured:
    """Evaluate bundles, `others` and BM25 on the same queries.

    All are tested against the line named `reference`, or else against the first bundle. `on_step`
    is called for each query that a bundle has ranked; as many steps again stand for the rest.
    Raises whatever `on_step` raises.
    """
    encoder = _encoder(measuring.encoder) if measuring.encoder else None
    seen = _Counted(on_step, len(queries_of(sample.all)) * (3 if measuring.other else 2))
    solved = _solved_before(desk, measuring, sample)
    rankers = in_memory(desk.store, desk.recommender(measuring.bundle).model, solved)
    other = measuring.other
    warnings = tuple(_leaks(desk, (rankers.model.id, other), measuring))
    whole, parts = whole_ways(rankers.model), part_ways(rankers.model)
    reference = whole[-1].name if measuring.untimed else reference
    found, compared = measure_ways(rankers, [*whole, *parts], sample, seen), []
    lines, alone = found[: len(whole)], found[len(whole) :]
    if other:
        beside = in_memory(desk.store, desk.recommender(other).model, solved)
        second = measure_ways(beside, whole_ways(beside.model), sample, seen)
        compared = changes(sample.labels, lines[0].ranked, second[0].ranked)
        lines = [lines[0], second[0], *lines[1:], *second[1:]]
    words = IndexedWords(rankers.store, desk.store)
    lines += [*alone, *others(sample)]
    if encoder:
        lines += _encoder_lines(desk, encoder, words, sample)
    lines += measure_words(words, sample)
    tested = next((line for line in lines if line.name == reference), lines[0])
    trust = measure_trust(rankers.recommender(), sample.labels, sample.fit)
    ages = ages_of(desk.store, sample.labels)
    seen.end()
    measurement = Measurement(sample, lines, tested, compared, trust, ages)
    return Measured(measurement, rankers.recommender(), warnings)


def _encoder(named: str) -> Transformer:
    """Load the sentence encoder, before anything is measured. Raises InputError if it is missing or
    cannot be read."""
    from ticketing.encoders.transformer import Transformer, needed_folder

    encoder = Transformer(needed_folder(named))
    encoder.load()
    return encoder


def _encoder_lines(
    desk: Bundles, encoder: Transformer, words: IndexedWords, sample: Sample
) -> list[Line]:
    """Runs of the encoder on the same tickets; its vectors are cached for the next evaluation."""
    from ticketing.encoders.vector_cache import VectorCache

    encoder.cache = cache = VectorCache(desk.settings.home / "evaluation", encoder.digest)
    texts = chain.from_iterable((whole_of(x), x.subject) for x in words.tickets)
    encoder.prepare(texts, "the encoder")
    lines = measure_encoder(encoder, words, sample)
    cache.end()
    return lines


class _Counted:
    """Progress: each call reports that one more of `total` queries is ranked."""

    def __init__(self, on_step: OnStep, total: int):
        self._on_step, self._done, self._total = on_step, 0, total
        on_step(Step.MEASURING, 0, total)

    def __call__(self) -> None:
        self._done += 1
        self._on_step(Step.MEASURING, self._done, self._total)

    def end(self) -> None:
        """Report that all is done."""
        self._on_step(Step.MEASURING, self._total, self._total)


def measured_labels(
    desk: Bundles,
    judged: Sequence[Label],
    since: datetime | None,
    before: datetime | None,
    demo: bool,
) -> list[Label]:
    """Labels of the queries that are tickets created in [since, before); without dates, labels of
    the test queries; with `demo`, those of the demonstration base's end users.

    Labels of tickets that cannot be found (see `findable`) are left out unless there are no others;
    `why_not` then says so. Raises InputError for `demo` with a date, and for dates that exclude
    each other.
    """
    if demo and (since or before):
        raise InputError(
            "--demo asks the demonstration's own queries, which no date chooses; leave out --since "
            "and --before."
        )
    require_period(since, before)
    if demo:
        labels = _end_user_labels()
    elif since or before:
        within = Filters(created_since=since, created_before=before)
        queries = {ticket.id for ticket in desk.store.iter_tickets(within)}
        labels = [label for label in judged if label.query.ticket_id in queries]
    else:
        labels = [label for label in judged if is_test(label.query.id)]
    return findable(desk.store, labels) or labels


def why_not(
    desk: Bundles, labels: Sequence[Label], since: datetime | None, before: datetime | None
) -> str:
    """Why these labels cannot be used for an evaluation (of the tickets created in a period, if
    one was asked for), or ""."""
    if not labels and (period := shown_period(since, before)):
        return (
            f"Nothing can be measured: no judged query is a ticket created {period}; name another"
            " period, or import labels with `ticketing labels import`."
        )
    if not labels:
        return NO_LABELS
    return "" if findable(desk.store, labels) else NO_TICKETS


def sample_of(desk: Bundles, measuring: Measuring) -> Sample:
    """The labels to evaluate on, and other labels to fit the map from distances to grades."""
    judged = desk.labels()
    labels = measured_labels(desk, judged, measuring.since, measuring.before, measuring.demo)
    measured = {label.query.id for label in labels}
    unseen = [
        label
        for label in judged
        if label.query.id not in measured
        and (is_validation(label.query.id) or is_test(label.query.id))
    ]
    some = set(sorted({label.query.id for label in unseen})[:FIT_QUERIES])
    return Sample(labels, [label for label in unseen if label.query.id in some])


def _solved_before(desk: Bundles, measuring: Measuring, sample: Sample) -> list[Label]:
    """Labels of other queries, not even with the same words, which count as solved before. With a
    period there are none, since they may have been asked after it."""
    if measuring.since or measuring.before:
        return []
    asked = {label.query.id for label in sample.all}
    words = typed_words(label.query for label in sample.all)
    return [
        label
        for label in desk.labels()
        if label.query.id not in asked and words.isdisjoint(typed_words([label.query]))
    ]


def _leaks(desk: Bundles, bundles: Sequence[str], measuring: Measuring) -> Iterator[str]:
    """A warning for each bundle that was trained on tickets of the measured period."""
    since, before = measuring.since, measuring.before
    for bundle in filter(None, bundles) if since or before else ():
        newest = desk.models.manifest(bundle)["data"].get("newest")
        if newest and (not since or newest >= since.isoformat()):
            yield (
                f"Bundle {bundle} has learned from tickets until {newest[:10]}, so it may know "
                "texts and labels of these queries; measure one that `ticketing train --before` "
                "has kept from them."
            )


def _end_user_labels() -> list[Label]:
    """The demonstration base's gold labels; they are not stored as judgments."""
    from ticketing.demo.generator import generate

    return list(generate().gold)
