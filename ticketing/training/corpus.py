"""Everything a network learns from, read once: words of tickets and queries as ids."""

import hashlib
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain

from tqdm import tqdm

from ticketing.model.settings import NetworkSettings
from ticketing.text import tokenize
from ticketing.text.vocabulary import UNKNOWN, Vocabulary
from ticketing.tickets import Label, Ticket
from ticketing.training.sampling import Archive, Fields
from ticketing.training.settings import TrainingSettings

FIELDS = ("subject", "description", "solution")


@dataclass(frozen=True)
class Corpus:
    """Everything the network learns from, as word ids."""

    vocabulary: Vocabulary
    """Counted over all tickets, also those that are not learned from."""
    archive: Archive
    queries: dict[str, Fields]
    """By query id."""
    texts: list[list[str]]
    """Its text as tokens, for word vectors."""
    digest: str
    """Names all of it, labels as well."""
    texts_digest: str
    """Names the texts alone: what word vectors and topics depend on."""


def read_corpus(
    tickets: Sequence[Ticket],
    labels: Sequence[Label],
    network: NetworkSettings,
    training: TrainingSettings,
) -> Corpus:
    """Tokenize tickets and the labels' queries, count the vocabulary, and take of more than
    `training.tickets` tickets those with labels and a random sample."""
    queries = {label.query.id: label.query for label in labels}
    tokens = {
        ticket.id: {name: tokenize(getattr(ticket, name)) for name in FIELDS}
        for ticket in tqdm(tickets, desc="reading tickets", unit="ticket")
    }
    asked = {
        id: {name: tokenize(getattr(query, name)) for name in FIELDS[:2]}
        for id, query in sorted(queries.items())
    }
    new = [fields for id, fields in asked.items() if not queries[id].ticket_id]
    everything = [*tokens.values(), *new]
    vocabulary = Vocabulary.count(list(chain(*fields.values())) for fields in everything)
    learned = _learned([*tokens], {label.ticket_id for label in labels}, training)
    return Corpus(
        vocabulary,
        Archive(
            network,
            {id: _known(vocabulary, tokens[id]) for id in learned},
            {ticket.id: ticket.created for ticket in tickets if ticket.created},
        ),
        {id: _known(vocabulary, fields) for id, fields in asked.items()},
        [text for x in [*(tokens[id] for id in learned), *new] for text in x.values() if text],
        _digest(tickets, [f"{x.query.id}\0{x.ticket_id}\0{int(x.grade)}" for x in labels]),
        _digest(tickets, [*learned, *(id for id in asked if not queries[id].ticket_id)]),
    )


def _learned(
    ids: Sequence[str], labelled: Collection[str], training: TrainingSettings
) -> list[str]:
    """The tickets that are learned from, in their order."""
    others = sorted(set(ids) - set(labelled))
    room = min(max(training.tickets - (len(ids) - len(others)), 0), len(others))
    left_out = set(others) - set(random.Random(training.seed).sample(others, room))
    return [id for id in ids if id not in left_out]


def _known(vocabulary: Vocabulary, fields: dict[str, list[str]]) -> Fields:
    return {
        name: [id for id in vocabulary.ids(text) if id != UNKNOWN] for name, text in fields.items()
    }


def _digest(tickets: Sequence[Ticket], others: Sequence[str]) -> str:
    """Sixteen hex digits over every ticket and what else there is."""
    digest = hashlib.sha256()
    for ticket in sorted(tickets, key=lambda ticket: ticket.id):
        digest.update(f"{ticket.id}\0{ticket.version}\n".encode())
    for other in sorted(others):
        digest.update(f"{other}\n".encode())
    return digest.hexdigest()[:16]
