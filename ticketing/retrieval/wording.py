"""Which of a query's words the tickets found have, read from their codes."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ticketing.encoders.terms import BUCKETS, TermCounts, bucket_of, terms_of
from ticketing.model.layout import CodeLayout
from ticketing.model.wording import Wording
from ticketing.queries import EncodedQuery


@lru_cache(maxsize=8)
def asked_terms(query: EncodedQuery) -> list[str]:
    """The distinct terms of a query's words, ascending; several steps of an answer ask for them."""
    return sorted(terms_of(query.words))


def held_by(
    rows: npt.NDArray[np.uint8], terms: Sequence[str], layout: CodeLayout
) -> npt.NDArray[np.bool_]:
    """Which of W distinct terms tickets have: of rows of codes uint8 [n, width] bool [n, W].
    Without channel L no ticket is seen to have any."""
    held = np.zeros((len(rows), len(terms) + 1), dtype=bool)
    if layout.terms:
        places = np.full(BUCKETS, len(terms), np.min_scalar_type(len(terms)))
        places[[bucket_of(term) for term in terms]] = np.arange(len(terms))
        buckets, _ = layout.kept_terms(rows)
        kept = places[buckets.reshape(len(rows), layout.components * layout.terms)]
        held[np.arange(len(rows))[:, None], kept] = True
    return held[:, :-1]


def wording_of(
    terms: Sequence[str],
    rows: npt.NDArray[np.uint8],
    layout: CodeLayout,
    counts: TermCounts,
) -> Wording:
    """The distinct terms of a query beside tickets: rows of codes uint8 [n, width]."""
    known = np.array(counts.documents_with(terms), dtype=np.int64)
    return Wording(known, counts.documents, held_by(rows, terms, layout))
