"""The table command on two small folders made here, in one and in several readings."""

import doctest
import math

import numpy as np
import pytest
from click.testing import CliRunner
from tqdm import tqdm

import topic_models
from topic_models import LDA, DocNADE
from topic_models.experiments import evaluate, trials
from topic_models.experiments.evaluate import command
from topic_models.experiments.tables import result_lines


@pytest.fixture(autouse=True)
def one_small_model_a_kind(monkeypatch):
    """Few epochs of large steps, and nothing to choose from, unless a test says so."""
    settings = {"epochs": 15, "batch_size": 16, "learning_rate": 0.02}
    monkeypatch.setitem(trials.SETTINGS, DocNADE, settings)
    monkeypatch.setitem(trials.SETTINGS, LDA, {"epochs": 10, "batch_size": 32})
    monkeypatch.setitem(trials.CHOICES, DocNADE, {})


@pytest.fixture
def folder(tmp_path):
    """Two topics of six words each, a label a topic; texts in order, two words never apart."""
    random = np.random.default_rng(0)
    (tmp_path / "vocab.txt").write_text("".join(f"word{i} 9\n" for i in range(12)))
    for name, count in (("train", 120), ("validation", 30), ("test", 30)):
        lines = []
        for topic in random.integers(0, 2, count):
            words = " ".join(str(word) for word in random.integers(0, 6, 5) + 6 * topic)
            lines.append(f"{topic},{words}\n")
        (tmp_path / f"{name}.seq.csv").write_text("".join(lines))
    return tmp_path


def run(*arguments):
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def rows(output, model):
    cells = [line[14:].split() for line in output.splitlines() if line.startswith(model)]
    return [line for line in cells if line[0] not in ("perplexity", "precision")]


def test_a_row_a_model_with_perplexity_precision_and_seconds(folder):
    output = run(folder, "--topics", 4, "--model", "DocNADE full", "--model", "LDA").output

    for model in ("DocNADE full", "LDA"):
        ((perplexity, precision, seconds),) = rows(output, model)
        assert 5 < float(perplexity) < 11
        assert float(precision) > 0.9
        assert float(seconds) < 60
    assert "120 training, 30 validation, 30 test documents, 12 words" in output


def test_published_figures_stand_beside_ours(folder, monkeypatch):
    monkeypatch.setitem(evaluate.PUBLISHED, folder.name, [(42, 0.48)])

    output = run(folder, "--topics", 4, "--model", "DocNADE tree").output

    assert rows(output, "DocNADE tree")[0][1::2] == ["42", "0.48"]


@pytest.mark.parametrize(
    ("published", "starred"), [((42, 0.3), [0, 0]), ((2, 0.3), [1, 0]), ((42, 1.0), [0, 1])]
)
def test_a_star_marks_a_figure_that_misses_the_published_one(
    folder, monkeypatch, published, starred
):
    monkeypatch.setitem(evaluate.PUBLISHED, folder.name, [published])

    row = rows(run(folder, "--topics", 4, "--model", "DocNADE tree").output, "DocNADE tree")[0]

    assert [cell.count("*") for cell in row[:3:2]] == starred


def test_folders_and_readings_make_a_table_each(folder):
    options = ("--topics", 4, "--model", "DocNADE tree", "--reading", "text", "--reading", "sorted")
    output = run(folder, folder, *options).output

    headings = [line for line in output.splitlines() if line.startswith(("text:", "sorted:"))]
    assert [heading.split(":")[0] for heading in headings] == ["text", "sorted"] * 2
    assert len(rows(output, "DocNADE tree")) == 4


def test_nothing_is_trained_where_a_later_folder_is_bad(folder, tmp_path):
    result = run(folder, tmp_path / "absent")

    assert result.exit_code == 1
    assert "absent holds no training_docnade.csv" in result.output
    assert "DocNADE" not in result.output


def test_progress_counts_the_words_of_all_models_and_ends_full(folder, monkeypatch):
    monkeypatch.setitem(trials.CHOICES, DocNADE, {"dropout": (0.0, 0.5)})
    dataset = evaluate.read_dataset(folder)
    kinds = ("DocNADE tree", "iDocNADE tree")
    planned = evaluate.planned_trials("text", folder, kinds, 4, 0, False)
    work = sum(each.work for each in planned)

    with tqdm(total=work) as bar:
        lines = evaluate.evaluated_lines(dataset, {"text": planned}, bar, None)
        seen = [bar.n for line in lines if line.startswith(("DocNADE", "iDocNADE"))]

    assert work == 4 * 15 * 120 * 5  # models, epochs, documents, words
    assert seen == [work / 2, work]


