"""Table 3's data and rows on a handful of job titles, with counterparts worked out by hand."""

import pytest
from click.testing import CliRunner

from ticketing.classification.taxonomy import Taxonomy
from ticketing.cli.model_settings import read_category_settings
from ticketing.errors import InputError
from ticketing.experiments.neculoiu2016 import command as command_module
from ticketing.experiments.neculoiu2016.command import command, shown
from ticketing.experiments.neculoiu2016.job_titles import onet_queries, read_esco
from ticketing.experiments.neculoiu2016.table3 import (
    COLUMNS,
    JobTitles,
    Row,
    baseline_rows,
    model_rows,
    stage_model,
)

FAST = [
    "loop.epochs=1",
    "loop.least_steps=0",
    "network.dims=8",
    "network.buckets=64",
    "network.encoder.hidden=8",
    "network.encoder.layers=1",
    "network.encoder.dense=8",
]
HEAD = "conceptType,iscoGroup,preferredLabel,altLabels,description\n"
ROLES = ("engineer", "technician", "specialist", "expert", "consultant", "assistant", "planner")
FIELDS = ("Solar", "Wind", "Rail", "Road", "Marine", "Acoustic")


def esco_row(field: str) -> str:
    labels = "\n".join(f"{field.lower()} {role}" for role in ROLES[1:])
    said = f"They handle {field.lower()} equipment outdoors everywhere."
    return f'Occupation,2100,{field} {ROLES[0]},"{labels}",{said}\n'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "esco_occupations_en.csv").write_text(HEAD + "".join(map(esco_row, FIELDS)))
    # 1 shares two titles with solar and one with wind; 2 shares only one with rail; "sun catcher"
    # is of 1 alone, "odd jobber" of both, "rail fan" of 2 alone.
    titles = [
        *[("1", t) for t in ("Solar Engineer", "Solar Expert", "Wind Expert", "Sun Catcher")],
        *[("1", "Odd Jobber"), ("2", "Odd Jobber"), ("2", "Rail Expert"), ("2", "Rail Fan")],
    ]
    rows = "".join(f"{code}\t{title}\tn/a\t01\n" for code, title in titles)
    (tmp_path / "onet_alternate_titles.txt").write_text(
        f"O*NET-SOC Code\tAlternate Title\tShort Title\tSource(s)\n{rows}"
    )
    return tmp_path


def test_labels_of_an_occupation_are_its_group(folder):
    esco = read_esco(folder)
    assert list(esco.taxonomy.groups) == [f"{field.lower()} engineer" for field in FIELDS]
    assert esco.taxonomy.groups["wind engineer"][:2] == ["wind engineer", "wind technician"]


def test_counterparts_share_two_titles(folder):
    queries = onet_queries(folder, read_esco(folder).taxonomy)
    assert queries == {
        "validation": [("sun catcher", frozenset({"solar engineer"}))],
        "test": [],
    }


def test_words_of_tests_are_not_those_of_training(folder):
    data = JobTitles(folder)
    assert sorted(data.words + data.unseen_words) == [
        *("equipment", "everywhere", "handle", "outdoors", "they")
    ]
    watched = {word for trial in data.watched() for text in trial.texts for word in text.split()}
    assert not watched & set(data.unseen_words)


def test_the_whole_table_and_again_from_what_was_kept(folder, tmp_path):
    data = JobTitles(folder)
    rows = [*baseline_rows(data, "validation")]
    first = list(model_rows(data, read_category_settings(FAST), tmp_path / "kept", "validation"))
    again = list(model_rows(data, read_category_settings(FAST), tmp_path / "kept", "validation"))
    assert first == again
    assert [row.name for row in rows] == ["our trigrams", "char TF-IDF", "BM25"]
    assert [row.name for row in first] == [f"model ({stage})" for stage in range(5)]
    assert all(len(row.figures) == len(COLUMNS) for row in [*rows, *first])
    assert all(0 <= figure <= 1 for row in [*rows, *first] for figure in row.figures)
    assert sorted(p.name for p in (tmp_path / "kept").iterdir()) == [
        "models",
        *(f"stage-{stage}.json" for stage in range(5)),
    ]


