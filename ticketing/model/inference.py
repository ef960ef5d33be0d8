"""A trained model: texts in, codes out; what a bundle holds once it is loaded."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ticketing.encoders.protocol import Parts, Saved
from ticketing.encoders.registry import ENCODERS
from ticketing.encoders.terms import spread
from ticketing.encoders.topics import TopicEncoder
from ticketing.encoders.words import WordEmbedding
from ticketing.errors import NotReady
from ticketing.files import Json
from ticketing.model.bundle import Bundle
from ticketing.model.calibration import GENERAL, Calibration
from ticketing.model.layout import CodeLayout, fit_layout, minute_of
from ticketing.model.metric import present_coverage_weights
from ticketing.model.network import EncodedComponents, SiameseNetwork
from ticketing.model.projection import Projection
from ticketing.model.recency import Recency
from ticketing.model.settings import QUERY_FIELDS, TICKET_FIELDS, NetworkSettings
from ticketing.queries import EncodedQuery
from ticketing.text import tokenize
from ticketing.text.vocabulary import UNKNOWN, Vocabulary
from ticketing.tickets import Query, Ticket

Tokens = tuple[list[str], ...]
"""The components of a query or ticket as tokens, in the settings' order."""

AT_ONCE = 256
"""Texts encoded together, which bounds memory."""

_NAME = "encoder-{}"
"""Of the files of a bundle that hold what an encoder saves."""

MOST_UNKNOWN = 256
"""Unknown words of a text that are spelled out; further ones are passed over."""


def query_tokens(query: Query, settings: NetworkSettings) -> Tokens:
    """A query's components as tokens, in the settings' order."""
    return _components(query, settings.query_components, QUERY_FIELDS)


def ticket_tokens(ticket: Ticket, settings: NetworkSettings) -> Tokens:
    """A ticket's components as tokens, in the settings' order."""
    return _components(ticket, settings.ticket_components, TICKET_FIELDS)


def _components(source: Query | Ticket, names: Sequence[str], fields: dict[str, str]) -> Tokens:
    return tuple(
        [token for part in name.split("+") for token in tokenize(getattr(source, fields[part]))]
        for name in names
    )


