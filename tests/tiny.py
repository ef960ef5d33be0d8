"""A bundle small enough to train within a test."""

import time

import numpy as np

from ticketing.model.saving import content_of, model_in
from ticketing.model.settings import NetworkSettings
from ticketing.training.settings import TrainingSettings

TINY = NetworkSettings(hidden=6, word_dims=8, character_dims=4, topics=5, max_words=24)


def tiny_training(**values) -> TrainingSettings:
    """Training settings with one epoch."""
    return TrainingSettings.for_loss(
        **{"epochs": 1, "least_steps": 0, "batch_size": 16, "topic_epochs": 1, "seed": 1}
        | {"teacher": "", **values}
    )


def other_bundle(desk, serving):
    """A second bundle, in which the vectors of words are exchanged."""
    model = model_in(desk.models.load(serving))
    facts, documents, arrays = content_of(model)
    network = dict(arrays["network"])
    vectors = network["words.table"]
    network["words.table"] = np.vstack([vectors[:1], vectors[:0:-1]])
    manifest = desk.models.manifest(serving)
    facts |= {key: manifest[key] for key in ("training", "data", "history")}
    return desk.models.save(facts, documents, arrays | {"network": network})


def swapped(desk, seconds=60.0):
    """Wait until the serving bundles answer in this desk's process."""
    end = time.monotonic() + seconds
    while missing := desk.readiness().missing:
        assert time.monotonic() < end, missing
        time.sleep(0.01)


def put_encoded(desk, bundle_id, tickets):
    """Store tickets with codes of a bundle, and let the bundle serve."""
    desk.store.put_tickets(tickets)
    desk.store.put_codes(bundle_id, desk.encode(bundle_id, tickets))
    desk.store.set_serving(bundle_id)
