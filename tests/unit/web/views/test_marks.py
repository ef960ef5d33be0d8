"""Ticket text as HTML: addresses as links, at a cost that grows with the text."""

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st
from linkify_it import LinkifyIt

from web.views.marks import SHOWN, isolated, linked, opening, shown, with_code


def test_addresses_are_links_and_words_are_marked():
    assert linked("see (http://a.de/b), pump", {"pump"}) == (
        'see (<a href="http://a.de/b" rel="noopener noreferrer">http://a.de/b</a>),'
        " <mark>pump</mark>"
    )


def test_numbers_and_codes_are_marked_as_wholes():
    text = "ora-00942 <ORA-00942> and -1603, ora 942, ORA-009421"
    assert linked(text, {"ora", "ora-00942", "1603"}) == (
        "<mark>ora-00942</mark> &lt;<mark>ORA-00942</mark>&gt; and -<mark>1603</mark>,"
        " <mark>ora</mark> 942, ORA-009421"
    )


def test_addresses_are_sought_in_short_pieces_only():
    """In 40,000 characters of them at once they took two seconds, and four times that in twice."""
    sought = []
    match = LinkifyIt.match

    def spy(self, text):
        sought.append(len(text))
        return match(self, text)

    with patch.object(LinkifyIt, "match", spy):
        linked("http://a?b!" * 1000 + " and words " * 1000)
    assert max(sought) <= 2000 and sum(sought) <= 11_000


def test_a_huge_text_is_cut():
    assert (shown("x" * SHOWN), shown("x" * (SHOWN + 1))) == ("x" * SHOWN, "x" * SHOWN)


def test_a_command_in_a_sentence_is_code_and_nothing_else_is():
    assert with_code("Run `ticketing train`; <b>.") == (
        "Run <code>ticketing train</code>; &lt;b&gt;."
    )
    assert with_code("`<i>`") == "<code>&lt;i&gt;</code>"
    assert with_code("a ` alone & none") == "a ` alone &amp; none"


SPACES = [chr(code) for code in range(0x110000) if chr(code).isspace()]


@given(st.text(st.sampled_from([*SPACES, "a", "."]), max_size=60), st.integers(1, 20))
def test_every_text_has_an_opening_or_is_short(text, length):
    found = opening(text, length)
    assert bool(found) == (len(text.strip()) > length * 1.25)
    assert len(found) <= length + len(" …") and text.strip().startswith(found.removesuffix(" …"))


def test_an_opening_passes_over_white_space_and_ends_at_a_word():
    assert opening("\x1c" * 40 + "pump trips, then starts", 14) == "pump trips …"
    assert opening("\x1f" * 400 + "abc", 150) == ""


def test_what_is_quoted_runs_in_its_own_direction():
    assert isolated("Both say “خطأ” and “E<42”.") == (
        "Both say “<bdi>خطأ</bdi>” and “<bdi>E&lt;42</bdi>”."
    )
