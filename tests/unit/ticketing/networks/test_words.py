"""The embedding of words while it learns: their vectors and their spelling."""

import torch

from ticketing.encoders.spelling import spell
from ticketing.networks.spelling import CharacterBLSTM
from ticketing.networks.words import WordEmbedding
from ticketing.text.vocabulary import Vocabulary


def embedding(words=("pump", "trip")):
    torch.manual_seed(0)
    vocabulary = Vocabulary(words, [2] * len(words), 4)
    vectors = torch.randn(len(vocabulary), 3)
    vectors[0] = 0
    return WordEmbedding(vocabulary, vectors, 4).eval()


def spelled(characters, words):
    return characters(*map(torch.from_numpy, spell(words)))


def test_both_directions_are_joined_and_no_word_minds_its_neighbours():
    torch.manual_seed(0)
    characters = CharacterBLSTM(dims=6)
    alone = spelled(characters, ["pump"])
    beside = spelled(characters, ["compressor", "pump"])
    assert alone.shape == (1, 6)
    torch.testing.assert_close(alone[0], beside[1])


def test_a_words_spelling_is_the_last_states_of_torchs_own_lstm():
    torch.manual_seed(0)
    characters = CharacterBLSTM(dims=6)
    ids, _ = spell(["pump"])
    _, (last, _) = characters.lstm(characters.characters(torch.from_numpy(ids)))
    torch.testing.assert_close(spelled(characters, ["pump"])[0], last.flatten())


def test_every_character_and_their_order_count():
    torch.manual_seed(0)
    vectors = spelled(CharacterBLSTM(dims=6), ["trip", "crip", "trik", "tirp"])
    for i in range(1, 4):
        assert not torch.allclose(vectors[0], vectors[i], atol=1e-4)


def test_a_known_word_is_its_vector_and_its_spelling():
    words = embedding()
    vector = words(torch.tensor([2]))
    assert vector.shape == (1, words.dims) == (1, 7)
    torch.testing.assert_close(vector[0, :3], words.words.weight[2])
    torch.testing.assert_close(vector[:, 3:], spelled(words.characters, ["trip"]))


def test_the_unknown_words_row_stays_zero_while_training():
    words = embedding()
    optimizer = torch.optim.Adam(words.parameters(), lr=0.1)
    words(torch.tensor([0, 1])).sum().backward()
    before = words.words.weight[1].clone()
    optimizer.step()
    assert (words.words.weight[0] == 0).all()
    assert not torch.equal(words.words.weight[1], before)
