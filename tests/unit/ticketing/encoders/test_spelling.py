"""Words by their spelling, and words without anything else: as the trained network reads them."""

import numpy as np
import pytest
import torch

from ticketing.encoders.spelling import MAX_CHARACTERS, Speller, spell
from ticketing.encoders.words import Words
from ticketing.networks.spelling import CharacterBLSTM
from ticketing.networks.words import WordEmbedding
from ticketing.text.vocabulary import Vocabulary

VOCABULARY = Vocabulary(["pump", "trip"], [2, 2], 4)


def arrays(module):
    return {name: value.numpy() for name, value in module.state_dict().items()}


@pytest.fixture(scope="module")
def embedding():
    torch.manual_seed(0)
    vectors = torch.randn(3, 3)
    vectors[0] = 0
    return WordEmbedding(VOCABULARY, vectors, 4).eval()


@pytest.fixture(scope="module")
def words(embedding):
    return Words.from_arrays(VOCABULARY, arrays(embedding), np.array([0, 1.5, 2.5], np.float32))


def test_spelling_by_hand():
    """a is 2, b is 3; characters outside the alphabet share 1; nothing is one unknown."""
    ids, bounds = spell(["ab", "b中", "", "\udc80"])
    assert ids.tolist() == [2, 3, 3, 1, 1, 1]
    assert bounds.tolist() == [0, 2, 4, 5, 6]


def test_long_words_are_cut():
    ids, bounds = spell(["a" * 100, "b"])
    assert bounds.tolist() == [0, MAX_CHARACTERS, MAX_CHARACTERS + 1]
    assert len(ids) == MAX_CHARACTERS + 1


@torch.no_grad()
def test_a_word_is_spelled_as_the_network_spells_it():
    torch.manual_seed(0)
    characters = CharacterBLSTM(dims=6)
    some = ["pump", "", "中文", "compressor", "gt13e2", "x" * 40]
    found = Speller(arrays(characters)).spelled(some)
    expected = characters(*map(torch.from_numpy, spell(some))).numpy()
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_a_word_is_spelled_alike_to_the_last_bit_whatever_stands_beside_it(words):
    together = words.unknown(["compressor", "trpi", "x"])
    assert np.array_equal(together[1:2], words.unknown(["trpi"]))
    assert words.unknown([]).shape == (0, 4)


@torch.no_grad()
def test_a_known_word_is_its_vector_and_its_spelling(embedding, words):
    np.testing.assert_allclose(words.table, embedding(torch.arange(3)).numpy(), atol=1e-6)
    assert np.array_equal(words.table[2:, 3:], words.unknown(["trip"]))


def test_an_unknown_word_weighs_as_much_as_the_rarest(words):
    assert words.rarest == 2.5
