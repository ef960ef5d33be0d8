"""The trained model that serves: encodes texts as codes, without torch."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from ticketing.encoders.protocol import Encoder, Parts, Texts
from ticketing.encoders.registry import ENCODERS
from ticketing.encoders.terms import SUM, TermCounts, TermEncoder, fullness, spread, term_of
from ticketing.encoders.topics import TopicEncoder
from ticketing.encoders.words import Words
from ticketing.errors import NotReady
from ticketing.model.calibration import GENERAL, Calibration
from ticketing.model.components import (
    Components,
    Fields,
    Tokens,
    query_fields,
    query_tokens,
    ticket_fields,
    ticket_tokens,
    wholes,
)
from ticketing.model.layout import CodeLayout, fit_layout, minute_of
from ticketing.model.projection import Projection
from ticketing.model.recency import Recency
from ticketing.model.rescoring import GENERAL as RESCORING
from ticketing.model.rescoring import Rescoring
from ticketing.model.settings import TICKET_FIELDS, NetworkSettings
from ticketing.queries import EncodedQuery, unit_of
from ticketing.text.vocabulary import UNKNOWN, Vocabulary
from ticketing.tickets import Query, Ticket

VECTORS, TABLE = "words.words.weight", "words.table"
"""Names of arrays: the word vectors in torch's state, and the table of word vectors joined with
spelling vectors."""

AT_ONCE = 256
"""Number of texts encoded together, to limit memory."""

MOST_UNKNOWN = 256
"""Maximum number of unknown words of a text that are encoded by their spelling; others are
ignored."""


@dataclass(frozen=True)
class Encoded:
    """The encoded components of B queries or tickets.

    `vectors` holds, by channel, [B, components, *shape of the encoder's texts].
    """

    vectors: dict[str, npt.NDArray[Any]]
    present: npt.NDArray[np.bool_]
    """[B, components]."""


class Model:
    """Vocabulary, trained arrays, code layout and calibration: all that is needed to serve, without
    torch."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        settings: NetworkSettings,
        arrays: Mapping[str, np.ndarray],
        resources: Mapping[str, Any],
        layout: CodeLayout | None = None,
        calibration: Calibration = GENERAL,
        recency: Recency = Recency(),
        rescoring: Rescoring = RESCORING,
        id: str = "",
        anchors: npt.NDArray[np.uint8] | None = None,
    ):
        """`arrays` are those of the trained network, with torch's names, or those of
        `saved_arrays`. `resources` are by channel, see encoders.protocol.Parts."""
        self.id = id
        self.vocabulary = vocabulary
        self.settings = settings
        self.resources = resources
        self._layout = layout
        self.calibration = calibration
        self.anchors = np.zeros((0, 0), np.uint8) if anchors is None else anchors
        """Codes of a sample of the archive, uint8 [n, layout.width]. A query's distances are
        compared with those to the sample."""
        self.recency = recency
        self.rescoring = rescoring
        self.words = Words.from_arrays(vocabulary, _below(arrays, "words."), arrays["word_weights"])
        vectors = self.words.table[:, : settings.word_dims]
        self.arrays = {
            **{name: array for name, array in arrays.items() if name != TABLE},
            VECTORS: vectors,  # held only once
        }
        self.encoders = {channel: self._built(channel) for channel in settings.channels}
        self.pair_weights = _softplus(arrays["pair_logits"]) * arrays["compared"]
        """V [P, R], non-negative."""
        self.channel_weights = _softplus(arrays["channel_logits"])
        """W [C], non-negative."""
        self._coverage = _softplus(arrays["coverage_logits"]) * bool(settings.sparse_channel)

    def _built(self, channel: str) -> Encoder:
        arrays = _below(self.arrays, f"encoders.{channel}.")
        resource = self.resources.get(channel)
        return ENCODERS[channel].build(
            Parts(self.vocabulary, self.settings, resource, self.words, arrays)
        )

    @property
    def saved_arrays(self) -> dict[str, np.ndarray]:
        """Arrays that a bundle keeps. They include the spelling vectors, which take long to
        compute."""
        others = {name: array for name, array in self.arrays.items() if name != VECTORS}
        return {**others, TABLE: self.words.table}

    @property
    def layout(self) -> CodeLayout:
        """The layout of a row of codes. Raises NotReady before `fit_layout`."""
        if self._layout is None:
            raise NotReady("This model has no layout for codes yet; fit one first.")
        return self._layout

    @cached_property
    def term_counts(self) -> TermCounts:
        """Document frequencies of terms, from channel L if the network has it."""
        counted = (x.counts for x in self.encoders.values() if isinstance(x, TermEncoder))
        return next(counted, None) or TermCounts(self.vocabulary)

    @property
    def topics(self) -> TopicEncoder | None:
        """The topic encoder (channel T), if the network has it."""
        return self.resources.get("T")

    def encode(self, items: Sequence[Tokens]) -> Encoded:
        """Encode tokenized components of B queries or tickets, in the order given."""
        unknown: dict[str, int] = {}
        ids = [tuple(self._ids(text, unknown) for text in item) for item in items]
        return self.encode_ids(ids, list(unknown))

    def encode_ids(self, items: Sequence[Components], unknown: Sequence[str] = ()) -> Encoded:
        """Encode components of B queries or tickets given as word ids. Ids from len(vocabulary) on
        are words of `unknown`."""
        present = np.array([[bool(text) for text in item] for item in items])
        found = [text for item in items for text in item if text]
        texts = Texts(found, wholes(items), unknown, self.words.unknown(unknown))
        vectors = {}
        for channel, encoder in self.encoders.items():
            vectors[channel] = np.zeros((*present.shape, *encoder.shape), encoder.dtype)
            if found:
                vectors[channel][present] = encoder(texts)
        return Encoded(vectors, present)

    def _ids(self, text: list[str], unknown: dict[str, int]) -> list[int]:
        """Word ids. Unknown words get new ids after the vocabulary's, at most MOST_UNKNOWN per
        text."""
        ids = self.vocabulary.ids(text)
        if UNKNOWN not in ids:
            return ids
        spelled = 0
        for position, id in enumerate(ids):
            if id == UNKNOWN and spelled < MOST_UNKNOWN:
                new = len(self.vocabulary) + len(unknown)
                ids[position] = unknown.setdefault(text[position], new)
                spelled += 1
        return [id for id in ids if id != UNKNOWN]

    def read(self, query: Query) -> Fields:
        """The tokens of a query, with compounds split as most tickets split them."""
        in_parts = self.vocabulary.in_parts
        return {name: in_parts(tokens) for name, tokens in query_fields(query).items()}

    def encode_query(self, query: Query) -> EncodedQuery:
        """Encode a query without its time. A query without words has no present component."""
        fields = self.read(query)
        tokens = query_tokens(fields, self.settings)
        encoded = self.encode([tokens])
        present = encoded.present
        codes = self.layout.quantise(self._dense(encoded), present)[0]
        terms, shares = np.zeros((len(tokens), 0), np.uint8), present[0].astype(np.float32)
        if sparse := self.settings.sparse_channel:
            terms = spread(encoded.vectors[sparse][0])
            shares *= fullness(encoded.vectors[sparse][0], self.settings.full_terms)
        weights, coverage = self.pattern_weights(shares), self.coverage(shares)
        return EncodedQuery(
            words=list(chain.from_iterable(fields.values())),
            project=lambda: self.projection.query_vector(codes, shares),
            codes=codes,
            terms=terms,
            weights=weights,
            coverage=coverage,
            unit=unit_of(weights, coverage / SUM),
            shares=shares,
            known=any(word in self.vocabulary for text in tokens for word in filter(term_of, text)),
        )

    def encode_tickets(
        self, tickets: Sequence[Ticket], texts: Sequence[Fields] | None = None
    ) -> npt.NDArray[np.uint8]:
        """Rows of codes, uint8 [n, layout.width]. `texts` are the tickets' tokens, if already
        read."""
        starts = range(0, len(tickets), AT_ONCE)
        spans = [slice(start, start + AT_ONCE) for start in starts]
        rows = [self._rows(tickets[span], texts and texts[span]) for span in spans]
        return np.concatenate([np.zeros((0, self.layout.width), np.uint8), *rows])

    def encode_solved(self, queries: Sequence[Query]) -> npt.NDArray[np.uint8]:
        """Rows of codes of queries, as if they were tickets without solution and date: uint8 [n,
        layout.width]."""
        tickets = [Ticket("", query.subject, query.description) for query in queries]
        texts = [
            dict(zip(TICKET_FIELDS, [*self.read(x).values(), []], strict=True)) for x in queries
        ]
        return self.encode_tickets(tickets, texts)

    def _rows(
        self, tickets: Sequence[Ticket], texts: Sequence[Fields] | None
    ) -> npt.NDArray[np.uint8]:
        texts = texts or [ticket_fields(ticket) for ticket in tickets]
        encoded = self.encode([ticket_tokens(text, self.settings) for text in texts])
        sparse = self.settings.sparse_channel
        terms = encoded.vectors[sparse] if sparse else None
        minutes = np.array([minute_of(ticket.created) for ticket in tickets])
        return self.layout.rows(self._dense(encoded), encoded.present, terms, minutes)

    def fit_layout(self, encoded: Encoded) -> None:
        """Fit the code layout to the components of some tickets."""
        sparse = self.settings.sparse_channel
        terms = encoded.vectors[sparse].shape[-1] if sparse else 0
        self._layout = fit_layout(self._dense(encoded), encoded.present, terms)

    def _dense(self, encoded: Encoded) -> list[npt.NDArray[np.float32]]:
        return [encoded.vectors[channel] for channel in self.settings.dense_channels]

    def pattern_weights(
        self, query_shares: npt.NDArray[np.floating], channels: Collection[str] | None = None
    ) -> npt.NDArray[np.float32]:
        """See CodeLayout.pattern_weights. With `channels`, all others get weight 0."""
        weights = self.channel_weights
        if channels is not None:
            weights = weights * [name in channels for name in self.settings.channels]
        return self.layout.pattern_weights(self.pair_weights, weights, query_shares)

    def coverage(self, query_shares: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
        """U for a query with the given shares of its components, float [P]: float32 [P], rescaled
        to the same sum, or zeros."""
        kept = self._coverage * query_shares
        scale = self._coverage.sum() / np.maximum(kept.sum(), 1e-12)
        scaled: npt.NDArray[np.float32] = (kept * scale).astype(np.float32)
        return scaled

    @cached_property
    def projection(self) -> Projection:
        """Projects codes to one vector per query or ticket, for approximate search."""
        return Projection(self.layout, self.pair_weights, self.channel_weights)


def _below(arrays: Mapping[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    """The arrays whose names have this prefix, named without it."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def _softplus(values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Weights from their stored form, see networks.siamese: log(1 + e^x)."""
    weights: npt.NDArray[np.float32] = np.logaddexp(0, values.astype(np.float64)).astype(np.float32)
    return weights
