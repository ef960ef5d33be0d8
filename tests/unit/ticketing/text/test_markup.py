"""Mark-up becomes readable plain text."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.text import strip_markup

PIECES = [
    *"\x1b\x9b\x9d\x9c\x07[];1mPa \n",
    "&#",
    "27",
    "13;",
    "12;",
    "<",
    "!doctype html",
    "![if ",
    "?xml",
    "o:p",
    ">",
]


@pytest.mark.parametrize(
    ("markup", "plain"),
    [
        ("<p>One &amp; <b>two</b></p><p>three</p>", "One & two\n\nthree"),
        ("a<br>b<br/>\nc", "a\nb\nc"),
        ("<ul><li>one</li>\n<li>two</li></ul>", "- one\n- two"),
        ("<ul><li>one</li><li>two</li></ul>", "- one\n- two"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a b"),
        ("<script>alert(1)</script>x<!-- no -->y<style>p{}</style>", "xy"),
        ('<a href="http://x.example">text</a>', "text"),
        ("&lt;b&gt;", "<b>"),
        ("<STYLE>p {color:red}</STYLE>Größe <Script>alert(1)</SCRIPT>falsch", "Größe falsch"),
        ("<b />x<br/>y", "x\ny"),
        ("<!DOCTYPE html>\n<html><p>One</p></html>", "One"),
        ('<!doctype HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://x.example/a.dtd">One', "One"),
        ('<?xml version="1.0" encoding="UTF-8"?>\n<html><p>One</p></html>', "One"),
        ('<?xml version="1.0"?><!DOCTYPE html><html>One</html>', "One"),
    ],
)
def test_html(markup, plain):
    assert strip_markup(markup) == plain


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (
            "<p class=MsoNormal>Printer jams<o:p></o:p></p><p><o:p>&nbsp;</o:p></p>",
            "Printer jams",
        ),
        ("<p><![if !supportLists]>1. <![endif]>Open the tray</p>", "1. Open the tray"),
        (
            '<p><?xml:namespace prefix = o ns = "urn:schemas-microsoft" />Jams</p>',
            "Jams",
        ),
        (
            '<st1:place w:st="on">Berlin</st1:place> <v:shape id="_x0000_i1025"\n/>jams',
            "Berlin jams",
        ),
        ("<w:t>Jams</w:t> at <m:r>2</m:r> <O:P />bar", "Jams at 2 bar"),
    ],
)
def test_what_outlook_and_word_have_in_a_page_goes(written, plain):
    assert strip_markup(written) == plain


@pytest.mark.parametrize(
    "text",
    [
        '<?xml version="1.0"?>\n<resources>',
        "<!DOCTYPE plist>",
        "<!ELEMENT note>",
        "<![CDATA[jams]]>",
        "<![if the tray is open",
        "<soap:Body>",
        "<o:p",
        "<o: p>",
        "a <button> and an <iframe src='x'>",
        "a < b and c > d",
        "if a<b and c>d",
        "List<String> names",
        "snake_case_name",
        "2 * 3 * 4",
        "a[0] + b[1]",
        "cp /var/*/log/* /tmp",
        "delete (*.log,*.tmp) first",
        "/*string*/ newLog",
        "service foo [start|stop|restart]",
        "PermitRootLogin [yes|no]",
    ],
)
def test_plain_text_stays(text):
    assert strip_markup(text) == text


@pytest.mark.parametrize(
    ("markup", "plain"),
    [
        ("h1. Title", "Title"),
        ("*bold* and _slanted_ and +new+", "bold and slanted and new"),
        ("[text|http://x.example]", "text"),
        ("[text|http://x.example|tip]", "text"),
        (
            "[the bug|ABC-12] [here|#top] [log|^a.txt] [us|mailto:a@b.example]",
            "the bug here log us",
        ),
        ("[http://x.example]", "http://x.example"),
        ("[^log.txt] by [~jo]", "log.txt by jo"),
        ("see !shot.png|thumbnail! here", "see shot.png here"),
        ("* one\n** two\n# three", "- one\n- two\n- three"),
        ("||part||state||\n|pump|off|", "part | state\npump | off"),
        ("{{mono}} {color:red}x{color}", "mono x"),
        ("{quote}\nsaid\n{quote}", "said"),
        ("a\n----\nb", "a\n\nb"),
    ],
)
def test_wiki(markup, plain):
    assert strip_markup(markup) == plain


def test_code_blocks_keep_their_content():
    code = "{code:java}\n<Window> *p* [a|b]\n{code} then *bold*"
    assert strip_markup(code) == "<Window> *p* [a|b]\n then bold"


def test_another_mark_inside_a_code_block_is_content():
    assert strip_markup("{code}a{noformat}b{code}c") == "a{noformat}bc"


def test_line_breaks_are_kept_and_gaps_narrowed():
    assert strip_markup("a\r\nb  \n\n\n\nc\0") == "a\nb\n\nc"


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("\x1b[31mFAIL\x1b[0m disk full", "FAIL disk full"),
        ("\x1b[1;32mok\x1b[m \x1b[2K100 %", "ok 100 %"),
        ("\x1b]0;title\x07build \x1b]8;;http://x.example\x1b\\log\x1b]8;;\x1b\\", "build log"),
        ("\x9b31mFAIL\x9b0m", "FAIL"),
        ("\x1b(Bplain\x1bM", "plain"),
        ("page one\x0cpage two", "page one page two"),
        ("a\x1fb\x85c", "a b c"),
        ("bell\x07 and back\x08space\x7f", "bell and backspace"),
        ("\x1b[31", "[31"),
        ("one&#12;two&#13;three", "one two\nthree"),
        ("a\tb\nc", "a\tb\nc"),
        ("array[31m] stays", "array[31m] stays"),
    ],
)
def test_what_a_terminal_obeys_goes(written, plain):
    """A log in colours has words alone: `[31m` is none of them."""
    assert strip_markup(written) == plain


@given(st.text() | st.lists(st.sampled_from(PIECES)).map("".join))
def test_it_never_raises_and_leaves_no_control_character(text):
    kept = strip_markup(text)
    assert not {c for c in kept if unicodedata.category(c) == "Cc"} - set("\n\t")


@given(st.text(alphabet=st.characters(categories=["L", "Zs"], include_characters="\n,")))
def test_words_survive(text):
    assert strip_markup(text).split() == text.split()


@pytest.mark.parametrize(
    "piece",
    [
        "<a ",
        "<!",
        "<!doctype html ",
        "<![if ",
        "<?xml",
        "<?xml >",
        "<?xml > ",
        "<?xml:namespace ",
        "<o:p ",
        "<o:p>",
        "<!--",
        "<script",
        "{code}",
        "{color:",
        "*a ",
        "_a ",
        "[a|",
        "!a.b",
        "|a",
        "&lt",
        "{{a",
    ],
)
def test_hostile_text_takes_linear_time(piece):
    started = time.process_time()
    strip_markup(piece * (300_000 // len(piece)))
    assert time.process_time() - started < 2


@pytest.mark.parametrize("digits", ["&#" + "9" * 5000, "&#x" + "f" * 5000 + ";"])
def test_a_reference_of_thousands_of_digits_is_no_character(digits):
    assert strip_markup(f"a {digits} b") == "a \ufffd b"
