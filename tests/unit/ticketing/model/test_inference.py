"""A trained model: what it makes of a text."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiny import TINY
from ticketing.encoders.terms import SUM
from ticketing.model.components import (
    kept_fields,
    query_fields,
    query_tokens,
    ticket_fields,
    ticket_tokens,
)
from ticketing.model.inference import MOST_UNKNOWN, Model
from ticketing.model.registry import Registry
from ticketing.model.saving import model_in
from ticketing.networks.making import network_of
from ticketing.retrieval.parts import distances
from ticketing.text import token_lines, tokenize
from ticketing.tickets import Query, Ticket


@given(*[st.text("aB1.-:é\n ", max_size=12)] * 3)
def test_the_fields_of_a_ticket_hold_the_tokens_of_its_text(subject, description, solution):
    """Topics are of all of it, and codes of its components."""
    ticket = Ticket("T", subject, description, solution)
    assert [*chain.from_iterable(ticket_fields(ticket).values())] == tokenize(ticket.text)


@given(*[st.text(max_size=12)] * 3)
def test_tokens_that_a_store_keeps_are_the_fields_of_a_ticket(subject, description, solution):
    """In one line, as they were kept before, it is not said whose they are."""
    ticket = Ticket("T", subject, description, solution)
    kept = token_lines(subject, description, solution)
    for tokens in (kept, kept.replace("\n", " ")):
        assert kept_fields(ticket, tokens) == ticket_fields(ticket)


def near(one, other):
    """Codes equal up to rounding: sums in another order may differ by one step."""
    return np.abs(one.astype(int) - other.astype(int)).max() <= 1


def test_texts_become_tokens_by_component():
    ticket = Ticket("T", "Pump trip", "", "Restart 2 pumps")
    assert ticket_tokens(ticket_fields(ticket), TINY) == (
        ["pump", "trip"],
        [],
        ["restart", "<num>", "pumps"],
    )
    merged = TINY.model_copy(update={"pairs": "merged"})
    assert query_tokens(query_fields(Query("Pump", "Trip")), merged) == (["pump", "trip"],)


@pytest.mark.parametrize("repeats", [0.5, 1])
@pytest.mark.parametrize("share", [0, 0.3, 1])
def test_e_is_what_the_network_that_learned_makes_of_texts(model, share, repeats):
    """Whatever share their wholes have, and however much repeated words count."""
    changed = {"whole_share": share, "repeats": repeats}
    settings = model.settings.model_copy(update=changed)
    model = Model(model.vocabulary, settings, model.arrays, model.resources)
    items = [([3, 4], [5, 6, 7], [8]), ([], [2, 3, 2], []), ([9], [], [4, 4])]
    found, learned = model.encode_ids(items).vectors["E"], network_of(model).encode(items)
    np.testing.assert_allclose(found, learned.vectors["E"].detach().numpy(), atol=1e-5)
    assert (found[0, 0] == found[0, 1]).all() == (share == 1)


def test_rows_do_not_depend_on_batch_mates_or_order(model, archive_tickets):
    rows = model.encode_tickets(archive_tickets[:12])
    turned = model.encode_tickets(archive_tickets[:12][::-1])
    assert near(rows, turned[::-1])
    for ticket, row in zip(archive_tickets[:12], rows, strict=True):
        assert near(model.encode_tickets([ticket])[0], row)


def test_more_texts_than_are_encoded_at_once(model, archive_tickets):
    many = archive_tickets * 7
    rows = model.encode_tickets(many)
    assert rows.shape == (280, model.layout.width)
    assert near(rows[:40], rows[240:])


def test_codes_do_not_depend_on_which_words_came_before(trained, archive_tickets):
    """What a word does to the LSTM is computed when it first comes."""
    bundle = Registry(trained[0]).load(trained[1])
    one, other = model_in(bundle), model_in(bundle)
    rows = [one.encode_tickets([ticket])[0] for ticket in archive_tickets]
    with ThreadPoolExecutor(4) as pool:
        turned = [*pool.map(lambda t: other.encode_tickets([t])[0], archive_tickets[::-1])]
    assert np.array_equal(rows, turned[::-1])


def test_no_tickets_are_no_rows(model):
    assert model.encode_tickets([]).shape == (0, model.layout.width)


def test_missing_components_are_told_by_the_last_byte(model):
    rows = model.encode_tickets([Ticket("T", "Trip", "", "Restart"), Ticket("U", "", "?!", "")])
    assert rows[:, -1].tolist() == [0b101, 0]
    size = int(model.layout.bounds[-1])
    assert not rows[0, size : 2 * size].any()


def test_a_query_and_a_ticket_of_one_text_have_one_code(model):
    query = model.encode_query(Query("Trip of unit", "Vibration of bearing"))
    row = model.encode_tickets([Ticket("T", "Trip of unit", "Vibration of bearing")])[0]
    size = int(model.layout.bounds[-1])
    assert near(query.codes.reshape(-1), row[: 2 * size])
    assert query.known and query.present.tolist() == [True, True]


def test_a_subject_of_few_words_weighs_less_than_a_description_of_many(model):
    """Three terms of eight beside nine: V and U of the subject are 3/8 of the description's."""
    query = model.encode_query(Query("Trip of unit", "one two three four five six seven nine ten"))
    assert query.shares.tolist() == [0.375, 1]
    whole = (1 << len(model.settings.ticket_components)) - 1
    weights = query.weights[whole].sum((1, 2))  # [P]
    told = model.pattern_weights(np.ones(2))[whole].sum((1, 2))
    assert weights[0] / weights[1] == pytest.approx(0.375 * told[0] / told[1])
    assert weights.sum() == pytest.approx(told.sum())
    alone = model.encode_query(Query("Trip of unit"))
    assert alone.weights[whole][0].sum() == pytest.approx(told.sum())


