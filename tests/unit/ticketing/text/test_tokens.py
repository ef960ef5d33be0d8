"""The tokenizer: words, masks and their places in the text."""

import re
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.text import tokenize, tokens, tokens_with_spans
from ticketing.text.masking import RULES, looks_like_id
from ticketing.text.tokens import masks_in

EXAMPLES = {
    "mask": ("<num> <key>", ["<num>", "<key>"]),
    "url": ("see http://a.example/x?y=1#z now", ["see", "<url>", "now"]),
    "mailto": ("mailto:a@b.example", ["<email>"]),
    "email": ("from jo.doe@desk.example.com", ["from", "<email>"]),
    "windows path": (r"in C:\Temp\log.txt or \\srv\share", ["in", "<path>", "or", "<path>"]),
    "unix path": ("run ./build.sh in ~/work", ["run", "<path>", "in", "<path>"]),
    "absolute path": ("open /var/log/syslog and/or stop", ["open", "<path>", "and", "or", "stop"]),
    "uuid": ("550e8400-e29b-41d4-a716-446655440000", ["<id>"]),
    "mac": ("00:1b:44:11:3a:b7", ["<id>"]),
    "ipv6": ("2001:0db8:85a3:0000:0000:8a2e:0370:7334", ["<ip>"]),
    "short ipv6": ("fe80::1", ["<ip>"]),
    "hex": ("at 0xDEADbeef", ["at", "<id>"]),
    "hash": ("#123 in #ff0000", ["<id>", "in", "<id>"]),
    "key": (
        "like TIMOB-1234, not UTF-8",
        ["like", "<key>", "not", "utf", "<num>"],
    ),
    "iso time": ("2013-02-25T13:17:59Z 2013-02-25", ["<time>", "<time>"]),
    "date": ("25.02.2013 and 12/31/2013", ["<time>", "and", "<time>"]),
    "short date": ("2013/2/5", ["<time>"]),
    "clock": ("at 12:30 or 9:05:01am", ["at", "<time>", "or", "<time>"]),
    "ip": ("192.168.1.1:8080", ["<ip>"]),
    "version": ("2.1.0.v2012 3.1.0.GA 1.8.0.1", ["<version>"] * 3),
    "v version": ("v8 V4.2", ["<version>", "<version>"]),
    "exponent": ("1e-5", ["<num>"]),
    "decimal": ("1,000.5 mbar", ["<num>", "mbar"]),
    "number": ("-60 mbar", ["<num>", "mbar"]),
}


def test_every_rule_has_an_example():
    assert {rule.name for rule in RULES} == EXAMPLES.keys()


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_rule_masks_its_example(name):
    text, expected = EXAMPLES[name]
    assert expected == tokenize(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("60 mbar", ["<num>", "mbar"]),
        ("28MW", ["<num>", "mw"]),
        ("3.5bar", ["<num>", "bar"]),
        ("50% of 20°C", ["<num>", "percent", "of", "<num>", "c"]),
        ("2x4", ["<num>", "x4"]),
    ],
)
def test_a_number_keeps_its_unit(text, expected):
    assert expected == tokenize(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ti.UI.createWindow()", ["ti", "ui", "create", "window"]),
        ("snake_case_name", ["snake", "case", "name"]),
        ("XMLHttpRequest", ["xml", "http", "request"]),
        ("iPhone iOS kHz MWh URLs", ["iphone", "ios", "khz", "mwh", "urls"]),
        ("log4j ios7 gt26", ["log4j", "ios7", "gt26"]),
        ("MBM12AA001 3f2a9c1b", ["<id>", "<id>"]),
    ],
)
def test_identifiers_give_their_parts(text, expected):
    assert expected == tokenize(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("don't can’t", ["don't", "can't"]),
        ("the user's app", ["the", "user", "app"]),
        ("l'eau d'huile", ["l", "eau", "d", "huile"]),
        ("'quoted'", ["quoted"]),
    ],
)
def test_apostrophes(text, expected):
    assert expected == tokenize(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Übergröße", ["übergröße"]),
        ("e\u0301te\u0301", ["été"]),
        ("ﬁle", ["file"]),
        ("ＡＢＣ", ["abc"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("Ошибка насоса", ["ошибка", "насоса"]),
        ("日本", ["日", "本"]),
        ("见TIMOB-12的", ["见", "<key>", "的"]),
        ("soft\u00adhyphen", ["softhyphen"]),
    ],
)
def test_letters_of_all_scripts_are_words(text, expected):
    assert expected == tokenize(text)


def test_spans_point_at_the_source_of_each_token():
    text = "The ﬁlter's ΔP is 60 mbar, see TIMOB-12"
    marked = [(token.text, text[token.start : token.end]) for token in tokens_with_spans(text)]
    assert marked == [
        ("the", "The"),
        ("filter", "ﬁlter"),
        ("δp", "ΔP"),
        ("is", "is"),
        ("<num>", "60"),
        ("mbar", "mbar"),
        ("see", "see"),
        ("<key>", "TIMOB-12"),
    ]


@pytest.mark.parametrize(
    ("word", "is_id"),
    [("gt26", False), ("ab123", False), ("ab1234", True), ("deadbeef", False), ("deadbee1", True)],
)
def test_what_counts_as_an_id(word, is_id):
    assert is_id == looks_like_id(word)


def test_an_overlong_run_is_an_id():
    assert tokenize("a" * 64) == ["a" * 64]
    assert tokenize("a" * 65) == ["<id>"]


FRAGMENTS = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.sampled_from([text for text, _ in EXAMPLES.values()]),
        st.sampled_from(["'", "_", "-", ".", "/", "@", ":", "#", "<", "ß", "İ", "\u0301", "９"]),
        st.sampled_from(["<o:p>", "<!DOCTYPE html>", "<?xml ", "<![endif]>"]),
    ),
    max_size=8,
).map("".join)


