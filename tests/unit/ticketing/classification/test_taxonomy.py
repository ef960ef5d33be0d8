"""Titles and their groups: reading, normalising, holding out; noise and synonyms by hand."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.classification.augmentation import FILLERS, extra_words, filler_words, typos
from ticketing.classification.synonyms import Synonyms, induce, read_synonyms, rests
from ticketing.classification.taxonomy import (
    LONGEST,
    Taxonomy,
    Title,
    normalise,
    read_taxonomy,
    split_titles,
    tickets_taxonomy,
)
from ticketing.errors import InputError
from ticketing.tickets import Ticket


def taxonomy(**groups: list[str]) -> Taxonomy:
    return Taxonomy(Title(text, group) for group, texts in groups.items() for text in texts)


DEVELOPERS = taxonomy(
    java=["java developer", "java programmer"],
    php=["php developer", "php programmer"],
    head=["head of design", "head of art"],
)


# reading -----------------------------------------------------------------------


def test_case_width_and_blanks_do_not_tell_titles_apart():
    assert normalise("  Head\u00a0 of ＩＴ\n") == "head of it"


@given(st.text(max_size=200))
def test_a_normalised_text_is_its_own_normal_form_and_is_never_too_long(text):
    once = normalise(text)
    assert len(once) <= LONGEST
    assert " ".join(once.split()) == once


def test_a_table_of_labels_is_read(tmp_path):
    path = tmp_path / "titles.csv"
    path.write_text("label,group\nJava Developer,dev\njava programmer,dev\nNurse,care\n")
    assert read_taxonomy(path).groups == {
        "dev": ["java developer", "java programmer"],
        "care": ["nurse"],
    }


def test_a_table_without_groups_names_the_columns_it_has(tmp_path):
    path = tmp_path / "titles.csv"
    path.write_text("label,family\nnurse,care\n")
    with pytest.raises(InputError, match="no column 'group'; it has: label, family"):
        read_taxonomy(path)


def test_a_line_without_group_is_named(tmp_path):
    path = tmp_path / "titles.csv"
    path.write_text("label,group\nnurse,care\nwelder,\n")
    with pytest.raises(InputError, match=r"titles\.csv:3 has no group"):
        read_taxonomy(path)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (["nurse", "carer"], "is neither text nor a number; mend or remove that line"),
        ({"en": "nurse"}, "is neither text nor a number; mend or remove that line"),
        (True, "is neither text nor a number; mend or remove that line"),
        ("nurse \ud800", "holds half a character ('\\ud800'); repair or remove it"),
    ],
    ids=["list", "object", "boolean", "half a character"],
)
def test_what_is_no_text_is_no_title(tmp_path, value, reason):
    """A list was learned as the title "['nurse', 'carer']"; half a character was a traceback."""
    path = tmp_path / "titles.jsonl"
    line = {"label": "midwife", "group": "care"}
    for column in line:
        path.write_text("\n".join(map(json.dumps, (line, {**line, column: value}))))
        with pytest.raises(InputError) as refused:
            read_taxonomy(path)
        assert str(refused.value) == f"{path}:2: {column}: {reason}."
    path.write_text(json.dumps({"word": "nurse", "synonym": value}))
    with pytest.raises(InputError) as refused:
        read_synonyms(path)
    assert str(refused.value) == f"{path}:1: synonym: {reason}."


def test_numbers_are_titles_and_groups(tmp_path):
    path = tmp_path / "titles.jsonl"
    lines = [{"label": "nurse", "group": 0}, {"label": "carer", "group": 0}]
    path.write_text("\n".join(map(json.dumps, [*lines, {"label": 404, "group": 1}])))
    assert read_taxonomy(path).groups == {"0": ["nurse", "carer"], "1": ["404"]}


def test_one_group_is_nothing_to_choose_among(tmp_path):
    path = tmp_path / "titles.csv"
    path.write_text("label,group\nnurse,care\nmidwife,care\n")
    with pytest.raises(InputError, match="too few to learn from"):
        read_taxonomy(path)


def test_a_desks_categories_are_its_products():
    tickets = [
        Ticket("1", "VPN drops", product="vpn"),
        Ticket("2", "VPN slow", product="vpn"),
        Ticket("3", "no product"),
        Ticket("4", "", product="vpn"),
        Ticket("5", "paper jam", product="printer"),
        Ticket("6", "VPN  drops", product="vpn"),
    ]
    found = tickets_taxonomy(tickets)
    assert found.groups == {"vpn": ["vpn drops", "vpn slow"], "printer": ["paper jam"]}
    assert {title.text: list(spelled) for title, spelled in found.subjects.items()} == {
        "vpn drops": ["VPN drops", "VPN  drops"],
        "vpn slow": ["VPN slow"],
        "paper jam": ["paper jam"],
    }


# holding out ---------------------------------------------------------------------


@given(st.integers(0, 5))
def test_no_title_is_in_two_parts_and_groups_keep_two_for_training(seed):
    titles = taxonomy(**{f"g{i}": [f"{w} {i}" for w in "abcdefg"] for i in range(9)})
    parts = split_titles(titles, {"test": 0.3, "validation": 0.9}, seed)
    unseen = [t.text for part in parts.others.values() for t in part]
    assert len(parts.others["test"]) == 19  # 0.3 of 63, rounded up
    assert len(unseen) == len(set(unseen)) == 63 - 9 * 2
    assert not set(unseen) & set(parts.training.texts)
    assert all(len(texts) == 2 for texts in parts.training.groups.values())


def test_names_and_texts_of_two_groups_are_always_for_training():
    titles = taxonomy(a=["a", "shared", "x", "y"], b=["b", "shared", "z", "w"])
    parts = split_titles(titles, {"test": 1.0})
    assert {"a", "b", "shared"} <= set(parts.training.texts)


@pytest.mark.parametrize("place", [0, 137, 400])
def test_which_titles_are_drawn_hardly_depends_on_the_others(place):
    titles = [Title(f"title {i}", f"g{i % 40}") for i in range(400)]
    more = [*titles[:place], Title("one more", "g7"), *titles[place:]]
    drawn, again = (
        {title.text for title in split_titles(Taxonomy(some), {"part": 0.05}).others["part"]}
        for some in (titles, more)
    )
    assert (len(drawn), len(again)) == (20, 21)
    assert len(again - drawn - {"one more"}) <= 1 and len(drawn - again) <= 1
    doubled = [*(Title(f"other {i}", f"g{i % 40}") for i in range(400)), *titles]
    later = {t.text for t in split_titles(Taxonomy(doubled), {"part": 0.05}).others["part"]}
    assert len(later) == 40
    assert len(later & {title.text for title in titles} - drawn) <= 5


# noise ---------------------------------------------------------------------------


@given(st.text("abc ", min_size=1).map(normalise).filter(bool), st.integers())
def test_a_typo_changes_something_and_leaves_something(text, seed):
    assert typos(text, 0.2, 0.05, random.Random(seed))


def test_typos_have_the_shares_asked_for():
    text = "a" * 10_000
    changed = typos(text, 0.2, 0.05, random.Random(1))
    assert len(changed) == pytest.approx(9_500, abs=100)
    assert sum(c != "a" for c in changed) == pytest.approx(2_000, abs=150)


def test_a_title_stays_whole_among_extra_words():
    chance = random.Random(1)
    made = {extra_words("java developer", ["x", "y"], chance) for _ in range(99)}
    assert all(f" {text} ".count(" java developer ") == 1 for text in made)
    assert {len(text.split()) for text in made} == {3, 4, 5}


def test_filler_words_are_in_two_descriptions_and_no_title():
    found = filler_words(["java developer"], ["they make java", "they make tea", "tea now"])
    assert found == ["make", "tea", "they"]
    assert filler_words(["please help"], []) == [
        word for word in FILLERS.split() if word not in ("please", "help")
    ]


def test_where_titles_have_every_filler_all_of_them_may_surround_a_title():
    assert filler_words([f"{FILLERS} printer"], []) == FILLERS.split()


# synonyms ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "left"),
    [
        ("java developer", "java programmer", (("developer",), ("programmer",))),
        ("head of art", "chief of art", (("chief",), ("head",))),
        ("old java coder", "old java web engineer", (("coder",), ("web", "engineer"))),
        ("java developer", "java", None),
        ("nurse", "midwife", None),
        ("big red car", "big car red", None),
        ("a one two three four", "a five", None),
    ],
)
def test_the_rests_of_two_titles(one, other, left):
    assert rests(tuple(one.split()), tuple(other.split())) == left


def test_synonyms_need_two_groups_that_speak_for_them(monkeypatch):
    induced = induce(DEVELOPERS)
    assert len(induced) == 1
    assert induced.variants("senior developer") == ["senior programmer"]
    monkeypatch.setattr("ticketing.classification.synonyms.LEAST_GROUPS", 1)
    assert len(induce(DEVELOPERS)) == 2


def test_a_substitution_replaces_whole_words_anywhere():
    synonyms = Synonyms([(("head",), ("chief", "officer"))])
    assert synonyms.variants("head of headhunters") == ["chief officer of headhunters"]
    assert synonyms.variants("chief officer of art") == ["head of art"]
    assert synonyms.substitute("nurse", random.Random(1)) == "nurse"


def test_a_list_of_synonyms_is_read_and_joined(tmp_path):
    path = tmp_path / "synonyms.csv"
    path.write_text("word,synonym\nNurse,care assistant\n")
    both = read_synonyms(path) | induce(DEVELOPERS)
    assert both.variants("nurse") == ["care assistant"]
    assert both.variants("java developer") == ["java programmer"]
    path.write_text("word,synonym\nnurse,\n")
    with pytest.raises(InputError, match=r"synonyms\.csv:2 needs a word and its synonym"):
        read_synonyms(path)
    path.write_text("word,synonym,synonym\nnurse,carer,sister\n")
    named = r"in columns so named; it has: word, synonym 1, synonym 2\."
    with pytest.raises(InputError, match=named):
        read_synonyms(path)
