"""Telling words: which words of a text say what it is about, with their weights; and singular forms
of words."""

import math
import tomllib
from collections.abc import Callable, Iterable
from functools import cache, cached_property, lru_cache
from importlib.resources import files

from ticketing.text.masking import LONGEST_WORD
from ticketing.text.remembering import Remembered
from ticketing.text.vocabulary import Vocabulary

EVERYDAY = 0.1
"""A word in more than this share of tickets is not telling."""

ENOUGH = 200
"""Minimum number of tickets for that rule, since the share is unreliable in small archives."""


MOST_REMEMBERED = 1 << 16
"""Number of cached word weights."""


class TellingWords:
    """Telling words, by the document frequencies of a vocabulary.

    Masks, single letters, stop words of the archive's language and, in an archive of ENOUGH
    tickets, everyday words are not telling.
    """

    def __init__(self, vocabulary: Vocabulary, everyday: float = EVERYDAY):
        """A word in more than the share `everyday` of an archive's tickets is not telling."""
        self._vocabulary, self._everyday = vocabulary, everyday
        self.weight: Callable[[str], float] = Remembered(
            self._weight, MOST_REMEMBERED, LONGEST_WORD
        ).__getitem__
        """The idf of a token, above 0; 0 for a word that is not telling."""

    def of(self, words: Iterable[str]) -> list[str]:
        """The distinct telling words among `words`, in order."""
        return list(filter(self.weight, dict.fromkeys(words)))

    def beside(self, words: Iterable[str]) -> "TellingWords":
        """The telling words for comparing with a query of these words: if it has no others,
        everyday words count too ("water in fuel oil" at a desk for turbines)."""
        return self if any(map(self.weight, words)) else self._with_everyday

    @cached_property
    def _with_everyday(self) -> "TellingWords":
        return TellingWords(self._vocabulary, everyday=1.0)

    def is_said_of_codes(self, token: str) -> bool:
        """Whether a token adds nothing to a number or code: a mask, a stop word, or a word used
        with any code ("error 1603", "code")."""
        return (
            not any(map(str.isalpha, token))
            or token.startswith("<")
            or token in self._stop_words
            or token in _said_of_codes()
        )

    @cached_property
    def _stop_words(self) -> frozenset[str]:
        """The stop words of the language whose stop words are most frequent in the vocabulary."""
        counted = zip(self._vocabulary.words, self._vocabulary.document_counts, strict=True)
        counts = dict(counted)
        lists = _stop_words()
        return max(lists, key=lambda words: sum(counts.get(word, 0) for word in words))

    def _weight(self, token: str) -> float:
        if token.startswith("<") or not any(map(str.isalpha, token)):
            return 0.0
        if (len(token) == 1 and token < "\u2e80") or token in self._stop_words:  # no Han character
            return 0.0
        share, documents = self._vocabulary.share(token), self._vocabulary.documents
        if documents >= ENOUGH and share > self._everyday:
            return 0.0
        return math.log((documents + 1) / (share * documents + 0.5))


@lru_cache(maxsize=1 << 14)
def singular(word: str) -> str:
    """A word without the ending of an English plural; singular and plural give the same form.

    Harman (1991), "How effective is suffixing?", the S stemmer; it removes no other endings.
    """
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")):
        return word[:-1]
    return word


@lru_cache(maxsize=1 << 14)
def numbers_of(form: str) -> tuple[str, ...]:
    """The words with this singular form: itself and its plurals."""
    plurals = [f"{form}s", *([f"{form[:-1]}ies"] if form.endswith("y") else [])]
    return tuple([word for word in (form, *plurals) if singular(word) == form])


@cache
def _said_of_codes() -> frozenset[str]:
    return frozenset(_ours()["of_codes"])


@cache
def _ours() -> dict[str, list[str]]:
    text = files("ticketing.text").joinpath("stop_words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _stop_words() -> tuple[frozenset[str], ...]:
    """Stop words by language. English is first, since it is used if no stop word occurs."""
    from bm25s import stopwords

    ours = _ours()
    listed = {*ours["listed"], *ours["empty"], *stopwords.STOPWORDS_EN_PLUS}
    english = frozenset(listed.difference(ours["telling"]))
    others = (name for name in sorted(vars(stopwords)) if name.startswith("STOPWORDS_"))
    return english, *(frozenset(getattr(stopwords, name)) for name in others)
