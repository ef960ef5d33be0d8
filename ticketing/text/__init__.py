"""Text processing: mark-up removal, masking, tokenizer, vocabulary.

- `markup`: readable plain text from HTML, wiki mark-up and logs.
- `normal`: Unicode normalisation (NFKC).
- `masking`: masks numbers, dates, keys and the like, which a model should not memorise.
- `tokens`: the tokenizer.
- `literals`: the numbers and codes that masks hide, for exact search.
- `remembering`: a cache of what is computed from short texts.
- `sentences`: splits a text into sentences.
- `vocabulary`: word ids and document frequencies.
- `compounds`: words that some write as one and others in parts.
- `telling`: selects and weights telling words.
- `bm25`: ranks by shared words alone, as a baseline.
"""

from ticketing.text.markup import meaningful, strip_markup
from ticketing.text.tokens import Token, token_lines, tokenize, tokens_with_spans

__all__ = [
    "Token",
    "meaningful",
    "strip_markup",
    "token_lines",
    "tokenize",
    "tokens_with_spans",
]
