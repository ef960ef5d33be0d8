"""The tokenizer: lower-case words and masks, with their positions in the text.

Text is split at white space, and each stretch is normalised (NFKC), masked and split on its own.
The same stretches recur, so short ones are cached, and the tokens of a repeated word are one
dictionary lookup.

Everything takes linear time for any text: no pattern scans twice, and only short parts are
normalised at once.
"""

import re
import unicodedata
from collections.abc import Collection
from functools import cache, lru_cache
from itertools import chain, pairwise
from sys import intern
from typing import NamedTuple

from ticketing.text.masking import LONGEST_WORD, RULES, looks_like_id
from ticketing.text.normal import marks, normalise
from ticketing.text.remembering import Remembered


class Token(NamedTuple):
    """A token and the half-open range [start, end) of its source in the text."""

    text: str
    start: int
    end: int


def tokens_with_spans(text: str) -> list[Token]:
    """Tokens of plain text in order; ranges ascend and do not overlap.

    Words are lower-case. `camelCase`, `dotted.names` and `snake_case` give their parts,
    "60 mbar" and "28MW" a mask and the unit, Han characters one token each.
    """
    return [
        Token(token.text, stretch.start() + token.start, stretch.start() + token.end)
        for stretch in _STRETCH.finditer(text)
        for token in _tokens_of(stretch[0])
    ]


def tokenize(text: str) -> list[str]:
    """The texts of `tokens_with_spans(text)`.

    Stores keep these for their tickets. If the tokenizer changes, they must be computed again.
    """
    return list(chain.from_iterable(map(remembered_texts.__getitem__, _stretches(text))))


def masks_in(stretch: str) -> list[Token]:
    """The masks among the tokens of text without white space, in half the time of all tokens."""
    if not stretch.isascii():
        return [token for token in tokens_with_spans(stretch) if token.text in _ALL_MASKS]
    masks: list[Token] = []
    for found in _scanner().finditer(stretch):
        if found.lastgroup != "word":
            masks.append(Token(_MASKS[found.lastgroup] or found[0], *found.span()))
        elif _DIGIT.search(found[0]):
            masks += _split_word(found[0], found.start())
    return [token for token in masks if token.text in _ALL_MASKS]


def token_lines(*texts: str) -> str:
    """The tokens of texts, joined by blanks, one line per text, as stores keep them."""
    return "\n".join(" ".join(tokenize(text)) for text in texts)


def first_written(text: str, tokens: Collection[str]) -> dict[str, str]:
    """Those of the tokens that a text contains, each in its first spelling there."""
    written: dict[str, str] = {}
    left = set(tokens)
    for stretch in _stretches(text):
        if not left:
            break
        if left.isdisjoint(remembered_texts[stretch]):
            continue
        for token in _tokens_of(stretch):
            if token.text in left:
                left.remove(token.text)
                written[token.text] = stretch[token.start : token.end]
    return written


_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_STRETCH = re.compile(rf"[{_HAN}]|[^\s{_HAN}]+")
_REMEMBERED_LENGTH = 48
"""Maximum length of a stretch whose tokens are cached."""


def _stretches(text: str) -> list[str]:
    """The stretches of a text; ASCII is split at the same white space, but faster."""
    return text.split() if text.isascii() else _STRETCH.findall(text)


def _tokens_of(stretch: str) -> tuple[Token, ...]:
    if len(stretch) <= _REMEMBERED_LENGTH:
        return _remembered(stretch)
    return _split_stretch(stretch)


def _split_stretch(stretch: str) -> tuple[Token, ...]:
    if plain := _PLAIN.fullmatch(stretch):
        return (Token(plain[1].lower(), *plain.span(1)),)
    if stretch.isascii():
        return tuple(_split_normal(stretch))
    normal, starts, ends = normalise(stretch)
    tokens: list[Token] = []
    for token in _split_normal(normal):
        start, end = starts[token.start], ends[token.end - 1]
        if not tokens or start >= tokens[-1].end:  # a fraction sign has two numbers
            tokens.append(Token(token.text, start, end))
    return tuple(tokens)


_remembered = lru_cache(maxsize=1 << 16)(_split_stretch)

MOST_TEXTS, LONGEST_REMEMBERED = 1 << 16, 160
"""Number of stretches whose token texts are cached, and their maximum length."""


def _token_texts(stretch: str) -> tuple[str, ...]:
    if plain := _PLAIN.fullmatch(stretch):
        return (intern(plain[1].lower()),)
    return tuple(_texts_of(stretch))


remembered_texts = Remembered(_token_texts, MOST_TEXTS, LONGEST_REMEMBERED)
"""Token texts by stretch; encoding consists mostly of lookups. Lines of stack traces, which are
long, recur as often as words."""


def _texts_of(stretch: str) -> list[str]:
    """The token texts of a stretch; its runs of letters are cached in turn, since dotted names and
    addresses consist of few words."""
    if not stretch.isascii():
        return [intern(token.text) for token in _split_stretch(stretch)]
    texts: list[str] = []
    if _ONLY_WORDS.fullmatch(stretch):
        for run in _ASCII_RUN.findall(stretch):
            texts += _texts_of_run(run)
        return texts
    for found in _scanner().finditer(stretch):
        if found.lastgroup == "word":
            texts += _texts_of_run(found[0])
        else:
            texts.append(_MASKS[found.lastgroup] or found[0])
    return texts


