"""A whole training, small: repeatable, resumable, each setting of loss and weights; no data."""

from types import SimpleNamespace

import pytest
import torch

from tests.tiny import TINY, tiny_training
from ticketing.errors import InputError
from ticketing.jobs import Step, Stopped
from ticketing.model.calibration import GENERAL
from ticketing.model.registry import Registry
from ticketing.model.saving import model_in
from ticketing.nn.trainer import Trainer
from ticketing.retrieval.memory import encoded
from ticketing.retrieval.recommend import Recommender
from ticketing.text.vocabulary import Vocabulary
from ticketing.tickets import Filters, Grade, Label, Query, Ticket
from ticketing.training import train as training_steps
from ticketing.training.calibration import off_topic
from ticketing.training.pretraining import run_key, texts_key
from ticketing.training.sampling import is_validation


@pytest.fixture
def fit(tmp_path, archive_tickets, archive_labels):
    """Trains in a fresh folder; loads the model."""
    models = Registry(tmp_path / "models")

    def fit(tickets=archive_tickets, labels=archive_labels, network=None, vectors=None, **training):
        bundle_id = training_steps.train(
            tickets,
            labels,
            TINY.model_copy(update=network or {}),
            tiny_training(**training),
            models,
            tmp_path / "checkpoints",
            vectors,
        )
        return model_in(models.load(bundle_id))

    return fit


def weights(model):
    with torch.no_grad():
        return model.pair_weights.tolist(), model.channel_weights.tolist()


def test_the_same_training_gives_the_same_bundle(trained, fit, tmp_path):
    assert fit().id == trained[1]


def test_by_two_threads_too(trained, tmp_path, archive_tickets, archive_labels):
    where = Registry(tmp_path / "models"), tmp_path / "checkpoints"
    found = training_steps.train(
        archive_tickets, archive_labels, TINY, tiny_training(), *where, threads=2
    )
    assert found == trained[1]


def kinds(folder):
    return sorted(path.suffix for path in folder.iterdir())


def test_other_labels_on_the_same_texts_find_vectors_and_topics(
    fit, tmp_path, monkeypatch, archive_tickets, archive_labels
):
    """What was made of the texts serves the next training too, and gives the same bundle."""
    known = [Label(Query(t.subject, ticket_id=t.id), t.id, Grade.YES) for t in archive_tickets]
    alone = fit(labels=known[:9])
    assert kinds(tmp_path / "checkpoints") == [".topics", ".vectors"]
    for path in (tmp_path / "checkpoints").iterdir():
        path.unlink()
    fit(labels=known)

    def twice(*_):
        raise AssertionError("word vectors were trained again")

    monkeypatch.setattr("ticketing.training.pretraining.train_vectors", twice)
    assert fit(labels=known[:9]).id == alone.id


def test_vectors_and_topics_of_other_texts_do_not_pile_up(fit, tmp_path, archive_tickets):
    fit()
    before = set((tmp_path / "checkpoints").iterdir())
    fit(tickets=archive_tickets[:30], labels=[])
    after = set((tmp_path / "checkpoints").iterdir())
    assert len(after) == 2 and not before & after


def test_what_a_training_that_was_given_up_left_goes_when_another_begins(
    trained, fit, tmp_path, monkeypatch
):
    def killed(*_):
        raise KeyboardInterrupt

    folder, others = tmp_path / "checkpoints", [".a.categories.x", "b.tuning", "c.texts-d", ".x"]
    folder.mkdir()
    for name in others:
        (folder / name).touch()
    for name in ("given-up.imitation", ".half.topics.x1", ".half.network.x2"):
        (folder / name).touch()
    with monkeypatch.context() as broken:
        broken.setattr(training_steps, "calibrate", killed)
        for seed in (2, 1):
            with pytest.raises(KeyboardInterrupt):
                fit(seed=seed)
    names = {path.name for path in folder.iterdir()}
    left = sorted(name.partition(".")[2] for name in names - set(others))
    assert names > set(others) and left == ["network", "topics", "vectors"]
    assert fit().id == trained[1]
    after = {path.name for path in folder.iterdir()} - set(others)
    assert {path.name for path in folder.iterdir()} > set(others)
    assert sorted(name.partition(".")[2] for name in after) == ["topics", "vectors"]


