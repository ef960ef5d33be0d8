"""Converts a model to the content of a bundle, and back."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ticketing.encoders.protocol import Saved
from ticketing.encoders.registry import ENCODERS
from ticketing.encoders.vector_cache import VectorCache
from ticketing.files import Json
from ticketing.model.bundle import Bundle
from ticketing.model.calibration import Calibration
from ticketing.model.inference import Model
from ticketing.model.layout import CodeLayout
from ticketing.model.recency import Recency
from ticketing.model.rescoring import Rescoring
from ticketing.model.settings import PLAIN, NetworkSettings
from ticketing.text.vocabulary import Vocabulary

_NAME = "encoder-{}"
"""Name of a bundle's files with an encoder's data."""


def content_of(model: Model) -> tuple[Json, dict[str, Json], dict[str, dict[str, np.ndarray]]]:
    """Facts, documents and arrays of a model for `Registry.save`."""
    facts = {
        "network": model.settings.model_dump(mode="json"),
        "layout": asdict(model.layout),
        "recency": asdict(model.recency),
        "rescoring": model.rescoring.to_json(),
        "calibration": model.calibration.to_json(),
    }
    arrays = {"network": model.saved_arrays, "anchors": {"codes": model.anchors}}
    documents = {"vocabulary": model.vocabulary.to_json()}
    for channel, resource in model.resources.items():
        if save := ENCODERS[channel].save:
            saved = save(resource)
            documents[_NAME.format(channel)] = saved.document
            arrays[_NAME.format(channel)] = saved.arrays
    return facts, documents, arrays


def model_in(bundle: Bundle, checkpoints: Path | None = None) -> Model:
    """The model in a bundle.

    Its sentence encoder, if any, reuses vectors that a training has cached in `checkpoints`, if
    these still exist.
    """
    # Older bundles were trained with these values.
    settings = NetworkSettings(**(PLAIN | bundle.manifest["network"]))
    layout: Json = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in bundle.manifest["layout"].items()
    }
    return Model(
        Vocabulary.from_json(bundle.documents["vocabulary"]),
        settings,
        bundle.arrays["network"],
        _resources(settings, bundle, checkpoints),
        CodeLayout(**layout),
        Calibration.from_json(bundle.manifest["calibration"]),
        Recency(**bundle.manifest["recency"]),
        Rescoring.from_json(bundle.manifest["rescoring"]),
        bundle.id,
        bundle.arrays["anchors"]["codes"],
    )


def _resources(
    settings: NetworkSettings, bundle: Bundle, checkpoints: Path | None
) -> dict[str, Any]:
    """The saved resources of the bundle's encoders, by channel."""
    found = {}
    for channel in settings.channels:
        if load := ENCODERS[channel].load:
            name = _NAME.format(channel)
            found[channel] = load(Saved(bundle.documents[name], bundle.arrays.get(name, {})))
    if checkpoints and "S" in found:
        found["S"].cache = VectorCache(checkpoints, found["S"].digest, grows=False)
    return found
