"""Every rule of text takes work that grows with the text's length and no faster."""

import html
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.work import Counted, Work, counting
from ticketing.classification import taxonomy
from ticketing.classification.taxonomy import normalise
from ticketing.text import markup, masking, normal, sentences, tokens
from ticketing.text.markup import strip_markup
from ticketing.text.sentences import sentences as split_sentences
from ticketing.text.tokens import tokens_with_spans

MODULES = (markup, masking, normal, sentences, tokens, html, taxonomy)
MADE = ("_clusters", "_scanner", "_parts")

LENGTH = 300
"""Characters of the shorter text, more than a bounded pattern reads ahead in such texts."""

GROWTH = 2.6
"""Of the work on twice the text: 2 is linear and 4 quadratic; what stands at the end is uneven."""

RULES = {
    "tokens": tokens_with_spans,
    "mark-up": strip_markup,
    "sentences": split_sentences,
    "categories": normalise,
}

STALLED = {
    "versions": ("v1.", "v1x"),
    "parts of versions": ("1.v1.", "v1x"),
    "marks": ("\u0301\u0316", ""),
    "marks of a contraction": ("\u0301\u0316", "'t"),
    "blanks": (" ", "x"),
    "blanks and tabs": (" \t", "x"),
    "long form": ("\ufdfa", ""),
    "humps": ("Ab", ""),
    "abbreviations": ("see e.g. A ", ""),
    "references": ("&#1", "x"),
    "tags": ("<a ", ""),
    "declarations": ("<!doctype html ", ""),
    "blanks of a declaration": ("<!doctype ", " " * 9),
    "conditions": ("<![if ", ""),
    "declarations of XML": ("<?xml ", ""),
    "declarations of XML and blanks": ("<?xml > ", "<x"),
    "name spaces": ("<?xml:namespace ", "x"),
    "tags of Outlook": ("<o:p ", ""),
    "names of Outlook": ("<o:", "x"),
    "colours": ("\x1b[1;", ""),
    "titles": ("\x1b]0;a", ""),
    "titles in one byte": ("\x9d0;a", ""),
    "comments": ("<!--", "x"),
    "links": ("[a|", ""),
    "images": ("!a.bb", ""),
    "bold": ("*a ", ""),
    "addresses": ("a@", ""),
    "paths": ("/a", "\\"),
    "hashes": ("#1a", "x"),
    "hexadecimal": ("0x", "g"),
    "quotes": ('."', "a"),
    "brackets": (". ((", ""),
    "lines": ("a\n", ""),
    "rules": ("----", "x"),
}
FRAGMENTS = [piece for piece, _ in STALLED.values()] + [
    *("a", "B", "1", ".", "-", "_", "'", "’", ":", "/", "@", "{", "}", "{code}", "|", "&", ";"),
    *("\n", "é", "日", "\u200b", "\u1161", "½", "http://", "www.", "h1. ", "- ", "</li>", "e.g."),
]


def work(rule, text):
    tokens._remembered.cache_clear()  # noqa: SLF001
    with counting(MODULES, MADE) as done:
        rule(text)
    return done.steps


def grows(rule, piece, end):
    """By what factor the work grows when a piece is repeated twice as often."""
    times = LENGTH // len(piece) + 1
    return work(rule, f"a{piece * 2 * times}{end}") / work(rule, f"a{piece * times}{end}")


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize(("piece", "end"), STALLED.values(), ids=STALLED)
def test_the_work_doubles_with_a_hostile_text(rule, piece, end):
    assert grows(rule, piece, end) < GROWTH


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@given(
    st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), min_size=1, max_size=4),
    st.sampled_from(["", "x", " ", "'t", "1x", "\u0301"]),
)
@settings(max_examples=15)
def test_the_work_doubles_with_any_text(rule, pieces, end):
    assert grows(rule, "".join(pieces) or "a", end) < GROWTH


@pytest.mark.parametrize(
    ("pattern", "text"),
    [(r"[ \t]++$", " "), (r"[vV]?\d++(?:\.[vV]?\d++){2,}+(?!\w)", "v1."), (r"(?:a|b)*c", "ab")],
)
def test_what_is_not_linear_is_seen(pattern, text):
    def steps(times):
        done = Work()
        Counted(re.compile(pattern), done.add).search(text * times + "v1x")
        return done.steps

    assert steps(80) > 3 * steps(40)


def test_sorting_many_marks_is_seen():
    def steps(times):
        with counting([]) as done:
            unicodedata.normalize("NFKC", "a" + "\u0301\u0316" * times)
        return done.steps

    assert steps(200) > 3 * steps(100)
