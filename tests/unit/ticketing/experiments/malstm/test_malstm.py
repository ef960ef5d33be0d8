"""Networks, data sets, settings and what is measured: by hand where a number can be worked out."""

import random

import numpy as np
import pytest
import torch
from click.testing import CliRunner

from ticketing.errors import BundleError, InputError, NotFound
from ticketing.experiments.malstm import command as cli
from ticketing.experiments.malstm import relatedness
from ticketing.experiments.malstm.datasets import RatedPairs, TaughtPairs, rated_loss
from ticketing.experiments.malstm.ensemble import (
    FOLDS,
    MOST_SEED,
    ModelSettings,
    TrainingData,
    learn,
)
from ticketing.experiments.malstm.entailment import EntailmentClassifier, pair_features
from ticketing.experiments.malstm.features import WordChannel, vector_channel
from ticketing.experiments.malstm.model import SentenceModel
from ticketing.experiments.malstm.network import SentenceNetwork, SentenceSettings
from ticketing.experiments.malstm.plots import NEGATED, find_traits, render, telling_units
from ticketing.experiments.malstm.regression import PENALTY, WIDTH, Balance, KernelRegression
from ticketing.experiments.malstm.relatedness import Row, figures, find_model, lines
from ticketing.experiments.malstm.sick import JUDGMENTS, Pair, Sick
from ticketing.experiments.malstm.word_vectors import WordVectors
from ticketing.model.registry import Registry
from ticketing.nn.settings import LoopSettings, RecurrentSettings

NAMES = ["a", "no", "man", "woman", "dog", "cat", "runs", "sits", "sings", "fast", "the", "tail"]
SMALL = LoopSettings(epochs=2, least_steps=4, batch_size=8, learning_rate=0.02)
TINY = ModelSettings(
    network=SentenceSettings(encoder=RecurrentSettings(hidden=3, pooling="mean"), scaled=True),
    teacher="words",
    pretraining=SMALL,
    training=SMALL,
)


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    rows = np.random.default_rng(1).normal(size=(len(NAMES) + 1, 5)).astype(np.float32)
    rows[0] = 0
    return WordVectors(NAMES, rows)


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    """Forty pairs; the more words two sentences share, the more related they are."""
    chance = random.Random(0)
    found = []
    for i in range(40):
        one = ["a", chance.choice(NAMES[2:6]), chance.choice(NAMES[6:9])]
        other = [chance.choice([word, chance.choice(NAMES)]) for word in one]
        shared = len(set(one) & set(other))
        found.append(Pair(" ".join(one), " ".join(other), 1 + shared * 4 / 3, JUDGMENTS[i % 3]))
    return found


@pytest.fixture
def data(pairs, vectors) -> TrainingData:
    return TrainingData(pairs, vectors, {"dog": ["cat"]}, ["the dog sings"], None)


def network(vectors, **settings) -> SentenceNetwork:
    torch.manual_seed(0)
    return SentenceNetwork(
        vectors, SentenceSettings(encoder=RecurrentSettings(hidden=3), **settings)
    ).eval()


@pytest.mark.parametrize("metric", ["manhattan", "euclidean", "cosine"])
def test_a_sentence_is_as_like_itself_as_can_be_and_order_of_a_pair_is_nothing(vectors, metric):
    net = network(vectors, metric=metric)
    one, other = net([[1, 2, 3], [4, 5]]).chunk(2)
    assert net.similarity(one, one).item() == pytest.approx(1)
    assert net.similarity(one, other).item() < 1
    assert torch.equal(net.similarity(one, other), net.similarity(other, one))


def test_a_vector_does_not_depend_on_what_else_is_encoded(vectors):
    net = network(vectors, scaled=True)
    together = net.encode([[1, 2, 3, 4, 5], [6], [2, 2]])
    alone = np.vstack([net.encode([ids]) for ids in ([1, 2, 3, 4, 5], [6], [2, 2])])
    assert together == pytest.approx(alone, abs=1e-6)