def test_a_training_broken_off_goes_on_to_the_same_bundle(trained, fit, tmp_path, monkeypatch):
    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(training_steps, "calibrate", killed)
        with pytest.raises(KeyboardInterrupt):
            fit()
    assert Registry(tmp_path / "models").ids() == []
    assert len(list((tmp_path / "checkpoints").iterdir())) > 0

    def twice(*_):
        raise AssertionError("a batch was trained again")

    monkeypatch.setattr(Trainer, "step", twice)
    assert fit().id == trained[1]


def test_a_training_that_is_cancelled_while_it_learns_topics_ends_at_the_next_batch(
    trained, fit, tmp_path, archive_tickets, archive_labels
):
    asked = []

    def told(step, done=0, total=0, said=""):
        asked.append(step)
        if len(asked) == 3:
            raise Stopped

    vectors = tmp_path / "vectors.txt"
    vectors.write_text("unit " + " ".join(["1"] * 8) + "\n")
    where = Registry(tmp_path / "models"), tmp_path / "checkpoints", vectors
    with pytest.raises(Stopped):
        training_steps.train(
            archive_tickets, archive_labels, TINY, tiny_training(topic_epochs=9), *where, told
        )
    assert asked == [Step.PRETRAINING] * 3
    assert fit().id == trained[1]


