"""Bundles on disk: named by content, whole or refused, and never half visible."""

import json
import shutil
from datetime import datetime, timedelta

import numpy as np
import pytest

from ticketing.errors import BundleError, InputError, NotFound
from ticketing.model import registry
from ticketing.model.registry import Registry
from ticketing.tickets import ModelKind

FACTS = {"network": {"hidden": 2}}
DOCUMENTS = {"vocabulary": {"words": ["trip", "ausfall", "überhitzt"]}}
ARRAYS = {"network": {"w": np.arange(6, dtype=np.float32).reshape(2, 3)}}


@pytest.fixture
def models(tmp_path):
    return Registry(tmp_path / "models")


@pytest.fixture
def saved(models):
    return models.save(FACTS, DOCUMENTS, ARRAYS)


def test_what_was_saved_comes_back(models, saved):
    loaded = models.load(saved)
    assert loaded.id == saved
    assert loaded.manifest["network"] == FACTS["network"]
    assert loaded.documents == DOCUMENTS
    assert loaded.arrays["network"]["w"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_the_same_content_is_the_same_bundle_and_other_content_is_another(models, saved):
    turned = {"network": {"w": np.asfortranarray(ARRAYS["network"]["w"])}}
    assert models.save(FACTS, DOCUMENTS, turned) == saved
    assert models.ids() == [saved]
    other = {"network": {"w": ARRAYS["network"]["w"] + 1}}
    assert models.save(FACTS, DOCUMENTS, other) != saved
    assert models.save({"network": {"hidden": 3}}, DOCUMENTS, ARRAYS) != saved
    assert len(models.ids()) == 3


@pytest.fixture
def clock(monkeypatch):
    """Sets the time at which bundles are trained, in minutes."""

    def set_to(minute):
        time = datetime(2024, 5, 1) + timedelta(minutes=minute)
        monkeypatch.setattr(registry, "utc_now", lambda: time)
        return time

    return set_to


def test_ids_come_oldest_first(models, clock):
    ids = {minute: (clock(minute), models.save({"n": minute}, {}, {})) for minute in (3, 1, 4, 2)}
    assert models.ids() == [ids[minute][1] for minute in (1, 2, 3, 4)]
    assert models.saved() == {id: time for time, id in ids.values()}


def test_a_bundle_says_itself_when_it_was_trained(models, clock):
    time = clock(0)
    id = models.save(FACTS, DOCUMENTS, ARRAYS)
    shutil.copytree(models.folder, models.folder.with_name("copy"))
    assert Registry(models.folder.with_name("copy")).saved() == {id: time}


def test_a_bundle_that_does_not_say_when_it_was_trained_counts_as_the_oldest(models, saved):
    newer = models.save({"n": 1}, {}, {})
    edit(models, saved, lambda m: m.pop("trained"))
    assert models.ids() == [saved, newer]
    assert models.saved()[saved] is None
    assert models.load(saved).id == saved


def test_a_time_that_is_none_is_no_time(models, saved):
    edit(models, saved, lambda m: m.update(trained="soon"))
    assert models.saved() == {saved: None}


def test_a_folder_without_models_has_none(models):
    assert models.ids() == []


@pytest.mark.parametrize("name", ["network.safetensors", "vocabulary.json"])
def test_a_truncated_file_is_named(models, saved, name):
    path = models.folder / saved / name
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(BundleError, match=f"{name} is truncated"):
        models.load(saved)


@pytest.mark.parametrize("name", ["network.safetensors", "vocabulary.json"])
def test_a_changed_file_is_named(models, saved, name):
    path = models.folder / saved / name
    data = bytearray(path.read_bytes())
    data[-2] ^= 1
    path.write_bytes(data)
    with pytest.raises(BundleError, match=name):
        models.load(saved)


@pytest.mark.parametrize("name", ["network.safetensors", "vocabulary.json"])
def test_a_missing_file_is_named(models, saved, name):
    (models.folder / saved / name).unlink()
    with pytest.raises(BundleError, match=f"{name} is missing"):
        models.load(saved)


def edit(models, id, change):
    path = models.folder / id / "manifest.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda m: m.update(format="something else"), "does not describe a bundle"),
        (lambda m: m.update(network={"hidden": 3}), "was changed after it was written"),
    ],
)
def test_a_foreign_or_edited_manifest_is_refused(models, saved, change, sentence):
    edit(models, saved, change)
    with pytest.raises(BundleError, match=rf"manifest\.json {sentence}"):
        models.load(saved)


