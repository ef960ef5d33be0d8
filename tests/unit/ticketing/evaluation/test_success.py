"""Success rates (Figure 4), by hand."""

from hypothesis import given
from hypothesis import strategies as st

from ticketing.evaluation.success import Matched, Success, count_matches, success_rates
from ticketing.tickets import Grade, Label, Query

YES, REL, NO = Grade.YES, Grade.REL, Grade.NO

ONE, TWO, NONE = sorted((Query("one"), Query("two"), Query("three")), key=lambda query: query.id)


def test_matched_counts_by_hand():
    """Of ONE two of three YES and its REL are among ten; of TWO the YES is eleventh."""
    labels = [Label(ONE, id, YES) for id in "ABC"] + [Label(ONE, "R", REL), Label(ONE, "N", NO)]
    labels += [Label(TWO, "A", YES), Label(TWO, "R", REL), Label(NONE, "A", NO)]
    run = {
        ONE.id: [(id, 0.0) for id in "ANRB"],
        TWO.id: [*((f"x{i}", 0.0) for i in range(10)), ("A", 1.0)],
        NONE.id: [("A", 0.0)],
    }
    counts = count_matches(labels, run)
    assert counts == [Matched(ONE.id, 3, 1, 2, 1), Matched(TWO.id, 1, 1, 0, 0)]
    assert (counts[0].matched(False), counts[0].matched(True)) == (2, 3)


def test_success_rates_by_hand():
    counts = [Matched("a", 3, 1, 2, 1), Matched("b", 1, 1, 0, 0), Matched("c", 0, 1, 0, 1)]
    assert success_rates(counts) == [
        Success(1, False, 1 / 2, 1),
        Success(2, False, 1 / 2, 1 / 2),
        Success(3, False, 0, 1 / 2),
        Success(1, True, 2 / 3, 1),
        Success(2, True, 1 / 3, 2 / 3),
        Success(3, True, 1 / 3, 1 / 3),
    ]


def test_what_no_ranking_could_reach_has_no_rate():
    assert [x.at_least for x in success_rates([Matched("a", 1, 0, 1, 0)])] == [1, 1]
    assert success_rates([]) == []


@given(
    st.lists(
        st.builds(
            lambda gold, found: Matched("q", *gold, min(found[0], gold[0]), min(found[1], gold[1])),
            st.tuples(st.integers(0, 5), st.integers(0, 5)),
            st.tuples(st.integers(0, 5), st.integers(0, 5)),
        ),
        max_size=8,
    )
)
def test_a_rate_never_exceeds_what_is_possible_nor_rises_with_the_demand(counts):
    rates = success_rates(counts)
    assert all(0 <= rate.rate <= rate.possible <= 1 for rate in rates)
    for with_rel in (False, True):
        some = [rate.rate for rate in rates if rate.with_rel == with_rel]
        assert some == sorted(some, reverse=True)
