import os
import re
import subprocess
import sys
from collections import Counter
from datetime import timedelta
from itertools import islice

import pytest

from tests.overlap import COMPONENTS, bm25_accuracy, mean_words, overlap
from ticketing.demo.catalogue import load_catalogue
from ticketing.demo.generator import generate, iter_tickets
from ticketing.tickets import Grade


@pytest.fixture(scope="module")
def base():
    return generate()


def queries(labels):
    return {label.query for label in labels}


def test_it_has_the_size_of_the_paper(base):
    assert len(base.tickets) == 949
    assert len(base.labels) == 421
    assert len(queries(base.gold)) == 28


@pytest.mark.parametrize(
    ("component", "words"), [("subject", 4.6), ("description", 65), ("solution", 74)]
)
def test_components_are_as_long_as_in_the_paper(base, component, words):
    assert mean_words(base.tickets)[component] == pytest.approx(words, rel=0.05)


def test_every_ticket_is_complete_and_no_two_read_the_same(base):
    assert all(t.subject and t.description and t.solution for t in base.tickets)
    assert len({t.id for t in base.tickets}) == 949
    assert len({t.version for t in base.tickets}) == 949
    assert {t.status for t in base.tickets} == {"Open", "Closed"}
    assert len({t.product for t in base.tickets}) == 5


def test_no_slot_is_left_unfilled(base):
    texts = [f"{t.subject} {t.description} {t.solution}" for t in base.tickets]
    texts += [f"{q.subject} {q.description}" for q in queries(base.gold) | queries(base.labels)]
    assert not [text for text in texts if re.search(r"[{}]|\.\.|  ", text)]


def test_tickets_come_in_the_order_of_their_dates_over_six_years(base):
    dates = [ticket.created for ticket in base.tickets]
    assert dates == sorted(dates)
    assert timedelta(days=5.9 * 365) < dates[-1] - dates[0] < timedelta(days=6 * 365)


def test_labelled_queries_have_several_judged_tickets_of_all_grades(base):
    assert 40 <= len(queries(base.labels)) <= 60
    assert not queries(base.labels) & queries(base.gold)
    judged = Counter(label.query for label in base.labels)
    assert set(judged.values()) <= set(range(7, 11))
    for query in judged:
        assert {label.grade for label in base.labels if label.query == query} == set(Grade)
    assert len({(label.query, label.ticket_id) for label in base.labels}) == 421


def test_gold_holds_yes_and_rel_tickets_of_every_query_and_no_ticket_twice(base):
    for query in queries(base.gold):
        own = [label for label in base.gold if label.query == query]
        assert {label.grade for label in own} == {Grade.YES, Grade.REL}
        assert len({label.ticket_id for label in own}) == len(own)
        assert sum(label.grade == Grade.YES for label in own) >= 3


def test_the_same_seed_gives_the_same_base_whatever_the_hash_seed():
    code = "from ticketing.demo.generator import generate; print(hash_of(generate()))"
    code = (
        f"import hashlib\nhash_of = lambda b: hashlib.sha256(repr(b).encode()).hexdigest()\n{code}"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
        ).stdout
        for hash_seed in ("0", "1")
    }
    assert len(digests) == 1


def test_another_seed_gives_other_tickets(base):
    assert not {t.version for t in base.tickets} & {t.version for t in iter_tickets(seed=1)}


def test_a_large_base_is_generated_lazily_and_begins_like_a_small_one(base):
    first = list(islice(iter_tickets(tickets=200_000), 949))
    assert [t.subject for t in first] == [t.subject for t in base.tickets]
    assert len({t.version for t in first}) == 949


def test_a_base_too_small_for_its_faults_is_refused():
    with pytest.raises(ValueError, match="at least"):
        generate(tickets=100)


def test_an_end_user_shares_few_words_with_the_right_ticket(base):
    right, random = overlap(base, Grade.YES), overlap(base, Grade.NO)
    assert right.shared.mean() < 0.30
    assert right.jaccard.mean() < 0.10
    assert random.shared.mean() < right.shared.mean()


def test_words_alone_do_not_find_the_right_tickets(base):
    """BM25 does well enough to be a baseline and leaves room for a learned model."""
    assert 0.35 < bm25_accuracy(base, ("subject", "description")) < 0.75
    assert bm25_accuracy(base, COMPONENTS) < 0.85


def test_end_users_word_no_text_of_their_fault_as_its_tickets_do(base):
    """The subject of an end-user query opens no YES ticket."""
    subjects = {ticket.id: ticket.subject.lower() for ticket in base.tickets}
    for label in base.gold:
        if label.grade == Grade.YES:
            assert label.query.subject.lower() != subjects[label.ticket_id]


def test_the_texts_of_the_catalogue_name_no_manufacturer():
    told = repr(load_catalogue()).lower()
    for name in ("siemens", "alstom", "general electric", "mitsubishi", "ansaldo", "abb "):
        assert name not in told
