"""The answering sentence: near the query, about the ticket, found in the solution."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.ticketing.retrieval.words import VECTORS, word_model
from ticketing.retrieval.answers import LONGEST, Answers
from ticketing.retrieval.match import Match
from ticketing.retrieval.solving import solving
from ticketing.tickets import Query, Ticket

PUMP = Query("The pump makes noise")


def answer(solution, query=PUMP, subject="pump noise"):
    [found] = answers([Ticket("1", subject, "", solution)], query)
    return found


def answers(tickets, query=PUMP, archive=()):
    code = np.zeros(1, np.uint8)
    matches = [Match(rank, each, code, 0.5, 0.5, 0.5) for rank, each in enumerate(tickets, 1)]
    return Answers(word_model(archive=archive)).answers(query, matches)


def test_the_sentence_that_is_nearest():
    assert answer("The oil was visible. The pump had noise. Case is closed.") == (
        "The pump had noise."
    )


def test_an_aside_in_the_query_s_words_is_not_the_answer():
    """The query is about oil in part; this ticket and its solution are about a pump."""
    solution = "The pump had noise. The compressor pump was changed. An oil case was separate."
    assert answer(solution, Query("pump and oil")) == "The compressor pump was changed."


def test_the_ticket_s_problem_counts_more_than_the_query():
    """Who asks about oil alone finds a ticket about a pump, whose solution is about a pump."""
    solution = "The pump was changed. An oil case was separate."
    assert answer(solution, Query("oil")) == "The pump was changed."


def test_what_was_done_comes_before_what_was_seen():
    """This archive's problems speak of noise, and its solutions of what was made visible."""
    ticket = Ticket("1", "pump noise", "", "Excluded: a pump noise. The pump was made visible.")
    many = [(VECTORS[seen], VECTORS["visible"]) for seen in ("noise", "vibration")] * 50
    assert answers([ticket]) == ["Excluded: a pump noise."]
    assert answers([ticket], archive=many) == ["The pump was made visible."]


def test_few_tickets_do_not_tell_how_solutions_speak():
    few = word_model(
        archive=[(VECTORS["noise"], VECTORS["oil"]), (VECTORS["oil"], VECTORS["pump"])]
    )
    many = word_model(archive=[(VECTORS["noise"], VECTORS["oil"])] * 50)
    assert np.linalg.norm(solving(few)) < 0.5 < np.linalg.norm(solving(many)) <= 1 + 1e-6
    assert not solving(word_model()).any()


def test_no_solution_has_no_answer():
    assert answer("") == answer(" \n") == ""


def test_code_is_an_answer_only_where_there_is_nothing_else():
    assert answer("Pump();\n\nx = {1, 2};") == "Pump();"
    assert answer("pump(noise); x = [];\nSee the oil plan.") == "See the oil plan."


def test_a_long_sentence_is_cut_at_a_word():
    found = answer("The pump " + "and the compressor " * 40)
    assert len(found) <= LONGEST and found.endswith("compressor …")


def test_each_ticket_has_the_answer_it_has_alone():
    tickets = [
        Ticket("1", "pump", "", "Oil the pump now. Then it was visible."),
        Ticket("2", "oil", ""),
        Ticket("3", "", "", "Make no noise. The vibration went away."),
    ]
    assert answers(tickets) == [answers([ticket])[0] for ticket in tickets]
    assert answers([]) == []


@given(st.lists(st.text(alphabet="pumoilnse .!\n", max_size=80), max_size=4))
def test_an_answer_is_a_part_of_the_solution(solutions):
    tickets = [Ticket(str(i), "", "", solution) for i, solution in enumerate(solutions)]
    for solution, sentence in zip(solutions, answers(tickets), strict=True):
        assert sentence in " ".join(solution.split())
        assert bool(sentence) == bool(solution.strip())
