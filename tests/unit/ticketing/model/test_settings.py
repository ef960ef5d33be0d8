"""The rows of Tables 4 and 5 as values of one setting."""

import pytest
from pydantic import ValidationError

from ticketing.encoders.registry import ENCODERS
from ticketing.model.settings import NetworkSettings
from ticketing.training.settings import TrainingSettings


def test_the_cross_level_network_compares_all_six_pairs_as_table_2_weighs_them():
    settings = NetworkSettings(pairs="cross-level")
    assert settings.query_components == ("SUB1", "DESC1")
    assert settings.ticket_components == ("SUB2", "DESC2", "SOL2")
    assert settings.pair_weights() == [[0.3, 0.2, 0.3], [0.2, 0.3, 0.3]]
    crossed = "subject and description"
    assert settings.pair_levels() == [
        ["same level", crossed, "solution"],
        [crossed, "same level", "solution"],
    ]


def test_the_multi_level_network_compares_like_with_like():
    settings = NetworkSettings(pairs="multi-level")
    assert settings.ticket_components == ("SUB2", "DESC2")
    assert settings.pair_weights() == [[0.3, 0.0], [0.0, 0.3]]
    assert settings.pair_levels() == [["same level", None], [None, "same level"]]


def test_the_standard_siamese_network_compares_two_merged_texts():
    settings = NetworkSettings(
        pairs="merged", merged_query=("SUB1",), merged_ticket=("SUB2", "SOL2")
    )
    assert settings.query_components == ("SUB1",)
    assert settings.ticket_components == ("SUB2+SOL2",)
    assert settings.pair_weights() == [[1.0]]
    assert settings.pair_levels() == [["same level"]]


def test_channels_choose_weights_and_widths_in_their_order():
    settings = NetworkSettings(
        channels=("T", "h"), hidden=7, topics=9, word_dims=30, character_dims=4
    )
    assert settings.channel_weights() == [0.2, 0.7]
    assert settings.dense_channels == ("T", "h")
    assert [ENCODERS[c].width(settings) for c in ("T", "h", "E")] == [9, 7, 34]


@pytest.mark.parametrize(
    "values",
    [
        {"channels": ("h", "X")},
        {"channels": ()},
        {"channels": ("h", "h")},
        {"character_dims": 5},
        {"hidden": 0},
        {"pairs": "all"},
        {"merged_query": ("SUB2",)},
        {"merged_query": ()},
        {"merged_ticket": ("SUB1",)},
        {"merged_ticket": ()},
        {"depth": 2},
    ],
)
def test_settings_that_make_no_network_are_refused(values):
    with pytest.raises(ValidationError):
        NetworkSettings(**values)


def test_the_loss_of_the_paper_brings_the_papers_training():
    settings = TrainingSettings.for_loss(loss="mse", batch_size=4)
    assert (settings.optimizer, settings.weights, settings.batch_size) == ("adadelta", "fixed", 4)
    assert TrainingSettings.for_loss() == TrainingSettings()
