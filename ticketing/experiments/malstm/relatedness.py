"""Models side by side: relatedness and entailment on pairs that none of them learned from."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import pearsonr, spearmanr
from tqdm import tqdm

from ticketing.evaluation.isotonic import HIGHEST, LOWEST
from ticketing.experiments.cache import digest, find_or_train
from ticketing.experiments.malstm.ensemble import ModelSettings, TrainingData, learn
from ticketing.experiments.malstm.entailment import EntailmentClassifier, pair_features
from ticketing.experiments.malstm.features import Channel, channels
from ticketing.experiments.malstm.model import SentenceModel
from ticketing.experiments.malstm.network import SentenceSettings
from ticketing.experiments.malstm.regression import WEIGHTS, KernelRegression
from ticketing.experiments.malstm.sick import Pair, Sick
from ticketing.model.registry import Registry
from ticketing.nn.settings import LoopSettings


class Figures(NamedTuple):
    """Pearson r, Spearman rho and mean squared error of predicted ratings."""

    r: float
    rho: float
    mse: float


PUBLISHED = {
    "MaLSTM": Figures(0.8822, 0.8345, 0.2286),
    "Dependency Tree-LSTM": Figures(0.8676, 0.8083, 0.2532),
}
"""Table 1 of Mueller and Thyagarajan (2016)."""
PUBLISHED_ACCURACY = 84.2
"""Entailment by MaLSTM's features, percent; their Table 3."""
MEMBERS = 10
"""Networks of the largest model: each has another tenth of the pairs for validation, so that none
is left out where channels are regressed on."""
MIXTURES = (("E", "L"), ("E", "L", "S"))
"""Channels that are regressed on beside h."""


class Row(NamedTuple):
    """A model's settings by name; `whole` adds what it gives without calibration, with more
    channels, and for entailment."""

    name: str
    settings: ModelSettings
    whole: bool = False


class Line(NamedTuple):
    """What was measured: on validation pairs, on all test pairs and on those that repeat no
    training pair; percent of entailment judged right; seconds of training (None: nothing was
    trained). A calibration is fitted to the validation pairs, so on them it does a little too well;
    a mixture's regression leaves each of them out in turn."""

    name: str
    validation: Figures
    test: Figures
    new: Figures
    accuracy: float | None = None
    seconds: float | None = None


_ADADELTA = LoopSettings(
    optimizer="adadelta",
    learning_rate=8.0,
    epochs=16,
    patience=16,
    batch_size=32,
    decay=True,
)
PUBLISHED_SETTINGS = ModelSettings(
    network=SentenceSettings(),
    teacher="words",
    pretraining=_ADADELTA.model_copy(update={"epochs": 2}),
    training=_ADADELTA,
)
"""The last state of 50 units, Manhattan, Adadelta; other pairs are those of `datasets`."""


def rows(teacher: Literal["words", "encoder"]) -> list[Row]:
    """The table's rows: the published configuration, what each of its parts is worth, and ours."""
    published, ours = PUBLISHED_SETTINGS, ModelSettings(teacher=teacher)
    return [
        Row("MaLSTM as published", published, whole=True),
        Row("  no synonyms", _with(published, synonyms=0.0)),
        Row("  no other pairs before", _with(published, teacher="none")),
        Row("  cosine", _with(published, network=SentenceSettings(metric="cosine"))),
        Row("  Euclidean", _with(published, network=SentenceSettings(metric="euclidean"))),
        Row("mean of states, weighted units", ours),
        Row("  no other pairs before", _with(ours, teacher="none")),
        Row(f"  {MEMBERS} of these", _with(ours, members=MEMBERS), whole=True),
    ]


def _with(settings: ModelSettings, **changes: object) -> ModelSettings:
    return settings.model_copy(update=changes)


def lines(
    chosen: Sequence[Row], data: Sick, training_data: TrainingData, seed: int, folder: Path
) -> Iterator[Line]:
    """Train (or find in `folder`) a model a row and measure it on the test pairs.

    A bar counts networks over all rows, with an estimate.
    """
    with tqdm(total=sum(row.settings.members for row in chosen), unit="network") as bar:
        for row in chosen:
            bar.set_description(row.name.strip())
            model, seconds = find_model(row.settings, training_data, seed, folder)
            trial = _Trial(model, data, seed)
            line = trial.line(row.name, model.calibrated)._replace(seconds=seconds)
            yield line._replace(accuracy=trial.accuracy()) if row.whole else line
            if row.whole:
                yield trial.line("  no calibration", lambda g: LOWEST + (HIGHEST - LOWEST) * g)
            if row.whole and row.settings.members > 1:
                yield from _mixtures(trial, training_data)
            bar.update(row.settings.members)


