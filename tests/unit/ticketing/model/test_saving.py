"""A model on its way through a bundle."""

from dataclasses import replace

import numpy as np

from ticketing.model.registry import Registry
from ticketing.model.saving import content_of, model_in


def test_a_loaded_model_saves_as_itself(trained):
    registry = Registry(trained[0])
    facts, documents, arrays = content_of(model_in(registry.load(trained[1])))
    manifest = registry.manifest(trained[1])
    extra = {key: manifest[key] for key in ("training", "asked", "data", "teacher", "history")}
    assert registry.save(facts | extra, documents, arrays) == trained[1]


def test_a_bundle_of_before_these_were_settings_goes_on_as_it_was_trained(trained):
    bundle = Registry(trained[0]).load(trained[1])
    before = {"whole_share": 0, "repeats": 1, "full_terms": 1, "solution_weight": 0.1}
    network = bundle.manifest["network"]
    older = {name: value for name, value in network.items() if name not in before}
    settings = model_in(replace(bundle, manifest=bundle.manifest | {"network": older})).settings
    assert {name: getattr(settings, name) for name in before} == before
    now = {name: getattr(model_in(bundle).settings, name) for name in before}
    assert now == {"whole_share": 0.5, "repeats": 0.5, "full_terms": 8, "solution_weight": 0.3}


def test_a_bundle_of_before_spelling_was_kept_encodes_the_same(trained, archive_tickets):
    bundle = Registry(trained[0]).load(trained[1])
    model = model_in(bundle)
    network = dict(bundle.arrays["network"])
    vectors = network.pop("words.table")[:, : model.settings.word_dims]
    older = replace(
        bundle, arrays=bundle.arrays | {"network": {**network, "words.words.weight": vectors}}
    )
    rows = model.encode_tickets(archive_tickets)
    assert np.array_equal(model_in(older).encode_tickets(archive_tickets), rows)
    assert content_of(model_in(older))[2]["network"].keys() == bundle.arrays["network"].keys()
