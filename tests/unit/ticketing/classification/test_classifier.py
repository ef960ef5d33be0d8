"""The category classifier itself: what the network reads, what it learns, what a NO changes."""

import random

import numpy as np
import pytest
import torch

from ticketing.classification.augmentation import typos
from ticketing.classification.classifier import CategoryClassifier
from ticketing.classification.encoder import CategorySettings
from ticketing.classification.labels import CategoryLabel
from ticketing.classification.matchers import SpellingMatcher, TfidfMatcher
from ticketing.classification.network import CategoryNetwork
from ticketing.classification.objective import objective, shared_levels
from ticketing.classification.pairs import (
    Pair,
    PairSampler,
    SamplingSettings,
    Sources,
    close_groups,
)
from ticketing.classification.settings import ClassifierSettings, ObjectiveSettings
from ticketing.classification.synonyms import induce
from ticketing.classification.taxonomy import Taxonomy, Title
from ticketing.classification.training import train
from ticketing.classification.trials import titles_trial
from ticketing.errors import BundleError, NotFound
from ticketing.model.registry import Registry
from ticketing.nn.settings import LoopSettings, RecurrentSettings
from ticketing.tickets import ModelKind

TINY = CategorySettings(
    dims=16,
    ngrams=3,
    buckets=1 << 10,
    encoder=RecurrentSettings(hidden=16, bidirectional=True, pooling="mean", dense=24),
)
THINGS = {
    "printer": ("printer", "print queue"),
    "vpn": ("vpn", "remote access"),
    "mail": ("mail", "inbox"),
    "phone": ("phone", "headset"),
    "payroll": ("payroll", "salary slip"),
    "door": ("door badge", "entry card"),
}
TROUBLES = ("does not start", "is slow", "shows an error", "was lost", "needs a reset")


def known() -> Taxonomy:
    return Taxonomy(
        Title(f"{name} {trouble}", group)
        for group, names in THINGS.items()
        for name in names
        for trouble in TROUBLES
    )


FILLERS = (
    "kindly",
    "yesterday",
    "urgently",
    "question",
    "regarding",
    "tomorrow",
    "hello",
    "today",
    "customer",
    "sometimes",
    "still",
    "again",
    "since",
    "always",
)


def sources(labels=()) -> Sources:
    return Sources(known(), induce(known()), FILLERS, labels)


def settings(epochs: int, rate: float = 1e-2, **sampling) -> ClassifierSettings:
    return ClassifierSettings(
        network=TINY,
        sampling=SamplingSettings(**sampling),
        loop=LoopSettings(
            learning_rate=rate,
            epochs=epochs,
            patience=99,
            batch_size=4,
            least_steps=0,
            decay=True,
        ),
    )


@pytest.fixture(scope="module")
def model() -> CategoryClassifier:
    return train(sources(), [], settings(8))


def misspelt(seed: int) -> list[tuple[str, str]]:
    """A typo in each known title, and its group."""
    chance = random.Random(seed)
    return [(typos(t.text, 0.04, 0.02, chance), t.group) for t in known().titles]


def share_found(model: CategoryClassifier, asked: list[tuple[str, str]]) -> float:
    return np.mean([model.suggest(text, 1)[0].group == group for text, group in asked])


# the network ---------------------------------------------------------------------


def network(**changes) -> CategoryNetwork:
    torch.manual_seed(1)
    return CategoryNetwork("abcdefgh ", TINY.model_copy(update=changes))


def test_a_vector_is_of_length_one_and_does_not_depend_on_its_company():
    net = network()
    alone = net.trained().encode(["abc"])
    among = net.trained().encode(["abcdefgh abcdefgh", "abc", "h"])
    assert np.linalg.norm(alone) == pytest.approx(1, abs=1e-6)
    assert np.array_equal(among[1], alone[0])


