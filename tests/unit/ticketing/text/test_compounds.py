"""Which words a desk writes in parts, and how a query with such a word is read."""

from hypothesis import given
from hypothesis import strategies as st

from ticketing.text import tokenize
from ticketing.text.compounds import CountedCompounds
from ticketing.text.vocabulary import Vocabulary

TEXTS = [
    "SharePoint is slow, SharePoint!",
    "the share-point library of SharePoint",
    "DropDown and drop_down",
    "dropdown",
    "dropdown dropdown",
    "OnDemand",
    "Ti.UI.createListView fails",
    "createListView",
    "createList-View",
]


def compounds(texts):
    counted = CountedCompounds()
    for text in texts:
        counted.add(text)
    return counted.usual(Vocabulary.count(map(tokenize, texts), min_count=1))


def test_words_that_more_texts_write_in_parts_are_known_with_these():
    """Two texts write dropdown and one writes it in parts; OnDemand is in one text alone."""
    assert compounds(TEXTS) == {"sharepoint": "share point", "createlistview": "create list view"}


def test_of_two_ways_to_split_a_word_the_more_frequent_counts():
    ways = ["now-here", "no-where", "no-where", "now-here", "No-Where"]
    assert compounds(ways) == {"nowhere": "no where"}
    assert compounds(ways[:4]) == {"nowhere": "no where"}  # the first by alphabet


def test_masks_contractions_and_long_words_are_no_compounds():
    texts = ["can't KB5034441 E-1105 a@Example.org C++ x" + "Ab" * 16, "Größe Straße"] * 2
    assert compounds(texts) == {}


def test_a_compound_in_umlauts_and_capitals_is_split():
    assert compounds(["ÖlPumpe", "ÖLPumpe öl-pumpe"]) == {"ölpumpe": "öl pumpe"}


def test_a_query_is_read_in_the_parts_of_its_compounds():
    vocabulary = Vocabulary(["share", "point"], [2, 2], 2, {"sharepoint": "share point"})
    for same in (
        vocabulary,
        Vocabulary.from_json(vocabulary.to_json()),
        vocabulary.joined_by([], 9),
    ):
        assert same.in_parts(["sharepoint", "slow"]) == ["share", "point", "slow"]
    assert Vocabulary(["share"], [2], 2).in_parts(["sharepoint"]) == ["sharepoint"]


@given(st.lists(st.text("aB-c_ ", max_size=12), max_size=6))
def test_parts_make_up_the_word(texts):
    for word, parts in compounds(texts).items():
        assert parts.replace(" ", "") == word
        assert len(parts.split(" ")) > 1
