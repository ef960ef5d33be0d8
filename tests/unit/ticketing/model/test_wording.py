"""What a query and the tickets found share in words, worked out by hand."""

import numpy as np
import pytest

from ticketing.model.wording import Wording


def words(counts, held, documents=7):
    return Wording(np.array(counts, int), documents, np.array(held, bool))


IDF = [np.log(8 / (count + 0.5)) for count in range(8)]


def test_what_nobody_has_is_unseen():
    """A word that no document has is seen all the same where a ticket found has it."""
    found = words([3, 0, 0], [[0, 1, 0], [0, 0, 0]])
    assert found.unseen == pytest.approx(IDF[0] / (IDF[3] + 2 * IDF[0]))
    assert words([3], [[0]]).unseen == 0 and words([0], [[0]]).unseen == 1


def test_rare_words_are_rare():
    """One that a ticket found has is no rarer than that."""
    assert words([7, 1], [[0, 0]]).rarity == pytest.approx((IDF[7] + IDF[1]) / 2 / IDF[0])
    assert words([0, 0], [[0, 1]]).rarity == pytest.approx((IDF[0] + IDF[1]) / 2 / IDF[0])


def test_what_is_shared_is_the_most_that_one_of_those_shown_has():
    """The second ticket has most: the word of three documents, and one that it alone has."""
    found = words([3, 1, 0], [[1, 0, 0], [1, 0, 1], [1, 1, 1]])
    assert found.shared(1) == pytest.approx(np.log(1 + IDF[3] / IDF[0]))
    assert found.shared(2) == pytest.approx(np.log(1 + (IDF[3] + IDF[1]) / IDF[0]))


def test_those_shown_cover_in_the_mean_what_each_has():
    """The first has all but the word of one document, the second has all, the third nothing."""
    found = words([3, 1, 0], [[1, 0, 1], [1, 1, 1], [0, 0, 0]])
    first = (IDF[3] + IDF[0]) / (IDF[3] + IDF[1] + IDF[0])
    assert found.covered(1) == pytest.approx(first)
    assert found.covered(2) == pytest.approx((first + 1) / 2)
    assert found.covered(10) == pytest.approx((first + 1) / 3)
    assert found.of(np.array([False, True, True])).covered(1) == 1


def test_words_of_a_document_of_the_vocabulary_are_known_by_two_others():
    found = words([4, 3, 2, 1, 0], [[0] * 5])
    assert found.without_own().counts.tolist() == [3, 2, 0, 0, 0]


def test_a_term_of_more_words_than_documents_is_nowhere_rare():
    assert words([9], [[1]]).rarity == words([7], [[1]]).rarity


def test_without_words_nothing_is_known():
    none = words([], np.zeros((2, 0)))
    assert (none.unseen, none.rarity, none.shared(10)) == (1, 1, 0)
    assert none.covered(10) == 0
