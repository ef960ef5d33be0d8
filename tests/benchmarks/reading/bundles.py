"""Bundles that are trained for a case, and how they rank it without a calendar.

Trained bundles and the tickets' codes are kept, by a digest of what they were made of, the code
of training included: a second run only ranks.
"""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from tqdm import tqdm

import ticketing
import topic_models
from tests.benchmarks.reading.cases import Case, Scores
from ticketing.arrays import read_arrays, write_arrays
from ticketing.cli.model_settings import read_settings
from ticketing.errors import ArraysError
from ticketing.evaluation.runs import Rankers
from ticketing.experiments.cache import (
    archive_digest,
    digest,
    find_or_train,
    labels_digest,
    settings_digest,
)
from ticketing.model.inference import Model
from ticketing.model.registry import Registry
from ticketing.model.saving import model_in
from ticketing.retrieval.memory import EncodedTickets, encoded
from ticketing.training.train import train

TRAINED = {
    "untaught": ('training.teacher=""',),
    "taught": (),
    "S": ('network.channels=["h", "E", "T", "L", "S"]',),
}
"""Settings of the bundles that are trained here, by ranker."""

MADE_BY = ("encoders", "model", "networks", "nn", "retrieval", "text", "training")
"""Packages that a trained bundle depends on."""


@cache
def code_digest() -> str:
    """Names the code that trains and encodes."""
    core = Path(ticketing.__file__).parent
    folders = [*(core / name for name in MADE_BY), Path(topic_models.__file__).parent]
    files = sorted(file for folder in folders for file in folder.rglob("*.py"))
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:16]


class Bundles:
    """Trained bundles and codes below one folder; `overrides` are settings of every training."""

    def __init__(self, folder: Path, overrides: Sequence[str] = ()):
        self.folder, self.overrides = folder, tuple(overrides)

    def scores(self, case: Case, family: str, ranker: str) -> Scores:
        """What a ranker of this room, NAME or NAME:CHANNELS for some channels alone, makes of a
        case. `family` names what it learns from: trainings of one share what they can."""
        name, _, channels = ranker.partition(":")
        rankers = self.rankers(case, family, name)
        every = rankers.model.settings.channels
        recommender = rankers.recommender(channels or every, rescored=not channels)
        place = {id: i for i, id in enumerate(case.ids)}
        scores = np.full((len(case.queries), len(place)), -np.inf)
        queries = tqdm(case.queries, desc=ranker, leave=False)
        for row, query, allowed in zip(scores, queries, case.eligible, strict=True):
            compared = recommender.compare(query)
            compared.distances[~allowed] = np.inf  # which rescoring must not see either
            for id, distance in recommender.best(compared, len(place)).run:
                row[place[id]] = -distance
        return scores

    def rankers(self, case: Case, family: str, name: str) -> Rankers:
        """The rankers of a case by the bundle that `name` is."""
        folder = Path(name)
        if name in TRAINED:
            model = model_in(self._trained(case, family, name))
        else:
            model = model_in(Registry(folder.parent).load(folder.name))
        return Rankers(model, self._encoded(model, case))

    def _trained(self, case: Case, family: str, name: str):
        overrides = TRAINED[name] + self.overrides
        network, training = read_settings(None, overrides)
        made_of = archive_digest(case.learned), labels_digest(case.labels)
        key = digest(code_digest(), *made_of, settings_digest(network, training))
        registry = Registry(self.folder / "models")
        checkpoints = self.folder / "checkpoints" / family
        return find_or_train(
            self.folder / "trained" / f"{key}.json",
            registry.load,
            lambda: train(case.learned, case.labels, network, training, registry, checkpoints),
        )

    def _encoded(self, model: Model, case: Case) -> EncodedTickets:
        key = digest(code_digest(), model.id, archive_digest(case.tickets))
        file = self.folder / "codes" / f"{key}.safetensors"
        try:
            return EncodedTickets(case.tickets, read_arrays(file)[0]["codes"])
        except ArraysError:
            made = encoded(model, case.tickets, "tickets")
            write_arrays(file, {"codes": made.codes("").codes})
            return made
