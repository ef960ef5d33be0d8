"""Channel L by hand, and its distances against dictionaries of weights."""

from math import log

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ticketing.encoders.protocol import Parts, Texts
from ticketing.encoders.settings import EncoderSettings
from ticketing.encoders.terms import (
    BUCKETS,
    SUM,
    TERMS,
    TermEncoder,
    bucket_of,
    fullness,
    term_of,
)
from ticketing.networks.terms import crossed_terms, matched_terms, missing_terms, spread
from ticketing.text.vocabulary import Vocabulary

WORDS = ["turbine", "turbines", "trip", "<num>", "?!", *(f"word{i}" for i in range(60))]
VOCABULARY = Vocabulary(WORDS, [6, 1, 3, 30, 30] + [1] * 60, 40)
ENCODER = TermEncoder(Parts(VOCABULARY, EncoderSettings()))


def encoded(ids, unknown=()):
    """Texts in vocabulary ids as terms; nothing of their embeddings is looked at."""
    return torch.from_numpy(ENCODER(Texts(ids, unknown=unknown)))


ID = {word: id for id, word in enumerate(WORDS, start=1)}


def weights_of(row) -> dict[int, int]:
    """Weight by bucket: int [2, TERMS]."""
    return {bucket: weight for bucket, weight in row.T.tolist() if bucket}


def test_a_term_is_the_start_of_a_word_and_masks_and_marks_have_none():
    assert [term_of(word) for word in ("turbines", "trip", "<num>", "?!", "<url>")] == [
        "turbin",
        "trip",
        "",
        "",
        "",
    ]
    assert term_of("überhitzung") == "überhi"


def test_a_bucket_is_never_that_of_nothing():
    buckets = {bucket_of(f"term{i}") for i in range(2000)}
    assert min(buckets) >= 1 and max(buckets) < BUCKETS
    assert len(buckets) > 1900
    assert bucket_of("") == 0


def test_the_weights_of_three_words_by_hand():
    """turbine turbines trip: the term turbin stands twice and in 6 + 1 tickets, trip once in 3.

    2/3 ln(41 / 7.5) = 1.1324 and 1/2 ln(41 / 3.5) = 1.2304; of 255 they are 122.2 and 132.8.
    """
    turbin, trip = 2 / 3 * log(41 / 7.5), 1 / 2 * log(41 / 3.5)
    assert (turbin, trip) == (pytest.approx(1.1324, abs=1e-4), pytest.approx(1.2304, abs=1e-4))
    [row] = encoded([[ID["turbine"], ID["turbines"], ID["trip"]]])
    assert row.dtype == torch.int32
    assert row.shape == (2, TERMS)
    assert row[:, :3].tolist() == [[bucket_of("trip"), bucket_of("turbin"), 0], [133, 122, 0]]
    assert not row[:, 3:].any()


def test_a_text_of_few_terms_counts_in_part():
    """Of two terms in three words, of a mark, of eight terms and of nine."""
    many = [ID[f"word{i}"] for i in range(10, 19)]
    short = [ID["turbine"], ID["turbines"], ID["trip"]]
    texts = encoded([short, [ID["<num>"]], many[:8], many])
    assert fullness(texts.numpy(), 8).tolist() == [2 / 8, 1 / 8, 1, 1]
    assert fullness(texts.numpy(), 1).tolist() == [1, 1, 1, 1]


def test_inflected_forms_meet():
    [one, other] = encoded([[ID["turbine"]], [ID["turbines"]]])
    assert one.equal(other)


def test_masks_and_marks_are_left_out():
    [with_them, without] = encoded([[ID["<num>"], ID["trip"], ID["?!"], ID["?!"]], [ID["trip"]]])
    assert with_them.equal(without)
    assert weights_of(without) == {bucket_of("trip"): SUM}


@pytest.mark.parametrize("text", [[], [ID["<num>"], ID["?!"]]])
def test_a_text_without_terms_has_no_weights_and_is_at_distance_2_even_of_itself(text):
    row = encoded([text, [ID["trip"]]])
    assert not row[0].any()
    assert crossed_terms(row[:1, None], row[:, None]).flatten().tolist() == [2, 2]


