"""Small example values used by several tests."""

import numpy as np

from ticketing.encoders.terms import SUM
from ticketing.queries import EncodedQuery, unit_of


def scanned(codes, terms=None, weights=None, present=None, coverage=None) -> EncodedQuery:
    """An encoded query with only the fields that a scan uses: codes uint8 [P, size]."""
    coverage = np.zeros(len(codes), np.float32) if coverage is None else coverage
    nothing = np.zeros((len(codes), 0), np.uint8)
    shares = np.ones(len(codes), np.float32) if present is None else present.astype(np.float32)
    terms = nothing if terms is None else terms
    unit = 1.0 if weights is None else unit_of(weights, coverage / SUM)
    return EncodedQuery([], no_vector, codes, terms, weights, coverage, unit, shares, True)


def no_vector() -> np.ndarray:
    """An empty projection, for a query that is not searched by an index."""
    return np.zeros(0, np.int8)


def query_by(words, vector, time=None) -> EncodedQuery:
    """An encoded query with only the fields by which a store finds candidates."""
    nothing = np.zeros((0, 0), np.uint8)
    return EncodedQuery(
        words, lambda: vector, nothing, nothing, nothing, nothing, 1.0, nothing, True, time
    )
