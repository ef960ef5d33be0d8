"""Labelled documents on disk: a folder with a training, a validation and a test file.

Three layouts are known, plain or gzipped (`.gz`), one document a line. Two are `label,id id id …`,
where an id is the line of the word in the vocabulary file, counted from 0:

- `training_docnade.csv`, `validation_docnade.csv`, `test_docnade.csv`, `vocab_docnade.vocab`:
  word order is lost, ids ascend, and a word that occurs n times stands there round(ln(1 + n))
  times;
- `train.seq.csv`, `validation.seq.csv`, `test.seq.csv`, `vocab.txt`: words in text order.

The third, which may lie beside the first, is `label,text`: `training.csv`, `validation.csv`,
`test.csv`. A word is a run of letters, digits and bytes that are no UTF-8, in lower case. It counts
if `vocab_docnade.vocab` has it, and a text without any is left out. (So read, the texts of the
DocNADE authors are their ids, but for the word of id 0, which the latter lack.) These files hold
the words outside the vocabulary too, and can be read with all of them.

A validation file that is absent, or the same as the test file, would leave nothing to choose
settings by; then a tenth of the training documents, chosen by seed, takes its place.
"""

import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topic_models.errors import DatasetError

WORD = re.compile(r"(?:[^\W_]|\ufffd)+")
"""A word of a text in lower case; U+FFFD stands for a byte that is no UTF-8."""

_ID = re.compile("[0-9]{1,18}")

HELD_OUT = 10
"""One in this many training documents validates where no other documents can."""


class Part(NamedTuple):
    """Documents, an int64 array of word ids each, and a label for each of them."""

    documents: list[npt.NDArray[np.int64]]
    labels: npt.NDArray[np.str_]

    def take(self, rows: npt.NDArray[np.int64]) -> "Part":
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
    texts: bool

    def holds(self, in_text_order: bool, all_words: bool) -> bool:
        return self.in_text_order >= in_text_order and self.texts >= all_words


_LAYOUTS = (
    _Layout(
        "vocab_docnade.vocab",
        "training_docnade.csv",
        "validation_docnade.csv",
        "test_docnade.csv",
        in_text_order=False,
        texts=False,
    ),
    _Layout(
        "vocab.txt",
        "train.seq.csv",
        "validation.seq.csv",
        "test.seq.csv",
        in_text_order=True,
        texts=False,
    ),
    _Layout(
        "vocab_docnade.vocab",
        "training.csv",
        "validation.csv",
        "test.csv",
        in_text_order=True,
        texts=True,
    ),
)


def read_dataset(
    folder: Path, seed: int = 0, *, in_text_order: bool = False, all_words: bool = False
) -> Dataset:
    """The documents of a folder; `seed` chooses validation documents where none are given.

    With `in_text_order` every word of a document stands where it occurs; without it, a word that
    occurs n times stands round(ln(1 + n)) times, in ascending order of ids. With `all_words` the
    vocabulary is that of the training texts, whatever the vocabulary file says.

    Raises DatasetError naming the file, line and field at fault.
    """
    folder = Path(folder)
    layout = _layout(folder, in_text_order, all_words)
    if layout is None:
        names = (each.training for each in _LAYOUTS if each.holds(in_text_order, all_words))
        raise DatasetError(f"{folder} holds no {' or '.join(names)}, plain or gzipped (.gz).")
    if all_words:
        words = _words_said(folder / layout.training)
    else:
        words = _words_listed(folder / layout.vocabulary)
    read = partial(_read_part, layout=layout, words=words, flat=not in_text_order)
    training, test = read(folder / layout.training), read(folder / layout.test)
    dataset = Dataset(folder.name, words, training, test, test)
    if not _find(folder / layout.validation):
        return _carved(dataset, seed, f"there is no {layout.validation}")
    validation = read(folder / layout.validation)
    if _same(validation, test):
        return _carved(dataset, seed, f"{layout.validation} equals {layout.test}")
    return replace(dataset, validation=validation)


def can_be_read(folder: Path, *, in_text_order: bool, all_words: bool) -> bool:
    """Whether a folder has a training file that holds what is asked for."""
    return _layout(Path(folder), in_text_order, all_words) is not None


def log_counts(document: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """A word that occurs n times round(ln(1 + n)) times, ids ascending."""
    words, counts = np.unique(document, return_counts=True)
    return np.repeat(words, np.rint(np.log1p(counts)).astype(int))


def _layout(folder: Path, in_text_order: bool, all_words: bool) -> _Layout | None:
    """The first layout that holds what is asked for and has a training file in the folder."""
    fitting = (each for each in _LAYOUTS if each.holds(in_text_order, all_words))
    return next((each for each in fitting if _find(folder / each.training)), None)


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


def _lines(path: Path, errors: str = "strict") -> Iterator[tuple[str, str]]:
    """Each line with where it stands; `errors` as of `bytes.decode`."""
    found = _find(path)
    if found is None:
        raise DatasetError(f"{path} is missing, plain or gzipped (.gz).")
    opened = gzip.open if found.suffix == ".gz" else open
    try:
        with opened(found, "rt", encoding="utf-8", errors=errors) as file:
            for number, line in enumerate(file, start=1):
                yield f"{found}, line {number}", line.rstrip("\r\n")
    except (UnicodeDecodeError, EOFError, OSError, zlib.error) as error:
        raise DatasetError(f"{found} cannot be read to its end ({error}).") from None


def _words_listed(path: Path) -> list[str]:
    words: list[str] = []
    blank = ""
    for where, line in _lines(path):
        if not line.strip():
            blank = blank or where
        elif blank:
            raise DatasetError(
                f"{blank}: there is no word, and the ids of those below would shift; write the word"
                " of that id."
            )
        else:
            words.append(line.split()[0])
    if not words:
        raise DatasetError(f"{path} holds no words.")
    return words


def _words_said(path: Path) -> list[str]:
    return sorted({word for _, _, text in _labelled(path, "replace") for word in _words(text)})


def _read_part(path: Path, layout: _Layout, words: list[str], flat: bool) -> Part:
    ids = {word: number for number, word in enumerate(words)}
    labels, documents = [], []
    for where, label, field in _labelled(path, "replace" if layout.texts else "strict"):
        if layout.texts:
            known = [ids[word] for word in _words(field) if word in ids]
            if not known:
                continue
            document = np.array(known)
        else:
            document = _ids(field, len(words), where)
        labels.append(label)
        documents.append(log_counts(document) if flat and layout.in_text_order else document)
    if not documents:
        raise DatasetError(f"{path} holds no documents.")
    return Part(documents, np.array(labels))


def _labelled(path: Path, errors: str) -> Iterator[tuple[str, str, str]]:
    """Where each document stands, its label, its words; a blank line is none."""
    for where, line in _lines(path, errors):
        if not line.strip():
            continue
        label, comma, field = line.partition(",")
        if not comma:
            raise DatasetError(f"{where}: there is no comma between a label and words.")
        yield where, label.strip(), field


def _words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def _ids(field: str, vocabulary_size: int, where: str) -> npt.NDArray[np.int64]:
    ids = []
    for word in field.split():
        if not (_ID.fullmatch(word) and int(word) < vocabulary_size):
            raise DatasetError(
                f"{where}, second field: {word[:40]!r} is no word id; ids run from 0 to "
                f"{vocabulary_size - 1}."
            )
        ids.append(int(word))
    return np.array(ids, np.int64)
