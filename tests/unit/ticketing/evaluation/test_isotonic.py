"""The paper's regression, by hand."""

from ticketing.evaluation.isotonic import fit_scores


def test_knots_by_hand():
    """The 1 at distance 2 and the 3 at distance 3 are in the wrong order: both become 2."""
    knots, scores = fit_scores([1, 2, 3, 4], [5, 1, 3, 1])
    assert knots == (1, 2, 3, 4)
    assert scores == (5, 2, 2, 1)
