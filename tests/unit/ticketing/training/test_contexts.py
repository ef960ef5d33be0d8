"""Words as an encoder reads them where they stand, by hand: its pieces are letters."""

import numpy as np
import pytest

from tests.letter_counts import LETTERS
from ticketing.encoders.sentence_transformer import TransformerEncoder
from ticketing.encoders.transformer import Transformer
from ticketing.jobs import Step, Stopped
from ticketing.text.vocabulary import Vocabulary
from ticketing.training.contexts import read_contexts

WORDS = Vocabulary(["aa", "ab", "b", "<num>", "<>"], [3, 2, 2, 1, 1], 4)
AA, AB, B, NUM, EMPTY = 1, 2, 3, 4, 5


@pytest.fixture
def encoder(counting_encoder):
    return TransformerEncoder(Transformer(counting_encoder), WORDS, len(LETTERS))


def letters(sums):
    return {letter: n for letter, n in zip(LETTERS, sums.tolist(), strict=True) if n}


def test_a_words_states_are_added_up_over_its_pieces_in_all_texts(encoder):
    """The full stop behind a subject is a piece of its last word; it is no letter."""
    found = read_contexts(encoder, 5, [[[AA, AB], [AB]], [[], [NUM, AA]]])
    assert letters(found.sums[AA]) == {"a": 4}
    assert letters(found.sums[AB]) == {"a": 2, "b": 2}
    assert letters(found.sums[NUM]) == {"n": 1, "u": 1, "m": 1}
    assert found.pieces.tolist() == [0, 4, 5, 0, 3, 0]


def test_a_text_is_read_once_and_no_farther_than_the_encoder_reads(encoder):
    """Three pieces: what begins every text, and the letters of the first word."""
    encoder.transformer.model.max_seq_length = 3
    found = read_contexts(encoder, 5, [[[AB], [AA]], [[AB], [AA]]])
    assert letters(found.sums[AB]) == {"a": 1, "b": 1}
    assert found.pieces.sum() == 2


def test_a_text_with_a_word_of_marks_alone_tells_nothing(encoder):
    assert read_contexts(encoder, 5, [[[EMPTY, B], []]]).pieces.sum() == 0


def test_texts_without_a_known_word_tell_nothing(encoder):
    assert read_contexts(encoder, 5, []).pieces.sum() == 0
    assert read_contexts(encoder, 5, [[[], []], [[AA], []]]).pieces.tolist() == [0, 2, 0, 0, 0, 0]


def test_a_tokenizer_that_cannot_say_where_a_piece_stands_reads_no_contexts(encoder):
    encoder.transformer.model.is_fast = False
    found = read_contexts(encoder, 5, [[[AA], [AB]]])
    assert found.pieces.tolist() == [0] * 6
    assert np.all(found.sums == 0)


def test_reading_ends_where_it_is_asked_to(encoder):
    def told(step, done=0, total=0, said=""):
        assert step == Step.PRETRAINING
        raise Stopped

    with pytest.raises(Stopped):
        read_contexts(encoder, 5, [[[AA], [AB]]], told)
