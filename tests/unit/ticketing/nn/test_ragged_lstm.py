"""The LSTM in compiled code that learns, against torch's own on each text alone."""

import pytest
import torch
from torch import nn

from ticketing.nn import threads
from ticketing.nn.ragged_lstm import read_ragged

LENGTHS = (7, 1, 3, 12, 2, 9, 5)


def setting():
    """An LSTM in both directions, embedded words, texts end to end, and their bounds."""
    torch.manual_seed(0)
    lstm = nn.LSTM(3, 2, bidirectional=True)
    words = torch.randn(20, 3, requires_grad=True)
    bounds = torch.tensor([0, *LENGTHS]).cumsum(0)
    return lstm, words, torch.randint(0, 20, (sum(LENGTHS),)), bounds


def by_torch(lstm, words, ids, pooling, backwards):
    found = []
    for text in ids.split(LENGTHS):
        states, _ = lstm(words[text])
        states = states[:, 2:].flip(0) if backwards else states[:, :2]
        found.append(states[-1] if pooling == "last" else states.mean(0))
    return torch.stack(found)


@pytest.mark.parametrize("pooling", ["last", "mean"])
@pytest.mark.parametrize("way", ["l0", "l0_reverse"])
def test_texts_and_all_gradients_are_those_of_torch(pooling, way):
    lstm, words, ids, bounds = setting()
    pulled = torch.randn(len(LENGTHS), 2)
    found = read_ragged(lstm, words, ids, bounds, pooling, way)
    expected = by_torch(lstm, words, ids, pooling, way == "l0_reverse")
    torch.testing.assert_close(found, expected)
    learned = [words, *(lstm.get_parameter(f"{name}_{way}") for name in NAMES)]
    mine = torch.autograd.grad((found * pulled).sum(), learned)
    theirs = torch.autograd.grad((expected * pulled).sum(), learned)
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one, other)


NAMES = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


def test_the_number_of_threads_changes_no_bit(monkeypatch):
    def learned(count):
        monkeypatch.setattr(threads, "FEWEST_STEPS", 1)
        lstm, words, ids, bounds = setting()
        with threads.shared_by(count):
            found = read_ragged(lstm, words, ids, bounds, "mean")
            found.square().sum().backward()
        return found, words.grad, lstm.weight_hh_l0.grad, lstm.weight_ih_l0.grad

    for one, several in zip(learned(1), learned(3), strict=True):
        assert torch.equal(one, several)
