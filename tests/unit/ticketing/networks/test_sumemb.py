"""SumEMB by hand."""

import torch

from ticketing.networks.sumemb import sum_embeddings

WORDS = torch.tensor([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]])


def sums(words, texts, weights):
    """`weights` are by word."""
    bounds, rows = torch.tensor([0, *map(len, texts)]).cumsum(0), torch.cat(texts)
    return sum_embeddings(words, rows, bounds, weights[rows])


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


def test_gradients_are_those_of_torch():
    texts, weights = [torch.tensor([0, 1, 2, 2]), torch.tensor([1])], torch.tensor([0.5, 1.0, 2.0])
    pulled = torch.tensor([[1.0, 2.0], [3.0, -1.0]])

    def slope(found):
        return torch.autograd.grad((found * pulled).sum(), words)[0]

    words = WORDS.clone().requires_grad_()
    by_torch = torch.stack([(words[text] * weights[text, None]).sum(0) for text in texts])
    expected = slope(torch.nn.functional.normalize(by_torch, dim=1))
    torch.testing.assert_close(slope(sums(words, texts, weights)), expected)
