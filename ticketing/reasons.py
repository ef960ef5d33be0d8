"""Why a ticket was proposed: parts of its distance, topics, words, and the sentence to say it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

NOTHING_SHARED = "No telling word is shared; the texts are close as wholes."
BY_ID = "This is the ticket whose id you typed."
BY_CODE = "It was found by what both name, not by meaning."
JUDGED = "It was judged YES for this query."
SOLVED = "Found by a query that it solved: “{}”."


class Part(NamedTuple):
    """One term of equation 1: V[p, r] * W[c] * ||c_p - c_r||_1; all add up to the distance.

    What the time between query and ticket adds is the part of channel "age", without components.
    """

    channel: str
    query_component: str
    ticket_component: str
    distance: float


class SharedTopic(NamedTuple):
    """A topic that query and ticket are both about, and their words that speak for it most."""

    topic: int
    words: tuple[str, ...]
    weight: float


class SharedWord(NamedTuple):
    """A telling word that query and ticket share.

    `word` stands as it was written in the query, `weight` is its idf, and `tokens` are the forms in
    which the ticket says it ("pulsation", "pulsations").
    """

    word: str
    weight: float
    tokens: tuple[str, ...]


class AlikeWords(NamedTuple):
    """Two words that the model takes for each other, as query and ticket wrote them.

    `similarity` is from 0 to 1; `token` is the ticket's word as the tokenizer gives it.
    """

    query_word: str
    ticket_word: str
    similarity: float
    token: str


@dataclass(frozen=True)
class Reason:
    """The words that speak for a proposal, those that tell most first.

    `named` are numbers and codes that both name, as the query has them. `by_id` says that the
    query's subject is the ticket's id, `by_code` that the ticket is there for what both name alone.
    `moved` is a sentence that says what else than its distance gave the ticket its rank, empty
    where nothing did. `solved` is the beginning of a query that the ticket solved, where that is
    nearer than its own text; `judged` says that it is this very query.
    """

    shared: tuple[SharedWord, ...] = ()
    alike: tuple[AlikeWords, ...] = ()
    named: tuple[str, ...] = ()
    by_id: bool = False
    by_code: bool = False
    moved: str = ""
    solved: str = ""
    judged: bool = False

    @property
    def marks(self) -> frozenset[str]:
        """What to mark in the ticket: tokens, and the numbers and codes that both name."""
        shared = (token for word in self.shared for token in word.tokens)
        alike = (pair.token for pair in self.alike)
        return frozenset([*shared, *alike, *self.named])

    @property
    def sentence(self) -> str:
        """The reason in plain English."""
        clauses = []
        if self.shared:
            clauses.append(f"Both say {quoted(word.word for word in self.shared)}")
        if self.named:
            clauses.append(f"{'both' if clauses else 'Both'} name {quoted(self.named)}")
        if self.alike:
            (here, there), *rest = [(p.query_word, p.ticket_word) for p in self.alike]
            first = f"“{here}” here is close to “{there}” there"
            clauses.append(_joined([first, *(f"“{one}” to “{other}”" for one, other in rest)]))
        said = [BY_ID] if self.by_id else []
        if self.solved:
            said.append(JUDGED if self.judged else SOLVED.format(self.solved))
        if clauses:
            said.append(f"{'; '.join(clauses)}.")
        if self.by_code and self.named:
            said.append(BY_CODE)
        return " ".join(said) or NOTHING_SHARED


UNEXPLAINED = Reason()


def quoted(words: Iterable[str], last: str = "and") -> str:
    """`“a”`, `“a” and “b”`, `“a”, “b” and “c”`, or with another `last` word between."""
    return _joined([f"“{word}”" for word in words], last)


def _joined(items: Sequence[str], last: str = "and") -> str:
    return f" {last} ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))
