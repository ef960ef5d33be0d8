"""What an interrupted training of categories may go on from, and what one is measured on."""

from dataclasses import replace

import pytest

from ticketing.classification import fit as fitting
from ticketing.classification.classifier import CategoryClassifier
from ticketing.classification.encoder import CategorySettings
from ticketing.classification.labels import CategoryLabel
from ticketing.classification.matchers import NgramMatcher
from ticketing.classification.network import CategoryNetwork
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


# measuring -----------------------------------------------------------------------


@pytest.fixture
def measured(monkeypatch, tmp_path):
    """Gives the texts that a fitted classifier, and the matcher beside it, are measured on."""
    asked, scores = {}, {kind: kind.scores for kind in (CategoryClassifier, NgramMatcher)}

    def untrained(sources, *_):
        settings = CategorySettings(dims=2, buckets=2)
        return CategoryClassifier.index(
            CategoryNetwork("ab", settings).trained(), sources.taxonomy, {}
        )

    def spied(matcher, texts):
        asked.setdefault(type(matcher), []).extend(texts)
        return scores[type(matcher)](matcher, texts)

    monkeypatch.setattr(fitting, "train", untrained)
    for kind in scores:
        monkeypatch.setattr(kind, "scores", spied)

    def find(titles):
        asked.clear()
        fitting.fit(replace(SOURCES, taxonomy=Taxonomy(titles)), ClassifierSettings(), tmp_path)
        return dict(asked)

    return find


def test_a_classifier_is_measured_on_a_bounded_number_of_titles(measured, monkeypatch):
    """5 % of 80 titles are kept from training; of the classifier both how often it is right and
    its floor are learned from them."""
    titles = [Title(f"{group} {i}", group) for group in ("pump", "fan") for i in range(40)]
    kept = measured(titles)
    assert {kind: (len(texts), len(set(texts))) for kind, texts in kept.items()} == {
        CategoryClassifier: (8, 4),
        NgramMatcher: (4, 4),
    }
    monkeypatch.setattr(fitting, "MOST_VALIDATED", 3)
    fewer = measured(titles)
    assert {kind: (len(texts), len(set(texts))) for kind, texts in fewer.items()} == {
        CategoryClassifier: (6, 3),
        NgramMatcher: (3, 3),
    }
    assert set(fewer[NgramMatcher]) < set(kept[NgramMatcher])
