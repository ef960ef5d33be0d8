"""Table 3 of Gupta, Andrassy and Schütze (2018): perplexity of topic models of an archive.

Model M1 is trained on subjects and descriptions, M2 also on solutions. Both score parts of the same
test tickets and queries, with the same vocabulary, so the figures of a column can be compared;
those of different archives cannot.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

from ticketing.encoders.topics import TopicWords, topic_words
from ticketing.errors import InputError
from ticketing.text import tokenize
from ticketing.text.vocabulary import Vocabulary
from ticketing.tickets import Label, Query, Ticket
from topic_models import LDA, DocNADE, DocNADESettings, LDASettings, ProgressBar, TopicModel
from topic_models.documents import Document

Fields = tuple[str, ...]

MODELS: dict[str, Fields] = {
    "M1": ("subject", "description"),
    "M2": ("subject", "description", "solution"),
}
TICKET_PARTS: dict[str, Fields] = {
    "DESC": ("description",),
    "SUB+DESC": ("subject", "description"),
    "SUB+DESC+SOL": ("subject", "description", "solution"),
}
QUERY_PARTS: dict[str, Fields] = {
    "DESC1": ("description",),
    "SUB1+DESC1": ("subject", "description"),
}
VALIDATION = 20
"""Every VALIDATION-th training ticket is used for early stopping."""


@dataclass(frozen=True)
class Split:
    """Training tickets, and the tickets and queries kept from training."""

    learned: tuple[Ticket, ...]
    test: tuple[Ticket, ...]
    queries: tuple[Query, ...]


@dataclass(frozen=True)
class Column:
    """Scored texts: the number with known words, and the mean number of known words."""

    name: str
    texts: int
    words: float


@dataclass(frozen=True)
class Row:
    """One fitted model: its perplexity by column, None where no text has a known word."""

    model: str
    kind: str
    seconds: float
    perplexities: tuple[float | None, ...]


@dataclass(frozen=True)
class TopicTable:
    """Table 3 of one archive; `words` is the size of the common vocabulary."""

    learned: int
    words: int
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


def split(
    tickets: Sequence[Ticket], labels: Sequence[Label], test: int = 50, seed: int = 0
) -> Split:
    """Keep `test` whole tickets, and at most as many labelled queries, from learning.

    Only tickets with all three parts are drawn for the test; where a query is itself a ticket,
    nothing is learned from that ticket. Raises InputError when too few tickets are left.
    """
    chance = random.Random(seed)
    judged = {label.query.id: label.query for label in labels}
    queries = [judged[id] for id in _some(sorted(judged), test, chance)]
    own = {query.ticket_id for query in queries}
    complete = [t for t in tickets if t.subject and t.description and t.solution]
    whole = sorted(t.id for t in complete if t.id not in own)
    tested = set(_some(whole, test, chance))
    learned = tuple(t for t in tickets if t.id not in tested | own)
    if len(tested) < test or len(learned) < VALIDATION:
        raise InputError(
            f"{test} tickets with subject, description and solution are to be tested on, and at "
            f"least {VALIDATION} others learned from; there are {len(whole)} and {len(learned)}. "
            "Import more, or test on fewer (--test)."
        )
    return Split(learned, tuple(t for t in tickets if t.id in tested), tuple(queries))


def _docnade(**common: int) -> TopicModel:
    """With the settings that suit labelled folders best (`topic_models.experiments.trials`)."""
    return DocNADE(
        DocNADESettings(
            **common,
            dropout=0.5,
            weight_decay=0.2,
            batch_size=64,
            averaged=True,
            leaves="similar",
        )
    )


def _lda(**common: int) -> TopicModel:
    return LDA(LDASettings(**common))


KINDS: dict[str, Callable[..., TopicModel]] = {"DocNADE": _docnade, "LDA": _lda}
"""By kind, the function that makes a model from vocabulary size, topics and seed."""


def topic_table(parts: Split, topics: int = 100, seed: int = 0) -> TopicTable:
    """Fit DocNADE and LDA as M1 and as M2, each with a progress bar, and score every column.

    Raises InputError when the tickets share too few words to learn from.
    """
    learned = {name: [_tokens(t, fields) for t in parts.learned] for name, fields in MODELS.items()}
    vocabulary = Vocabulary.count(learned["M2"])
    words = TopicWords(topic_words(vocabulary))

    def documents(texts: Sequence[list[str]]) -> list[Document]:
        return [d for d in words.documents([vocabulary.ids(t) for t in texts]) if len(d)]

    scored = {
        name: documents([_tokens(source, fields) for source in sources])
        for sources, named in ((parts.test, TICKET_PARTS), (parts.queries, QUERY_PARTS))
        for name, fields in named.items()
    }
    rows = []
    for name, texts in learned.items():
        known = documents(texts)
        if len(known) < VALIDATION:
            raise InputError("The tickets share too few words to learn topics from; import more.")
        for kind, make in KINDS.items():
            model = make(vocabulary_size=len(words.ids), topics=topics, seed=seed)
            rows.append(_row(name, kind, model, known, scored))
    columns = tuple(
        Column(name, len(texts), sum(map(len, texts)) / max(len(texts), 1))
        for name, texts in scored.items()
    )
    return TopicTable(len(parts.learned), len(words.ids), columns, tuple(rows))


def _row(
    name: str,
    kind: str,
    model: TopicModel,
    known: list[Document],
    scored: dict[str, list[Document]],
) -> Row:
    start = perf_counter()
    fit = [document for i, document in enumerate(known) if i % VALIDATION]
    bar = ProgressBar(f"{name} {kind}")
    model.fit(fit, known[::VALIDATION], progress=bar)
    bar.close()
    seconds = perf_counter() - start
    figures = tuple(model.perplexity(texts) if texts else None for texts in scored.values())
    return Row(name, kind, seconds, figures)


def _some(ids: list[str], most: int, chance: random.Random) -> list[str]:
    return sorted(chance.sample(ids, min(most, len(ids))))


def _tokens(source: Ticket | Query, fields: Fields) -> list[str]:
    return [token for field in fields for token in tokenize(getattr(source, field))]
