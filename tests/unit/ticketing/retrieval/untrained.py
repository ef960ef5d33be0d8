"""A recommender over a few tickets whose network learned nothing."""

from dataclasses import replace

import numpy as np
import torch

from ticketing.model.components import ticket_fields, ticket_tokens
from ticketing.model.settings import NetworkSettings
from ticketing.networks.making import model_of, new_network
from ticketing.retrieval.memory import EncodedTickets
from ticketing.retrieval.recommend import Recommender
from ticketing.retrieval.solved import solved_of
from ticketing.text import tokenize
from ticketing.text.compounds import CountedCompounds
from ticketing.text.vocabulary import Vocabulary
from ticketing.tickets import Filters


class KnownTickets(EncodedTickets):
    """Tickets in memory, which a recommender may read."""

    def read_tickets(self, ids):
        return {id: (ticket, "") for id, ticket in self.get_tickets(ids).items()}

    def codes(self, bundle_id, filters=None):
        block = super().codes(bundle_id)
        if filters is None or filters == Filters():
            return block
        admitted = np.array([filters.admit(self._tickets[id]) for id in block.ids])
        return replace(block.chosen(np.flatnonzero(admitted)), of=None)


def recommender_of(tickets, *labels, store=KnownTickets, **network):
    """Ranks the tickets; queries that labels say YES to are solved."""
    wanted = {"hidden": 6, "word_dims": 16, "character_dims": 4, "max_words": 24} | network
    settings = NetworkSettings(channels=("h", "E", "L"), **wanted)
    vocabulary = Vocabulary.count((tokenize(ticket.text) for ticket in tickets), min_count=1)
    compounds = CountedCompounds()
    for ticket in tickets:
        compounds.add(ticket.text)
    vocabulary = vocabulary.splitting(compounds.usual(vocabulary))
    torch.manual_seed(0)
    vectors = torch.nn.functional.normalize(torch.randn(len(vocabulary), 16))
    vectors[0] = 0
    model = model_of(new_network(settings, vocabulary, vectors, {}), vocabulary, id="m")
    model.fit_layout(model.encode([ticket_tokens(ticket_fields(x), settings) for x in tickets]))
    codes = model.encode_tickets(tickets)
    model.anchors = codes
    solved = solved_of(model, labels)
    return Recommender(store(tickets, codes), model, solved=lambda: solved)