def test_word_vectors_are_not_trained_and_not_kept_twice(vectors):
    names = set(network(vectors, scaled=True).state_dict())
    assert "words" not in names
    assert "weights" in names


def test_synonyms_replace_the_share_that_is_asked_for(vectors):
    pair = [Pair("a dog runs", "the dog", 4.0, "NEUTRAL")]
    dog, cat = vectors.ids(["dog", "cat"])
    [never] = RatedPairs(pair, vectors, {"dog": ["cat"]}, 0.0).examples(random.Random(0))
    [always] = RatedPairs(pair, vectors, {"dog": ["cat"]}, 1.0).examples(random.Random(0))
    assert (never.one[1], never.other[1]) == (dog, dog)
    assert (always.one[1], always.other[1]) == (cat, cat)
    assert never.label == always.label == 0.75


def test_the_rated_loss_is_the_squared_error_of_g(vectors):
    net = network(vectors)
    batch = RatedPairs([Pair("a dog", "a cat", 2.0, "NEUTRAL")], vectors, {}, 0.0).examples(
        random.Random(0)
    )
    one, other = net.encode([batch[0].one]), net.encode([batch[0].other])
    g = np.exp(-np.abs(one - other).sum())
    assert rated_loss(net, batch).item() == pytest.approx((g - 0.25) ** 2)


def test_taught_pairs_carry_the_ratings_that_the_teachers_cosines_had(vectors):
    """Cosine 1 is always rated 5 and cosine 0 always 1, so that all taught pairs are right: a
    network that finds everything alike errs by 1 on the unrelated ones only."""

    def teacher(texts):
        return np.array([[1.0, 0.0] if "dog" in text else [0.0, 1.0] for text in texts])

    rated = [
        Pair("a dog", "the dog", 5.0, "NEUTRAL"),
        Pair("a dog", "a cat", 1.0, "NEUTRAL"),
    ]
    taught = TaughtPairs(["a dog", "dog sits", "a cat"], rated, vectors, teacher)
    same = network(vectors)
    torch.nn.init.zeros_(same.encoder.lstm.weight_ih_l0)  # g is 1 for any pair of one length
    # of 6 ordered pairs 2 are related (weight 1.1, no error), 4 are not (weight 0.1, error 1)
    expected = 4 * 0.1 / (2 * 1.1 + 4 * 0.1)
    assert taught.loss(same, [[0, 1, 2]]).item() == pytest.approx(expected)
    assert sorted(taught.examples(random.Random(0))[0]) == [0, 1, 2]


def test_training_that_was_broken_off_ends_like_one_that_was_not(data, tmp_path, monkeypatch):
    whole = learn(TINY, data, 0, tmp_path / "whole")

    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(RatedPairs, "examples", stop)
        with pytest.raises(KeyboardInterrupt):
            learn(TINY, data, 0, tmp_path / "broken")
    resumed = learn(TINY, data, 0, tmp_path / "broken")
    assert resumed.validation_similarity.tolist() == whole.validation_similarity.tolist()
    other = learn(TINY, data, 1, tmp_path / "other")
    assert other.validation_similarity.tolist() != whole.validation_similarity.tolist()


def test_ten_members_hold_every_pair_back_once(data, tmp_path):
    model = learn(TINY.model_copy(update={"members": 10}), data, 0, tmp_path)
    assert sorted(model.validation) == list(range(40))
    [own] = np.flatnonzero(model.validation == 7)
    assert model.validation_ratings[own] == data.pairs[7].relatedness
    [alone] = [
        n.similarity(*map(torch.from_numpy, (a, b))).item()
        for i, (n, a, b) in enumerate(
            zip(
                model.networks,
                model.encode([data.pairs[7].one]),
                model.encode([data.pairs[7].other]),
                strict=True,
            )
        )
        if i == own // 4  # four pairs a fold
    ]
    assert model.validation_similarity[own] == pytest.approx(alone, abs=1e-6)


