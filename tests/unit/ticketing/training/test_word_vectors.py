"""Word vectors from files of other programs, and from the desk's own text."""

import struct

import numpy as np
import pytest
import torch
from gensim.models import FastText
from gensim.models.fasttext import save_facebook_model

from ticketing.errors import InputError
from ticketing.jobs import Stopped
from ticketing.text.vocabulary import Vocabulary
from ticketing.training.contexts import Contexts
from ticketing.training.word_vectors import load_vectors, passes_over, read_words, train_vectors

VOCABULARY = Vocabulary(["trip", "pump", "seal"], [3, 2, 2], 5)
LINES = ["the 9 9", "trip 3 4", "pump 0 5"]
"""Lengths 5 and 5, so the mean length of the desk's words is 5."""


def test_an_archive_is_passed_over_the_more_often_the_smaller_it_is():
    words = (0, 1000, 400_000, 2_000_000, 5_000_000, 50_000_000)
    assert list(map(passes_over, words)) == [30, 30, 10, 5, 4, 1]


@pytest.mark.parametrize("after", [0, 1, 250])
def test_learning_vectors_ends_soon_after_it_is_asked_to(after, caplog):
    asked = []

    def told(step, done=0, total=0, said=""):
        asked.append(step)
        if len(asked) > after:
            raise Stopped("cancelled")

    texts = [["trip", "pump"], ["pump", "seal"]] * 50
    with pytest.raises(Stopped, match="cancelled"):
        train_vectors(texts, VOCABULARY, 6, 1, told)
    assert after < len(asked) <= after + 30, "once more for each pass that is left, at most"
    assert caplog.records == []


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def word2vec_text(folder):
    return write(folder / "vectors.txt", "\n".join(["3 2", *LINES]) + "\n")


def word2vec_binary(folder):
    data = b"3 2\n"
    for line in LINES:
        word, *values = line.split()
        data += word.encode() + b" " + struct.pack("<2f", *map(float, values)) + b"\n"
    (folder / "vectors.bin").write_bytes(data)
    return folder / "vectors.bin"


def glove(folder):
    return write(folder / "glove.2d.txt", "\n".join(LINES) + "\n")


def fasttext(folder):
    return write(folder / "wiki.vec", "\n".join(["3 2", *(f"{line} " for line in LINES)]) + "\n")


def binary_under_another_name(folder):
    return word2vec_binary(folder).rename(folder / "vectors.w2v")


def text_under_another_name(folder):
    return word2vec_text(folder).rename(folder / "vectors.bin")


@pytest.mark.parametrize(
    "kind",
    [
        word2vec_text,
        text_under_another_name,
        word2vec_binary,
        binary_under_another_name,
        glove,
        fasttext,
    ],
)
def test_each_kind_of_file_gives_the_desks_words_scaled_to_a_mean_length_of_1(tmp_path, kind):
    found = load_vectors(kind(tmp_path), VOCABULARY, 2)
    assert found.dtype == torch.float32
    expected = torch.tensor([[0.0, 0.0], [0.6, 0.8], [0.0, 1.0], [0.0, 0.0]])
    torch.testing.assert_close(found, expected)


def test_fasttexts_own_binary_file_is_read_with_its_sub_words(tmp_path):
    """A word that the file lacks gets a vector from the sub-words it shares."""
    model = FastText([["trip", "pump"]] * 5, vector_size=2, min_count=1, bucket=50, seed=1)
    path = tmp_path / "own.bin"
    save_facebook_model(model, str(path))
    found = load_vectors(path, Vocabulary(["pump", "trips"], [1, 1], 2), 2)
    own = torch.tensor(np.array([model.wv["pump"], model.wv["trips"]]))
    torch.testing.assert_close(found[1:], own / own.norm(dim=1).mean())


def test_a_file_of_other_words_is_refused(tmp_path):
    path = write(tmp_path / "other.vec", "1 2\nandre 1 2\n")
    with pytest.raises(InputError, match=r"^other\.vec knows none"):
        load_vectors(path, VOCABULARY, 2)


@pytest.mark.parametrize(
    "content",
    [
        b"trip 3 4\npump 5 6 7\n",
        b"5 2\ntrip 3 4\n",
        b"3 2\ntrip 3 4 5\npump 0 5 6\nseal 1 2 3\n",
    ],
)
@pytest.mark.parametrize("name", ["vectors.txt", "vectors.bin"])
def test_what_ends_as_no_vector_file_is_refused_by_its_name(tmp_path, content, name):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load_vectors(path, VOCABULARY, 2)
    assert str(caught.value) == (
        f"{name} is not a whole word2vec, GloVe or fastText file of word vectors; name another one."
    )


