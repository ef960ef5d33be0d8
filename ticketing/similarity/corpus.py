"""Everything a network learns from, read once: words of tickets and queries as ids."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from tqdm import tqdm

from ticketing.similarity.codes import minute_of
from ticketing.similarity.config import NetworkSettings
from ticketing.similarity.examples import Archive, Fields
from ticketing.text import tokenize
from ticketing.text.vocabulary import UNKNOWN, Vocabulary
from ticketing.tickets import Label, Ticket

FIELDS = ("subject", "description", "solution")


@dataclass(frozen=True)
class Corpus:
    """Everything the network learns from, as word ids."""

    vocabulary: Vocabulary
    archive: Archive
    queries: dict[str, Fields]
    """By query id."""
    texts: list[list[str]]
    """All text as tokens, for word vectors."""
    digest: str
    """Names all of it, labels as well."""
    texts_digest: str
    """Names the texts alone: what word vectors and topics depend on."""


def read_corpus(
    tickets: Sequence[Ticket], labels: Sequence[Label], network: NetworkSettings
) -> Corpus:
    """Tokenize tickets and the labels' queries, and count the vocabulary."""
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
    return Corpus(
        vocabulary,
        Archive(
            network,
            {id: _known(vocabulary, fields) for id, fields in tokens.items()},
            {ticket.id: minute_of(ticket.created) for ticket in tickets},
        ),
        {id: _known(vocabulary, fields) for id, fields in asked.items()},
        [text for fields in everything for text in fields.values() if text],
        _digest(tickets, [f"{x.query.id}\0{x.ticket_id}\0{int(x.grade)}" for x in labels]),
        _digest(tickets, [id for id in asked if not queries[id].ticket_id]),
    )


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
