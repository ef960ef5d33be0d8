"""What benchmarks keep is found again only for what it was made of."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.benchmarks.reading import bundles
from tests.benchmarks.reading.cases import Case


def test_a_bundle_is_found_again_by_its_settings_and_its_teachers_weights(
    tmp_path, trained, archive_tickets, encoder, monkeypatch
):
    shutil.copytree(trained[0], tmp_path / "models")
    trainings = []

    def train(*given):
        trainings.append(given)
        return trained[1]

    monkeypatch.setattr(bundles, "train", train)
    case = Case("small", archive_tickets, [], archive_tickets)

    def find(*overrides):
        kept = bundles.Bundles(tmp_path, (f"training.teacher={encoder}", *overrides))
        assert kept.rankers(case, "small", "taught").model.id == trained[1]
        return len(trainings)

    assert [find(), find(), find("training.seed=3")] == [1, 1, 2]
    (encoder / "model.safetensors").write_bytes(b"tuned anew")
    assert [find(), find()] == [3, 3]


@pytest.mark.parametrize("package", ["networks", "retrieval", "training"])
def test_other_code_of_what_makes_a_bundle_makes_another(package, tmp_path, monkeypatch):
    core = SimpleNamespace(__file__=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(bundles, "ticketing", core)
    (tmp_path / package).mkdir()
    names = []
    for text in ("one = 1", "one = 1", "one = 2"):
        Path(tmp_path, package, "module.py").write_text(text)
        bundles.code_digest.cache_clear()
        names.append(bundles.code_digest())
    bundles.code_digest.cache_clear()
    assert names[0] == names[1] != names[2]
