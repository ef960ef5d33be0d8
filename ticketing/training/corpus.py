"""Everything a network learns from, read once: words of tickets and queries as ids."""

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from ticketing.files import Json
from ticketing.ids import Ids
from ticketing.model.settings import NetworkSettings
from ticketing.text import tokenize
from ticketing.text.vocabulary import UNKNOWN, Vocabulary
from ticketing.tickets import Label, TicketList
from ticketing.times import moment_of
from ticketing.training.sampling import Archive
from ticketing.training.texts import FIELDS, Dates, FieldIds, PackedTexts, Packer

JOINED_UP_TO = 24_000
"""Words of a vocabulary until which others join it, since queries have words that no ticket of a
small desk has."""

VERSION_BYTES = 8
"""A ticket's version, written as hex digits."""


@dataclass(frozen=True)
class Corpus:
    """Everything the network learns from, as word ids."""

    vocabulary: Vocabulary
    """Counted over all tickets, and the queries that are none; and words that joined it."""
    texts: PackedTexts
    """Of all tickets."""
    archive: Archive
    """The same, as examples are cut from them."""
    queries: dict[str, FieldIds]
    """By query id."""
    asked: list[str]
    """Ids of the queries that are no ticket."""
    newest: datetime | None
    """When the last ticket was created; None where no ticket has a date."""
    digest: str
    """Names all of it, labels as well."""
    texts_digest: str
    """Names the texts alone: what word vectors and topics depend on."""

    @property
    def facts(self) -> Json:
        """What a bundle's manifest says of it."""
        return {"digest": self.digest, "newest": self.newest and self.newest.isoformat()}


def read_corpus(
    tickets: TicketList,
    labels: Sequence[Label],
    network: NetworkSettings,
    folder: Path | None = None,
    also: Iterable[str] = (),
) -> Corpus:
    """Tokenize tickets and the labels' queries, and count the vocabulary, which the words of `also`
    join while it has fewer than JOINED_UP_TO.

    Tickets are read once; their words lie in a file without a name in `folder`, the system's
    temporary one unless given.
    """
    queries = {label.query.id: label.query for label in labels}
    asked = {
        id: {name: tokenize(getattr(query, name)) for name in FIELDS[:2]}
        for id, query in sorted(queries.items())
    }
    new = [id for id in asked if not queries[id].ticket_id]
    versions, created = bytearray(), array("q")
    with TemporaryFile(dir=folder) as file:
        packer = Packer(file)

        def read() -> Iterator[str]:
            for ticket in tqdm(tickets, desc="reading tickets", unit="ticket"):
                packer.add({name: tokenize(getattr(ticket, name)) for name in FIELDS})
                versions.extend(bytes.fromhex(ticket.version))
                created.append(moment_of(ticket.created))
                yield ticket.id

        ids, order = Ids.of(read()).in_order()
        for id in new:
            packer.count(asked[id])
        vocabulary = packer.vocabulary().joined_by(also, JOINED_UP_TO)
        texts = packer.texts(vocabulary, ids, order)
    judged = [f"{x.query.id}\0{x.ticket_id}\0{int(x.grade)}" for x in labels]
    stamps = np.frombuffer(versions, np.uint8).reshape(-1, VERSION_BYTES)[order]
    dates = Dates(ids, np.array(created).view("datetime64[us]")[order])
    return Corpus(
        vocabulary,
        texts,
        Archive(network, texts, dates),
        {id: _known(vocabulary, fields) for id, fields in asked.items()},
        new,
        dates.newest,
        _digest(ids, stamps, judged),
        _digest(ids, stamps, new),
    )


def _known(vocabulary: Vocabulary, fields: dict[str, list[str]]) -> FieldIds:
    return {
        name: [id for id in vocabulary.ids(text) if id != UNKNOWN] for name, text in fields.items()
    }


def _digest(ids: Ids, stamps: npt.NDArray[np.uint8], others: Sequence[str]) -> str:
    """Sixteen hex digits over every ticket, whose version is a row of `stamps`, and what else
    there is."""
    digest = hashlib.sha256()
    for id, stamp in zip(ids, stamps, strict=True):
        digest.update(f"{id}\0{stamp.tobytes().hex()}\n".encode())
    for other in sorted(others):
        digest.update(f"{other}\n".encode())
    return digest.hexdigest()[:16]