@pytest.mark.parametrize("pooling", ["last", "mean"])
@pytest.mark.parametrize("shape", [{}, {"layers": 2, "bidirectional": True}, {"dense": 5}])
@torch.no_grad()
def test_what_serves_reads_as_the_network_that_was_trained(pooling, shape):
    encoder = TINY.encoder.model_copy(update={"pooling": pooling, **shape})
    net = network(encoder=encoder, ngrams=4).eval()
    texts = ["abc", "h", "", "abcdefgh hgfedcba ab", "漢字"]
    np.testing.assert_allclose(net.trained().encode(texts), net(texts).numpy(), atol=1e-5)


def test_every_letter_and_their_order_count_with_and_without_strings():
    for ngrams in (1, 3):
        vectors = network(ngrams=ngrams).trained().encode(["abc", "abd", "bbc", "acb", "abcc"])
        apart = np.linalg.norm(vectors[0] - vectors[1:], axis=1)
        assert (apart > 1e-4).all()


def test_case_blanks_and_what_is_beyond_the_longest_text_do_not_count():
    vectors = network().trained().encode(["ab  C", "AB c", "a" * 100, "a" * 100 + "b"])
    assert vectors[0] == pytest.approx(vectors[1])
    assert vectors[2] == pytest.approx(vectors[3])


def test_texts_are_read_in_their_own_order_so_that_a_seed_decides_a_training(monkeypatch):
    """Not in that of a set, which Python draws anew for every process."""
    net, read = network(), []
    whole = net.embed
    monkeypatch.setattr(net, "embed", lambda texts: read.extend(texts) or whole(texts))
    texts = [f"{a}{b}" for a in "zyxwv" for b in "qponm"]
    net([*texts, *texts[::-1]])
    assert read == texts


def test_any_text_has_a_vector():
    vectors = network().trained().encode(["", "漢字", "🙂"])
    assert np.isfinite(vectors).all()


# sampling ------------------------------------------------------------------------


def pairs(stage: int, labels=()) -> list[Pair]:
    sampler = PairSampler(sources(labels), SamplingSettings(stage=stage, labels=0.25))
    chance = random.Random(1)
    return [pair for _ in range(9) for block in sampler.blocks(chance) for pair in block]


def test_stage_0_pairs_titles_of_one_group():
    groups_of = known().groups_of
    for pair in pairs(0):
        assert pair.one != pair.other
        assert groups_of[pair.one] == groups_of[pair.other] == {pair.group}


def test_stage_1_has_a_tenth_of_pairs_with_typos():
    made = pairs(1)
    share = np.mean([pair.other not in known().groups_of for pair in made])
    assert share == pytest.approx(0.1, abs=0.03)
    assert all(len(set(p.one) & set(p.other)) > 2 for p in made)


def test_stage_2_substitutes_and_stage_3_adds_words():
    fillers = set(FILLERS)
    assert not any(fillers & set(pair.other.split()) for pair in pairs(2))
    assert any(fillers & set(pair.other.split()) for pair in pairs(3))


def test_stage_4_has_what_people_said():
    labels = [CategoryLabel("prnter", "printer", True), CategoryLabel("vpm", "mail", False)]
    judged = [pair for pair in pairs(4, labels) if pair.one in ("prnter", "vpm")]
    assert {(pair.one, pair.group, pair.same) for pair in judged} == {
        ("prnter", "printer", True),
        ("vpm", "mail", False),
    }
    assert all(pair.other in known().groups[pair.group] for pair in judged)
    assert not [pair for pair in pairs(3, labels) if pair.one in ("prnter", "vpm")]


def test_a_block_is_a_group_and_others_close_to_it():
    close = close_groups(
        Taxonomy(
            Title(text, group)
            for group, text in (("x", "red car"), ("y", "red cars"), ("z", "old boat"))
        )
    )
    assert {name: others[0] for name, others in close.items()} == {"x": "y", "y": "x", "z": "x"}


@pytest.mark.parametrize("loss", ["softmax", "contrastive", "contrastive as printed", "triplet"])
def test_every_loss_can_be_trained_with(loss):
    net = CategoryNetwork("abcdefghijklmnopqrstuvwxyz ", TINY)
    blocks = PairSampler(sources(), SamplingSettings()).blocks(random.Random(1))[:6]
    blocks[0].append(Pair("vpm", "mail is slow", "mail", same=False))
    value = objective(net, blocks, ObjectiveSettings(loss=loss))
    value.backward()
    assert value.item() > 0
    assert any(p.grad.abs().sum() > 0 for p in net.parameters())


