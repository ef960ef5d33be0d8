from random import Random

import pytest

from ticketing.demo.catalogue import FIELDS, FOLDER, load_catalogue
from ticketing.demo.wording import fill, misspell, shorten
from ticketing.errors import InputError


@pytest.fixture(scope="module")
def catalogue():
    return load_catalogue()


@pytest.fixture
def copy(tmp_path):
    """A copy of the catalogue's folder and a function that changes one text in it."""
    for path in FOLDER.glob("*.toml"):
        (tmp_path / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")

    def change(name, old, new):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert old in text
        (tmp_path / name).write_text(text.replace(old, new, 1), encoding="utf-8")
        return tmp_path

    return change


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


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("oil.toml", "{lubeoil}", "{lubeoli}", r"oil.toml: lube-oil.*lubeoli.*neither a term"),
        ("oil.toml", "{0.8..2.2}", "{2.2..0.8}", r"oil.toml: .*reading.*downwards"),
        ("oil.toml", "{0.8..2.2}", "{0.8..x}", r"oil.toml: .*reading.*is no range"),
        ("oil.toml", "{lubeoil}", "{lubeoil", r"oil.toml: .*unmatched brace"),
        ("oil.toml", 'related = ["varnish"', 'related = ["varnihs"', r"oil.toml: .*'varnihs'"),
        ("oil.toml", "advice = [", "advise = [", r"oil.toml: .*advise is no field"),
        ("oil.toml", "advice = [", "advice = 3 #", r"oil.toml: .*advice needs a list"),
        ("oil.toml", "[lube-oil.varnish]", "[lube-oil", r"oil.toml is no TOML"),
        ("terms.toml", "lube-oil = [", "luboil = [", r"terms.toml: systems.lube-oil needs"),
        ("frames.toml", "\n[slots]", "\n[solts]", r"frames.toml: table \[slots\] is missing"),
        ("frames.toml", "{SITE}, {UNIT}", "{SIET}, {UNIT}", r"frames.toml: description.*SIET"),
    ],
)
def test_a_mistake_is_told_with_file_and_field(copy, name, old, new, said):
    with pytest.raises(InputError, match=said):
        load_catalogue(copy(name, old, new))


def test_a_fault_described_in_two_files_is_refused(copy):
    folder = copy("oil.toml", "# ", "# ")
    (folder / "second.toml").write_text((folder / "oil.toml").read_text(encoding="utf-8"))
    with pytest.raises(InputError, match=r"second.toml: fault lube-oil.*described twice"):
        load_catalogue(folder)


def test_a_folder_without_the_lexicon_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"terms.toml is missing"):
        load_catalogue(tmp_path)


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
