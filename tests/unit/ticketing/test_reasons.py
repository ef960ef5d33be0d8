"""The sentence of a reason, in plain English, and the words that it has marked."""

import pytest

from ticketing.reasons import AlikeWords, Reason, SharedWord

NARROW = SharedWord("narrow", 3.0, ("narrow",))
PULSES = SharedWord("Pulsation", 2.0, ("pulsation", "pulsations"))
HUM = AlikeWords("humming", "Buzzing", 0.8, "buzzing")
FOG = AlikeWords("fog", "mist", 0.6, "mist")


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        (Reason(), "No telling word is shared; the texts are close as wholes."),
        (Reason((NARROW,)), "Both say “narrow”."),
        (Reason((NARROW, PULSES)), "Both say “narrow” and “Pulsation”."),
        (
            Reason((NARROW, PULSES, NARROW)),
            "Both say “narrow”, “Pulsation” and “narrow”.",
        ),
        (
            Reason((NARROW,), (HUM,)),
            "Both say “narrow”; “humming” here is close to “Buzzing” there.",
        ),
        (
            Reason((), (HUM, FOG)),
            "“humming” here is close to “Buzzing” there and “fog” to “mist”.",
        ),
        (
            Reason((NARROW,), (FOG,), ("ORA-00942", "1603")),
            "Both say “narrow”; both name “ORA-00942” and “1603”;"
            " “fog” here is close to “mist” there.",
        ),
        (Reason(named=("ORA-00942",)), "Both name “ORA-00942”."),
        (Reason(by_id=True), "This is the ticket whose id you typed."),
        (
            Reason((NARROW,), named=("E1105",), by_code=True),
            "Both say “narrow”; both name “E1105”. It was found by what both name, not by meaning.",
        ),
        (
            Reason(solved="E1105 again", by_code=True),
            "Found by a query that it solved: “E1105 again”.",
        ),
        (Reason(solved="Loud hum"), "Found by a query that it solved: “Loud hum”."),
        (
            Reason((NARROW,), solved="Loud hum"),
            "Found by a query that it solved: “Loud hum”. Both say “narrow”.",
        ),
    ],
)
def test_the_sentence(reason, sentence):
    assert reason.sentence == sentence


def test_marks_are_the_words_of_the_sentence_as_the_ticket_has_them():
    assert Reason((), (), ("ORA-7", "-1603")).marks == {"ORA-7", "-1603"}
    assert Reason((NARROW, PULSES), (HUM,)).marks == {
        "narrow",
        "pulsation",
        "pulsations",
        "buzzing",
    }
