"""A trained model: texts in, codes out; what a bundle holds once it is loaded."""

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import torch
from torch import Tensor

from ticketing.encoders.sentence_transformer import SentenceChannel, SentenceEncoder
from ticketing.encoders.terms import LexicalChannel, spread
from ticketing.encoders.topics import TopicChannel
from ticketing.encoders.words import WordEmbedding
from ticketing.model.bundle import Bundle
from ticketing.model.calibration import Calibration
from ticketing.model.layout import CodeLayout, QueryCode, minute_of
from ticketing.model.network import SiameseNetwork, Side
from ticketing.model.recency import Recency
from ticketing.model.settings import QUERY_FIELDS, TICKET_FIELDS, NetworkSettings
from ticketing.text import tokenize
from ticketing.text.vocabulary import UNKNOWN, Vocabulary
from ticketing.tickets import Query, Ticket
from topic_models import DocNADE, DocNADESettings

AT_ONCE = 256
"""Texts encoded together, which bounds memory."""

MOST_UNKNOWN = 256
"""Unknown words of a text that are spelled out; further ones are passed over."""


def query_tokens(query: Query, settings: NetworkSettings) -> tuple[list[str], ...]:
    """A query's components as tokens, in the settings' order."""
    return _components(query, settings.query_components, QUERY_FIELDS)


def ticket_tokens(ticket: Ticket, settings: NetworkSettings) -> tuple[list[str], ...]:
    """A ticket's components as tokens, in the settings' order."""
    return _components(ticket, settings.ticket_components, TICKET_FIELDS)


def _components(source: Query | Ticket, names: Sequence[str], fields: dict[str, str]):
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
        calibration: Calibration | None = None,
        recency: Recency = Recency(),
        id: str = "",
    ):
        self.id = id
        self.vocabulary = vocabulary
        self.network = network.eval()
        self.settings = network.settings
        self.layout = layout
        self.calibration = calibration
        self.recency = recency
        with torch.inference_mode():
            self._table = network.words(torch.arange(len(vocabulary)))  # [V, dims]
        self._rarest = float(network.word_weights.max())

    @torch.inference_mode()
    def encode(self, sides: Sequence[tuple[list[str], ...]]) -> Side:
        """Tokenized components of B texts -> channel vectors, in the order given."""
        parts = [self._encode(sides[i : i + AT_ONCE]) for i in range(0, len(sides), AT_ONCE)]
        if len(parts) == 1:
            return parts[0]
        vectors = {
            channel: torch.cat([part.vectors[channel] for part in parts])
            for channel in self.settings.channels
        }
        return Side(vectors, torch.cat([part.present for part in parts]))

    def _encode(self, sides: Sequence[tuple[list[str], ...]]) -> Side:
        unknown: dict[str, int] = {}
        ids = [tuple(self._ids(text, unknown) for text in side) for side in sides]
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

    def encode_query(self, query: Query) -> QueryCode:
        """A query's codes. A query without a single word has no present component."""
        tokens = query_tokens(query, self.settings)
        side = self.encode([tokens])
        codes = self.layout.quantise(self._dense(side), side.present.numpy())[0]
        known = any(word in self.vocabulary for text in tokens for word in text)
        terms = np.zeros((len(tokens), 0), np.uint8)
        if "L" in side.vectors:
            terms = spread(side.vectors["L"][0]).numpy()
        return QueryCode(codes, terms, side.present[0].numpy(), known)

    def encode_tickets(self, tickets: Sequence[Ticket]) -> np.ndarray:
        """Rows of codes, uint8 [n, layout.width]."""
        if not tickets:
            return np.zeros((0, self.layout.width), np.uint8)
        side = self.encode([ticket_tokens(ticket, self.settings) for ticket in tickets])
        terms = side.vectors["L"].numpy() if "L" in side.vectors else None
        minutes = np.array([minute_of(ticket.created) for ticket in tickets])
        return self.layout.rows(self._dense(side), side.present.numpy(), terms, minutes)

    def _dense(self, side: Side) -> list[np.ndarray]:
        return [side.vectors[channel].numpy() for channel in self.settings.dims()]

    def pattern_weights(self, query_present: np.ndarray) -> np.ndarray:
        """See CodeLayout.pattern_weights."""
        with torch.inference_mode():
            pairs = self.network.pair_weights.numpy()
            channels = self.network.channel_weights.numpy()
        return self.layout.pattern_weights(pairs, channels, query_present)

    def content(self) -> tuple[dict, dict, dict]:
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
            "sentences": self.network.sentences and self.network.sentences.encoder.to_json(),
            "calibration": self.calibration.to_json(),
        }
        arrays = {
            "network": {key: value.numpy() for key, value in self.network.state_dict().items()}
        }
        documents = {"vocabulary": self.vocabulary.to_json()}
        if topics := self.network.topics:
            arrays["topics"] = topics.model.state()
            documents["topics"] = {
                "settings": topics.model.settings.model_dump(mode="json"),
                "words": topics.words,
            }
        return facts, documents, arrays

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "Model":
        """The model that a bundle holds."""
        settings = NetworkSettings(**bundle.manifest["network"])
        vocabulary = Vocabulary.from_json(bundle.documents["vocabulary"])
        topics = None
        if described := bundle.documents.get("topics"):
            docnade = DocNADE.from_state(
                DocNADESettings(**described["settings"]), bundle.arrays["topics"]
            )
            topics = TopicChannel(docnade, described["words"])
        state = {key: torch.from_numpy(array) for key, array in bundle.arrays["network"].items()}
        encoder = None
        if described := bundle.manifest["sentences"]:
            encoder = SentenceEncoder.from_json(described)
        network = new_network(settings, vocabulary, state["words.words.weight"], topics, encoder)
        network.load_state_dict(state)
        layout = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in bundle.manifest["layout"].items()
        }
        calibration = Calibration.from_json(bundle.manifest["calibration"])
        recency = Recency(**bundle.manifest["recency"])
        return cls(vocabulary, network, CodeLayout(**layout), calibration, recency, bundle.id)


def new_network(
    settings: NetworkSettings,
    vocabulary: Vocabulary,
    vectors: Tensor,
    topics: TopicChannel | None,
    encoder: SentenceEncoder | None = None,
    dropout: float = 0.0,
) -> SiameseNetwork:
    """An untrained network over word vectors [len(vocabulary), word_dims]; words weigh by idf."""
    weights = torch.tensor(vocabulary.idf())
    weights[UNKNOWN] = 0
    words = WordEmbedding(vocabulary, vectors, settings.character_dims)
    lexical = LexicalChannel(vocabulary) if "L" in settings.channels else None
    sentences = SentenceChannel(encoder, vocabulary) if encoder else None
    return SiameseNetwork(settings, words, weights, topics, sentences, lexical, dropout)
