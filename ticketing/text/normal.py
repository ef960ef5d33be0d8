"""Unicode normalisation of text (NFKC) without invisible characters, in linear time."""

import re
import unicodedata
from functools import cache

_INVISIBLE = dict.fromkeys([0xAD, 0x2060, 0xFEFF, *range(0x200B, 0x2010)])
_INVISIBLE_CLASS = "\u00ad\u2060\ufeff\u200b-\u200f"
_JOINING_CLASS = "\u1160-\u11ff\uff9e\uff9f"


@cache
def marks() -> str:
    """The combining marks of all scripts, as the inside of a regex character class."""
    return "".join(chr(c) for c in range(0x300, 0x1E950) if unicodedata.category(chr(c))[0] == "M")


MOST_MARKS = 30
"""Maximum number of combining marks normalised with their letter, since that takes quadratic time.
The Stream-Safe Text Format (Unicode Standard Annex #15) has the same limit; no language needs as
many."""

LONGEST_FORM = 8
"""Maximum number of characters that replace one; U+FDFA, by far the longest with 18, is cut."""


@cache
def _clusters() -> re.Pattern[str]:
    joined = f"{marks()}{_INVISIBLE_CLASS}{_JOINING_CLASS}"
    return re.compile(f".[{joined}]{{0,{MOST_MARKS}}}+", re.DOTALL)


def normalise(text: str) -> tuple[str, list[int], list[int]]:
    """NFKC of `text` without invisible characters, and the start and end of each character's source
    in `text`."""
    normal, starts, ends = [], [], []
    for cluster in _clusters().finditer(text):
        form = unicodedata.normalize("NFKC", cluster[0].translate(_INVISIBLE))
        form = form[: LONGEST_FORM * len(cluster[0])]
        normal.append(form)
        starts += [cluster.start()] * len(form)
        ends += [cluster.end()] * len(form)
    return "".join(normal), starts, ends
