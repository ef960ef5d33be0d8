"""The parts of a distance: what each pair of components adds in each channel.

They are computed by the same compiled loop as the scan.
"""

import numpy as np
import numpy.typing as npt

from ticketing.encoders.terms import SUM
from ticketing.model.inference import Model
from ticketing.model.layout import CodeLayout
from ticketing.queries import EncodedQuery
from ticketing.reasons import Part
from ticketing.retrieval.kernel import fill_differences, fill_shared
from ticketing.retrieval.scan import prepared, read_only
from ticketing.stores.blocks import CodeBlock

RANDOM = 30
"""Number of tickets sampled for the typical distance."""


def parts_of(
    model: Model, query: EncodedQuery, rows: npt.NDArray[np.uint8]
) -> list[tuple[Part, ...]]:
    """All terms of the distance for each row of codes uint8 [n, width]; their sum is the distance.

    First come the parts of the pairs. Then, for each component of the query, the part of the terms
    that the whole ticket lacks. Last comes the channel "age", without components, if the query has
    a time and the model counts time.
    """
    settings = model.settings
    pairs = [
        (channel, p, r)
        for r in settings.ticket_components
        for p in settings.query_components
        for channel in settings.channels
    ]
    weights, terms = (  # [n, R * P * C] both
        found.swapaxes(1, 2).reshape(len(rows), len(pairs)).tolist()
        for found in _terms(model, query, rows)
    )
    columns = _columns(model, query, rows)
    parts = []
    for n in range(len(rows)):
        own = zip(pairs, weights[n], terms[n], strict=True)
        of_pairs = [Part(*pair, apart) for pair, weight, apart in own if weight >= 0]
        parts.append((*of_pairs, *[Part(*names, distances[n]) for names, distances in columns]))
    return parts


def _columns(
    model: Model, query: EncodedQuery, rows: npt.NDArray[np.uint8]
) -> list[tuple[tuple[str, str, str], list[float]]]:
    """The parts that belong to whole tickets: their names, and their distances for each row."""
    columns = []
    sparse, lacks = model.settings.sparse_channel, _lacks(model, query, rows)
    if sparse and lacks is not None:
        whole = "+".join(model.settings.ticket_components)
        for p, component in enumerate(model.settings.query_components):
            if query.present[p]:
                columns.append(((sparse, component, whole), lacks[:, p].tolist()))
    if (ages := _ages(model, query, rows)) is not None:
        columns.append((("age", "", ""), ages.tolist()))
    return columns


def _terms(
    model: Model, query: EncodedQuery, rows: npt.NDArray[np.uint8]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64]]:
    """The weights of the rows' pairs of components, and what they add to the distance: both [n, P,
    R, C]."""
    weights = query.weights[rows[:, -1]]
    return weights, weights.astype(np.float64) * distances(rows, query, model.layout)


def _lacks(
    model: Model, query: EncodedQuery, rows: npt.NDArray[np.uint8]
) -> npt.NDArray[np.float64] | None:
    """What the terms of each query component that rows lack add to the distance: [n, P]; None if
    the model does not count them."""
    if not (model.settings.sparse_channel and query.coverage.any()):
        return None
    return query.coverage * missing(rows, query, model.layout)


def _ages(
    model: Model, query: EncodedQuery, rows: npt.NDArray[np.uint8]
) -> npt.NDArray[np.float64] | None:
    """Time part of the distance for each row: [n]; None if time does not count."""
    if not (query.time and model.recency.weight):
        return None
    minutes = model.layout.minutes(rows, np.arange(len(rows)))
    return model.recency.distances(query.time, minutes)


def typical_parts(model: Model, query: EncodedQuery, block: CodeBlock) -> dict[str, float]:
    """The mean distance by channel of RANDOM tickets, evenly spread over the comparable ones; empty
    if there are none."""
    if not len(block.live):
        return {}
    places = np.linspace(0, len(block.live) - 1, min(RANDOM, len(block.live))).astype(int)
    rows = np.asarray(block.codes[block.live[places]])  # [n, width]
    comparable = np.any(query.weights >= 0, axis=(1, 2, 3))  # [2 ** R]
    rows = rows[comparable[rows[:, -1]]]
    if not len(rows):
        return {}
    weights, terms = _terms(model, query, rows)
    means = terms.sum((0, 1, 2), where=weights >= 0) / len(rows)  # [C]
    typical = dict(zip(model.settings.channels, means.tolist(), strict=True))
    sparse, lacks = model.settings.sparse_channel, _lacks(model, query, rows)
    if sparse and lacks is not None:
        typical[sparse] += float(lacks.sum(1).mean())
    if (ages := _ages(model, query, rows)) is not None:
        typical["age"] = float(ages.mean())
    return typical


def distances(
    rows: npt.NDArray[np.uint8], query: EncodedQuery, layout: CodeLayout
) -> npt.NDArray[np.int64]:
    """Unweighted distances of rows uint8 [n, width] in code units: [n, P, R, C], the sparse channel
    last."""
    given = prepared(query, layout)
    channels = len(given.blocks.bounds) - 1
    dense = np.empty((len(rows), len(query.codes), layout.components, channels), np.int64)
    fill_differences(read_only(rows), given.size, *given.blocks, dense)
    if not layout.terms:
        return dense
    shared = _shared(rows, query, layout)[:, : -len(query.codes)].reshape(*dense.shape[:3], 1)
    return np.concatenate([dense, 2 * SUM - 2 * shared], -1)


def missing(
    rows: npt.NDArray[np.uint8], query: EncodedQuery, layout: CodeLayout
) -> npt.NDArray[np.float64]:
    """The share of each query component's terms that rows uint8 [n, width] lack (see
    networks.terms.missing_terms): [n, P]; 0 for a component without terms, such as a number."""
    held = _shared(rows, query, layout)[:, -len(query.codes) :]
    asked = query.terms[:, query.buckets].sum(1, dtype=np.int64)  # [P], SUM or 0 each
    lacked: npt.NDArray[np.float64] = (asked - held) / SUM
    return lacked


def _shared(
    rows: npt.NDArray[np.uint8], query: EncodedQuery, layout: CodeLayout
) -> npt.NDArray[np.int64]:
    """Sums of the terms that rows share with a query, see `postings.add`: [n, P * R + P]."""
    given, queries = prepared(query, layout), len(query.codes)
    shared = np.empty((len(rows), queries * layout.components + queries), np.int64)
    terms = layout.terms_span[0], layout.terms, layout.components
    fill_shared(read_only(rows), given.bits, given.table, *terms, shared)
    return shared
