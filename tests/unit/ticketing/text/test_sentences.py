"""Sentences of prose, mails, lists, code and logs, and how a long one is cut."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ticketing.text.sentences import sentences, shortened


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("Pump leaks. Seal was worn! Replaced?", ["Pump leaks.", "Seal was worn!", "Replaced?"]),
        ("Set to 4.5 bar, i.e. half.", ["Set to 4.5 bar, i.e. half."]),
        ("Check e.g. Valve 3 first. Then close.", ["Check e.g. Valve 3 first.", "Then close."]),
        ("on 23.12.2012. Field weak", ["on 23.12.2012.", "Field weak"]),
        ("1. Open the door.\n2. Clean it", ["Open the door.", "Clean it"]),
        ("- oil\n* water\n> quoted", ["oil", "water", "quoted"]),
        ("Steps\n\nClean it", ["Steps", "Clean it"]),
        ("Tested on:\nAndroid 4.0\nIphone", ["Tested on:", "Android 4.0", "Iphone"]),
        (
            "Memory warning and the code of the customer fixed. Working on an\n"
            "ImageView problem\nnow.",
            [
                "Memory warning and the code of the customer fixed.",
                "Working on an ImageView problem now.",
            ],
        ),
        ("泵漏油。更换密封。", ["泵漏油。", "更换密封。"]),
        ("Über heiß. Öl fehlt.", ["Über heiß.", "Öl fehlt."]),
        ('He said "stop." Then it ran.', ['He said "stop."', "Then it ran."]),
        ("See (the manual.) After that go.", ["See (the manual.)", "After that go."]),
    ],
)
def test_sentences(text, found):
    assert sentences(text) == found


@given(st.text(alphabet="Aß .!?\n-1)>e.g", max_size=60))
def test_no_letter_is_lost_or_moved(text):
    """But for those that mark an item of a list, like `a)`."""
    letters = [character for character in text if character in "Aß"]
    assert [c for sentence in sentences(text) for c in sentence if c in "Aß"] == letters


@given(st.text(), st.integers(3, 40))
@example(" " * 4, 3)
def test_a_cut_text_is_never_longer_than_asked(text, length):
    assert len(shortened(text, length)) <= length


def test_a_long_sentence_ends_at_a_word_with_an_ellipsis():
    assert shortened("one two, three four", 14) == "one two …"
    assert shortened("one two", 7) == "one two"
    assert shortened("x" * 20, 10) == "x" * 8 + " …"