@pytest.mark.parametrize("few", [5, 10, 19])
def test_too_few_pairs_are_said(few, pairs, vectors):
    """Each of ten parts is the validation of a network; one pair alone has no correlation."""
    with pytest.raises(InputError, match=f"^There are {few} pairs .* and 20 are needed"):
        TrainingData(pairs[:few], vectors, {}, [], None)


def test_twenty_pairs_are_enough(pairs, vectors, tmp_path):
    enough = TrainingData(pairs[:20], vectors, {}, [], None)
    assert len(learn(TINY, enough, 0, tmp_path).validation) == 2


@pytest.fixture
def model(data, tmp_path) -> SentenceModel:
    return learn(TINY.model_copy(update={"members": 2}), data, 0, tmp_path / "training")


def test_a_saved_model_rates_as_before_and_calibration_keeps_the_order(model, tmp_path):
    one, other = ["a dog runs"] * 4, ["a dog runs", "a cat runs", "no woman", "zebra"]
    models = Registry(tmp_path / "models")
    found = SentenceModel.load(models, model.save(models))
    g = model.similarity(one, other)
    assert found.similarity(one, other).tolist() == g.tolist()
    rated = found.calibrated(g)
    assert rated.tolist() == model.calibrated(g).tolist()
    assert (np.diff(rated[np.argsort(g)]) >= 0).all()
    assert rated.min() >= 1
    assert rated.max() <= 5


def test_a_damaged_or_missing_model_is_refused(model, tmp_path):
    models = Registry(tmp_path / "models")
    with pytest.raises(NotFound, match="no bundle 'none'"):
        SentenceModel.load(models, "none")
    saved = model.save(models)
    file = next((models.folder / saved).glob("*.safetensors"))
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(BundleError, match="truncated"):
        SentenceModel.load(models, saved)


def test_what_was_left_out_is_predicted_as_without_it():
    """The closed form against fitting again without the pair."""
    chance = np.random.default_rng(0)
    features, ratings = chance.normal(size=(30, 3)), chance.uniform(2, 4, 30)
    regression = KernelRegression([features], ratings)
    scaled = Balance([features])([features])
    apart = ((scaled[:, None] - scaled[None]) ** 2).sum(-1)
    kernel = np.exp(-WIDTH * apart)
    others = np.arange(30) != 4
    weights = np.linalg.solve(
        kernel[np.ix_(others, others)] + PENALTY * np.eye(29), ratings[others] - ratings.mean()
    )
    expected = kernel[4, others] @ weights + ratings.mean()
    assert regression.left_out[4] == pytest.approx(expected, abs=1e-4)
    assert regression.predict([features]) == pytest.approx(
        kernel @ np.linalg.solve(kernel + PENALTY * np.eye(30), ratings - ratings.mean())
        + ratings.mean(),
        abs=1e-4,
    )


@pytest.mark.parametrize("weights, sums", [((), (400, 400)), ((4, 0.5), (1600, 200))])
def test_a_channel_counts_by_its_weight_however_wide_it_is(weights, sums):
    chance = np.random.default_rng(0)
    channels = [chance.normal(2, 7, (400, 1)), chance.normal(size=(400, 50))]
    balanced = Balance(channels, weights)(channels)
    assert (balanced[:, :1] ** 2).sum() == pytest.approx(sums[0], rel=1e-4)
    assert (balanced[:, 1:] ** 2).sum() == pytest.approx(sums[1], rel=1e-4)


def test_the_word_channel_by_hand(vectors):
    weights = np.arange(len(NAMES) + 1.0)  # a 1, no 2, man 3, woman 4, dog 5, cat 6, runs 7
    [found] = WordChannel(vectors, weights)([Pair("a dog runs", "no dog", 3.0, "NEUTRAL")])
    unit = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True).clip(1e-9)
    a, runs = (max(unit[i] @ unit[2], 0) for i in (1, 7))
    expected = [
        1 / 4,  # dog of a, dog, runs, no
        5 / 15,
        0,  # no two neighbours are shared
        1,
        1,
        True,  # only one is negated
        1,
        *(2, 8, (a + runs) / 2, min(a, runs)),
        *(1, 2, max(a, runs), max(a, runs)),
    ]
    assert found == pytest.approx(np.array(expected, dtype=float), abs=1e-5)