@pytest.mark.parametrize("loss", ["softmax", "contrastive", "contrastive as printed", "triplet"])
def test_a_batch_of_one_group_has_no_strangers_and_still_a_loss(loss):
    """What strangers and the hierarchy would add is left out; a pair alone has its own energy E."""
    net = CategoryNetwork("abcdefghijklmnopqrstuvwxyz ", TINY).eval()
    settings, codes = ObjectiveSettings(loss=loss, hierarchy=1.0), {"mail": "11"}
    blocks = [[Pair("vpn", "mail is slow", "mail")]]
    value = objective(net, blocks, settings, codes)
    with torch.no_grad():
        one, other = net(["vpn", "mail is slow"])
    energy = (one @ other).item()
    pair_losses = {"softmax": 0, "triplet": max(0, settings.margin - energy - 1)}
    assert value.item() == pytest.approx(pair_losses.get(loss, (1 - energy) ** 2 / 4), abs=1e-6)
    value.backward()
    assert all(p.grad is None or p.grad.isfinite().all() for p in net.parameters())


def test_levels_are_shared_from_the_top():
    assert shared_levels(["2166", "2151", "2166", "9"]).tolist() == [
        [4, 2, 4, 0],
        [2, 4, 2, 0],
        [4, 2, 4, 0],
        [0, 0, 0, 4],
    ]


def test_the_hierarchy_counts_only_where_it_is_asked_for():
    net = CategoryNetwork("abcdefghijklmnopqrstuvwxyz ", TINY)
    blocks = PairSampler(sources(), SamplingSettings()).blocks(random.Random(1))[:4]
    codes = dict.fromkeys(THINGS, "11")
    with_codes = objective(net, blocks, ObjectiveSettings(hierarchy=1.0), codes)
    without = objective(net, blocks, ObjectiveSettings(), codes)
    assert with_codes > without == objective(net, blocks, ObjectiveSettings())


# learning ------------------------------------------------------------------------


def test_it_finds_the_category_of_misspelt_titles(model):
    assert share_found(model, misspelt(1)) > 0.9


def test_training_is_repeatable_and_an_interrupted_one_ends_the_same(tmp_path):
    whole = train(sources(), [], settings(2))
    checkpoint = tmp_path / "checkpoint"
    stopped = PairSampler.blocks

    def stops(self, chance):
        if stops.calls == 2:  # once to count the batches, once to train an epoch
            raise KeyboardInterrupt
        stops.calls += 1
        return stopped(self, chance)

    stops.calls = 0
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(PairSampler, "blocks", stops)
        train(sources(), [], settings(2), checkpoint)
    resumed = train(sources(), [], settings(2), checkpoint)
    assert resumed.id == whole.id


def test_the_best_epoch_on_the_trials_is_kept():
    trial = titles_trial([Title("printer is slow", "printer")])
    history = train(sources(), [trial], settings(2)).facts["history"]
    assert [set(epoch) for epoch in history] == [{"epoch", "loss", "quality"}] * 2


def test_fifty_noes_remove_a_confusion_and_nothing_else_gets_worse(model):
    """People ask for the "paper tray", which is no known title; the model takes it for `wrong`."""
    asked = [
        f"{before}paper tray {trouble} {filler}"
        for before in ("", "please ")
        for trouble in TROUBLES
        for filler in FILLERS
    ]
    random.Random(1).shuffle(asked)
    proposed = [model.suggest(text, 1)[0].group for text in asked]
    wrong = max(set(proposed), key=proposed.count)
    confused = [text for text, group in zip(asked, proposed, strict=True) if group == wrong]
    said = confused[:50]
    unsaid = confused[50:]
    assert len(said) == 50 and len(unsaid) > 10
    elsewhere = share_found(model, misspelt(2))

    labels = [CategoryLabel(text, wrong, False) for text in said]
    corrected = train(sources(labels), [], settings(6, 3e-3, labels=0.5), begin=model)

    still = [text for text in unsaid if corrected.suggest(text, 1)[0].group == wrong]
    assert still == []
    assert sum(corrected.suggest(text, 1)[0].group == wrong for text in said) <= 1
    assert share_found(corrected, misspelt(2)) >= elsewhere


