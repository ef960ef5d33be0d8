"""What an interrupted training of categories may go on from."""

from dataclasses import replace

import pytest

from ticketing.classification import fit as fitting
from ticketing.classification.labels import CategoryLabel
from ticketing.classification.pairs import Sources
from ticketing.classification.settings import ClassifierSettings
from ticketing.classification.synonyms import Synonyms
from ticketing.classification.taxonomy import Taxonomy, Title

TITLES = [
    Title(f"{thing} {trouble}", group)
    for thing, group in (("pump", "Pump"), ("fan", "Fan"))
    for trouble in ("leaks", "is loud", "stands still", "smells")
]
SOURCES = Sources(Taxonomy(TITLES), Synonyms([(("pump",), ("blower",))]), ["please", "today"])


@pytest.fixture
def checkpoint(tmp_path, monkeypatch):
    """Gives the file that a training on some sources goes on from."""

    def interrupted(sources, trials, settings, checkpoint, begin):
        checkpoint.touch()
        checkpoints.append(checkpoint)
        raise KeyboardInterrupt

    checkpoints = []
    monkeypatch.setattr(fitting, "train", interrupted)

    def find(**changes):
        with pytest.raises(KeyboardInterrupt):
            fitting.fit(replace(SOURCES, **changes), ClassifierSettings(), tmp_path)
        return checkpoints[-1]

    return find


def test_a_training_goes_on_for_the_same_sources_alone(checkpoint):
    same = [
        {},
        {"taxonomy": Taxonomy(TITLES), "synonyms": Synonyms([(("blower",), ("pump",))])},
    ]
    other = [
        {"taxonomy": Taxonomy(TITLES[1:])},
        {"synonyms": Synonyms([(("pump",), ("compressor",))])},
        {"words": ["please", "now"]},
        {"labels": [CategoryLabel("feed pump", "Pump", True)]},
        {"codes": {"Pump": "21"}},
    ]
    assert len({checkpoint(**changes) for changes in same}) == 1
    assert len({checkpoint(**changes) for changes in (*same, *other)}) == 1 + len(other)


def test_what_a_training_that_was_given_up_left_goes_when_another_begins(checkpoint, tmp_path):
    (tmp_path / "a.tuning").touch()
    checkpoint()
    again = checkpoint()
    assert again.exists()
    other = checkpoint(words=["please", "now"])
    assert other != again
    assert sorted(tmp_path.iterdir()) == sorted([other, tmp_path / "a.tuning"])
