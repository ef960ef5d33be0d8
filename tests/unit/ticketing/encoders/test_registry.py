"""An encoder is a plug: one more kind in the registry is all that a new channel takes."""

import numpy as np
import pytest
import torch

from ticketing.encoders.protocol import EncoderKind
from ticketing.encoders.registry import ENCODERS
from ticketing.model.settings import NetworkSettings
from ticketing.networks.making import model_of, new_network
from ticketing.retrieval.parts import distances
from ticketing.text.vocabulary import Vocabulary
from ticketing.tickets import Query, Ticket

VOCABULARY = Vocabulary(["pump", "seal", "trip"], [3, 2, 1], 4)


class Lengths:
    """A text is the number of its words."""

    shape = (1,)
    dtype = np.float32

    def __call__(self, texts):
        return np.array([[len(text)] for text in texts.ids], np.float32)


@pytest.fixture
def with_lengths(monkeypatch):
    kind = EncoderKind(
        symbol="N",
        label="Length",
        weight=0.5,
        start_share=0.1,
        grid=(0.5,),
        build=lambda parts: Lengths(),
        width=lambda settings: 1,
    )
    monkeypatch.setitem(ENCODERS, "N", kind)


def test_a_new_kind_is_a_channel_of_settings_network_and_codes(with_lengths):
    """Subjects of 1 and 3 words are 2 apart; V of the only pair present is rescaled to 1.6."""
    settings = NetworkSettings(channels=("L", "N"), word_dims=2, character_dims=2)
    assert settings.channels == ("N", "L")
    assert settings.channel_weights() == [0.5, 0.2]
    network = new_network(settings, VOCABULARY, torch.zeros(4, 2), {})
    query, ticket = network.encode([([1], [])]), network.encode([([2, 3, 3], [], [])])
    apart = network.matched_parts(query, ticket)[0, 0, 0]
    assert apart.tolist() == pytest.approx([1.6 * 0.5 * 2, 1.6 * 0.2 * 2])
    model = model_of(network, VOCABULARY)
    tickets = [Ticket("a", "pump"), Ticket("b", "seal trip trip")]
    model.fit_layout(model.encode([(["pump"], [], []), (["seal", "trip", "trip"], [], [])]))
    rows = model.encode_tickets(tickets)
    by_code = distances(rows[1:], model.encode_query(Query("pump")), model.layout)[0, 0, 0]
    assert by_code[0] * model.layout.steps[0] == pytest.approx(2, abs=0.01)


def test_a_channel_that_no_encoder_has_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match="there is no channel 'N'; choose from h, E, T, S, L"):
        NetworkSettings(channels=("h", "N"))


def test_every_kind_has_a_letter_and_a_name_of_its_own():
    assert all(symbol == kind.symbol for symbol, kind in ENCODERS.items())
    assert len({kind.label for kind in ENCODERS.values()}) == len(ENCODERS)