@given(FRAGMENTS)
def test_spans_ascend_and_lie_inside_the_text(text):
    tokens = tokens_with_spans(text)
    assert [token.text for token in tokens] == tokenize(text)
    bounds = [bound for token in tokens for bound in (token.start, token.end)]
    assert bounds == sorted(bounds)
    assert all(0 <= token.start < token.end <= len(text) for token in tokens)


def test_a_fraction_sign_is_one_number():
    """It stands for a digit, a slash and a digit, all of them in the same place."""
    assert tokens_with_spans("¼ bar") == [("<num>", 0, 1), ("bar", 2, 5)]


@given(FRAGMENTS)
def test_tokens_are_lower_case_and_hold_no_space(text):
    for token in tokenize(text):
        assert token
        assert token == token.lower()
        assert not any(map(str.isspace, token))


@given(st.one_of(FRAGMENTS, st.text(alphabet="aExX019_'.,-:#+/éß漢<>%")))
def test_masks_in_a_stretch_are_those_of_its_tokens(text):
    for stretch in text.split():
        tokens = tokens_with_spans(stretch)
        assert masks_in(stretch) == [x for x in tokens if re.fullmatch("<[a-z]+>", x.text)]


@given(st.text(alphabet="abcXYZ019 _'.,-:éÜß<>%"))
def test_tokens_of_joined_tokens_are_the_same_tokens(text):
    once = tokenize(text)
    assert once == tokenize(" ".join(once))


@pytest.mark.parametrize(
    "piece",
    ["a", "a.b", "a@", "/a", "1.", "a'", "_", "aB", "A-1", "é", "日", "\u0301", "ab:", "<a"],
)
def test_a_long_stretch_takes_linear_time(piece):
    started = time.process_time()
    tokenize(piece * (200_000 // len(piece)))
    assert time.process_time() - started < 5


def test_a_hundred_thousand_words_take_less_than_a_second():
    started = time.process_time()
    tokens = tokenize("pressure word2 loss " * 33_334)
    assert len(tokens) == 100_002
    assert time.process_time() - started < 1


def test_a_version_ends_before_the_point_that_ends_a_sentence():
    """Pythons before 3.11.4 took one character more, where a group repeats possessively."""
    assert tokenize("Since 1.2.3.Final and 3.5,x") == [
        "since",
        "<version>",
        "final",
        "and",
        "<num>",
        "x",
    ]


def test_of_a_chain_of_a_hundred_parts_each_forty_are_one_version():
    assert tokenize(".".join("1" * 100)) == ["<version>", "<version>", "<version>"]
    assert tokenize(".".join("1" * 40)) == ["<version>"]


def test_a_contraction_longer_than_any_word_is_an_id():
    assert tokenize("don't") == ["don't"]
    assert tokenize("e" + "\u0301\u0316" * 100 + "'t") == ["<id>"]


def test_the_longest_form_of_one_character_is_its_first_word():
    assert tokens_with_spans("\ufdfa\ufdfa") == [("صلى", 0, 1), ("الله", 1, 2)]


def test_forty_marks_on_a_letter_are_ordered_as_unicode_does():
    marks = "\u0301\u0316" * 20
    assert tokenize(f"a{marks}") == [unicodedata.normalize("NFKC", f"a{marks}")]


PIECES = [
    "www.",
    "pump",
    "Pump",
    "PUMP",
    "a",
    "don't",
    "'s",
    ",",
    ".",
    "(",
    ")",
    "'",
    '"',
    "?",
    "4",
    "-",
    ":",
    "mailto:",
    "de",
]


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join))
def test_what_is_split_at_once_is_what_the_rules_say(text):
    """Most stretches are one word between marks, which no rule of masking need look at."""
    assert tokenize(text) == [token.text for token in tokens_with_spans(text)]


def test_no_more_stretches_are_remembered_than_that(monkeypatch):
    monkeypatch.setattr(tokens.remembered_texts, "most", 3)
    for number in range(20):
        assert tokenize(f"no{number} pumps") == [f"no{number}", "pumps"]
    assert len(tokens.remembered_texts) <= 3


@given(st.text("aA bB1.-ü\n", max_size=30))
def test_a_token_is_shown_as_it_was_first_written(text):
    first = {}
    for token, start, end in tokens_with_spans(text):
        first.setdefault(token, text[start:end])
    assert tokens.first_written(text, first) == first


def test_a_token_that_is_not_there_was_not_written():
    assert tokens.first_written("Oil", ["pump", "oil"]) == {"oil": "Oil"}


@given(st.text("aB1. \n\t\x0b\x0c\r\x1c\x1d\x1e\x1f\x00\x85\xa0\u2028\u3000油", max_size=30))
def test_text_is_split_at_the_same_white_space_in_any_script(text):
    assert tokenize(text) == [token.text for token in tokens_with_spans(text)]


@given(st.text("aB.-_'w&;=%é5/@:", max_size=20))
def test_a_rule_finds_something_only_where_it_is_looked_for(text):
    found = [rule.name for rule in RULES if re.search(rule.pattern, text)]
    assert tokens.MASKED.search(text) or not found