def _mixtures(trial: "_Trial", training_data: TrainingData) -> Iterator[Line]:
    known = channels(training_data.vectors, trial.data.training, training_data.encoder)
    for names in MIXTURES:
        if set(names) <= set(known):
            yield trial.mixture(names, [known[name] for name in names])


@dataclass(frozen=True)
class _Trial:
    """A model to be measured."""

    model: SentenceModel
    data: Sick
    seed: int

    @cached_property
    def similarities(self) -> npt.NDArray[np.float32]:
        """g of the test pairs: [n]."""
        return self.model.similarity(
            [p.one for p in self.data.test], [p.other for p in self.data.test]
        )

    @cached_property
    def validation(self) -> list[Pair]:
        """The training pairs that a network did not learn from."""
        return [self.data.training[i] for i in self.model.validation]

    def line(
        self, name: str, rate: Callable[[npt.NDArray[np.float32]], npt.NDArray[np.floating]]
    ) -> Line:
        """What g gives when `rate` maps it to ratings; on validation pairs a calibration rates what
        it was fitted to."""
        found = figures(rate(self.model.validation_similarity), self.validation)
        return Line(name, found, *self._on_test(rate(self.similarities)))

    def mixture(self, names: Sequence[str], chosen: Sequence[Channel]) -> Line:
        """What g and other channels give by kernel regression, learned from validation pairs alone:
        g of a pair that its network has learned from would promise too much."""
        known = [
            self.model.validation_similarity[:, None],
            *(channel(self.validation) for channel in chosen),
        ]
        test = [self.similarities[:, None], *(channel(self.data.test) for channel in chosen)]
        ratings = [pair.relatedness for pair in self.validation]
        regression = KernelRegression(known, ratings, [WEIGHTS[name] for name in ("h", *names)])
        return Line(
            f"  with {', '.join(names)} beside h",
            figures(regression.left_out, self.validation),
            *self._on_test(regression.predict(test)),
            self.accuracy(chosen),
        )

    def accuracy(self, beside: Sequence[Channel] = ()) -> float:
        """Percent of entailment judged right, by the features of MaLSTM and other channels."""
        known, test = (
            [pair_features(self.model, pairs), *(channel(pairs) for channel in beside)]
            for pairs in self.data
        )
        return EntailmentClassifier(known, self.data.training, self.seed).accuracy(
            test, self.data.test
        )

    def _on_test(self, ratings: npt.NDArray[np.floating]) -> tuple[Figures, Figures]:
        new = [i for i, repeated in enumerate(self.data.repeated()) if not repeated]
        return figures(ratings, self.data.test), figures(
            ratings[new], [self.data.test[i] for i in new]
        )


def find_model(
    settings: ModelSettings, training_data: TrainingData, seed: int, folder: Path
) -> tuple[SentenceModel, float | None]:
    """The model of some settings and the seconds that its training took here; what an earlier run
    of the same version left in `folder`, whole or in part, is not done again, nor are a smaller
    model's members."""
    named = settings.model_dump_json(exclude={"members"}), training_data.digest, str(seed)
    own, models = folder / digest(version("ticketing"), *named), Registry(folder / "models")
    seconds = None

    def train() -> str:
        nonlocal seconds
        start = perf_counter()
        bundle_id = learn(settings, training_data, seed, own).save(models)
        seconds = perf_counter() - start
        return bundle_id

    record = own / f"model-{settings.members}.json"
    return find_or_train(record, partial(SentenceModel.load, models), train), seconds


def figures(predicted: npt.NDArray[np.floating], pairs: Sequence[Pair]) -> Figures:
    """How well predicted ratings [n] follow people's; NaN for fewer than two pairs."""
    if len(pairs) < 2:
        return Figures(np.nan, np.nan, np.nan)
    rated = np.array([pair.relatedness for pair in pairs])
    r, rho = pearsonr(predicted, rated).statistic, spearmanr(predicted, rated).statistic
    return Figures(float(r), float(rho), float(np.mean((predicted - rated) ** 2)))
