"""Table 3 for an archive: what is learned from, what is scored, and what is printed."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from ticketing.errors import InputError
from ticketing.experiments.gupta2018 import table3 as table_module
from ticketing.experiments.gupta2018.commands import topics as command
from ticketing.experiments.gupta2018.table3 import MODELS, Split, split, topic_table
from ticketing.tickets import Grade, Label, Query, Ticket

WORDS = ["alpha", "beta", "gamma", "delta", "omega"]
ARCHIVE = [Ticket(f"T-{i:02}", f"subject {i}", "pump", "seal") for i in range(40)]


def label(query, ticket="T-00") -> Label:
    return Label(query, ticket, Grade.YES)


class Spy:
    """In place of a topic model: remembers what it learns, and its perplexity counts words."""

    fitted: list

    def __init__(self, settings):
        self.settings = settings

    def fit(self, documents, validation, progress):
        Spy.fitted.append((len(documents), len(validation), sum(map(len, documents))))

    def perplexity(self, documents):
        return sum(map(len, documents)) / len(documents)


@pytest.fixture
def spy(monkeypatch):
    Spy.fitted = []
    monkeypatch.setattr(
        table_module, "KINDS", {"Spy": lambda **given: Spy(SimpleNamespace(**given))}
    )
    return Spy


# what is kept from learning -------------------------------------------------------


def test_nothing_of_the_test_is_learned_from():
    queries = [Query("q", ticket_id="T-03"), Query("free")]
    parts = split(ARCHIVE, [label(q) for q in queries], test=5)
    learned, held = ({t.id for t in some} for some in (parts.learned, parts.test))
    assert len(held) == 5 and len(learned) == 34
    assert learned.isdisjoint(held | {"T-03"}) and "T-03" not in held
    assert set(parts.queries) == set(queries)


@pytest.mark.parametrize("part", ["subject", "description", "solution"])
def test_only_whole_tickets_are_held_out(part):
    some = [replace(t, **{part: ""}) if i % 2 else t for i, t in enumerate(ARCHIVE)]
    assert all(getattr(t, part) for t in split(some, [], test=10).test)


def test_a_query_with_many_labels_is_scored_once_and_at_most_as_many_as_tickets():
    queries = [Query(f"q{i}") for i in range(9)]
    parts = split(ARCHIVE, [label(q, t.id) for q in queries for t in ARCHIVE[:3]], test=4)
    assert len(set(parts.queries)) == len(parts.queries) == 4


def test_the_same_seed_holds_out_the_same():
    one, other = (split(some, [], 5, seed=3) for some in (ARCHIVE, ARCHIVE[::-1]))
    assert set(one.test) == set(other.test)
    assert set(one.test) != set(split(ARCHIVE, [], 5, seed=4).test)


@pytest.mark.parametrize("test", [21, 41])
def test_too_few_tickets_are_said(test):
    with pytest.raises(InputError, match=r"Import more, or test on fewer \(--test\)"):
        split(ARCHIVE, [], test)


# what is fitted and scored ----------------------------------------------------------


def test_models_learn_from_their_parts_and_columns_score_theirs(spy):
    """Forty tickets, one twentieth to stop on: 38. A fifth of them carries each topic word, of
    which M1 sees two in subject and description, M2 a third in the solution."""
    learned = tuple(
        Ticket(str(i), WORDS[i % 5], f"{WORDS[i % 5]} the", WORDS[i % 5]) for i in range(40)
    )
    held = (Ticket("h", "alpha", "alpha beta unheard", "beta beta"),)
    table = topic_table(Split(learned, held, (Query("gamma"), Query("", "delta alpha"))), topics=3)
    assert spy.fitted == [(38, 2, 76), (38, 2, 114)]
    assert table.words == 5
    assert [(c.name, c.texts, c.words) for c in table.columns] == [
        ("DESC", 1, 2),
        ("SUB+DESC", 1, 3),
        ("SUB+DESC+SOL", 1, 5),
        ("DESC1", 1, 2),
        ("SUB1+DESC1", 2, 1.5),
    ]
    assert [(row.model, row.kind, row.perplexities) for row in table.rows] == [
        ("M1", "Spy", (2, 3, 5, 2, 1.5)),
        ("M2", "Spy", (2, 3, 5, 2, 1.5)),
    ]


def test_tickets_without_words_in_common_are_said():
    learned = tuple(Ticket(str(i), f"word{i}") for i in range(40))
    with pytest.raises(InputError, match="share too few words"):
        topic_table(Split(learned, (), ()))


def test_real_models_score_a_small_archive(archive_tickets):
    table = topic_table(split(archive_tickets, [], test=5), topics=4)
    assert [(row.model, row.kind) for row in table.rows] == [
        (model, kind) for model in MODELS for kind in ("DocNADE", "LDA")
    ]
    for row in table.rows:
        assert all(1 < figure < 10 * table.words for figure in row.perplexities[:3])
        assert row.perplexities[3:] == (None, None)


# the command ------------------------------------------------------------------------


def run(monkeypatch, labels):
    store = SimpleNamespace(iter_tickets=lambda: iter(ARCHIVE))
    desk = SimpleNamespace(store=store, labels=lambda: labels)
    monkeypatch.setattr(command, "open_desk", lambda _: desk)
    shown = [Ticket(str(i), WORDS[i % 5], WORDS[i % 5], WORDS[i % 5]) for i in range(40)]
    monkeypatch.setattr(
        command,
        "split",
        lambda *given: replace(split(*given), learned=tuple(shown), test=(shown[0],)),
    )
    result = CliRunner().invoke(command.command, ["--test", "5"])
    assert result.exit_code == 0
    return result.stdout


def test_a_seed_that_no_model_takes_is_refused():
    asked = CliRunner().invoke(command.command, ["--seed", str(2**32)])
    assert asked.exit_code == 2 and "--seed" in asked.stderr


def test_without_labels_the_command_says_what_it_cannot_measure(monkeypatch, spy):
    shown = run(monkeypatch, [])
    assert "Queries cannot be measured: there are no labels." in shown
    assert "1 tickets to test on, 40 learned from, 5 words, 100 topics." in shown
    assert "–" in shown and "M2 (SUB+DESC+SOL)" in shown


def test_with_labels_queries_have_figures(monkeypatch, spy):
    shown = run(monkeypatch, [label(Query("", "beta beta"))])
    assert "cannot be measured" not in shown
    assert "–" not in shown
