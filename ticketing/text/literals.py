"""Numbers, codes and ids as they are written: a model learns none, but who asks may name one."""

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, islice

from ticketing.text.tokens import tokenize, tokens_with_spans

CODES = frozenset({"<id>", "<key>", "<ip>"})
"""The masks of what few texts name by chance."""

KINDS = CODES | {"<num>", "<version>"}
"""The masks of what two texts may both name; not of times, paths and addresses."""

MOST_LITERALS = 32
"""Of one query: a pasted log names thousands."""

MOST_KEPT, LONGEST = 256, 128
"""Of one ticket, and characters of each, by which it can be found."""


def literals(text: str, kinds: Collection[str] = KINDS) -> list[str]:
    """The distinct numbers, codes, ids and versions of a text, each as it is written first, the
    first MOST_LITERALS."""
    found: dict[str, str] = {}
    for literal in _written(text, kinds):
        found.setdefault(key_of(literal), literal)
    return [*islice(found.values(), MOST_LITERALS)]


def key_of(literal: str) -> str:
    """What a literal has in common with all that name the same: "ORA-7" with "ora-7", "v1.2" with
    "1.2", "-107" with "#107"."""
    return _BEFORE.sub("", literal.casefold())


def literal_keys(*texts: str) -> list[str]:
    """The distinct keys of what texts name, but for overlong ones, the first MOST_KEPT: what stores
    keep of their tickets."""
    keys = map(key_of, chain.from_iterable(_written(text, KINDS) for text in texts))
    short = (key for key in keys if len(key) <= LONGEST)
    return [*islice(dict.fromkeys(short), MOST_KEPT)]


def named_in(text: str, wanted: Iterable[str]) -> list[str]:
    """Those of the `wanted` literals that a text names too; "77" does not name "7"."""
    folded = text.casefold()
    wanted = [literal for literal in wanted if key_of(literal) in folded]  # soon said of most
    there = set(map(key_of, _written(text, KINDS))) if wanted else set()
    return [literal for literal in wanted if key_of(literal) in there]


def words_beside(text: str) -> list[str]:
    """The tokens of a text without its literals: of "ora-00942 at noon" those of "at noon"."""
    return tokenize(" ".join(map(_beside, text.split())))


def _beside(stretch: str) -> str:
    if not _DIGIT.search(stretch):
        return stretch
    shown, capitals = _shown(stretch)
    spans = [(x.start, x.end) for x in tokens_with_spans(capitals) if x.text in KINDS]
    ends, starts = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(shown)]
    return " ".join(shown[end:start] for end, start in zip(ends, starts, strict=True))


_BEFORE = re.compile(r"\A[+#-]?v?(?=\d)")
_DIGIT = re.compile(r"\d")


def _written(text: str, kinds: Collection[str]) -> Iterator[str]:
    """Each as it is written, but in a stretch that grows with capitals ("ß"), by which keys are
    known: "ora-00942" is one too. None is without a digit."""
    for stretch in filter(_DIGIT.search, text.split()):
        shown, capitals = _shown(stretch)
        yield from (shown[x.start : x.end] for x in tokens_with_spans(capitals) if x.text in kinds)


def _shown(stretch: str) -> tuple[str, str]:
    """A stretch and its capitals, as long as each other."""
    capitals = stretch.upper()
    return stretch if len(stretch) == len(capitals) else capitals, capitals
