import tomllib
from random import Random

import pytest

from ticketing.demo.catalogue import FIELDS, FOLDER, load_catalogue
from ticketing.demo.wording import Slot, fill, misspell, parse, shorten
from ticketing.errors import InputError

LEAST = {"subjects": 4, "action": 3, "advice": 1}
"""Least number of wordings of a fault's texts; of all others two."""

FRAMES = {
    name: {*fields.split()}
    for name, fields in {
        "subject": "frames",
        "description": "opening operator alarm engineer reading system filler history asking",
        "solution": "opening finding cause action advice system filler history closing open",
    }.items()
}
WRITTEN = {"BODY", "TEXT", "OTHER", "MW", "HOURS", "TIME", "DATE", "SYSTEM"}
"""Slots that the generator fills itself."""


@pytest.fixture(scope="module")
def catalogue():
    return load_catalogue()


def slots_in(texts):
    return {piece.name for text in texts for piece in parse(text) if isinstance(piece, Slot)}


def test_it_covers_many_assemblies_and_faults(catalogue):
    assert len({fault.assembly for fault in catalogue.faults}) >= 20
    assert len(catalogue.faults) >= 110


def test_every_fault_has_a_related_fault_in_its_assembly_and_the_relation_holds_both_ways(
    catalogue,
):
    faults = {fault.key: fault for fault in catalogue.faults}
    for fault in catalogue.faults:
        assert fault.related and fault.key not in fault.related
        for key in fault.related:
            assert faults[key].assembly == fault.assembly
            assert fault.key in faults[key].related


def test_every_term_of_the_lexicon_is_used(catalogue):
    texts = " ".join(text for f in catalogue.faults for name in FIELDS for text in f.texts[name])
    texts += str(catalogue.frames)
    assert [term for term in catalogue.terms if f"{{{term}}}" not in texts] == []


def test_every_fault_has_only_known_fields_and_is_described_once(catalogue):
    keys = [fault.key for fault in catalogue.faults]
    assert len(set(keys)) == len(keys)
    files = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.toml")}
    assemblies = [v for name in files.keys() - {"terms", "frames"} for v in files[name].values()]
    used = {field for faults in assemblies for fault in faults.values() for field in fault}
    assert used == {*FIELDS, "related", "common"}


def test_everything_is_said_in_enough_different_wordings(catalogue):
    for fault in catalogue.faults:
        assert {f for f, texts in fault.texts.items() if len({*texts}) < LEAST.get(f, 2)} == set()
        assert len({*catalogue.systems[fault.assembly]}) >= 2
    for wordings in (*catalogue.terms.values(), *catalogue.slots.values()):
        assert len({*wordings}) >= 2
    assert {name: {*table} for name, table in catalogue.frames.items()} == FRAMES
    assert all(texts for table in catalogue.frames.values() for texts in table.values())


def test_every_slot_of_a_text_can_be_filled_and_wordings_hold_none(catalogue):
    frames, faults = catalogue.frames.values(), (fault.texts for fault in catalogue.faults)
    texts = {text for some in (*frames, *faults) for wordings in some.values() for text in wordings}
    assert slots_in(texts) <= catalogue.terms.keys() | catalogue.slots.keys() | WRITTEN
    filled = catalogue.terms, catalogue.slots, catalogue.systems
    assert not slots_in(text for some in filled for wordings in some.values() for text in wordings)
    assert all(text.strip() for text in texts)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{2.2..0.8} mm", "runs downwards"),
        ("{0.8..x} mm", "is no range"),
        ("{lubeoil leaks", "unmatched brace"),
    ],
)
def test_a_slot_that_cannot_be_read_is_told(text, said):
    with pytest.raises(InputError, match=said):
        parse(text)


def test_a_text_is_filled_with_numbers_as_they_are_written():
    rng = Random(0)
    drawn = {fill("{0.5..0.7} {08..11} {-1..1} {a}", rng, str.upper) for _ in range(300)}
    small, padded, signed, named = zip(*(text.split() for text in drawn), strict=True)
    assert set(small) == {"0.5", "0.6", "0.7"}
    assert set(padded) == {"08", "09", "10", "11"}
    assert set(signed) == {"-1", "0", "1"}
    assert set(named) == {"A"}


def test_typing_slips_hit_long_words_only_and_change_one_letter_or_two():
    assert misspell("the oil GT-100", 1.0, Random(0)) == "the oil GT-100"
    wrong = misspell("bearing", 1.0, Random(0))
    assert wrong != "bearing" and 6 <= len(wrong) <= 8
    assert misspell("bearing", 0.0, Random(0)) == "bearing"


def test_shorthand_replaces_whole_words():
    short = {
        shorten("without witness", {"without": "w/o", "with": "w/"}, Random(i)) for i in range(20)
    }
    assert short == {"w/o witness", "without witness"}
