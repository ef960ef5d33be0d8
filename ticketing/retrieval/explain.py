"""Why this ticket: the parts of its distance, the topics it shares, the words that overlap."""

import torch

from ticketing.retrieval.topics import ticket_text
from ticketing.similarity.codes import CodeLayout
from ticketing.similarity.model import Model, QueryCode
from ticketing.text import tokenize
from ticketing.tickets import Part, Query, SharedTopic, Ticket

EVERYDAY = 0.2
"""A word in more than this share of tickets is not marked."""


def parts_of(model: Model, query: QueryCode, row, weights) -> tuple[Part, ...]:
    """Every term of equation 1 for one row of codes uint8 [width]; they add up to its distance.

    `weights` float32 [2 ** R, P, R, C] are those of the scan.
    """
    layout: CodeLayout = model.layout
    size = int(layout.bounds[-1])
    parts = []
    for r, ticket_component in enumerate(model.settings.ticket_components):
        ticket = row[r * size : (r + 1) * size].astype(int)
        for p, query_component in enumerate(model.settings.query_components):
            for c, channel in enumerate(model.settings.channels):
                weight = float(weights[row[-1], p, r, c])
                if weight < 0:
                    continue
                span = slice(layout.bounds[c], layout.bounds[c + 1])
                apart = abs(query.codes[p, span].astype(int) - ticket[span]).sum()
                parts.append(Part(channel, query_component, ticket_component, weight * int(apart)))
    return tuple(parts)


def overlap(model: Model, query_words: set[str], ticket: Ticket) -> frozenset[str]:
    """The query's tokens that also occur in the ticket, without masks and everyday words."""
    words = set(tokenize(ticket_text(ticket)))
    return frozenset(
        word
        for word in query_words & words
        if not word.startswith("<") and model.vocabulary.share(word) <= EVERYDAY
    )


def shared_topics(model: Model, query: Query, ticket: Ticket) -> tuple[SharedTopic, ...]:
    """Topics that are active in both, with the texts' words that speak for them most."""
    channel = model.network.topics
    if channel is None:
        return ()
    texts = [f"{query.subject}\n{query.description}", ticket_text(ticket)]
    ids = [model.vocabulary.ids(tokenize(text)) for text in texts]
    with torch.inference_mode():
        shared = channel.shared(*ids)
    return tuple(
        SharedTopic(topic, tuple(model.vocabulary.words[id - 1] for id in words), activity)
        for topic, activity, words in shared
    )
