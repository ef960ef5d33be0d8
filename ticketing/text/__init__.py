"""Text in, tokens out: mark-up, masks and the one tokenizer."""

from ticketing.text.markup import strip_markup
from ticketing.text.tokens import Token, token_lines, tokenize, tokens_with_spans

__all__ = ["Token", "strip_markup", "token_lines", "tokenize", "tokens_with_spans"]