@pytest.mark.parametrize("when", ["first", "middle", "last"])
def test_a_training_that_is_cancelled_while_it_is_fitted_saves_nothing_and_may_go_on(
    trained, fit, tmp_path, archive_tickets, archive_labels, monkeypatch, when
):
    """It hears the wish all along: at each piece of the archive, at each query."""
    monkeypatch.setattr("ticketing.retrieval.memory.ENCODED_AT_ONCE", 8)
    steps = []

    def train(folder, told):
        models = Registry(folder / "models")
        where = models, folder / "checkpoints", None, told
        training_steps.train(archive_tickets, archive_labels, TINY, tiny_training(), *where)

    def counted(step, done=0, total=0, said=""):
        steps.append((step, done, total))

    train(tmp_path / "whole", counted)
    heard = steps.count((Step.FITTING, 0, 0))
    assert heard > 5 + len({label.query.id for label in archive_labels})
    assert steps[-1][0] == Step.FITTING
    left = {"first": 1, "middle": heard // 2, "last": heard}[when]

    def told(step, done=0, total=0, said=""):
        nonlocal left
        left -= step == Step.FITTING
        if not left:
            raise Stopped

    with pytest.raises(Stopped):
        train(tmp_path, told)
    assert Registry(tmp_path / "models").ids() == []
    monkeypatch.undo()
    assert fit().id == trained[1]


def test_the_same_validation_queries_choose_the_epoch_fit_weights_and_calibrate(
    fit, monkeypatch, archive_labels
):
    monkeypatch.setattr("ticketing.training.validation.MOST_QUERIES", 1)
    fit_weights, calibrate, asked = training_steps.fit_weights, training_steps.calibrate, []

    def fitted(learner, validation, *rest):
        asked.append(sum(not query.weak for query in validation.queries))
        fit_weights(learner, validation, *rest)

    def calibrated(model, tickets, labels, *rest):
        asked.append(len({label.query.id for label in labels}))
        calibrate(model, tickets, labels, *rest)

    monkeypatch.setattr(training_steps, "fit_weights", fitted)
    monkeypatch.setattr(training_steps, "calibrate", calibrated)
    kept = {x.query.id for x in archive_labels if is_validation(x.query.id)}
    assert len(kept) > 1
    fit(weights="learned")
    assert asked == [1, 1]


def test_a_judgment_of_a_younger_ticket_does_not_teach_that_nothing_is_found(
    trained, tmp_path, archive_tickets, monkeypatch
):
    """It was found by a look for tickets like an old one, and is measured by no query of then."""
    old, *_, new = sorted(archive_tickets, key=lambda ticket: ticket.created)
    model, taught = model_in(Registry(trained[0]).load(trained[1])), []
    monkeypatch.setattr("ticketing.training.calibration.learn", lambda *asked: taught.extend(asked))
    labels = [
        Label(Query(new.subject, "", new.id), old.id, Grade.YES),
        Label(Query(old.subject, "", old.id), new.id, Grade.YES),
    ]
    training_steps.calibrate(model, archive_tickets, labels, (), tmp_path, lambda: None)
    people, *_ = taught
    assert len([one for one in people if one.weight == 1]) == 1


def test_chances_are_learned_as_though_nobody_had_counted_the_words_of_who_asks(
    trained, tmp_path, archive_tickets, monkeypatch
):
    """What people will ask is in no vocabulary; everyday texts are in none already."""
    old, *_, new = sorted(archive_tickets, key=lambda ticket: ticket.created)
    model, taught = model_in(Registry(trained[0]).load(trained[1])), []
    monkeypatch.setattr(
        "ticketing.training.calibration.learn", lambda *asked: taught.extend(asked) or GENERAL
    )
    label = Label(Query(new.subject, new.description, new.id), old.id, Grade.YES)
    training_steps.calibrate(model, archive_tickets, [label], (), tmp_path, lambda: None)
    recommender = Recommender(encoded(model, archive_tickets, ""), model)

    def as_counted(query):
        return recommender.nearest(query, Filters()).evidence.wording.counts.tolist()

    people, subjects, _, everyday = taught
    for query, asked in ((label.query, people[0]), (Query(new.subject), subjects[0])):
        counts = as_counted(query)
        assert max(counts) > 2
        learned = asked.evidence.wording.counts.tolist()
        assert learned == [count - 1 if count > 2 else 0 for count in counts]
    assert everyday[0].evidence.wording.counts.tolist() == as_counted(Query(off_topic()[0]))


def test_another_seed_or_another_text_is_another_bundle(trained, fit, archive_tickets):
    assert fit(seed=2).id != trained[1]


def flat(weights):
    pairs, channels = weights
    return [*(v for row in pairs for v in row), *channels]


@pytest.mark.parametrize("loss", ["mse", "in-batch"])
def test_fixed_weights_are_not_trained_and_pairs_stay_as_they_start(fit, loss):
    trained = weights(fit(weights="fixed", loss=loss, epochs=2))
    assert flat(trained)[:6] == pytest.approx([0.3, 0.2, 0.3, 0.2, 0.3, 0.3], rel=1e-3)
    assert trained == weights(fit(weights="fixed", loss=loss, epochs=0))


@pytest.mark.parametrize("loss", ["mse", "in-batch"])
def test_learned_weights_are_trained_and_stay_non_negative(fit, loss):
    trained = flat(weights(fit(weights="learned", loss=loss, learning_rate=0.05)))
    begun = flat(weights(fit(weights="learned", loss=loss, epochs=0)))
    assert all(one != other for one, other in zip(trained, begun, strict=True))
    assert min(trained) >= 0


def test_without_labels_v_stays_as_it_starts_and_w_is_learned(fit):
    pairs, channels = weights(fit(labels=[], weights="learned", learning_rate=0.05))
    begun = weights(fit(labels=[], weights="learned", epochs=0))
    assert pairs == begun[0]
    assert flat((pairs, [])) == pytest.approx(flat((TINY.pair_weights(), [])))
    assert channels != begun[1]


def test_searched_weights_are_a_point_of_the_grid(fit):
    pairs, _ = weights(fit(weights="searched"))
    assert min(abs(pairs[0][0] - v) for v in (0.3, 0.4)) < 1e-4
    assert pairs[0][0] == pytest.approx(pairs[1][1], rel=1e-3)
    assert pairs[0][1] == pytest.approx(pairs[1][0], rel=1e-3)
    assert pairs[0][2] == pytest.approx(pairs[1][2], rel=1e-3)


@pytest.mark.parametrize(
    "network",
    [
        {"pairs": "merged"},
        {"pairs": "merged", "merged_query": ("SUB1",), "merged_ticket": ("SUB2",)},
        {"pairs": "merged", "merged_ticket": ("SOL2",)},
        {"pairs": "multi-level"},
        {"channels": ("h",)},
        {"channels": ("h", "E")},
    ],
)
@pytest.mark.parametrize("labelled", [True, False])
def test_every_row_of_the_tables_trains_with_and_without_labels(
    fit, network, labelled, archive_labels
):
    model = fit(labels=archive_labels if labelled else [], network=network)
    rows = model.encode_tickets([Ticket("T", "Trip of unit", "Trip at start", "Restart")])
    assert rows.shape == (1, model.layout.width)
    assert len(model.anchors)
    assert not labelled or model.calibration != GENERAL


def test_no_tickets_are_refused(fit):
    with pytest.raises(InputError, match="no tickets to learn from"):
        fit(tickets=[], labels=[])


def test_the_papers_loss_without_labels_is_refused(fit):
    with pytest.raises(InputError, match="mse needs labels"):
        fit(labels=[], loss="mse")


def test_searched_weights_without_labels_are_refused(fit):
    with pytest.raises(InputError, match="searched needs labels"):
        fit(labels=[], weights="searched")


def test_labels_of_tickets_that_are_gone_count_for_nothing(fit, archive_tickets):
    gone = Label(Query("Trip"), "no such ticket", Grade.YES)
    assert fit(labels=[gone]).id
    with pytest.raises(InputError, match="mse needs labels"):
        fit(labels=[gone], loss="mse")


@pytest.mark.parametrize(
    "tickets",
    [
        [Ticket("T1", "Pump trip", "", "Restart")],
        [Ticket("T1", ""), Ticket("T2", "")],
        [Ticket(f"T{i}", "Pump trip", "Trip of pump", "Restart pump") for i in range(3)],
    ],
)
def test_an_archive_of_next_to_nothing_gives_a_model(fit, tickets):
    model = fit(tickets=tickets, labels=[])
    assert model.encode_tickets(tickets).shape == (len(tickets), model.layout.width)


@pytest.mark.parametrize("what", ["vectors", "topics", "network"])
def test_a_damaged_checkpoint_of_any_step_is_ignored(trained, fit, tmp_path, monkeypatch, what):
    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(training_steps, "calibrate", killed)
        with pytest.raises(KeyboardInterrupt):
            fit()
    for path in (tmp_path / "checkpoints").glob(f"*.{what}"):
        path.write_bytes(path.read_bytes()[:-9])
    assert fit().id == trained[1]


def test_word_vectors_from_a_file_are_what_the_network_begins_with(fit, tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("unit " + " ".join(["1"] * 8) + "\n")
    model = fit(vectors=path, epochs=0)
    [unit] = model.vocabulary.ids(["unit"])
    vectors = model.arrays["words.words.weight"]
    assert vectors[unit].tolist() == pytest.approx([8**-0.5] * 8)
    assert abs(vectors).sum() == pytest.approx(8**0.5, rel=1e-4)


def test_checkpoints_know_a_file_of_vectors_by_what_it_holds(tmp_path):
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    one.write_text("unit 1 2\n")
    other.write_text("unit 1 2\n")
    corpus = corpus_of("unit")
    keys = {run_key(corpus, TINY, tiny_training(), path, None) for path in (one, other)}
    assert len(keys) == 1, "wherever it lies on the machine that goes on"
    other.write_text("unit 1 3\n")
    assert run_key(corpus, TINY, tiny_training(), other, None) not in keys


def corpus_of(*words):
    """As much of a corpus as names checkpoints; the tickets are always the same."""
    vocabulary = Vocabulary(words, [1] * len(words), 1)
    return SimpleNamespace(digest="all", texts_digest="texts", vocabulary=vocabulary)


@pytest.mark.parametrize("key", [run_key, texts_key])
def test_checkpoints_know_into_which_words_texts_were_cut(key):
    """The next version of the program may cut the same tickets otherwise."""
    keys = {
        key(corpus, TINY, tiny_training(), None, None)
        for corpus in (corpus_of("pump", "trip"), corpus_of("trip", "pump"), corpus_of("pumptrip"))
    }
    assert len(keys) == 3


def test_the_manifest_says_what_the_bundle_was_trained_on(trained, archive_tickets, archive_labels):
    manifest = Registry(trained[0]).manifest(trained[1])
    assert manifest["data"]["tickets"] == 40
    assert manifest["data"]["newest"] == max(t.created for t in archive_tickets).isoformat()
    assert manifest["data"]["labels"] == len(archive_labels)
    assert manifest["network"] == TINY.model_dump(mode="json")
    assert manifest["training"] == tiny_training().model_dump(mode="json")
    assert [set(epoch) for epoch in manifest["history"]] == [{"epoch", "loss", "quality"}]
