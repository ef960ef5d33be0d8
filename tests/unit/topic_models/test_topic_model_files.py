"""Saved models: written whole, refused with a sentence when damaged or foreign."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from topic_models import LDA, DocNADE, DocNADESettings, ModelFileError
from topic_models.files import write_arrays


@pytest.fixture
def model():
    return DocNADE(DocNADESettings(vocabulary_size=4, topics=2, epochs=1)).fit([[0, 1], [2, 3]])


@pytest.fixture
def folder(model, tmp_path):
    model.save(tmp_path / "model")
    return tmp_path / "model"


def edit(folder, **changes):
    path = folder / "model.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def refused(folder, reason, kind=DocNADE):
    with pytest.raises(ModelFileError, match=reason):
        kind.load(folder)


def test_saving_replaces_an_older_model_and_leaves_nothing_beside_it(model, folder):
    other = DocNADE(DocNADESettings(vocabulary_size=4, topics=2, epochs=1, seed=9)).fit([[3]])
    other.save(folder)

    assert np.array_equal(DocNADE.load(folder).transform([[0]]), other.transform([[0]]))
    assert [path.name for path in folder.parent.iterdir()] == ["model"]
    assert sorted(path.name for path in folder.iterdir()) == ["arrays.safetensors", "model.json"]


def test_saving_leaves_a_folder_of_other_things_alone(model, tmp_path):
    (tmp_path / "thesis.txt").write_text("x")

    with pytest.raises(ModelFileError, match="holds other files"):
        model.save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_failed_save_leaves_the_older_model(model, folder, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("topic_models.files.write_arrays", fail)
    with pytest.raises(OSError, match="No space"):
        model.save(folder)

    assert np.array_equal(DocNADE.load(folder).transform([[0]]), model.transform([[0]]))
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_a_model_that_cannot_be_moved_in_leaves_the_older_one(model, folder, monkeypatch):
    rename = Path.rename

    def fail(path, target):
        if path.name == "new":
            raise OSError(5, "Input/output error")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(OSError, match="Input/output"):
        model.save(folder)

    assert np.array_equal(DocNADE.load(folder).transform([[0]]), model.transform([[0]]))
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_a_file_is_hidden_until_it_is_whole(tmp_path, monkeypatch):
    """What a killed process leaves of it is nobody's checkpoint."""
    beside, replace = [], os.replace

    def replaced(source, target):
        beside.extend(path.name for path in tmp_path.iterdir())
        replace(source, target)

    monkeypatch.setattr(os, "replace", replaced)
    write_arrays(tmp_path / "key.topics", {"epochs": np.zeros(1)}, {})
    [name] = beside
    assert name.startswith(".key.topics.")
    assert [path.name for path in tmp_path.iterdir()] == ["key.topics"]


def test_no_folder_is_no_model(tmp_path):
    refused(tmp_path / "nothing", "There is no saved model in .*nothing")


@pytest.mark.parametrize("name", ["model.json", "arrays.safetensors"])
@pytest.mark.parametrize("keep", [0, 7, -1])
def test_a_truncated_file_is_refused_by_name(folder, name, keep):
    path = folder / name
    content = path.read_bytes().rstrip()
    path.write_bytes(content[:keep])

    refused(folder, f"{name} is truncated or damaged")


def test_missing_arrays_are_refused(folder):
    (folder / "arrays.safetensors").unlink()

    refused(folder, "arrays.safetensors does not exist")


def test_a_changed_byte_is_refused(folder):
    path = folder / "arrays.safetensors"
    content = bytearray(path.read_bytes())
    content[-2] ^= 1
    path.write_bytes(content)

    refused(folder, "arrays.safetensors is not the file that .*model.json describes")


def test_a_model_of_another_kind_is_refused(folder):
    refused(folder, "holds a model of kind DocNADE, not LDA", kind=LDA)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"format": "recipes"}, "does not describe a topic model"),
        ({"version": 99}, "format version 99, not 1"),
        ({"settings": {"vocabulary_size": -1}}, "settings in .* cannot be used.*vocabulary_size"),
        ({"settings": {"vocabulary_size": 4, "topics": 3}}, "not float32"),
        ({"settings": None}, "holds no settings"),
    ],
)
def test_foreign_descriptions_are_refused(folder, changes, reason):
    edit(folder, **changes)

    refused(folder, reason)


def test_json_of_another_shape_is_refused(folder):
    (folder / "model.json").write_text("[1, 2]")

    refused(folder, "does not describe a topic model")
