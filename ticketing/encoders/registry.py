"""All encoders that a network may have, by the letter of their channel."""

from ticketing.encoders import lstm, sentence_transformer, sumemb, terms, topics

ENCODERS = {
    kind.symbol: kind
    for kind in (lstm.KIND, sumemb.KIND, topics.KIND, sentence_transformer.KIND, terms.KIND)
}
"""Kinds of encoders by letter, in the order in which they are shown."""
