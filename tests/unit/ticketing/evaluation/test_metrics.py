"""Metrics of tiny runs, and TREC runs, by hand."""

from math import log2

import ir_measures
import numpy as np
import pytest
from ir_measures import Success

from tests.benchmarks import rescoring
from tests.rankings import NO, ONE, REL, TWO, YES, labels, ranking
from ticketing.errors import InputError
from ticketing.evaluation.metrics import MEASURES, evaluate, with_answers, write_run
from ticketing.model.rescoring import Rescoring
from ticketing.tickets import Query, grades_of


def test_metrics_by_hand():
    """YES at ranks 2 and 3 and one missed; REL at rank 1."""
    judged = labels(ONE, A=YES, B=YES, C=YES, R=REL, N=NO)
    run = {ONE.id: ranking("R", "A", "B", *(f"x{i}" for i in range(9)), "C")}
    table = {name: values[0] for name, values in evaluate(judged, run).items()}
    assert (table["Acc@1"], table["Acc@5"], table["Acc@10"]) == (0, 1, 1)
    assert table["MRR@10"] == pytest.approx(1 / 2)
    assert table["MAP@10"] == pytest.approx((1 / 2 + 2 / 3) / 3)
    assert table["Recall@100"] == pytest.approx(1)
    ideal = 2 / log2(2) + 2 / log2(3) + 2 / log2(4) + 1 / log2(5)
    assert table["nDCG@10"] == pytest.approx((1 / log2(2) + 2 / log2(3) + 2 / log2(4)) / ideal)
    assert table["judged@10"] == pytest.approx(3 / 10)


def test_judged_is_the_share_of_what_was_shown():
    judged = labels(ONE, A=YES, B=NO, C=REL)
    assert evaluate(judged, {ONE.id: ranking("A", "B", "C")})["judged@10"] == [1]
    assert evaluate(judged, {ONE.id: ranking("A", "x", "y", "B")})["judged@10"] == [1 / 2]
    assert evaluate(judged, {})["judged@10"] == [0]


def test_the_benchmark_of_rescoring_measures_as_everything_else_does():
    """Twelve right tickets, of which three are among the first ten."""
    ids = [f"{i:02d}" for i in range(14)]
    found, missed = {"00", "03", "04"}, {f"missed {i}" for i in range(9)}
    judged = labels(ONE, **dict.fromkeys(found | missed, YES))
    right = np.array([id in found for id in ids])
    example = rescoring.RankedQuery(np.zeros((14, 3)), np.arange(14.0), right)
    table = evaluate(judged, {ONE.id: ranking(*ids)})
    assert rescoring.measured([(example, 12)], Rescoring()) == pytest.approx(
        (table["Acc@10"][0], table["MAP@10"][0])
    )


def test_a_judged_query_without_results_still_counts():
    judged = labels(ONE, A=YES) + labels(TWO, A=YES)
    for run in ({ONE.id: ranking("A")}, {ONE.id: ranking("A"), TWO.id: []}):
        table = evaluate(judged, run)
        assert set(table) == set(MEASURES)
        assert table["Acc@10"] == [1, 0]
        assert all(len(values) == 2 for values in table.values())


def test_no_results_at_all_are_zeros():
    assert evaluate(labels(ONE, A=YES), {})["MAP@10"] == [0]


def test_queries_without_a_yes_cannot_be_answered_and_do_not_count():
    judged = labels(ONE, A=YES, B=NO) + labels(TWO, A=REL, B=NO)
    assert with_answers(judged) == judged[:2]
    assert len(evaluate(judged, {})["Acc@10"]) == 1
    assert grades_of(judged) == {ONE.id: {"A": 2, "B": 0}, TWO.id: {"A": 1, "B": 0}}


def test_equal_distances_keep_the_order_of_the_run():
    run = {ONE.id: [("Z", 1.0), ("A", 1.0), ("M", 1.0)]}
    assert evaluate(labels(ONE, A=YES), run)["MRR@10"] == [pytest.approx(1 / 2)]
    assert evaluate(labels(ONE, Z=YES), run)["MRR@10"] == [1]


def test_a_trec_run_by_hand(tmp_path):
    linked = Query("linked", ticket_id="T-7")
    judged = labels(ONE, A=YES) + labels(linked, B=YES)
    run = {ONE.id: [("A", 0.5), ("B", 12.25)], linked.id: [("B", 1.0)]}
    write_run(tmp_path / "deep" / "run.txt", judged, run, "tag")
    assert (tmp_path / "deep" / "run.txt").read_text() == (
        f"{ONE.id} Q0 A 1 -0.500000 tag\n{ONE.id} Q0 B 2 -12.250000 tag\nT-7 Q0 B 1 -1.000000 tag\n"
    )


def test_no_two_queries_of_a_run_have_one_name(tmp_path):
    """A ticket as it was and as it is now: the last one has its name, as in queries.jsonl."""
    before, after = Query("leak", ticket_id="T-7"), Query("oil leak", ticket_id="T-7")
    judged = labels(before, A=YES) + labels(after, A=YES)
    run = {before.id: [("A", 1.0)], after.id: [("A", 2.0)]}
    write_run(tmp_path / "run.txt", judged, run, "tag")
    assert (tmp_path / "run.txt").read_text() == "T-7 Q0 A 1 -2.000000 tag\n"


def test_a_run_read_back_has_the_same_order_where_tickets_are_as_near(tmp_path):
    judged = labels(ONE, B=YES)
    run = {ONE.id: [("B", 0.5), ("A", 0.5), ("C", 0.5000001), ("D", 0.6)]}
    write_run(tmp_path / "run.txt", judged, run, "tag")
    read = ir_measures.read_trec_run(str(tmp_path / "run.txt"))
    value = ir_measures.calc_aggregate([Success @ 1], grades_of(judged), read)[Success @ 1]
    assert value == evaluate(judged, run)["Acc@1"][0] == 1
    scores = [float(line.split()[4]) for line in (tmp_path / "run.txt").read_text().splitlines()]
    assert scores == [-0.5, -0.500001, -0.500002, -0.6]


def test_a_run_whose_columns_an_id_would_part_is_refused_and_not_written(tmp_path):
    judged = labels(ONE, right=YES)
    with pytest.raises(InputError, match="'a b' holds white space"):
        write_run(tmp_path / "run.txt", judged, {ONE.id: ranking("a b")}, "tag")
    assert not (tmp_path / "run.txt").exists()
