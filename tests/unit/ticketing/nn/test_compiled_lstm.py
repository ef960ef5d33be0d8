"""A trained LSTM in compiled code against torch's own, text by text."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from ticketing.nn.compiled_lstm import CompiledLSTM, affine, pooled

LENGTHS = (7, 1, 3, 12, 2)
BOUNDS = np.cumsum([0, *LENGTHS])


@pytest.fixture(scope="module")
def layer():
    torch.manual_seed(0)
    return torch.nn.LSTM(6, 5, bidirectional=True, batch_first=True)


@pytest.fixture(scope="module")
def words():
    return 3 * torch.randn(int(BOUNDS[-1]), 6, generator=torch.Generator().manual_seed(1))


def compiled(layer, which):
    return CompiledLSTM.from_arrays({k: v.numpy() for k, v in layer.state_dict().items()}, which)


@pytest.mark.parametrize(("which", "turned"), [("l0", False), ("l0_reverse", True)])
@torch.no_grad()
def test_states_are_torchs_in_both_directions(layer, words, which, turned):
    lstm = compiled(layer, which)
    gates = lstm.gates(words.numpy())
    states = lstm.states(gates, np.arange(len(words)), BOUNDS, turned=turned)
    for start, end in pairwise(BOUNDS):
        expected = layer(words[None, start:end])[0][0].chunk(2, -1)[turned]
        np.testing.assert_allclose(states[start:end], expected.numpy(), atol=2e-6)


def test_gates_of_words_beyond_the_known_ones_are_the_others(layer, words):
    lstm = compiled(layer, "l0")
    gates = lstm.gates(words.numpy())
    ids, bounds = np.array([3, 9, 20, 4]), np.array([0, 3, 4])
    whole = lstm.states(gates, ids, bounds)
    assert np.array_equal(lstm.states(gates[:9], ids, bounds, gates[9:]), whole)


def test_a_text_is_read_alike_to_the_last_bit_whatever_stands_beside_it(layer, words):
    lstm = compiled(layer, "l0")
    gates = lstm.gates(words.numpy())
    whole = lstm.states(gates, np.arange(len(words)), BOUNDS)
    for start, end in pairwise(BOUNDS):
        alone = lstm.states(gates, np.arange(start, end), np.array([0, end - start]))
        assert np.array_equal(alone, whole[start:end])
    assert np.array_equal(lstm.gates(words[4:5].numpy())[0], gates[4])


def test_inputs_of_which_some_dimensions_are_zero_need_not_be_multiplied(layer, words):
    lstm, half = compiled(layer, "l0"), words.numpy().copy()
    half[:, :4] = 0
    np.testing.assert_allclose(lstm.gates(half[:, 4:], 4), lstm.gates(half), atol=1e-6)


def test_a_text_is_the_mean_or_the_last_of_its_states():
    states, bounds = np.array([[1, 2], [3, 4], [5, 9]], np.float32), np.array([0, 2, 3])
    assert pooled(states, bounds, "mean").tolist() == [[2, 3], [5, 9]]
    assert pooled(states, bounds, "last").tolist() == [[3, 4], [5, 9]]


def test_products_are_numpys_whatever_the_number_of_rows():
    chance = np.random.default_rng(0)
    for rows in range(7):
        vectors = chance.normal(size=(3, rows)).astype(np.float32)
        weights = chance.normal(size=(rows, 5)).astype(np.float32)
        bias = chance.normal(size=5).astype(np.float32)
        np.testing.assert_allclose(
            affine(vectors, weights, bias), vectors @ weights + bias, atol=1e-5
        )
