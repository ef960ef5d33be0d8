"""Printed tables by hand."""

from ticketing.evaluation.text_table import row_text, table_text


def test_columns_are_as_wide_as_their_widest_cell():
    assert table_text([["", "Acc@10"], ["BM25", "0.5"], ["a bundle", ""]]) == [
        "          Acc@10",
        "BM25         0.5",
        "a bundle",
    ]


def test_a_row_alone_has_the_widths_it_is_given():
    assert row_text(["r", "1", "22"], (3, 2, 2)) == "r     1  22"
