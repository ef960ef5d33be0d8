"""Synonyms from a folder in WordNet's own format (Debian's wordnet-base has one).

Read here in a few lines, since NLTK's reader asks for two files which that package leaves out.
A word's synonyms are the one-word lemmas of its first sense as a noun, verb or adjective; the
ending of a plural or of a verb is taken off before looking and put on what is found.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ticketing.errors import InputError

FOLDER = Path("/usr/share/wordnet")
ENDINGS = {"noun": ("", "s", "es"), "verb": ("ing", "ed"), "adj": ("",)}


def read_synonyms(folder: Path, words: Sequence[str]) -> dict[str, list[str]]:
    """Each word's synonyms among `words`, sorted; words without one are left out.

    Raises InputError where the folder holds no WordNet.
    """
    known = set(words)
    found: dict[str, set[str]] = {}
    for kind, endings in ENDINGS.items():
        lemmas = _lemmas(folder, kind)
        for word in words:
            for ending in endings:
                some = {synonym for synonym in _inflected(word, ending, lemmas) if synonym in known}
                found.setdefault(word, set()).update(some - {word})
    return {word: sorted(synonyms) for word, synonyms in found.items() if synonyms}


def _lemmas(folder: Path, kind: str) -> Callable[[str], list[str]]:
    """What gives a lemma's synonyms, itself included, in its first sense."""
    try:
        index = (folder / f"index.{kind}").read_text(encoding="ascii").splitlines()
        data = (folder / f"data.{kind}").read_bytes()
        first = dict(map(_first_sense, filter(lambda line: not line.startswith(" "), index)))
    except OSError as error:
        raise InputError(
            f"{error.filename} cannot be read: {error.strerror}; install wordnet-base, or name "
            "the folder of a WordNet (--wordnet)."
        ) from None
    except (ValueError, IndexError) as error:
        raise InputError(f"{folder / f'index.{kind}'} is no index of WordNet ({error}).") from None

    def synonyms(lemma: str) -> list[str]:
        if lemma not in first:
            return []
        start = first[lemma]
        fields = data[start : data.index(b"|", start)].decode("ascii").split()
        count = int(fields[3], 16)
        return [fields[4 + 2 * i].lower().partition("(")[0] for i in range(count)]

    return synonyms


def _first_sense(line: str) -> tuple[str, int]:
    """Lemma and byte offset: the line ends with the offsets of its senses, frequent ones first."""
    fields = line.split()
    return fields[0], int(fields[-int(fields[2])])


def _inflected(word: str, ending: str, synonyms: Callable[[str], list[str]]) -> Iterator[str]:
    """Synonyms of a word that ends in `ending`, with that ending."""
    if not word.endswith(ending):
        return
    for lemma in _stems(word, ending):
        for synonym in synonyms(lemma):
            yield from _endings(synonym, ending)


def _stems(word: str, ending: str) -> set[str]:
    """What `word` may be without its ending: jumping, riding and running lose 3, 2 and 4."""
    stem = word.removesuffix(ending)
    if ending not in ("ing", "ed") or len(stem) < 3:
        return {stem}
    return {stem, stem + "e", *([stem[:-1]] if stem[-1] == stem[-2] else [])}


def _endings(lemma: str, ending: str) -> set[str]:
    """What `lemma` may be with an ending; which of these is a word, the vocabulary knows."""
    if ending in ("s", "es"):
        return {lemma + "s", lemma + "es"}
    if ending in ("ing", "ed"):
        return {lemma + ending, lemma.removesuffix("e") + ending, lemma + lemma[-1] + ending}
    return {lemma}
