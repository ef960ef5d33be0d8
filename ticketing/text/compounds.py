"""Compounds: words that some write as one ("sharepoint") and others in parts ("SharePoint",
"share-point"). The tokenizer splits only the latter, so the former would not find them."""

import re
from collections import Counter

from ticketing.text.tokens import remembered_texts
from ticketing.text.vocabulary import Vocabulary

MOST_COUNTED = 1 << 19
"""Maximum number of distinct compounds that are counted, to limit memory."""

LONGEST = 32
"""Maximum length of a compound, in characters."""

LEAST = 2
"""Minimum number of texts with a compound that is kept."""

_JOINED = re.compile(r"[^\W\d_]+(?:[-_][^\W\d_]+)*+")
_NO_JOINTS = str.maketrans("", "", "-_")


class CountedCompounds:
    """Counts the texts in which compounds are written in parts."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, text: str) -> None:
        """Count the compounds of a text."""
        for parts in {parts for word in {*_JOINED.findall(text)} if (parts := _parts(word))}:
            if parts in self._counts or len(self._counts) < MOST_COUNTED:
                self._counts[parts] += 1

    def usual(self, vocabulary: Vocabulary) -> dict[str, str]:
        """The parts, joined by blanks, of compounds that more texts write in parts than as one
        word, by the word. Of several ways to split a word the most frequent is kept, of equals the
        first in alphabetical order."""
        found: dict[str, str] = {}
        for parts, count in sorted(self._counts.items(), key=lambda item: (-item[1], item[0])):
            word = parts.replace(" ", "")
            if count >= LEAST and count > vocabulary.share(word) * vocabulary.documents:
                found.setdefault(word, parts)
        return found


def _parts(word: str) -> str:
    """The tokens of a word, joined by blanks, if it is split into parts of it; otherwise ""."""
    if len(word) > LONGEST or (word.islower() and word.isalpha()):
        return ""
    parts = remembered_texts[word]
    is_split = len(parts) > 1 and "".join(parts) == word.translate(_NO_JOINTS).lower()
    return " ".join(parts) if is_split else ""