def test_sentences_without_words_of_their_own_come_as_near_as_can_be(vectors):
    [found] = WordChannel(vectors, np.ones(13))([Pair("a dog", "dog a", 5.0, "ENTAILMENT")])
    assert found.tolist()[7:] == pytest.approx([0, 0, 1, 1] * 2)


def test_a_vector_channel_is_difference_product_and_cosine():
    channel = vector_channel(
        lambda texts: np.array([[1.0, 0.0] if t == "x" else [0.6, 0.8] for t in texts])
    )
    [found] = channel([Pair("x", "y", 3.0, "NEUTRAL")])
    assert found == pytest.approx([0.4, 0.8, 0.6, 0.0, 0.6])


def test_entailment_is_learned_from_features_that_tell_it(model):
    pairs = [Pair("a", "a", 3.0, JUDGMENTS[i % 3]) for i in range(60)]
    features = np.random.default_rng(0).normal(size=(60, 4))
    features[:, 0] += 8 * (np.arange(60) % 3)
    assert EntailmentClassifier([features], pairs).accuracy([features], pairs) == 100
    assert pair_features(model, pairs).shape == (60, 2 * 2 * 3)
    assert not pair_features(model, pairs)[:, :3].any()  # a sentence differs in nothing from itself


def test_figures_by_hand():
    pairs = [Pair("a", "a", rating, "NEUTRAL") for rating in (1.0, 2.0, 4.0)]
    r, rho, mse = figures(np.array([1.0, 3.0, 2.0]), pairs)
    assert r == pytest.approx(1 / np.sqrt(2 * 14 / 3))
    assert rho == pytest.approx(0.5)
    assert mse == pytest.approx(5 / 3)


def test_a_model_is_trained_once(data, tmp_path, monkeypatch):
    first, seconds = find_model(TINY, data, 0, tmp_path)
    assert seconds > 0
    monkeypatch.setattr(relatedness, "learn", None)
    again, none = find_model(TINY, data, 0, tmp_path)
    assert none is None
    assert again.validation_similarity.tolist() == first.validation_similarity.tolist()
    with pytest.raises(TypeError):  # other data, another model
        find_model(
            TINY,
            TrainingData(data.pairs[1:], *list(vars(data).values())[1:5]),
            0,
            tmp_path,
        )


def test_another_version_trains_its_own_model(data, tmp_path, monkeypatch):
    find_model(TINY, data, 0, tmp_path)
    monkeypatch.setattr(relatedness, "version", lambda name: "9.9")
    _, seconds = find_model(TINY, data, 0, tmp_path)
    assert seconds is not None


def test_units_that_tell_negation_and_a_topic_are_found():
    sentences = [
        f"{'no' if i % 2 else 'a'} {'dog' if i % 7 == 0 else 'man'} runs" for i in range(70)
    ]
    traits = find_traits(sentences)
    assert traits[NEGATED].sum() == 35
    assert set(traits) == {NEGATED, "dog"}  # "man" and "runs" are in too many
    noise = np.random.default_rng(0).normal(size=(70, 4))
    noise[:, 2] -= 9 * traits[NEGATED]
    noise[:, 1] += 9 * traits["dog"]
    told = telling_units(noise, traits)
    assert {trait: unit for trait, (unit, _) in told.items()} == {NEGATED: 2, "dog": 1}
    assert told[NEGATED][1] < -0.9
    assert told["dog"][1] > 0.9


