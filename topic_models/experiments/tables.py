"""Figures as lines of text: ours beside the published ones, and readings side by side."""

from collections.abc import Iterator, Mapping

from topic_models.experiments.trials import Figures, Result, Trained

Published = tuple[float, float]
"""A perplexity and a precision."""

FORMATS = ("{:.1f}", "{:.3f}")
THEIR_FORMATS = ("{:g}", "{:.2f}")
NAMES = ("perplexity", "precision")


def heading() -> str:
    """What the columns of `result_lines` and `tried` are."""
    return _cells("", ["perplexity ", "published", "precision ", "published", "seconds"])


def tried(trained: Trained, varied: tuple[str, ...]) -> str:
    """The validation figures of a model to choose from, and what sets it apart."""
    perplexity, precision = (
        form.format(figure) + " " for form, figure in zip(FORMATS, trained.validation, strict=True)
    )
    apart = ", ".join(f"{name} {getattr(trained.model.settings, name)}" for name in varied)
    cells = _cells("  validation", [perplexity, "", precision, "", f"{trained.seconds:.0f}"])
    return f"{cells}  {apart}"


def result_lines(kind: str, result: Result, published: Published | None) -> Iterator[str]:
    """The test figures of the models chosen: a line where one is best at both, else two.

    Only the figure that a model was chosen by stands beside a published one.
    """
    theirs = published or (None, None)
    seconds = f"{result.seconds:.0f}"
    if result.likeliest == result.nearest:
        yield _cells(kind, [*_pairs(result.likeliest, theirs), seconds])
    else:
        yield _cells(kind, [*_pairs(result.likeliest, (theirs[0], None)), seconds])
        yield _cells("  by precision", [*_pairs(result.nearest, (None, theirs[1])), ""])


def side_by_side(
    name: str, results: Mapping[str, Mapping[str, Result]], published: Mapping[str, Published]
) -> Iterator[str]:
    """A column of figures for each reading of a data set, `results` by reading and kind."""
    yield f"\n{name}, readings side by side"
    yield _cells("", ["", "published", *(f"{reading} " for reading in results)])
    for kind in next(iter(results.values())):
        theirs = published.get(kind, (None, None))
        for place, figure in enumerate(NAMES):
            ours = [_pairs(_best(by_kind[kind]), theirs)[2 * place] for by_kind in results.values()]
            shown = _shown(theirs[place], THEIR_FORMATS[place])
            yield _cells("" if place else kind, [figure, shown, *ours])


def _best(result: Result) -> Figures:
    return Figures(result.likeliest.perplexity, result.nearest.precision)


def _pairs(ours: Figures, theirs: tuple[float | None, float | None]) -> list[str]:
    """Each of our figures, starred where it misses the published one that follows."""
    missed = (
        theirs[0] is not None and not ours.perplexity < theirs[0],
        theirs[1] is not None and not ours.precision > theirs[1],
    )
    cells = []
    for place, star in enumerate(missed):
        cells.append(FORMATS[place].format(ours[place]) + ("*" if star else " "))
        cells.append(_shown(theirs[place], THEIR_FORMATS[place]))
    return cells


def _shown(figure: float | None, form: str) -> str:
    return "" if figure is None else form.format(figure)


def _cells(title: str, cells: list[str]) -> str:
    return f"{title:14}" + "".join(f"{cell:>12}" for cell in cells)