def test_some_stages_alone_but_no_feedback_without_proposals(folder, tmp_path):
    data, settings = JobTitles(folder), read_category_settings(FAST)
    [row] = model_rows(data, settings, tmp_path / "kept", "validation", stages=[2])
    assert row.name == "model (2)"
    with pytest.raises(InputError, match="Stage 4 judges the proposals of a stage before it"):
        next(model_rows(data, settings, tmp_path / "kept", stages=[4]))


def test_answers_to_proposals_are_escos(folder, tmp_path):
    data = JobTitles(folder)
    settings = read_category_settings(FAST)
    labels = data.judged(stage_model(data, settings, tmp_path, stage=3, begin=None))
    titles = data.parts.others["feedback"]
    assert len(labels) == 3 * len(titles) > 0
    for number, title in enumerate(titles):
        said = labels[3 * number : 3 * number + 3]
        assert all(label.right == (label.group == title.group) for label in said)


def test_a_star_marks_what_misses_the_published_figure():
    row = Row("model (3)", (0.996, 0.83, 0.76, 0.87, 0.2))
    assert shown(row) == ["1.00 (1.00)", "0.83* (0.84)", "0.76 (0.76)", "0.87 (0.87)", "0.200"]


def test_a_file_of_another_kind_is_one_sentence(folder):
    (folder / "esco_occupations_en.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="has no column 'preferredLabel'"):
        read_esco(folder)


def test_a_line_that_is_cut_is_named(folder):
    """The labels of six occupations have line ends, six each, so that the cut one is line 38."""
    path = folder / "esco_occupations_en.csv"
    path.write_text(f"{path.read_text()}Occupation,2100,Cut")
    with pytest.raises(InputError, match=r"esco_occupations_en\.csv:38 has fewer cells than the"):
        read_esco(folder)
    (folder / "onet_alternate_titles.txt").write_text("O*NET-SOC Code\tAlternate Title\n1\n")
    with pytest.raises(InputError, match=r"onet_alternate_titles\.txt:2 has fewer cells than the"):
        onet_queries(folder, Taxonomy([]))


def test_stages_are_found_again_by_all_that_they_learn_from(folder, tmp_path, monkeypatch):
    places = []
    monkeypatch.setattr(command_module, "model_rows", lambda *given: places.append(given[2]) or [])
    esco, synonyms = folder / "esco_occupations_en.csv", tmp_path / "synonyms.csv"
    synonyms.write_text("word,synonym\nsolar,sun\n")

    def where():
        options = [word for value in FAST for word in ("--set", value)]
        arguments = [str(folder), "--part", "validation", "--synonyms", str(synonyms), *options]
        answer = CliRunner(env={"TICKETING_HOME": str(tmp_path)}).invoke(command, arguments)
        assert answer.exception is None, answer.output
        return places[-1]

    def corrected(path, old, new):
        path.write_text(path.read_text().replace(old, new))
        return where()

    assert where() == where() == tmp_path / "categories" / "evaluation" / places[0].name
    corrected(synonyms, "solar,sun", "solar,pv")
    corrected(esco, "Occupation,2100,Solar", "Occupation,2151,Solar")  # a code
    corrected(esco, "rail expert\n", "rail expert\nwind expert\n")  # a title of two groups
    corrected(esco, " outdoors", "")  # a word that may surround titles
    monkeypatch.setattr(command_module, "version", lambda name: "9.9")
    where()
    assert len(set(places[1:])) == len(places[1:]) == 6


def test_the_command_says_what_is_missing(tmp_path):
    answer = CliRunner().invoke(command, [str(tmp_path)])
    assert isinstance(answer.exception, InputError)