def test_a_sorted_document_is_easier_to_guess_for_both_models(folder):
    options = ("--topics", 4, "--model", "DocNADE tree", "--model", "LDA")
    output = run(folder, *options, "--reading", "log-counts", "--reading", "sorted").output

    for model in ("DocNADE tree", "LDA"):
        shuffled, ordered = (float(row[0]) for row in rows(output, model))
        assert ordered < shuffled - 1


def test_a_set_is_as_many_times_as_probable_as_it_has_orders(folder):
    """For both models, which learn the same as from log-counts and find the same neighbours."""
    options = ("--topics", 4, "--model", "DocNADE tree", "--model", "LDA")
    output = run(folder, *options, "--reading", "log-counts", "--reading", "sets").output
    documents = [np.unique(d) for d in evaluate.read_dataset(folder).test.documents]
    surprise = np.mean([np.log(math.factorial(len(d))) / len(d) for d in documents])

    for model in ("DocNADE tree", "LDA"):
        (sequence, precision, _), (together, same, _) = rows(output, model)[:2]
        assert float(together) == pytest.approx(float(sequence) / np.exp(surprise), abs=0.1)
        assert same == precision


@pytest.mark.parametrize(("grid", "options"), [("GRID", ["--grid"]), ("CHOICES", [])])
def test_validation_figures_choose(folder, monkeypatch, grid, options):
    monkeypatch.setitem(getattr(trials, grid), DocNADE, {"epochs": (1, 15)})

    output = run(folder, "--topics", 4, "--model", "DocNADE full", *options).output
    tried = [line.split() for line in output.splitlines() if "validation " in line[:14]]
    (test, *_), *_ = rows(output, "DocNADE full")

    assert [line[-1] for line in tried] == ["1", "15"]
    assert float(tried[1][1]) < float(tried[0][1])
    assert float(test) == pytest.approx(float(tried[1][1]), rel=0.3)


@pytest.mark.parametrize(
    ("topics", "tried"), [(4, {("DocNADE tree", 4), ("LDA", 4)}), (None, {("DocNADE tree", 200)})]
)
def test_a_number_of_topics_that_is_said_is_every_models_under_grid_too(folder, topics, tried):
    kinds = ("DocNADE tree", "LDA")
    planned = evaluate.planned_trials("text", folder, kinds, topics, 0, True)
    chosen = {(each.kind, model.settings.topics) for each in planned for model in each.models}
    assert chosen == tried | ({("LDA", 50), ("LDA", 200)} if topics is None else set())


def test_each_figure_is_of_the_model_that_was_chosen_by_it(folder):
    """The first model is the likeliest on the validation part, the second finds the nearest."""
    planned = evaluate.planned_trials("text", folder, ("LDA",), 4, 0, False)
    figures = {"a": trials.Figures(20.0, 0.4), "b": trials.Figures(30.0, 0.6)}
    trained = [trials.Trained(model, validation, 1) for model, validation in figures.items()]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trials, "figures_of", lambda model, *_: {"a": "A", "b": "B"}[model])
        result = trials.choose(planned[0], trained)

    assert result == trials.Result(likeliest="A", nearest="B", seconds=2)


def test_only_the_figure_a_model_was_chosen_by_stands_beside_a_published_one():
    result = trials.Result(trials.Figures(50.0, 0.3), trials.Figures(80.0, 0.5), 7)

    first, second = result_lines("DocNADE tree", result, (42, 0.48))

    assert first[14:].split() == ["50.0*", "42", "0.300", "7"]
    assert second.split() == ["by", "precision", "80.0", "0.500", "0.48"]


