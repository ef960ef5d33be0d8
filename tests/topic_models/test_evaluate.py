"""The table command on two small folders made here, in one and in several readings."""

import doctest

import numpy as np
import pytest
from click.testing import CliRunner
from tqdm import tqdm

import topic_models
from topic_models import evaluate
from topic_models.evaluate import command


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
    return [line[14:].split() for line in output.splitlines() if line.startswith(model)]


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
    assert "absent holds neither" in result.output
    assert "DocNADE" not in result.output


def test_progress_counts_the_words_of_all_models_and_ends_full(folder):
    dataset = evaluate.read_dataset(folder)
    table = evaluate._table("text", dataset, ("DocNADE tree", "iDocNADE tree"), 4, False, 0)

    with tqdm(total=table.work) as bar:
        seen = [bar.n for _ in evaluate._lines(table, bar)]

    assert table.work == 2 * 40 * 120 * 5  # models, epochs, documents, words
    assert seen[-2:] == [table.work / 2, table.work]


def test_a_sorted_document_is_easier_to_guess_for_both_models(folder):
    options = ("--topics", 4, "--model", "DocNADE tree", "--model", "LDA")
    output = run(folder, *options, "--reading", "log-counts", "--reading", "sorted").output

    for model in ("DocNADE tree", "LDA"):
        shuffled, ordered = (float(row[0]) for row in rows(output, model))
        assert ordered < shuffled - 1


def test_the_grid_chooses_by_validation_figures(folder, monkeypatch):
    monkeypatch.setitem(evaluate.GRID, evaluate.DocNADE, {"epochs": (1, 15)})

    output = run(folder, "--topics", 4, "--model", "DocNADE full", "--grid").output
    tried = [line.split() for line in output.splitlines() if "validation " in line[:14]]
    ((test, *_),) = rows(output, "DocNADE full")

    assert [line[-1] for line in tried] == ["1", "15"]
    assert float(tried[1][1]) < float(tried[0][1])
    assert float(test) == pytest.approx(float(tried[1][1]), rel=0.3)


def test_a_reading_that_the_files_do_not_hold_is_said(tmp_path):
    (tmp_path / "vocab_docnade.vocab").write_text("zero\none\n")
    for name in ("training", "validation", "test"):
        (tmp_path / f"{name}_docnade.csv").write_text("a,0 1\n" * (1 + len(name)))

    output = run(tmp_path, "--model", "DocNADE tree", "--reading", "text").output

    assert "These files hold neither full counts nor text order." in output
    assert not rows(output, "DocNADE tree")


def test_a_bad_file_is_one_sentence_and_exit_code_1(folder):
    (folder / "test.seq.csv").write_text("0,1\n0,12\n")

    result = run(folder)

    assert result.exit_code == 1
    assert result.output.count("\n") == 1
    assert "test.seq.csv, line 2, second field: '12' is no word id" in result.output


def test_the_library_s_example_runs():
    assert doctest.testmod(topic_models).failed == 0
    assert doctest.testmod(topic_models).attempted > 5
