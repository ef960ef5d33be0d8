"""Everything a network learns from, read once: words of tickets and queries as ids."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from tqdm import tqdm

from ticketing.model.settings import NetworkSettings
from ticketing.text import tokenize
from ticketing.text.vocabulary import UNKNOWN, Vocabulary
from ticketing.tickets import Label, Ticket
from ticketing.training.sampling import Archive
from ticketing.training.texts import FIELDS, Fields, Packer


@dataclass(frozen=True)
class Corpus:
    """Everything the network learns from, as word ids."""

    vocabulary: Vocabulary
    """Counted over all tickets, and the queries that are none."""
    archive: Archive
    queries: dict[str, Fields]
    """By query id."""
    asked: list[str]
    """Ids of the queries that are no ticket."""
    digest: str
    """Names all of it, labels as well."""
    texts_digest: str
    """Names the texts alone: what word vectors and topics depend on."""


def read_corpus(
    tickets: Sequence[Ticket], labels: Sequence[Label], network: NetworkSettings
) -> Corpus:
    """Tokenize tickets and the labels' queries, and count the vocabulary."""
    queries = {label.query.id: label.query for label in labels}
    asked = {
        id: {name: tokenize(getattr(query, name)) for name in FIELDS[:2]}
        for id, query in sorted(queries.items())
    }
    new = [id for id in asked if not queries[id].ticket_id]
    packer = Packer()

    def documents() -> Iterator[list[str]]:
        for ticket in tqdm(tickets, desc="reading tickets", unit="ticket"):
            fields = {name: tokenize(getattr(ticket, name)) for name in FIELDS}
            packer.add(ticket.id, fields)
            yield list(chain(*fields.values()))
        yield from (list(chain(*asked[id].values())) for id in new)

    vocabulary = Vocabulary.count(documents())
    return Corpus(
        vocabulary,
        Archive(
            network,
            packer.texts(vocabulary),
            {ticket.id: ticket.created for ticket in tickets if ticket.created},
        ),
        {id: _known(vocabulary, fields) for id, fields in asked.items()},
        new,
        _digest(tickets, [f"{x.query.id}\0{x.ticket_id}\0{int(x.grade)}" for x in labels]),
        _digest(tickets, new),
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
