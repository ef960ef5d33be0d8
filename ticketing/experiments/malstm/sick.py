"""Pairs of sentences with a relatedness of 1 to 5 and an entailment judgment, as SICK has them."""

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ticketing.errors import InputError
from ticketing.evaluation.isotonic import HIGHEST, LOWEST
from ticketing.text import tokenize

COLUMNS = ("sentence_A", "sentence_B", "relatedness_score", "entailment_judgment")
JUDGMENTS = ("CONTRADICTION", "ENTAILMENT", "NEUTRAL")
NEGATING = frozenset({"no", "not", "nobody", "nothing", "none", "never", "without"})
SPELLED_OUT = {"cannot": ("can", "not"), "can't": ("can", "not"), "won't": ("will", "not")}


class Pair(NamedTuple):
    """Two sentences, how related people found them (1 to 5), and what the first says of the
    second (one of JUDGMENTS)."""

    one: str
    other: str
    relatedness: float
    judgment: str

    @property
    def label(self) -> float:
        """Relatedness rescaled to [0, 1]."""
        return (self.relatedness - LOWEST) / (HIGHEST - LOWEST)


class Sick(NamedTuple):
    """The parts of the data set: what may be learned from (train and trial), and the test."""

    training: list[Pair]
    test: list[Pair]

    def repeated(self) -> list[bool]:
        """Whether each test pair is also a training pair, in either order."""
        seen = {frozenset(both(pair)) for pair in self.training}
        return [frozenset(both(pair)) in seen for pair in self.test]


def sentences(pairs: Iterable[Pair]) -> list[str]:
    """The distinct sentences of pairs, sorted."""
    return sorted({sentence for pair in pairs for sentence in (pair.one, pair.other)})


def both(pair: Pair) -> tuple[str, str]:
    """The words of a pair's sentences, which case and punctuation don't tell apart."""
    return " ".join(words(pair.one)), " ".join(words(pair.other))


@lru_cache(maxsize=1 << 16)
def words(sentence: str) -> tuple[str, ...]:
    """Lower-case words; "isn't" is "is not", "cannot" "can not"."""
    return tuple(word for token in tokenize(sentence) for word in _spelled_out(token))


def _spelled_out(token: str) -> tuple[str, ...]:
    if token.endswith("n't") and token not in SPELLED_OUT:
        return token.removesuffix("n't"), "not"
    return SPELLED_OUT.get(token, (token,))


def read_sick(folder: Path) -> Sick:
    """The data set in a folder, under the names its authors gave the files. Raises InputError."""
    training = read_pairs(folder / "SICK_train.txt") + read_pairs(folder / "SICK_trial.txt")
    return Sick(training, read_pairs(folder / "SICK_test_annotated.txt"))


def read_pairs(path: Path) -> list[Pair]:
    """Pairs of a tab-separated file with (at least) COLUMNS. Raises InputError naming the line."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as lines:
            pairs = list(_pairs(path, lines))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 ({error.reason}); save it as UTF-8.") from None
    if not pairs:
        raise InputError(f"{path} holds no pairs; give a file with a line for each pair.")
    return pairs


def _pairs(path: Path, lines: Iterable[str]) -> Iterator[Pair]:
    rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    if absent := [name for name in COLUMNS if name not in (rows.fieldnames or ())]:
        raise InputError(
            f"{path}:1 has no column {absent[0]!r}; SICK's files name {', '.join(COLUMNS)}."
        )
    for row in rows:
        yield _pair(row, f"{path}:{rows.line_num}")


def _pair(row: Mapping[str, str], where: str) -> Pair:
    one, other, relatedness, judgment = (row[name] for name in COLUMNS)
    if None in (one, other, relatedness, judgment):
        raise InputError(f"{where} has fewer cells than the header; separate them with tabs.")
    for name, sentence in (("sentence_A", one), ("sentence_B", other)):
        if not words(sentence):
            raise InputError(f"{where}: {name}: {sentence!r} holds no word; remove the line.")
    try:
        rated = float(relatedness)
    except ValueError:
        rated = math.nan
    if not LOWEST <= rated <= HIGHEST:
        raise InputError(
            f"{where}: relatedness_score: {relatedness!r} is no number from 1 to 5; correct it."
        )
    if judgment not in JUDGMENTS:
        raise InputError(
            f"{where}: entailment_judgment: {judgment!r} is none of {', '.join(JUDGMENTS)}."
        )
    return Pair(one, other, rated, judgment)
