"""The family's parts: padding is never read, pooling and losses by hand."""

import math

import pytest
import torch

from ticketing.nn.losses import contrastive, contrastive_as_printed, in_batch_softmax, triplet
from ticketing.nn.recurrent import RecurrentEncoder, encode_by_length, initialise
from ticketing.nn.settings import RecurrentSettings
from ticketing.nn.similarity import cosine, exp_l1, exp_l2

SHAPES = [
    RecurrentSettings(hidden=4),
    RecurrentSettings(hidden=4, layers=2, bidirectional=True, pooling="mean", dense=3),
    RecurrentSettings(hidden=4, bidirectional=True),
]


@pytest.mark.parametrize("shape", SHAPES)
def test_what_stands_behind_a_texts_end_changes_nothing(shape):
    torch.manual_seed(0)
    encoder = RecurrentEncoder(5, shape).eval()
    texts = torch.randn(3, 6, 5)
    lengths = torch.tensor([2, 6, 3])
    other = texts.clone()
    other[0, 2:], other[2, 3:] = 9.0, -9.0
    vectors = encoder(texts, lengths)
    assert vectors.shape == (3, shape.width)
    assert torch.equal(encoder(other, lengths), vectors)
    alone = encoder(texts[:1, :2], lengths[:1])
    assert torch.allclose(alone, vectors[:1], atol=1e-6)


@pytest.mark.parametrize("pooling", ["last", "mean"])
def test_layers_and_directions_are_those_of_torchs_own_lstm(pooling):
    torch.manual_seed(0)
    shape = RecurrentSettings(hidden=4, layers=2, bidirectional=True, pooling=pooling, dropout=0.5)
    encoder = RecurrentEncoder(5, shape).eval()
    text = torch.randn(1, 6, 5)
    outputs, (states, _) = encoder.lstm(text)
    expected = {"mean": outputs.mean(1), "last": torch.cat([states[-2], states[-1]], dim=-1)}
    padded = torch.cat([text, torch.full((1, 3, 5), 7.0)], dim=1)
    assert torch.allclose(encoder(padded, torch.tensor([6])), expected[pooling], atol=1e-6)


def test_mean_pooling_is_the_mean_of_what_last_pooling_sees():
    torch.manual_seed(0)
    mean = RecurrentEncoder(5, RecurrentSettings(hidden=4, pooling="mean"))
    last = RecurrentEncoder(5, RecurrentSettings(hidden=4))
    last.load_state_dict(mean.state_dict())
    text = torch.randn(1, 3, 5)
    states = [last(text, torch.tensor([n])) for n in (1, 2, 3)]
    assert torch.allclose(mean(text, torch.tensor([3])), torch.stack(states).mean(0), atol=1e-6)


def test_recurrent_connections_are_cut_only_while_training():
    torch.manual_seed(0)
    encoder = RecurrentEncoder(5, RecurrentSettings(hidden=4, recurrent_dropout=0.5))
    text, length = torch.randn(1, 6, 5), torch.tensor([6])
    assert not torch.equal(encoder(text, length), encoder(text, length))
    encoder.eval()
    assert torch.equal(encoder(text, length), encoder(text, length))


def test_metrics_by_hand():
    one, other = torch.tensor([[3.0, 0.0]]), torch.tensor([[0.0, 4.0]])
    assert cosine(one, other).item() == 0
    assert exp_l1(one, other).item() == pytest.approx(0.000911882)
    assert exp_l2(one, other).item() == pytest.approx(0.006737947)


def test_contrastive_loss_by_hand():
    energy = torch.tensor([0.5, 0.5, 0.1])
    same = torch.tensor([True, False, False])
    # (1 - 0.5)^2 / 4 = 0.0625; 0.5^2 = 0.25 above the margin; 0 below it
    assert contrastive(energy, same, margin=0.2).item() == pytest.approx((0.0625 + 0.25) / 3)


def test_triplet_loss_by_hand():
    loss = triplet(torch.tensor([0.9, 0.4]), torch.tensor([0.1, 0.3]), margin=0.5)
    assert loss.item() == pytest.approx((0.0 + 0.4) / 2)


def test_as_printed_the_most_alike_strangers_cost_nothing():
    energy = torch.tensor([0.5, 0.5, 0.1])
    same = torch.tensor([True, False, False])
    assert contrastive_as_printed(energy, same, margin=0.2).item() == pytest.approx(
        (0.0625 + 0.01) / 3
    )


def test_softmax_loss_by_hand():
    energies = torch.tensor([[0.5, 0.1], [0.3, 0.4]])
    same = torch.eye(2, dtype=torch.bool)
    # differences of a row's or column's own energy over the rival's: .4, .1; .2, .3
    expected = [math.log(1 + math.exp(-d / 0.1)) for d in (0.4, 0.1, 0.2, 0.3)]
    assert in_batch_softmax(energies / 0.1, same).item() == pytest.approx(sum(expected) / 4)


def test_texts_of_the_own_group_are_no_rivals():
    energies = torch.tensor([[0.5, 0.9], [0.9, 0.4]])
    assert in_batch_softmax(energies, torch.ones(2, 2, dtype=torch.bool)).item() == 0


def test_batches_are_of_texts_of_about_one_length_and_come_back_in_order():
    seen = []

    def encode(batch):
        seen.append([len(text) for text in batch])
        return torch.tensor([[float(text[0])] for text in batch])

    texts = ["1aaa", "2", "3aa", "4a", "5"]
    assert encode_by_length(encode, texts, 2).ravel().tolist() == [1, 2, 3, 4, 5]
    assert seen == [[1, 1], [2, 3], [4]]


def test_forget_gates_begin_open_and_recurrent_weights_orthogonal():
    lstm = torch.nn.LSTM(3, 4, num_layers=2, bidirectional=True)
    initialise(lstm)
    for name, weights in lstm.named_parameters():
        if name.startswith("weight_hh"):
            for gate in weights.detach().chunk(4):
                assert torch.allclose(gate @ gate.T, torch.eye(4), atol=1e-5)
        elif name.startswith("bias_ih"):
            assert weights.tolist() == [0] * 4 + [1] * 4 + [0] * 8
        elif name.startswith("bias_hh"):
            assert not weights.any()
