"""Why a ticket was proposed: parts of its distance, shared topics and words, and one sentence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

NOTHING_SHARED = "No telling word is shared; the texts are close as wholes."
BY_ID = "This is the ticket whose id you typed."
BY_CODE = "It was found by what both name, not by meaning."
JUDGED = "It was judged YES for this query."
SOLVED = "Found by a query that it solved: “{}”."


class Part(NamedTuple):
    """One term of equation 1: V[p, r] * W[c] * ||c_p - c_r||_1. All parts add up to the distance.

    The part for the time between query and ticket has the channel "age" and no components.
    """

    channel: str
    query_component: str
    ticket_component: str
    distance: float


class SharedTopic(NamedTuple):
    """A topic that query and ticket share, and their words that are most typical of it."""

    topic: int
    words: tuple[str, ...]
    weight: float


class SharedWord(NamedTuple):
    """A telling word that query and ticket share.

    `word` is written as in the query, `weight` is its idf, and `tokens` are its forms in the ticket
    ("pulsation", "pulsations").
    """

    word: str
    weight: float
    tokens: tuple[str, ...]


class AlikeWords(NamedTuple):
    """Two aligned words, which the model takes to mean the same, as query and ticket write them.

    `similarity` is from 0 to 1; `token` is the ticket's word as the tokenizer gives it.
    """

    query_word: str
    ticket_word: str
    similarity: float
    token: str


@dataclass(frozen=True)
class Reason:
    """The words that explain a proposal, the most telling first.

    - `named`: numbers and codes that both texts contain, as the query writes them.
    - `by_id`: the query's subject is the ticket's id.
    - `by_code`: the ticket was found only by the numbers and codes in `named`.
    - `moved`: a sentence that says what changed the ticket's rank beside its distance, or "".
    - `solved`: the beginning of an earlier query that the ticket solved and that is nearer than the
      ticket's own text. `judged`: it is this very query.
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
        """The tokens, numbers and codes to highlight in the ticket."""
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
    """Quote and join words: `“a”`, `“a” and “b”`, `“a”, “b” and “c”`; `last` replaces "and"."""
    return _joined([f"“{word}”" for word in words], last)


def _joined(items: Sequence[str], last: str = "and") -> str:
    return f" {last} ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))
