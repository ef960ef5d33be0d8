"""SumEMB by hand."""

import pytest
import torch

from ticketing.networks.sumemb import sum_embeddings

WORDS = torch.tensor([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]])


def sums(words, texts, weights):
    starts = torch.tensor([0, *map(len, texts[:-1])]).cumsum(0)
    return sum_embeddings(words, torch.cat(texts), starts, weights)


def test_weighted_sums_by_hand():
    """Word 0 twice and word 1: [2, 0] * 1.5 + [0, 2] * 2 = [3, 4], of length 5."""
    texts = [torch.tensor([0, 1, 0]), torch.tensor([1])]
    found = sums(WORDS, texts, torch.tensor([1.5, 2.0, 1.0]))
    torch.testing.assert_close(found, torch.tensor([[0.6, 0.8], [0.0, 1.0]]))


def test_the_order_of_words_is_nothing():
    one, other = torch.tensor([0, 1, 2]), torch.tensor([2, 0, 1])
    found = sums(WORDS, [one, other], torch.ones(3))
    torch.testing.assert_close(found[0], found[1])


def test_words_without_weight_leave_a_zero_and_no_nan():
    found = sums(WORDS, [torch.tensor([0, 2])], torch.zeros(3))
    assert found.tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize("of", ["words", "weights"])
def test_gradients_are_right(of):
    words, weights = WORDS.double(), torch.tensor([0.5, 1.0, 2.0], dtype=torch.double)
    texts = [torch.tensor([0, 1, 2, 2])]
    if of == "words":
        call, value = lambda x: sums(x, texts, weights), words
    else:
        call, value = lambda x: sums(words, texts, x), weights
    assert torch.autograd.gradcheck(call, value.clone().requires_grad_())
