"""Text in, tokens out: mark-up, masks and the one tokenizer.

`markup` makes plain text, `normal` writes each character in one way, `masking` replaces what no
model should learn by heart, and `tokens` is the tokenizer. `literals` are what masks hide, as two
texts may both name it. `sentences` cuts a text for people, `vocabulary` numbers words and counts
them, `telling` says which words tell what a text is about, and `bm25` ranks by words alone, to
compare with.
"""

from ticketing.text.markup import says_nothing, strip_markup
from ticketing.text.tokens import Token, token_lines, tokenize, tokens_with_spans

__all__ = [
    "Token",
    "says_nothing",
    "strip_markup",
    "token_lines",
    "tokenize",
    "tokens_with_spans",
]
