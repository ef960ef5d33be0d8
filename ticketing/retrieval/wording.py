"""Which of the query's words the tickets found contain, by their codes."""

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
    """The distinct terms of a query's words, ascending; cached, since several steps of an answer
    need them."""
    return sorted(terms_of(query.words))


def held_by(
    rows: npt.NDArray[np.uint8], terms: Sequence[str], layout: CodeLayout
) -> npt.NDArray[np.bool_]:
    """Which of W distinct terms tickets contain, by rows of codes uint8 [n, width]: bool [n, W].
    All False without channel L."""
    if not layout.terms:
        return np.zeros((len(rows), len(terms)), dtype=bool)
    asked, place = np.unique([bucket_of(term) for term in terms], return_inverse=True)
    places = np.full(BUCKETS, len(asked), np.min_scalar_type(len(asked)))
    places[asked.astype(np.int64)] = np.arange(len(asked))
    buckets, _ = layout.kept_terms(rows)
    kept = places[buckets.reshape(len(rows), layout.components * layout.terms)]
    held = np.zeros((len(rows), len(asked) + 1), dtype=bool)
    held[np.arange(len(rows))[:, None], kept] = True
    return held[:, place]


def wording_of(
    terms: Sequence[str],
    rows: npt.NDArray[np.uint8],
    layout: CodeLayout,
    counts: TermCounts,
) -> Wording:
    """Compare the distinct terms of a query with tickets: rows of codes uint8 [n, width]."""
    known = np.array(counts.documents_with(terms), dtype=np.int64)
    return Wording(known, counts.documents, held_by(rows, terms, layout))
