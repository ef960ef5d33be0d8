"""The printed table of rankers, by hand."""

from ticketing.evaluation.comparison import Cell, Line, retrieval_text
from ticketing.evaluation.runs import Ranked


def test_a_mean_is_marked_where_it_differs_and_half_its_interval_stands_below():
    line = Line("M", "channels h and E", Ranked({}, {}), {"Acc@10": [0.5]})
    shown = retrieval_text([line], [{"Acc@10": Cell(0.5, 0.2, 0.6, p=0.04)}])
    assert [" ".join(row.split()) for row in shown] == [
        "Acc@10",
        "M 0.500*",
        "channels h and E ±0.200",
    ]
