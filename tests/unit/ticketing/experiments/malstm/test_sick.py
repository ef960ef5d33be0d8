"""Pairs, word vectors, synonyms and invented sentences: read as written, refused with the line."""

import random

import numpy as np
import pytest

from ticketing.errors import InputError
from ticketing.experiments.malstm.augmentation import augment
from ticketing.experiments.malstm.datasets import rarity, sum_of_words
from ticketing.experiments.malstm.sick import Pair, Sick, read_pairs, words
from ticketing.experiments.malstm.word_vectors import WordVectors, read_vectors
from ticketing.experiments.malstm.wordnet import read_synonyms

HEADER = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
GOOD = "1\tA man sings\tA man isn't singing\t3.4\tCONTRADICTION\n"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("A man isn't singing.", ("a", "man", "is", "not", "singing")),
        ("Dogs cannot fly, can't they?", ("dogs", "can", "not", "fly", "can", "not", "they")),
        ("It won't rain", ("it", "will", "not", "rain")),
    ],
)
def test_negations_are_spelled_out(sentence, expected):
    assert words(sentence) == expected


def test_pairs_are_read_with_either_line_ending(tmp_path):
    file = tmp_path / "pairs.txt"
    file.write_bytes((HEADER + GOOD).replace("\n", "\r\n").encode())
    [pair] = read_pairs(file)
    assert pair == Pair("A man sings", "A man isn't singing", 3.4, "CONTRADICTION")
    assert pair.label == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "pairs.txt:1 has no column 'sentence_A'"),
        (HEADER, "holds no pairs"),
        (HEADER + GOOD + "2\tA dog\n", "pairs.txt:3 has fewer cells"),
        (HEADER + "1\t...\tA dog\t3\tNEUTRAL\n", "pairs.txt:2: sentence_A: '...' holds no word"),
        (HEADER + "1\tA\tB\t5.5\tNEUTRAL\n", "pairs.txt:2: relatedness_score: '5.5'"),
        (HEADER + "1\tA\tB\tnan\tNEUTRAL\n", "pairs.txt:2: relatedness_score: 'nan'"),
        (HEADER + "1\tA\tB\thigh\tNEUTRAL\n", "pairs.txt:2: relatedness_score: 'high'"),
        (HEADER + "1\tA\tB\t3\tMAYBE\n", "pairs.txt:2: entailment_judgment: 'MAYBE'"),
    ],
)
def test_a_bad_line_is_refused_by_file_and_line(tmp_path, content, complaint):
    file = tmp_path / "pairs.txt"
    file.write_text(content)
    with pytest.raises(InputError, match=complaint.replace("(", r"\(")):
        read_pairs(file)


def test_a_missing_or_foreign_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read_pairs(tmp_path / "none.txt")
    (tmp_path / "latin.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_pairs(tmp_path / "latin.txt")


def test_a_pair_is_repeated_in_either_order_and_whatever_its_case():
    known = [Pair("A dog runs", "A cat sits", 2.0, "NEUTRAL")]
    asked = [
        Pair("a cat sits.", "A dog runs", 2.5, "NEUTRAL"),
        Pair("A dog runs", "A dog runs", 5.0, "ENTAILMENT"),
    ]
    assert Sick(known, asked).repeated() == [True, False]


def write_vectors(folder, names, rows):
    np.save(folder / "small.npy", np.array(rows, dtype=np.float32))
    (folder / "small.vocab.txt").write_text("\n".join(names) + "\n")
    return folder / "small.npy"


def test_a_lower_case_vector_comes_before_the_same_words_in_capitals(tmp_path):
    file = write_vectors(tmp_path, ["Dog", "dog", "Asia"], [[9, 0], [2, 0], [0, 4]])
    vectors = read_vectors(file)
    assert vectors.words == ["dog", "asia"]
    # mean length 3, so all are divided by 3
    assert vectors.matrix == pytest.approx(np.array([[0, 0], [2 / 3, 0], [0, 4 / 3]]))
    assert vectors.ids(["asia", "zebra", "dog"]) == [2, 0, 1]


def test_vectors_that_do_not_belong_to_their_words_are_refused(tmp_path):
    file = write_vectors(tmp_path, ["a", "b"], [[1.0, 2.0]])
    with pytest.raises(InputError, match="each of the 2 lines"):
        read_vectors(file)
    with pytest.raises(InputError, match="No such file"):
        read_vectors(tmp_path / "none.npy")
    file.write_bytes(b"no array")
    with pytest.raises(InputError, match="damaged"):
        read_vectors(file)


INDEX = {
    "noun": "  1 licence\nbicycle n 1 1 @ 1 1 00000000\nbike n 2 1 @ 2 1 00000000 00000060\n",
    "verb": "  1 licence\nride v 1 1 @ 1 1 00000000\n",
    "adj": "  1 licence\nfast a 1 1 & 1 1 00000000\n",
}
DATA = {
    "noun": "00000000 06 n 02 bicycle 0 bike 0 000 | two wheels\n",
    "verb": "00000000 38 v 03 ride 0 drive 0 sit_on 0 000 | move\n",
    "adj": "00000000 00 a 02 fast 0 quick(p) 0 000 | at speed\n",
}


@pytest.fixture
def wordnet(tmp_path):
    for kind in INDEX:
        (tmp_path / f"index.{kind}").write_text(INDEX[kind])
        (tmp_path / f"data.{kind}").write_text(DATA[kind])
    return tmp_path


def test_synonyms_keep_the_ending_of_a_plural_and_of_a_verb(wordnet):
    known = ["bicycles", "bikes", "bike", "riding", "driving", "fast", "quick", "ride", "dog"]
    assert read_synonyms(wordnet, known) == {
        "bicycles": ["bikes"],
        "bikes": ["bicycles"],
        "riding": ["driving"],
        "fast": ["quick"],
    }


def test_a_folder_without_wordnet_is_refused(tmp_path):
    with pytest.raises(InputError, match="wordnet-base"):
        read_synonyms(tmp_path, ["dog"])


@pytest.fixture
def vectors() -> WordVectors:
    names = ["a", "dog", "cat", "runs", "sits", "fast"]
    rows = np.random.default_rng(0).normal(size=(len(names) + 1, 4)).astype(np.float32)
    rows[0] = 0
    return WordVectors(names, rows)


def test_invented_sentences_are_new_and_of_known_lengths_and_words(vectors):
    known = ["a dog runs", "a cat sits", "dog runs fast"]
    found = augment(known, vectors, 12, random.Random(0))
    assert len(found) == len(set(found)) == 12
    assert not set(found) & set(known)
    assert {len(sentence.split()) for sentence in found} == {3}
    assert {word for sentence in found for word in sentence.split()} <= set(vectors.words)
    assert found == augment(known, vectors, 12, random.Random(0))


def test_invention_gives_up_when_there_is_nothing_new(vectors):
    assert len(augment(["dog"], vectors, 100, random.Random(0))) < 6


def test_rare_words_weigh_more_and_words_of_all_sentences_nothing(vectors):
    weights = rarity(vectors, ["a dog", "a cat", "a dog runs"])
    assert weights[vectors.ids(["a", "dog", "cat"])] == pytest.approx(np.log([1, 4 / 3, 2]))


def test_a_sum_of_words_is_a_unit_vector_in_any_order(vectors):
    teach = sum_of_words(vectors, np.arange(7.0))
    one, other, nothing = teach(["dog runs", "runs dog", "zebra"])
    assert one == pytest.approx(other)
    assert np.linalg.norm(one) == pytest.approx(1)
    assert not nothing.any()
