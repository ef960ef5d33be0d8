"""Masks what a model should not memorise, by a table of named rules.

A ticket's own numbers, ids, dates and addresses never recur, and the key of another ticket would
reveal a labelled pair. Each becomes a mask such as `<num>`. The first rule that matches at a
position applies. Rules see one stretch of text without white space at a time. A rule that fails has
read a bounded number of words, so masking takes linear time: a version has at most MOST_PARTS
parts, and longer ones become several.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """A rule: its name, its mask, and its pattern (case-sensitive, `re` syntax)."""

    name: str
    mask: str
    pattern: str


_HEX = "[0-9a-fA-F]"
_STANDARDS = "UTF|ISO|IEC|DIN|EN|SHA|RFC|RS|USB"
_STAGES = r"[-.]?(?:GA|RC|alpha|beta|preview|rc|v|b)\.?\d*+"

MOST_PARTS = 40
_VERSION = rf"[vV]?\d++(?>(?:\.[vV]?\d++){{2,{MOST_PARTS - 1}}})(?:{_STAGES})?(?!\w)"

RULES = (
    Rule("mask", "", r"<(?:num|id|version|url|path|email|key|time|ip)>"),
    Rule("url", "<url>", r"(?:[a-zA-Z][a-zA-Z0-9+.-]{1,15}+://|www\.)[^\s<>\"'|(){}\[\]]++"),
    Rule("mailto", "<email>", r"mailto:[^\s<>\"'|(){}\[\]]++"),
    Rule("email", "<email>", r"[\w.+-]{1,64}+@[\w-]{1,63}+(?>(?:\.[\w-]{1,63}+){1,8})"),
    Rule("windows path", "<path>", r"(?:[a-zA-Z]:|\\)\\[^\s<>\"'|,;]++"),
    Rule("unix path", "<path>", r"(?<!\w)(?:~|\.{1,2})/[\w.@%+~/-]++"),
    Rule("absolute path", "<path>", r"(?<![\w/<])/[\w.@%+~-]++/[\w.@%+~/-]++"),
    Rule("uuid", "<id>", rf"{_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}(?!\w)"),
    Rule("mac", "<id>", rf"(?:{_HEX}{{2}}[:-]){{5}}{_HEX}{{2}}(?!\w)"),
    Rule("ipv6", "<ip>", rf"(?:{_HEX}{{1,4}}:){{7}}{_HEX}{{1,4}}(?!\w)"),
    Rule("short ipv6", "<ip>", rf"(?:{_HEX}{{1,4}}:){{1,6}}(?::{_HEX}{{1,4}}){{1,6}}(?!\w)"),
    Rule("hex", "<id>", rf"0[xX]{_HEX}++(?!\w)"),
    Rule("hash", "<id>", rf"#(?:\d++|(?=[a-fA-F]{{0,7}}\d){_HEX}{{3,8}}+)(?!\w)"),
    Rule("key", "<key>", rf"(?!(?:{_STANDARDS})-)[A-Z][A-Z0-9_]{{1,19}}+-\d++(?!\w)"),
    Rule(
        "iso time",
        "<time>",
        r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?![\w-])",
    ),
    Rule("date", "<time>", r"\d{1,2}(?P<sep>[/.-])\d{1,2}(?P=sep)(?:19|20)\d{2}(?![\w-])"),
    Rule("short date", "<time>", r"\d{1,4}/\d{1,2}/\d{1,2}(?![\w/])"),
    Rule("clock", "<time>", r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?(?:[aApP]\.?[mM])?(?![\w:])"),
    Rule(
        "ip",
        "<ip>",
        r"(?=(?:\d\.){0,3}\d\d)\d{1,3}(?:\.\d{1,3}){3}(?:[:/]\d{1,5})?(?!\.?\w)",
    ),
    Rule("version", "<version>", _VERSION),
    Rule("v version", "<version>", rf"[vV]\d++(?:\.\d++)?(?:{_STAGES})?(?!\w)"),
    Rule("exponent", "<num>", r"[+-]?\d++(?:[.,]\d++)?[eE][+-]?\d++(?!\w)"),
    Rule("decimal", "<num>", r"[+-]?\d++(?>(?:[.,]\d++)+)"),
    Rule("number", "<num>", r"[+-]?\d++(?!\w)"),
)

_ID_DIGITS = 4
LONGEST_WORD = 64
_LONG_HEX = re.compile(rf"(?=[a-fA-F]*+\d)(?=\d*+[a-fA-F]){_HEX}{{8,}}+")


def looks_like_id(word: str) -> bool:
    """Whether a run of letters and digits is an id: four digits or more, long hex, or overlong.

    "log4j", "ios7" and "gt26" are words; "MBM12AA001" and "3f2a9c1b" are ids.
    """
    digits = sum(map(str.isdecimal, word))
    return len(word) > LONGEST_WORD or digits >= _ID_DIGITS or _LONG_HEX.fullmatch(word) is not None