# suggesting and saving -------------------------------------------------------------


def test_suggestions_are_distinct_groups_nearest_first(model):
    found = model.suggest("vpn is slow", 4)
    assert found[0].group == "vpn" and found[0].title == "vpn is slow"
    assert found[0].score == pytest.approx(1, abs=1e-5)
    assert len({item.group for item in found}) == 4
    assert [item.score for item in found] == sorted((i.score for i in found), reverse=True)


def test_a_score_is_the_weighted_mean_of_energy_shared_letters_and_near_spellings(model):
    asked = ["vpn slow", "vpn slwo"]
    energies = model.encoder.encode(asked) @ model.vectors.T
    letters = TfidfMatcher(model.taxonomy.texts).scores(asked)
    known, new = model.scores(["VPN  slow", "vpn slwo"])
    assert known == pytest.approx((energies[0] + 0.5 * letters[0]) / 1.5, abs=1e-5)
    near = 8 * SpellingMatcher(model.taxonomy.texts).scores(asked)[1]
    mean = (energies[1] + 0.5 * letters[1]) / 1.5
    assert new == pytest.approx((mean + near) / (1 + near), abs=1e-5)


def test_near_spellings_count_where_a_word_is_new():
    matcher = SpellingMatcher(["press", "press line"])
    assert matcher.scores(["line press", ""]).tolist() == [[0, 0], [0, 0]]
    # "pres" lacks one letter of 4 + 5, and five more and a blank of 4 + 10
    assert matcher.scores(["pres"]) == pytest.approx(np.array([[(8 / 9) ** 8, (8 / 14) ** 8]]))


def test_a_saved_classifier_answers_the_same(model, tmp_path):
    models = Registry(tmp_path)
    saved = model.save(models)
    loaded = CategoryClassifier.load(models, saved)
    assert loaded.id == saved
    assert loaded.suggest("vpm slw") == model.suggest("vpm slw")
    assert loaded.facts == model.facts
    assert loaded.save(models) == saved


def test_a_saved_classifier_says_where_its_titles_come_from(model, tmp_path):
    models = Registry(tmp_path)
    of_file = model.save(models)
    titles = model.taxonomy.titles
    spelled = {title: [title.text.upper(), title.text] for title in titles[:2]}
    known = Taxonomy(titles, spelled)
    of_tickets = CategoryClassifier.index(model.encoder, known, {}).save(models)
    origins = [
        models.load(id, ModelKind.CATEGORIES).manifest["data"]["origin"]
        for id in (of_file, of_tickets)
    ]
    assert origins == ["file", "tickets"]
    assert CategoryClassifier.load(models, of_file).taxonomy.subjects is None
    loaded = CategoryClassifier.load(models, of_tickets).taxonomy.subjects
    assert loaded == {title: [] for title in titles} | spelled


def test_a_damaged_or_missing_classifier_is_one_sentence(model, tmp_path):
    models = Registry(tmp_path)
    with pytest.raises(NotFound, match="no bundle 'none'"):
        CategoryClassifier.load(models, "none")
    saved = model.save(models)
    arrays = tmp_path / saved / "titles.safetensors"
    arrays.write_bytes(arrays.read_bytes()[:-9])
    with pytest.raises(BundleError, match=r"titles\.safetensors is truncated"):
        CategoryClassifier.load(models, saved)


def test_a_classifier_that_goes_on_leaves_the_one_it_began_with(model):
    train(sources(), [], settings(1), begin=model)
    again = CategoryClassifier.index(model.encoder, model.taxonomy, {})
    assert again.vectors.tobytes() == model.vectors.tobytes()
