"""Everything a network learns from, read once: words of tickets and queries as ids."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile

from tqdm import tqdm

from ticketing.model.settings import NetworkSettings
from ticketing.text import tokenize
from ticketing.text.vocabulary import UNKNOWN, Vocabulary
from ticketing.tickets import Label, TicketList
from ticketing.training.sampling import Archive
from ticketing.training.texts import FIELDS, Fields, Packer, Texts


@dataclass(frozen=True)
class Corpus:
    """Everything the network learns from, as word ids."""

    vocabulary: Vocabulary
    """Counted over all tickets, and the queries that are none."""
    texts: Texts
    """Of all tickets."""
    archive: Archive
    """The same, as examples are cut from them."""
    queries: dict[str, Fields]
    """By query id."""
    asked: list[str]
    """Ids of the queries that are no ticket."""
    digest: str
    """Names all of it, labels as well."""
    texts_digest: str
    """Names the texts alone: what word vectors and topics depend on."""


def read_corpus(
    tickets: TicketList,
    labels: Sequence[Label],
    network: NetworkSettings,
    folder: Path | None = None,
) -> Corpus:
    """Tokenize tickets and the labels' queries, and count the vocabulary.

    Tickets are read once; their words lie in a file without a name in `folder`, the system's
    temporary one unless given.
    """
    queries = {label.query.id: label.query for label in labels}
    asked = {
        id: {name: tokenize(getattr(query, name)) for name in FIELDS[:2]}
        for id, query in sorted(queries.items())
    }
    new = [id for id in asked if not queries[id].ticket_id]
    created: dict[str, datetime] = {}
    versions = bytearray()
    with TemporaryFile(dir=folder) as file:
        packer = Packer(file)
        for ticket in tqdm(tickets, desc="reading tickets", unit="ticket"):
            packer.add(ticket.id, {name: tokenize(getattr(ticket, name)) for name in FIELDS})
            versions += bytes.fromhex(ticket.version)
            if ticket.created:
                created[ticket.id] = ticket.created
        for id in new:
            packer.count(asked[id])
        vocabulary = packer.vocabulary()
        texts = packer.texts(vocabulary)
    judged = [f"{x.query.id}\0{x.ticket_id}\0{int(x.grade)}" for x in labels]
    return Corpus(
        vocabulary,
        texts,
        Archive(network, texts, created),
        {id: _known(vocabulary, fields) for id, fields in asked.items()},
        new,
        _digest([*texts], versions, judged),
        _digest([*texts], versions, new),
    )


def _known(vocabulary: Vocabulary, fields: dict[str, list[str]]) -> Fields:
    return {
        name: [id for id in vocabulary.ids(text) if id != UNKNOWN] for name, text in fields.items()
    }


def _digest(ids: Sequence[str], versions: bytearray, others: Sequence[str]) -> str:
    """Sixteen hex digits over every ticket, whose versions are eight bytes each, and what else
    there is."""
    digest = hashlib.sha256()
    for place in sorted(range(len(ids)), key=ids.__getitem__):
        version = versions[8 * place : 8 * place + 8].hex()
        digest.update(f"{ids[place]}\0{version}\n".encode())
    for other in sorted(others):
        digest.update(f"{other}\n".encode())
    return digest.hexdigest()[:16]