def test_the_page_escapes_sentences_and_loads_nothing(model):
    sentences = [f"a dog {'no ' * (i % 2)}runs" for i in range(20)] + ["a <script> runs"]
    page = render(model, sentences)
    assert "a &lt;script&gt; runs" in page
    assert "<script" not in page
    assert "http" not in page
    assert page.count("<circle") == 21 * (1 + page.count("<h2>Unit"))


def sick_folder(folder, pairs, vectors):
    (folder / "sick").mkdir()
    (folder / "vectors").mkdir()
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    rows = [f"1\t{p.one}\t{p.other}\t{p.relatedness}\t{p.judgment}\n" for p in pairs]
    for name, some in (("train", rows[:30]), ("trial", rows[30:]), ("test_annotated", rows[::2])):
        (folder / "sick" / f"SICK_{name}.txt").write_text(header + "".join(some))
    np.save(folder / "vectors" / "glove840B_300d_sick.npy", vectors.matrix[1:])
    (folder / "vectors" / "glove840B_300d_sick.vocab.txt").write_text("\n".join(vectors.words))
    return folder / "sick"


def test_the_command_prints_a_line_a_row_and_draws(tmp_path, pairs, vectors, monkeypatch):
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path / "home"))
    ten = TINY.model_copy(update={"members": 10})
    monkeypatch.setattr(cli, "rows", lambda teacher: [Row("one", TINY), Row("ten", ten, True)])
    monkeypatch.setattr(cli, "AUGMENTED", 5)
    page = tmp_path / "page.html"
    options = ["evaluate", str(sick_folder(tmp_path, pairs, vectors)), "--pictures", str(page)]
    options += ["--encoder", "", "--wordnet", str(tmp_path / "none")]
    first = CliRunner().invoke(cli.command, options, catch_exceptions=False)
    assert first.exit_code == 0
    names = [line[:34].strip() for line in first.stdout.splitlines()]
    assert names[6:10] == ["one", "ten", "no calibration", "with E, L beside h"]
    assert "their curve was fitted to" in first.stdout
    assert "20 repeat one" in first.stdout
    assert page.read_text().startswith("<!doctype html>")
    again = CliRunner().invoke(cli.command, options, catch_exceptions=False)
    without_seconds = [line[:115].rstrip() for line in first.stdout.splitlines()]
    assert [line[:115].rstrip() for line in again.stdout.splitlines()] == without_seconds


def test_a_seed_is_refused_where_a_members_own_would_be_too_great(tmp_path):
    assert MOST_SEED * FOLDS + FOLDS - 1 < 2**32 <= (MOST_SEED + 1) * FOLDS + FOLDS - 1
    asked = ["evaluate", str(tmp_path), "--seed", str(MOST_SEED + 1)]
    result = CliRunner().invoke(cli.command, asked)
    assert result.exit_code == 2 and "--seed" in result.stderr


def test_two_sentences_are_related_on_the_command_line(model, tmp_path):
    saved = model.save(Registry(tmp_path))
    asked = ["relate", str(tmp_path / saved), "a dog runs", "a dog sits"]
    found = CliRunner().invoke(cli.command, asked, catch_exceptions=False)
    g = model.similarity(["a dog runs"], ["a dog sits"])
    assert found.output == f"{model.calibrated(g)[0]:.2f}\n"
    with pytest.raises(InputError, match="holds no word"):
        CliRunner().invoke(cli.command, [*asked[:3], "..."], catch_exceptions=False)


def test_lines_tell_test_pairs_from_those_that_repeat_none(data, tmp_path):
    new = [Pair("no cat sings", "the tail", r, "NEUTRAL") for r in (1.0, 2.0)]
    other = [Pair("a man sits", "fast woman", r, "NEUTRAL") for r in (1.5, 4.0)]
    sick = Sick(list(data.pairs), [*data.pairs[:9], *new, *other])
    [line] = lines([Row("tiny", TINY)], sick, data, 0, tmp_path)
    assert line.name == "tiny"
    assert line.test != line.new