def test_readings_stand_side_by_side(folder, monkeypatch):
    monkeypatch.setitem(evaluate.PUBLISHED, folder.name, [(2, 0.3)])
    monkeypatch.setitem(trials.SETTINGS, DocNADE, {"epochs": 1})
    kinds = ("--model", "DocNADE tree", "--model", "DocNADE full")

    output = run(folder, "--topics", 4, *kinds, "--reading", "all").output
    tables, last = output.split(", readings side by side\n")
    heading, tree, precision, full, *_ = (line.split() for line in last.splitlines())

    assert heading == ["published", "log-counts", "sets", "sorted", "counts", "text"]
    assert tree[:4] == ["DocNADE", "tree", "perplexity", "2"]
    assert tree[4:] == [row[0] for row in rows(tables, "DocNADE tree")]
    assert precision[:2] == ["precision", "0.30"]
    assert full[:3] == ["DocNADE", "full", "perplexity"] and len(full) == 3 + 5


def test_all_words_are_counted_where_they_are_the_vocabulary(tmp_path):
    """The lists know one word, the texts four."""
    (tmp_path / "vocab_docnade.vocab").write_text("oil\n")
    for name, texts in (("training", 20), ("validation", 5), ("test", 7)):
        lines = "".join(
            f"{i % 2},{'oil leaks' if i % 2 else 'login fails'}\n" for i in range(texts)
        )
        (tmp_path / f"{name}.csv").write_text(lines)
    kinds = ("--topics", 4, "--model", "DocNADE full")

    output = run(tmp_path, *kinds, "--reading", "log-counts", "--reading", "all-words").output

    assert "10 training, 2 validation, 3 test documents, 1 words" in output
    assert "(20 training, 5 validation, 7 test documents, 4 words)" in output
    one, four = (float(row[0].rstrip("*")) for row in rows(output, "DocNADE full")[:2])
    assert one == pytest.approx(1) and 1 < four < 4


def test_an_interrupted_run_goes_on(folder, tmp_path, monkeypatch):
    """The second time, nothing is left to train: seconds shrink and figures stay."""
    options = (
        "--topics",
        4,
        "--model",
        "DocNADE tree",
        "--checkpoints",
        tmp_path / "kept" / "here",
    )
    first = rows(run(folder, *options).output, "DocNADE tree")
    monkeypatch.setattr("topic_models.learning.Learner.run_epoch", None)

    again = rows(run(folder, *options).output, "DocNADE tree")

    assert again[0][:2] == first[0][:2]


def test_sets_are_scored_by_the_models_of_log_counts(folder, tmp_path, monkeypatch):
    options = ("--topics", 4, "--model", "DocNADE tree", "--checkpoints", tmp_path / "kept")
    run(folder, *options, "--reading", "log-counts")
    monkeypatch.setattr("topic_models.learning.Learner.run_epoch", None)

    assert rows(run(folder, *options, "--reading", "sets").output, "DocNADE tree")


def test_a_reading_that_the_files_do_not_hold_is_said(tmp_path):
    (tmp_path / "vocab_docnade.vocab").write_text("zero\none\n")
    for name in ("training", "validation", "test"):
        (tmp_path / f"{name}_docnade.csv").write_text("a,0 1\n" * (1 + len(name)))

    output = run(tmp_path, "--model", "DocNADE tree", "--reading", "text").output

    assert "These files do not hold that." in output
    assert not rows(output, "DocNADE tree")


def test_a_bad_file_is_one_sentence_and_exit_code_1(folder):
    (folder / "test.seq.csv").write_text("0,1\n0,12\n")

    result = run(folder)

    assert result.exit_code == 1
    assert result.output.count("\n") == 1
    assert "test.seq.csv, line 2, second field: '12' is no word id" in result.output


def test_checkpoints_that_cannot_be_written_are_one_sentence(folder):
    result = run(folder, "--checkpoints", folder / "vocab.txt" / "below")

    assert result.exit_code != 0
    assert str(result.exception.code).startswith("evaluate: ")
    assert "below cannot be written (Not a directory)." in str(result.exception.code)


@pytest.mark.parametrize(
    "wrong", [("--topics", 0), ("--seed", -1), ("--seed", 2**32), ("--model", "LSA")]
)
def test_options_out_of_range_are_refused(folder, wrong):
    assert run(folder, *wrong).exit_code == 2


def test_the_library_s_example_runs():
    assert doctest.testmod(topic_models).failed == 0
    assert doctest.testmod(topic_models).attempted > 5