_ONLY_WORDS = re.compile(r"(?!.*(?:www\.|mailto:|::|[a-fA-F][:-][a-fA-F]))[^0-9@/\\<]*+")
"""An ASCII stretch without anything that masking rules need: without digits, `:` and `-` matter
only between hexadecimal letters, or at the beginning of an address."""

_ASCII_RUN = re.compile(r"\w[\w']*+")


def _texts_of_run(run: str) -> tuple[str, ...]:
    return _remembered_run(run) if len(run) <= LONGEST_WORD else _split_run(run)


def _split_run(run: str) -> tuple[str, ...]:
    if len(run) <= LONGEST_WORD and run.isalpha() and run.isascii() and _is_whole(run):
        return (intern(run.lower()),)
    return tuple([intern(token.text) for token in _split_word(run, 0)])


_remembered_run = lru_cache(maxsize=1 << 15)(_split_run)

_PLAIN = re.compile(
    r"[\"'(\[{]*+(?!www\.|mailto:)((?:[a-z]|[A-Z][a-z])[a-z]{0,40})[.,;:!?)\]}\"']*+"
)
"""A stretch of one word with punctuation, which no masking rule can match."""


# Masks and words ---------------------------------------------------------------------


@cache
def _scanner() -> re.Pattern[str]:
    rules = [f"(?P<r{i}>{rule.pattern})" for i, rule in enumerate(RULES)]
    return re.compile("|".join([*rules, _words().pattern, r"(?P<percent>(?<=\d)%)"]))


@cache
def _words() -> re.Pattern[str]:
    return re.compile(rf"(?P<word>\w[\w'’{marks()}]*+)")


MASKED = re.compile(r"[\d:/@\\<#-]|www\.")
"""A stretch without any of these is matched by no masking rule."""


@cache
def _parts() -> re.Pattern[str]:
    letter = rf"(?:[^\W_]++[{marks()}]*+)"
    contraction = rf"(?P<contraction>{letter}{{1,16}}+['’](?:t|ll|ve|re|m|d)(?!\w))"
    return re.compile(rf"(?i:{contraction})|(?P<letters>{letter}++)(?:['’][sS](?!\w))?")


_MASKS: dict[str | None, str] = {
    **{f"r{i}": rule.mask for i, rule in enumerate(RULES)},
    "percent": "percent",
}


_ALL_MASKS = frozenset(rule.mask for rule in RULES if rule.mask)
_DIGIT = re.compile(r"\d")


def _split_normal(text: str) -> list[Token]:
    """Tokens of a normalised stretch: masks where rules match, the parts of words elsewhere."""
    tokens = []
    scanner = _scanner() if MASKED.search(text) else _words()
    for found in scanner.finditer(text):
        if found.lastgroup == "word":
            tokens += _split_word(found[0], found.start())
        else:
            tokens.append(Token(_MASKS[found.lastgroup] or found[0], *found.span()))
    return tokens


def _split_word(run: str, offset: int) -> list[Token]:
    """Tokens of a run of letters, digits, marks, underscores and apostrophes.

    "don't" stays one word, "user's" loses its s, "l'eau" becomes two words.
    """
    if run.isalpha() and run.isascii():
        return [_word(run[cut:end], offset + cut) for cut, end in pairwise(_camel_cuts(run))]
    tokens = []
    for part in _parts().finditer(run):
        start = offset + part.start()
        if part.lastgroup == "contraction":
            tokens.append(_word(part[0].replace("’", "'"), start))
            continue
        letters = part["letters"]
        for cut, end in pairwise(_camel_cuts(letters)):
            tokens += _split_digits(letters[cut:end], start + cut)
    return tokens


def _camel_cuts(word: str) -> list[int]:
    """Where to cut camelCase: 0, the inner cuts, and the length.

    A cut needs two characters before it, so that iOS, iPhone and kHz stay whole; the
    last capital of HTTPServer belongs to Server, the s of URLs to the acronym.
    """
    if _is_whole(word):
        return [0, len(word)]
    if word[-1] == "s" and word[:-1].isupper():
        return [0, len(word)]
    cuts = [0]
    for i in range(2, len(word)):
        if word[i].isupper() and i - cuts[-1] >= 2:  # rare, so it is tested first
            after_small, before_small = not word[i - 1].isupper(), word[i + 1 : i + 2].islower()
            if after_small or before_small:
                cuts.append(i)
    return [*cuts, len(word)]


def _is_whole(word: str) -> bool:
    """Whether no inner letter is a capital, or all letters are capitals."""
    return word.islower() or word[1:].islower() or word.isupper()


_LEADING_DIGITS = re.compile(r"\A\d+")


def _split_digits(word: str, start: int) -> list[Token]:
    """The mask of an id; or the mask of a leading number and the rest ("28MW"); or the word."""
    if word.isalpha():
        return [_word(word, start)]
    rest = _LEADING_DIGITS.sub("", word)
    cut = len(word) - len(rest)
    if looks_like_id(word if any(map(str.isdecimal, rest)) else rest):
        return [Token("<id>", start, start + len(word))]
    number = [Token("<num>", start, start + cut)] if cut else []
    return [*number, _word(rest, start + cut)] if rest else number


def _word(text: str, start: int) -> Token:
    if len(text) > LONGEST_WORD:
        return Token("<id>", start, start + len(text))
    lower = text.lower()
    if not lower.isascii():
        lower = unicodedata.normalize("NFKC", lower)
    return Token(lower, start, start + len(text))
