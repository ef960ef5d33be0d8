"""All measurements of one run, and their text for the terminal."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ticketing.evaluation.ages import MEASURE, AgeRow, age_text, by_age
from ticketing.evaluation.bundle_diff import Change, change_text
from ticketing.evaluation.comparison import (
    SIGNIFICANT,
    Cell,
    Line,
    cells,
    measured,
    relatedness_text,
    retrieval_text,
)
from ticketing.evaluation.indexed_words import AllWords, IndexedWords
from ticketing.evaluation.metrics import with_answers
from ticketing.evaluation.peers import SHARE, EncodedTexts, Mixed, Peer, Reads
from ticketing.evaluation.reliability import Trust, trust_text
from ticketing.evaluation.runs import Rankers, rank_peer
from ticketing.evaluation.success import Matched, Success, count_matches, success_rates
from ticketing.evaluation.timed_peer import TimedPeer
from ticketing.evaluation.ways import WITH_TIME, WITHOUT_TIME, Way, rank_ways
from ticketing.plurals import counted
from ticketing.tickets import Label, queries_of

WORDS, ENCODER = "BM25", "the encoder"
NO_LABELS = (
    "Nothing can be measured: no test query is judged. A fifth of the queries are test queries; "
    "judge answers to more queries on the page, or import labels with `ticketing labels import`."
)
NO_TICKETS = (
    "Nothing can be measured: none of the judged tickets is in this knowledge base, or all are "
    "younger than the ticket that asked for them."
)
NO_YES = (
    "Retrieval cannot be measured: none of these queries has a YES. Judge answers to more queries "
    "on the page, or import labels with `ticketing labels import`."
)


@dataclass(frozen=True)
class Sample:
    """Labels to measure on, and labels of other queries (not used in training) to fit the map from
    distances to grades."""

    labels: Sequence[Label]
    fit: Sequence[Label]

    @property
    def all(self) -> list[Label]:
        """The labels of all queries that are ranked."""
        return [*self.labels, *self.fit]

    @property
    def answered(self) -> bool:
        """Whether any measured query has a YES."""
        return bool(with_answers(self.labels))


@dataclass(frozen=True)
class Measurement:
    """The lines of the table; the others are tested against `reference`."""

    sample: Sample
    lines: list[Line]
    reference: Line
    compared: list[Change] = field(default_factory=list)
    trust: Trust | None = None
    """Reliability of the chances of the first line's ranker."""
    ages: Mapping[str, int] = field(default_factory=dict)
    """By query id, the index in AGES of its youngest right ticket, if known."""

    def by_age(self) -> list[AgeRow]:
        """Acc@10 by the age of the youngest right ticket, a row for each line."""
        return by_age(self.lines, self.sample.labels, self.ages)

    def cells(self) -> list[dict[str, Cell]]:
        """Retrieval measures by line, with intervals and p."""
        return cells(self.lines, self.reference)

    def matches(self) -> list[Matched]:
        """For each query, its right tickets and how many of them the first line's ranker
        proposed."""
        return count_matches(self.sample.labels, self.lines[0].ranked.run)

    def success(self) -> list[Success]:
        """Success rates of the first line's ranker."""
        return success_rates(self.matches())


def measure_ways(
    rankers: Rankers, ways: Sequence[Way], sample: Sample, seen: Callable[[], None] = lambda: None
) -> list[Line]:
    """A line for each of some ways to rank by a bundle; `seen` is called after each query."""
    found = rank_ways(rankers, ways, sample.all, seen)
    return [
        measured(way.name, way.about, ranked, sample.labels, sample.fit)
        for way, ranked in zip(ways, found, strict=True)
    ]


def measure_words(words: IndexedWords, sample: Sample) -> list[Line]:
    """Lines of BM25, see `measure_peer`."""
    return measure_peer(words, WORDS, "words of all components", sample)


def measure_encoder(encoder: Reads, words: IndexedWords, sample: Sample) -> list[Line]:
    """Lines of a sentence encoder and of its mixture with BM25, see `measure_peer`."""
    texts = EncodedTexts(words.tickets, encoder)
    lines = measure_peer(texts, ENCODER, "subjects, and both texts as one", sample)
    mixed = f"{SHARE} of its standard scores, {1 - SHARE:.1f} of BM25's by all words"
    both = Mixed(texts, AllWords(words))
    return lines + measure_peer(both, f"{ENCODER} + {WORDS}", mixed, sample)


def measure_peer(peer: Peer, name: str, about: str, sample: Sample) -> list[Line]:
    """Lines of a baseline ranker and, if other queries are available to fit the weight of time, of
    the same with time.

    Its scores are not distances of pairs.
    """
    labels, ranked = sample.labels, rank_peer(peer, sample.labels, name)
    lines = [measured(name, f"{about}, {WITHOUT_TIME}", ranked, labels)]
    timed = TimedPeer(peer, name)
    recency = timed.fit(sample.fit)
    if recency.weight:
        ranked = timed.rank(with_answers(labels), recency)
        about = f"its standard scores, less {recency.weight:.2f} of the time part"
        lines.append(measured(f"{name} {WITH_TIME}", about, ranked, labels))
    return lines


def measurement_text(found: Measurement) -> list[str]:
    """Both tables, the success rates and the comparison, as lines of text."""
    labels, lines = found.sample.labels, found.lines
    answered = len(queries_of(with_answers(labels)))
    queries, judged = counted(len(queries_of(labels)), "query"), counted(len(labels), "label")
    text = [f"{queries} ({answered:,} with a YES), {judged}"]
    if found.sample.answered:
        text += [
            f"Retrieval, queries with a YES; ± half of a 95 % interval; * differs from "
            f"{found.reference.name} (p < {SIGNIFICANT})",
            *retrieval_text(lines, found.cells()),
        ]
    else:
        text.append(NO_YES)
    if found.ages:
        text += ["", f"{MEASURE} by the age of the youngest YES ticket"]
        text += age_text(found.by_age(), found.ages)
    text += ["", "Labelled pairs", *relatedness_text(lines)]
    if rates := found.success():
        text += ["", f"Queries with right tickets among the ten proposed ({lines[0].name})"]
        text += [success_text(rate) for rate in rates]
    if found.trust:
        text += ["", *trust_text(found.trust)]
    if found.compared:
        text += ["", *change_text(found.compared)]
    return text


def success_text(rate: Success) -> str:
    """One success rate as a line."""
    kind = "YES or REL" if rate.with_rel else "YES"
    return f"  {rate.at_least} or more {kind:11} {rate.rate:.3f}  of {rate.possible:.3f} possible"