def test_unknown_words_count_as_the_rarest():
    """ln(41 / .5) = 4.4067 beside ln(41 / 3.5) = 2.4608, each once: 163.6 and 91.4 of 255."""
    beyond = len(VOCABULARY)
    [row] = encoded([[ID["trip"], beyond + 1]], unknown=["pump", "gt13e2"])
    assert weights_of(row) == {bucket_of("gt13e2"): 164, bucket_of("trip"): 91}


def test_of_a_long_text_the_heaviest_terms_are_kept():
    text = [ID["turbine"], ID["trip"]] + [ID[f"word{i}"] for i in range(TERMS - 1)]
    [row] = encoded([text])
    kept = weights_of(row)
    assert len(kept) == TERMS and sum(kept.values()) == SUM
    assert bucket_of("trip") in kept and bucket_of("turbin") not in kept


TEXTS = st.lists(st.lists(st.integers(1, len(WORDS)), max_size=50), min_size=1, max_size=4)


@given(TEXTS)
def test_weights_of_a_text_add_up_and_descend_but_for_rounding(texts):
    for text, row in zip(texts, encoded(texts), strict=True):
        weights = row[1].numpy()
        assert weights.sum() == (SUM if any(term_of(WORDS[id - 1]) for id in text) else 0)
        assert (weights >= 0).all() and (np.diff(weights) <= 1).all()
        assert ((row[0] == 0) == (row[1] == 0)).all()


def by_hand(one, other) -> float:
    one, other = weights_of(one), weights_of(other)
    return 2 - 2 * sum(min(one[x], other[x]) for x in one.keys() & other.keys()) / SUM


@given(TEXTS, TEXTS)
def test_distances_are_the_manhattan_ones_of_the_weights(queries, tickets):
    query, ticket = encoded(queries)[None], encoded(tickets)[None]  # one text, many components
    crossed = crossed_terms(query, ticket)[0, 0]
    torch.testing.assert_close(matched_terms(query, ticket)[0], crossed)
    torch.testing.assert_close(crossed_terms(ticket, query)[0, 0], crossed.T)
    for p, r in np.ndindex(*crossed.shape):
        assert float(crossed[p, r]) == pytest.approx(by_hand(query[0, p], ticket[0, r]))
        one, other = spread(query[0, p]), spread(ticket[0, r])
        if one.any() and other.any():
            apart = abs(one.int() - other.int()).sum() / SUM
            assert float(crossed[p, r]) == pytest.approx(float(apart), abs=1e-6)


@given(TEXTS, TEXTS)
def test_matched_distances_are_the_diagonal_of_crossed_ones(queries, tickets):
    n = min(len(queries), len(tickets))
    query, ticket = encoded(queries[:n])[:, None], encoded(tickets[:n])[:, None]
    matched, crossed = matched_terms(query, ticket), crossed_terms(query, ticket)
    assert crossed.shape == (n, n, 1, 1)
    for i in range(n):
        assert matched[i].equal(crossed[i, i])


@given(TEXTS)
def test_a_text_with_terms_is_at_distance_0_of_itself(texts):
    rows = encoded(texts)
    apart = matched_terms(rows[:, None], rows[:, None]).flatten()
    assert apart.tolist() == [0.0 if row.any() else 2.0 for row in rows]


def terms(*texts):
    """Texts as pairs of bucket and weight: int [1, texts, 2, TERMS]."""
    rows = torch.zeros(1, len(texts), 2, TERMS, dtype=torch.int32)
    for row, text in zip(rows[0], texts, strict=True):
        for place, (bucket, weight) in enumerate(text):
            row[:, place] = torch.tensor([bucket, weight])
    return rows


def test_what_a_whole_ticket_lacks_of_each_of_a_querys_texts():
    """The subject's 7 and 9 stand in two components, one of them in both; the description's 8
    stands nowhere. How much a term weighs in the ticket does not matter."""
    query = terms([(7, 155), (9, 100)], [(8, 55), (9, 200)], [])
    ticket = terms([(7, 255)], [], [(7, 1), (9, 254)])
    missing = missing_terms(query, torch.cat([ticket, terms([(9, 255)], [], [])]))  # [1, 2, 3]
    assert missing[0].flatten().tolist() == pytest.approx([0, 55 / 255, 1, 155 / 255, 55 / 255, 1])