class Model:
    """Vocabulary, network, code layout and calibration, for inference only."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        network: SiameseNetwork,
        layout: CodeLayout | None = None,
        calibration: Calibration = GENERAL,
        recency: Recency = Recency(),
        id: str = "",
        anchors: npt.NDArray[np.uint8] | None = None,
    ):
        self.id = id
        self.vocabulary = vocabulary
        self.network = network.eval()
        self.settings = network.settings
        self._layout = layout
        self.calibration = calibration
        self.anchors = np.zeros((0, 0), np.uint8) if anchors is None else anchors
        """Codes of a sample of the archive, uint8 [n, layout.width]: by how far a query is from
        them its distances are understood."""
        self.recency = recency
        with torch.inference_mode():
            self._table = network.words(torch.arange(len(vocabulary)))  # [V, dims]
        self._rarest = float(network.word_weights.max())

    @property
    def layout(self) -> CodeLayout:
        """Where things stand in a row of codes. Raises NotReady before `fit_layout`."""
        if self._layout is None:
            raise NotReady("This model has no layout for codes yet; fit one first.")
        return self._layout

    @property
    def topics(self) -> TopicEncoder | None:
        """Channel T, where the network has it."""
        encoder = self.network.plugs.get("T")
        return encoder if isinstance(encoder, TopicEncoder) else None

    @torch.inference_mode()
    def encode(self, items: Sequence[Tokens]) -> EncodedComponents:
        """Tokenized components of B queries or tickets, in the order given."""
        return EncodedComponents.join(
            [self._encode(items[i : i + AT_ONCE]) for i in range(0, max(len(items), 1), AT_ONCE)]
        )

    def _encode(self, items: Sequence[Tokens]) -> EncodedComponents:
        unknown: dict[str, int] = {}
        ids = [tuple(self._ids(text, unknown) for text in item) for item in items]
        spelled = list(unknown)
        return self.network.encode(ids, lambda distinct: self._embed(distinct, spelled), spelled)

    def _ids(self, text: list[str], unknown: dict[str, int]) -> list[int]:
        """Word ids; unknown words are numbered on from the vocabulary, MOST_UNKNOWN a text."""
        ids = self.vocabulary.ids(text)
        spelled = 0
        for position, id in enumerate(ids):
            if id == UNKNOWN and spelled < MOST_UNKNOWN:
                new = len(self.vocabulary) + len(unknown)
                ids[position] = unknown.setdefault(text[position], new)
                spelled += 1
        return [id for id in ids if id != UNKNOWN]

    def _embed(self, distinct: Tensor, unknown: list[str]) -> tuple[Tensor, Tensor]:
        """Embeddings and weights of distinct word ids in ascending order, known ones first."""
        known = distinct[distinct < len(self.vocabulary)]
        embedded, weights = self._table[known], self.network.word_weights[known]
        if unknown:
            embedded = torch.cat([embedded, self.network.words.unknown(unknown)])
            weights = torch.cat([weights, weights.new_full((len(unknown),), self._rarest)])
        return embedded, weights

    def word_vectors(
        self, ids: Sequence[int]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Embeddings of vocabulary ids, float32 [n, dims], and how much each counts, [n]."""
        words = torch.tensor(ids, dtype=torch.long)
        return self._table[words].numpy(), self.network.word_weights[words].numpy()

    def encode_query(self, query: Query) -> EncodedQuery:
        """A query of unknown time. One without a single word has no present component."""
        tokens = query_tokens(query, self.settings)
        encoded = self.encode([tokens])
        present = encoded.present.numpy()
        codes = self.layout.quantise(self._dense(encoded), present)[0]
        terms = np.zeros((len(tokens), 0), np.uint8)
        if sparse := self.settings.sparse_channel:
            terms = spread(encoded.vectors[sparse][0]).numpy()
        return EncodedQuery(
            words=tokenize(f"{query.subject}\n{query.description}"),
            vector=self.projection.query_vector(codes, present[0]),
            codes=codes,
            terms=terms,
            weights=self.pattern_weights(present[0]),
            coverage=self.coverage(encoded.present[0]),
            present=present[0],
            known=any(word in self.vocabulary for text in tokens for word in text),
        )

    def encode_tickets(self, tickets: Sequence[Ticket]) -> npt.NDArray[np.uint8]:
        """Rows of codes, uint8 [n, layout.width]."""
        if not tickets:
            return np.zeros((0, self.layout.width), np.uint8)
        encoded = self.encode([ticket_tokens(ticket, self.settings) for ticket in tickets])
        sparse = self.settings.sparse_channel
        terms = encoded.vectors[sparse].numpy() if sparse else None
        minutes = np.array([minute_of(ticket.created) for ticket in tickets])
        return self.layout.rows(self._dense(encoded), encoded.present.numpy(), terms, minutes)

    def fit_layout(self, encoded: EncodedComponents) -> None:
        """Choose the code layout by some tickets' components."""
        sparse = self.settings.sparse_channel
        terms = encoded.vectors[sparse].shape[-1] if sparse else 0
        self._layout = fit_layout(self._dense(encoded), encoded.present.numpy(), terms)

    def _dense(self, encoded: EncodedComponents) -> list[npt.NDArray[np.float32]]:
        return [encoded.vectors[channel].numpy() for channel in self.settings.dense_channels]

    def pattern_weights(
        self, query_present: npt.NDArray[np.bool_], channels: Collection[str] | None = None
    ) -> npt.NDArray[np.float32]:
        """See CodeLayout.pattern_weights; with `channels` all others weigh nothing."""
        with torch.inference_mode():
            pairs = self.network.pair_weights.numpy()
            weights = self.network.channel_weights.numpy()
        if channels is not None:
            weights = weights * [name in channels for name in self.settings.channels]
        return self.layout.pattern_weights(pairs, weights, query_present)

    @torch.inference_mode()
    def coverage(self, query_present: Tensor) -> npt.NDArray[np.float32]:
        """U for a query whose components are present as bool [P] says: float32 [P]."""
        weights = present_coverage_weights(self.network.coverage_weights, query_present)
        return weights.numpy()

    @cached_property
    def projection(self) -> Projection:
        """What makes of codes one vector a query or ticket, for an index."""
        with torch.inference_mode():
            pairs = self.network.pair_weights.numpy()
            return Projection(self.layout, pairs, self.network.channel_weights.numpy())

    def content(self) -> tuple[Json, dict[str, Json], dict[str, dict[str, np.ndarray]]]:
        """Facts, documents and arrays, as `Registry.save` takes them."""
        facts = {
            "network": self.settings.model_dump(mode="json"),
            "layout": {
                "components": self.layout.components,
                "dims": self.layout.dims,
                "lows": self.layout.lows,
                "steps": self.layout.steps,
                "terms": self.layout.terms,
            },
            "recency": asdict(self.recency),
            "calibration": self.calibration.to_json(),
        }
        arrays = {
            "network": {key: value.numpy() for key, value in self.network.state_dict().items()},
            "anchors": {"codes": self.anchors},
        }
        documents = {"vocabulary": self.vocabulary.to_json()}
        for channel, encoder in self.network.plugs.items():
            if saved := encoder.saved():
                documents[_NAME.format(channel)] = saved.document
                arrays[_NAME.format(channel)] = saved.arrays
        return facts, documents, arrays

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "Model":
        """The model that a bundle holds."""
        settings = NetworkSettings(**bundle.manifest["network"])
        vocabulary = Vocabulary.from_json(bundle.documents["vocabulary"])
        state = {key: torch.from_numpy(array) for key, array in bundle.arrays["network"].items()}
        vectors = state["words.words.weight"]
        network = new_network(settings, vocabulary, vectors, _resources(settings, bundle))
        network.load_state_dict(state)
        layout: Json = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in bundle.manifest["layout"].items()
        }
        calibration = Calibration.from_json(bundle.manifest["calibration"])
        recency = Recency(**bundle.manifest["recency"])
        anchors = bundle.arrays["anchors"]["codes"]
        return cls(
            vocabulary, network, CodeLayout(**layout), calibration, recency, bundle.id, anchors
        )


def _resources(settings: NetworkSettings, bundle: Bundle) -> dict[str, Any]:
    """What the bundle's encoders were saved as, by channel."""
    found = {}
    for channel in settings.channels:
        if load := ENCODERS[channel].load:
            name = _NAME.format(channel)
            found[channel] = load(Saved(bundle.documents[name], bundle.arrays.get(name, {})))
    return found


def new_network(
    settings: NetworkSettings,
    vocabulary: Vocabulary,
    vectors: Tensor,
    resources: Mapping[str, Any],
    dropout: float = 0.0,
) -> SiameseNetwork:
    """An untrained network over word vectors [len(vocabulary), word_dims]; words weigh by idf.

    `resources` are by channel, see encoders.protocol.Parts.
    """
    weights = torch.tensor(vocabulary.idf())
    weights[UNKNOWN] = 0
    words = WordEmbedding(vocabulary, vectors, settings.character_dims)
    parts = Parts(vocabulary, settings, words.dims, dropout, resources)
    encoders = {channel: ENCODERS[channel].build(parts) for channel in settings.channels}
    return SiameseNetwork(settings, words, weights, encoders)
