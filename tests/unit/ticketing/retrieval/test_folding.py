"""Near-copies fold into the row of the best of them; ten rows are ten distinct tickets."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ticketing.retrieval.folding import Folder
from ticketing.retrieval.match import READ, Match, certain_of
from ticketing.text import token_lines, tokenize
from ticketing.text.telling import TellingWords
from ticketing.text.vocabulary import Vocabulary
from ticketing.tickets import Query, Ticket

FOLDER = Folder(TellingWords(Vocabulary([], [], 5)))  # all words weigh the same


def matches(*texts: tuple[str, str]):
    code = np.zeros(1, np.uint8)
    for rank, (subject, description) in enumerate(texts, start=1):
        yield Match(rank, Ticket(str(rank), subject, description), code, rank, 0.5, 0.5)


def fold(*texts, limit=10):
    rows = FOLDER.fold(matches(*texts), limit)
    return [(row.best.rank, [match.rank for match in row.like]) for row in rows]


def test_one_subject_of_two_telling_words_is_one_row():
    assert fold(("Narrow pulsations", "first"), ("pump", ""), ("PULSATIONS, narrow", "x y")) == [
        (1, [3]),
        (2, []),
    ]


def test_one_telling_word_is_the_subject_of_many_things():
    assert fold(("Error", "pump leaks"), ("Error", "compressor burns")) == [(1, []), (2, [])]
    assert fold(("", ""), ("", "")) == [(1, []), (2, [])]


def test_nearly_the_same_text_under_another_subject_is_a_copy():
    words = "pump compressor rotor stator bearing valve flange gasket nozzle"  # nine, and then one
    assert fold(("", words), ("", f"{words} crane")) == [(1, [2])]  # 9 of 10
    words = words.removesuffix(" nozzle")
    assert fold(("", words), ("", f"{words} crane")) == [(1, []), (2, [])]  # 8 of 9


def test_a_word_of_each_that_the_other_lacks_counts_twice():
    """Nine of eleven are shared, though nine of the ten of either."""
    words = "pump compressor rotor stator bearing valve flange gasket nozzle"
    assert fold(("", f"{words} crane"), ("", f"{words} boiler")) == [(1, []), (2, [])]


def test_only_the_first_match_is_certain_and_only_of_the_query_that_it_solved():
    query = Query("pump", "leaks")
    first, second = matches(("a", ""), ("b", ""))
    ranked = [replace(first, solved=Query("rotor")), replace(second, solved=query)]
    assert [match.chance for match in certain_of(query, ranked)] == [0.5, 0.5]
    certain = certain_of(query, [replace(first, solved=query), second])
    assert [(x.chance, x.chance_related) for x in certain] == [(1, 0), (0.5, 0.5)]


def test_numbers_and_stop_words_make_no_difference():
    assert fold(("", "Pump 12 leaks at 07:30"), ("", "the pump 9 leaks at 14:00")) == [(1, [2])]


def test_the_limit_counts_rows_and_no_more_is_read():
    read = []

    def ranked():
        for match in matches(
            *[
                ("Gas too cold", ""),
                ("Gas too cold", ""),
                ("pump", ""),
                ("rotor", ""),
                ("crane", ""),
            ]
        ):
            read.append(match.rank)
            yield match

    rows = FOLDER.fold(ranked(), 2)
    assert [(row.best.rank, [x.rank for x in row.like]) for row in rows] == [(1, [2]), (3, [])]
    assert read == [1, 2, 3, 4]


TEXTS = st.tuples(*[st.sampled_from(["", "pump", "pump leaks", "rotor pump leaks", "oil"])] * 2)


@given(st.lists(TEXTS, max_size=12), st.integers(1, 5))
def test_every_rank_is_in_one_row_and_each_copy_ranks_below_its_row(texts, limit):
    rows = fold(*texts, limit=limit)
    ranks = sorted(rank for best, like in rows for rank in (best, *like))
    assert ranks == list(range(1, len(ranks) + 1))
    assert len(rows) <= limit
    assert len(ranks) == len(texts) or len(rows) == limit
    assert all(best < other for best, like in rows for other in like)


TEXT = st.sampled_from(["", "The pump, v2.3", "It stands. " * 9, "rotor " * READ])


@given(TEXT, TEXT, TEXT)
def test_words_are_the_same_where_tokens_are_known(subject, description, solution):
    ticket = Ticket("1", subject, description, solution)
    split = Match(1, ticket, np.zeros(1, np.uint8), 0.5, 0.5, 0.5)
    assert split.words == tokenize(split.text)
    before = " ".join(tokenize(ticket.text))  # as they were kept once
    for tokens in (token_lines(subject, description, solution), before):
        known = replace(split, tokens=tokens)
        assert known.words == split.words
        assert known.problem_words == split.problem_words
        assert known.subject_words == split.subject_words
    assert split.problem_words == tokenize(f"{subject[:READ]}\n{description[:READ]}")
    assert split.subject_words == tokenize(subject[:READ])
