"""What a network has learned, to look at: two pictures of the slides on MaLSTM as one page.

All sentences at their two principal components, and along single hidden units: the one that
tells negated sentences from others best, and those that tell a topic, which is any word of
some of the sentences. Both are found by correlation, none by hand.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from ticketing.evaluation.report import pages
from ticketing.experiments.malstm.model import SentenceModel
from ticketing.experiments.malstm.sick import NEGATING, words

NEGATED = "negated"
RARE, FREQUENT = 0.02, 0.2
"""A topic's word is no stop word and stands in more than RARE and less than FREQUENT of them."""
TOPICS = 4
LISTED = 15
"""Sentences shown along a unit, at evenly spaced values."""
ENDS = 0.005
"""Share of the sentences left out at either end of that range."""
WIDTH = 1000
"""Width of the drawings, in their own units."""


class Dot(NamedTuple):
    """A sentence at a place from 0 to 1, and the first trait of the page that it has."""

    x: float
    y: float
    sentence: str
    trait: str


class Unit(NamedTuple):
    """A hidden unit, the trait that it tells, and some sentences (place from 0 to 1, whether they
    have the trait, text) along it."""

    number: int
    trait: str
    correlation: float
    sentences: list[tuple[float, bool, str]]
    dots: list[Dot]


def render(model: SentenceModel, sentences: Sequence[str]) -> str:
    """The page about a model's first network as HTML. Every text is escaped; nothing is loaded from
    anywhere."""
    vectors = model.encode(sentences)[0]  # [n, width]
    traits = find_traits(sentences)
    best = telling_units(vectors, traits)
    chosen = {trait: traits[trait] for trait in best}
    components = PCA(2, svd_solver="full").fit(vectors)
    page = pages(__package__).get_template("plots.html")
    return page.render(
        width=WIDTH,
        count=len(sentences),
        traits=list(chosen),
        explained=components.explained_variance_ratio_,
        dots=_dots(components.transform(vectors), sentences, chosen),
        units=[
            _unit(vectors[:, number], number, sign, trait, sentences, chosen)
            for trait, (number, sign) in best.items()
        ],
    )


def find_traits(sentences: Sequence[str]) -> dict[str, npt.NDArray[np.bool_]]:
    """Whether a sentence is negated, and whether it holds a topic's word: by trait bool [n]."""
    present = [set(words(sentence)) for sentence in sentences]
    counts = Counter(word for some in present for word in some)
    often = sorted(w for w, n in counts.items() if RARE < n / len(present) < FREQUENT)
    topics = [word for word in often if word not in NEGATING | ENGLISH_STOP_WORDS]
    found = {NEGATED: np.array([bool(some & NEGATING) for some in present])}
    return found | {word: np.array([word in some for some in present]) for word in topics}


def telling_units(
    vectors: npt.NDArray[np.float32], traits: dict[str, npt.NDArray[np.bool_]]
) -> dict[str, tuple[int, float]]:
    """The unit of [n, width] that tells each trait best, and their correlation.

    Negation comes first, then the TOPICS best told words, each by a unit of its own.
    """
    values = (vectors - vectors.mean(0)) / (vectors.std(0) + 1e-9)
    names = list(traits)
    present = np.array([traits[name] for name in names], dtype=float)
    present = (present - present.mean(1, keepdims=True)) / (present.std(1, keepdims=True) + 1e-9)
    correlations = present @ values / len(vectors)  # [traits, width]
    best: dict[str, tuple[int, float]] = {}
    strongest = np.argsort(-np.abs(correlations), axis=None, kind="stable")
    first = int(np.abs(correlations[0]).argmax())
    for place in [first, *strongest.tolist()]:
        row, unit = divmod(place, correlations.shape[1])
        if names[row] not in best and unit not in [number for number, _ in best.values()]:
            best[names[row]] = unit, float(correlations[row, unit])
        if len(best) > TOPICS:
            break
    return best


def _unit(
    values: npt.NDArray[np.float32],
    number: int,
    correlation: float,
    trait: str,
    sentences: Sequence[str],
    traits: dict[str, npt.NDArray[np.bool_]],
) -> Unit:
    values = (values - values.min()) / np.maximum(np.ptp(values), 1e-9)
    first, last = np.quantile(values, [ENDS, 1 - ENDS])
    wanted = np.linspace(first, last, LISTED)
    listed = dict.fromkeys(int(np.abs(values - value).argmin()) for value in wanted)
    spread = np.random.default_rng(0).random(len(values))
    return Unit(
        number,
        trait,
        correlation,
        [(float(values[i]), bool(traits[trait][i]), sentences[i]) for i in listed],
        _dots(np.stack([values, spread], 1), sentences, {trait: traits[trait]}),
    )


def _dots(
    places: npt.NDArray[np.floating],
    sentences: Sequence[str],
    traits: dict[str, npt.NDArray[np.bool_]],
) -> list[Dot]:
    """Places [n, 2] of any range, scaled to fill a picture; sentences without a trait first."""
    low, high = places.min(0), places.max(0)
    scaled = (places - low) / np.maximum(high - low, 1e-9)  # [n, 2]
    dots = [
        Dot(x, y, sentence, next((t for t, present in traits.items() if present[i]), ""))
        for i, ((x, y), sentence) in enumerate(zip(scaled.tolist(), sentences, strict=True))
    ]
    return sorted(dots, key=lambda dot: bool(dot.trait))