def test_a_file_that_claims_more_than_there_is_memory_for_is_refused(tmp_path):
    path = tmp_path / "numbers.txt"
    path.write_text("123456789 987654321\n123456790 987654322\n")
    with pytest.raises(InputError, match=r"^By its first line numbers\.txt holds more than there"):
        load_vectors(path, VOCABULARY, 987654321)


def test_a_truncated_binary_file_is_refused(tmp_path):
    path = word2vec_binary(tmp_path)
    path.write_bytes(path.read_bytes()[:-6])
    with pytest.raises(InputError, match=r"vectors\.bin"):
        load_vectors(path, VOCABULARY, 2)


def test_trained_vectors_repeat_with_the_seed_and_know_the_vocabulary_only():
    texts = [["trip", "pump", "leak"], ["seal", "pump", "trip"]] * 20
    one, again, other = (train_vectors(texts, VOCABULARY, 6, seed) for seed in (1, 1, 2))
    assert one.shape == (4, 6)
    assert torch.equal(one, again) and not torch.equal(one, other)
    lengths = one.norm(dim=1)
    assert lengths[0] == 0
    assert lengths[1:].mean().item() == pytest.approx(1, abs=1e-5)


def test_a_desk_whose_words_never_recur_has_vectors_for_none():
    found = train_vectors([["trip"], ["pump"]], Vocabulary([], [], 2), 6, 1)
    assert found.tolist() == [[0.0] * 6]


class Reading:
    """An encoder whose vectors of the words trip, pump and seal are written down here."""

    def vectors(self, ids):
        assert ids == [[1], [2], [3]]
        return np.array([[1.0, 5.0, 0.0], [1.0, 1.0, 2.0], [1.0, 3.0, 1.0]], np.float32)


def test_words_as_read_alone_are_their_main_components_about_the_mean():
    """Less their mean (1, 3, 1), the words lie on one line: (0, 2, -1), (0, -2, 1) and 0 itself."""
    found = read_words(VOCABULARY, Reading(), 2)
    assert found.dtype == torch.float32
    assert found.abs().tolist() == [
        [0, 0],
        [pytest.approx(1), pytest.approx(0, abs=1e-6)],
        [pytest.approx(1), pytest.approx(0, abs=1e-6)],
        [pytest.approx(0, abs=1e-6)] * 2,
    ]
    assert found[1, 0] == -found[2, 0]


def in_contexts(sums, pieces):
    """What trip, pump and seal were read as in texts."""
    rows = np.array([[0.0, 0.0, 0.0], *sums])
    return read_words(VOCABULARY, Reading(), 2, Contexts(rows, np.array([0, *pieces])))


def test_words_in_contexts_are_those_alone_where_there_are_none_or_one():
    alone = read_words(VOCABULARY, Reading(), 2)
    nothing = [[0.0] * 3] * 3
    assert torch.equal(in_contexts(nothing, [0, 0, 0]), alone)
    assert torch.equal(in_contexts([[9.0, 0, 0], *nothing[1:]], [4, 0, 0]), alone)


def test_a_word_is_the_more_what_it_is_in_contexts_the_oftener_it_was_read_there():
    """Alone trip and pump are (0, 2, -1) and (0, -2, 1). In contexts, to length 1 and about their
    mean, they are (.5, -.5, 0) and (-.5, .5, 0), made as long: times sqrt 10. Trip was read in two
    pieces, and is half of each; pump in six, and is three quarters of it."""
    half = 10**0.5 / 2
    trip = np.array([half, 2 - half, -1]) / 2
    pump = 0.75 * np.array([-half, half, 0]) + 0.25 * np.array([0, -2, 1])
    found = in_contexts([[8.0, 0, 0], [0, 0.5, 0], [0, 0, 0]], [2, 6, 0]).double()
    scale = found[1].norm() / np.linalg.norm(trip)
    assert found[2].norm() == pytest.approx(np.linalg.norm(pump) * scale, rel=1e-5)
    assert found[1] @ found[2] == pytest.approx(trip @ pump * scale**2, rel=1e-5)
    assert found[3].norm() == pytest.approx(0, abs=1e-6)


def test_words_as_read_alone_fill_what_dimensions_there_are():
    found = read_words(VOCABULARY, Reading(), 5)
    assert found.shape == (4, 5)
    assert (found[:, 3:] == 0).all()
    torch.testing.assert_close(found[:, :2].abs(), read_words(VOCABULARY, Reading(), 2).abs())
    assert read_words(Vocabulary([], [], 0), Reading(), 5).tolist() == [[0.0] * 5]