def test_categories_of_an_earlier_version_are_trained_by_their_own_command(models, saved):
    """Its reader ran `ticketing train`, and the same sentence came again."""
    edit(models, saved, lambda m: m.update(version=5, kind="categories"))
    with pytest.raises(BundleError, match="train again with `ticketing categories train` and"):
        models.load(saved, ModelKind.CATEGORIES)


def test_what_to_do_with_a_bundle_of_an_earlier_version_is_one_sentence(models, saved):
    edit(models, saved, lambda m: (m.update(version=3), m.pop("kind")))
    told = (
        f"Bundle {saved} has format 3, written by an earlier version; train again with `ticketing"
        f" train` and delete it with `ticketing models delete {saved}`."
    )
    with pytest.raises(BundleError) as refused:
        models.load(saved)
    assert str(refused.value) == told
    assert models.ids() == [saved]
    assert models.ids(ModelKind.RANKING) == []


def test_a_bundle_of_a_later_version_is_said_to_be_one(models, saved):
    edit(models, saved, lambda m: m.update(version=99))
    with pytest.raises(BundleError, match="has format 99, written by a later version; run that"):
        models.load(saved)


def test_each_kind_is_listed_apart_and_loaded_as_what_it_is(models, saved):
    other = models.save(FACTS, DOCUMENTS, ARRAYS, ModelKind.CATEGORIES)
    assert other != saved
    assert models.ids(ModelKind.CATEGORIES) == [other]
    assert models.ids(ModelKind.RANKING) == [saved]
    assert models.load(other, ModelKind.CATEGORIES).manifest["kind"] == ModelKind.CATEGORIES
    with pytest.raises(InputError, match=f"Bundle {other} is of kind categories, not ranking"):
        models.load(other)


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", "\xff", "null", pytest.param("[" * 10**5, id="deep")]
)
def test_a_manifest_that_is_no_json_object_is_refused(models, saved, text):
    (models.folder / saved / "manifest.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(BundleError, match=r"manifest\.json"):
        models.load(saved)


@pytest.mark.parametrize("id", ["", "0123456789abcdef", ".."])
def test_an_unknown_bundle_is_not_found(models, saved, id):
    with pytest.raises(NotFound, match="There is no bundle"):
        models.load(id)


def test_an_interrupted_save_leaves_nothing(models, saved, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(registry.os, "fsync", full)
    with pytest.raises(OSError):
        models.save({"n": 2}, DOCUMENTS, ARRAYS)
    assert models.ids() == [saved]
    assert [path.name for path in models.folder.iterdir()] == [saved]


def test_what_a_killed_save_leaves_behind_is_not_listed(models, saved):
    """Everything is written, and only the last rename is missing."""
    (models.folder / saved).rename(models.folder / ".tmp1234")
    assert models.ids() == []


def test_saving_again_mends_a_damaged_bundle(models, saved):
    path = models.folder / saved / "network.safetensors"
    path.write_bytes(path.read_bytes()[:-5])
    assert models.save(FACTS, DOCUMENTS, ARRAYS) == saved
    assert models.load(saved).arrays["network"]["w"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert [path.name for path in models.folder.iterdir()] == [saved]


def test_a_bundle_saved_again_is_the_newest(models, clock):
    clock(0)
    first = models.save({"n": 0}, {}, {})
    clock(1)
    second = models.save({"n": 1}, {}, {})
    clock(2)
    assert models.save({"n": 0}, {}, {}) == first
    assert models.ids() == [second, first]


def test_a_deleted_bundle_is_gone_and_may_be_deleted_again(models, saved):
    models.delete(saved)
    models.delete(saved)
    assert models.ids() == []


def test_arrays_are_maps_of_the_file_which_stays_as_it_was(models, saved):
    """Processes share the memory; one that writes writes for itself."""
    one, other = (models.load(saved).arrays["network"]["w"] for _ in range(2))
    one[:] = 7
    assert one.base is not None and other.tolist() == [[0, 1, 2], [3, 4, 5]]
    models.verify(saved)


def test_an_older_format_that_can_be_read_is(models, saved):
    def older(manifest):
        manifest["version"] = 12

    edit(models, saved, older)
    manifest = json.loads((models.folder / saved / "manifest.json").read_bytes())
    renamed = registry.id_of(manifest)
    (models.folder / saved).rename(models.folder / renamed)
    assert models.load(renamed).arrays["network"]["w"].tolist() == [[0, 1, 2], [3, 4, 5]]