def test_a_query_and_a_ticket_of_one_text_share_all_terms(model):
    query = model.encode_query(Query("Trip of unit qwfpgj", "Vibration of bearing"))
    rows = model.encode_tickets([Ticket("T", "Trip of unit qwfpgj", "Vibration of bearing")])
    apart = distances(rows, query, model.layout)[0, ..., -1]  # [P, R]
    assert (apart[0, 0], apart[1, 1]) == (0, 0)
    assert (apart[:, 2] == 2 * SUM).all()
    assert (apart[[0, 1], [1, 0]] > 0).all()


def test_a_row_knows_when_its_ticket_was_created(model):
    noon = datetime(2014, 9, 1, 12)
    rows = model.encode_tickets([Ticket("T", "Trip", created=noon), Ticket("U", "Trip")])
    minutes = model.layout.minutes(rows, np.array([0, 1])).tolist()
    assert minutes == [round((noon - datetime(1970, 1, 1)).total_seconds() / 60), 0]


def test_a_query_of_unknown_words_is_its_spelling(model):
    query = model.encode_query(Query("xyzzyx qwfpgj"))
    assert not query.known
    assert query.present.tolist() == [True, False]
    assert (query.codes != model.encode_query(Query("arstdh")).codes).any()


def test_a_number_makes_no_query_known(model):
    """Its mask stands in the vocabulary."""
    number = model.encode_query(Query("qwfpgj 99")).words[-1]
    assert number in model.vocabulary
    assert not model.encode_query(Query("qwfpgj 99")).known


def test_a_query_without_a_word_has_no_component(model):
    query = model.encode_query(Query("?!", "..."))
    assert not query.known and not query.present.any()


def test_unknown_words_beyond_the_limit_are_passed_over(model):
    names = [chr(97 + i % 26) * 3 + chr(97 + i // 26) * 4 for i in range(MOST_UNKNOWN + 50)]
    all_of_them = model.encode_query(Query("", " ".join(names)))
    first = model.encode_query(Query("", " ".join(names[:MOST_UNKNOWN])))
    assert near(all_of_them.codes, first.codes)
