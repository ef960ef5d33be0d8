"""Labelled documents on disk: a folder with a training, a validation and a test file.

Two layouts are known, plain or gzipped (`.gz`), one document a line, `label,id id id …`, where
an id is the line of the word in the vocabulary file, counted from 0:

- `training_docnade.csv`, `validation_docnade.csv`, `test_docnade.csv`, `vocab_docnade.vocab`:
  word order is lost, ids ascend, and a word that occurs n times stands there round(ln(1 + n))
  times;
- `train.seq.csv`, `validation.seq.csv`, `test.seq.csv`, `vocab.txt`: words in text order.

A validation file that is absent, or the same as the test file, would leave nothing to choose
settings by; then a tenth of the training documents, chosen by seed, takes its place.
"""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from topic_models.errors import DatasetError

HELD_OUT = 10
"""One in this many training documents validates where no other documents can."""


class Part(NamedTuple):
    """Documents, an int64 array of word ids each, and a label for each of them."""

    documents: list[np.ndarray]
    labels: np.ndarray

    def take(self, rows: np.ndarray) -> "Part":
        """The documents `rows`, in that order."""
        return Part([self.documents[row] for row in rows], self.labels[rows])


@dataclass(frozen=True)
class Dataset:
    """The three parts of a folder; `note` says where the validation documents come from."""

    name: str
    words: list[str]
    training: Part
    validation: Part
    test: Part
    in_text_order: bool
    note: str = ""

    @property
    def parts(self) -> dict[str, Part]:
        """The three parts by name."""
        return {"training": self.training, "validation": self.validation, "test": self.test}


class _Layout(NamedTuple):
    vocabulary: str
    training: str
    validation: str
    test: str
    in_text_order: bool


_LAYOUTS = (
    _Layout(
        "vocab_docnade.vocab",
        "training_docnade.csv",
        "validation_docnade.csv",
        "test_docnade.csv",
        in_text_order=False,
    ),
    _Layout("vocab.txt", "train.seq.csv", "validation.seq.csv", "test.seq.csv", in_text_order=True),
)


def read_dataset(folder: Path, seed: int = 0) -> Dataset:
    """The documents of a folder in either layout; `seed` chooses validation documents.

    Raises DatasetError naming the file, line and field at fault.
    """
    folder = Path(folder)
    layout = next((each for each in _LAYOUTS if _find(folder / each.training)), None)
    if layout is None:
        wanted = " nor ".join(each.training for each in _LAYOUTS)
        raise DatasetError(f"{folder} holds neither {wanted}, plain or gzipped (.gz).")
    words = _read_words(folder / layout.vocabulary)
    training, test = (
        _read_part(folder / name, len(words)) for name in (layout.training, layout.test)
    )
    dataset = Dataset(folder.name, words, training, test, test, layout.in_text_order)
    if not _find(folder / layout.validation):
        return _carved(dataset, seed, f"there is no {layout.validation}")
    validation = _read_part(folder / layout.validation, len(words))
    if _same(validation, test):
        return _carved(dataset, seed, f"{layout.validation} equals {layout.test}")
    return replace(dataset, validation=validation)


def _carved(dataset: Dataset, seed: int, why: str) -> Dataset:
    """The data set with a part of its training documents for validation."""
    order = np.random.default_rng(seed).permutation(len(dataset.training.documents))
    count = -(-len(order) // HELD_OUT)
    if count == len(order):
        raise DatasetError(
            f"{dataset.name}: {why}, and one training document is too few to take a part from."
        )
    return replace(
        dataset,
        training=dataset.training.take(np.sort(order[count:])),
        validation=dataset.training.take(np.sort(order[:count])),
        note=f"{why}, so {count:,} training documents validate (seed {seed})",
    )


def _same(one: Part, other: Part) -> bool:
    return len(one.documents) == len(other.documents) and all(
        map(np.array_equal, one.documents, other.documents)
    )


def _find(path: Path) -> Path | None:
    """The file itself or its gzipped form, None where neither exists."""
    return next((p for p in (path, Path(f"{path}.gz")) if p.is_file()), None)


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """Lines that are not blank, each with where it stands."""
    found = _find(path)
    if found is None:
        raise DatasetError(f"{path} is missing, plain or gzipped (.gz).")
    opened = gzip.open if found.suffix == ".gz" else open
    try:
        with opened(found, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield f"{found}, line {number}", line.rstrip("\r\n")
    except (UnicodeDecodeError, EOFError, OSError) as error:
        raise DatasetError(f"{found} cannot be read to its end ({error}).") from None


def _read_words(path: Path) -> list[str]:
    words = [line.split()[0] for _, line in _lines(path)]
    if not words:
        raise DatasetError(f"{path} holds no words.")
    return words


def _read_part(path: Path, vocabulary_size: int) -> Part:
    labels, documents = [], []
    for where, line in _lines(path):
        label, comma, ids = line.partition(",")
        if not comma:
            raise DatasetError(f"{where}: there is no comma between a label and word ids.")
        labels.append(label.strip())
        documents.append(_ids(ids, vocabulary_size, where))
    if not documents:
        raise DatasetError(f"{path} holds no documents.")
    return Part(documents, np.array(labels))


def _ids(field: str, vocabulary_size: int, where: str) -> np.ndarray:
    ids = []
    for word in field.split():
        if not (word.isascii() and word.isdigit() and int(word) < vocabulary_size):
            raise DatasetError(
                f"{where}, second field: {word!r} is no word id; ids run from 0 to "
                f"{vocabulary_size - 1}."
            )
        ids.append(int(word))
    return np.array(ids, np.int64)
