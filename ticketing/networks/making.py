"""Makes a trainable network from settings, and the serving model from a trained network."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from ticketing.encoders import lstm, sumemb
from ticketing.encoders.protocol import Parts
from ticketing.encoders.registry import ENCODERS
from ticketing.model.inference import Model
from ticketing.model.recency import Recency
from ticketing.model.settings import NetworkSettings
from ticketing.networks.channels import Channel
from ticketing.networks.fixed import FixedTerms, FixedVectors
from ticketing.networks.lstm import LSTMChannel
from ticketing.networks.siamese import SiameseNetwork
from ticketing.networks.sumemb import SumEmbChannel
from ticketing.networks.words import WordEmbedding
from ticketing.text.vocabulary import UNKNOWN, Vocabulary


def new_network(
    settings: NetworkSettings,
    vocabulary: Vocabulary,
    vectors: Tensor,
    resources: Mapping[str, Any],
    dropout: float = 0.0,
) -> SiameseNetwork:
    """An untrained network over word vectors [len(vocabulary), word_dims]; words are weighted by
    idf.

    `resources` are by channel, see encoders.protocol.Parts.
    """
    weights = torch.tensor(vocabulary.idf())
    weights[UNKNOWN] = 0
    words = WordEmbedding(vocabulary, vectors, settings.character_dims)
    channels: dict[str, Channel] = {}
    for symbol in settings.channels:
        if symbol == lstm.KIND.symbol:
            channels[symbol] = LSTMChannel(
                words.dims, settings.hidden, dropout, settings.pooling, settings.max_words
            )
        elif symbol == sumemb.KIND.symbol:
            channels[symbol] = SumEmbChannel(words.dims, settings)
        else:
            kind = ENCODERS[symbol]
            encoder = kind.build(Parts(vocabulary, settings, resources.get(symbol)))
            channels[symbol] = FixedVectors(encoder) if kind.dense else FixedTerms(encoder)
    return SiameseNetwork(settings, words, weights, channels, resources)


def model_of(
    network: SiameseNetwork, vocabulary: Vocabulary, recency: Recency = Recency(), id: str = ""
) -> Model:
    """The serving model of a trained network, without a code layout."""
    arrays = {name: value.detach().numpy() for name, value in network.state_dict().items()}
    return Model(vocabulary, network.settings, arrays, network.resources, recency=recency, id=id)


def network_of(model: Model) -> SiameseNetwork:
    """The network with a model's arrays, for inference or further training."""
    state = {name: torch.tensor(array) for name, array in model.arrays.items()}
    vectors = state["words.words.weight"]
    network = new_network(model.settings, model.vocabulary, vectors, model.resources)
    network.load_state_dict(state)
    return network.eval()
