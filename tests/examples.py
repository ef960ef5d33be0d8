"""Small values that several tests build on."""

import numpy as np

from ticketing.encoders.terms import SUM
from ticketing.queries import EncodedQuery, unit_of


def scanned(codes, terms=None, weights=None, present=None, coverage=None) -> EncodedQuery:
    """A query of which nothing but what a scan compares is given: codes uint8 [P, size]."""
    coverage = np.zeros(len(codes), np.float32) if coverage is None else coverage
    nothing = np.zeros((len(codes), 0), np.uint8)
    shares = np.ones(len(codes), np.float32) if present is None else present.astype(np.float32)
    terms = nothing if terms is None else terms
    unit = 1.0 if weights is None else unit_of(weights, coverage / SUM)
    return EncodedQuery([], no_vector, codes, terms, weights, coverage, unit, shares, True)


def no_vector() -> np.ndarray:
    """The projection of a query for which no index looks."""
    return np.zeros(0, np.int8)


def query_by(words, vector, time=None) -> EncodedQuery:
    """A query of which a store sees nothing but what candidates are found by."""
    nothing = np.zeros((0, 0), np.uint8)
    return EncodedQuery(
        words, lambda: vector, nothing, nothing, nothing, nothing, 1.0, nothing, True, time
    )
