"""A model on its way through a bundle."""

from ticketing.model.registry import Registry
from ticketing.model.saving import content_of, model_in


def test_a_loaded_model_saves_as_itself(trained):
    registry = Registry(trained[0])
    facts, documents, arrays = content_of(model_in(registry.load(trained[1])))
    manifest = registry.manifest(trained[1])
    extra = {key: manifest[key] for key in ("training", "data", "teacher", "history")}
    assert registry.save(facts | extra, documents, arrays) == trained[1]
