"""The corpus: all texts, dates and labels that a network learns from, as word ids."""

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
from ticketing.text.compounds import CountedCompounds
from ticketing.text.vocabulary import UNKNOWN, Vocabulary
from ticketing.tickets import Label, TicketList
from ticketing.times import moment_of
from ticketing.training.sampling import Archive
from ticketing.training.texts import FIELDS, Dates, FieldIds, PackedTexts, Packer

JOINED_UP_TO = 24_000
"""Vocabulary size up to which words of a teacher are added, since queries have words that no ticket
of a small desk has."""

VERSION_BYTES = 8
"""Bytes of a ticket's version, which is written as hex digits."""


@dataclass(frozen=True)
class Corpus:
    """All that a network learns from, as word ids."""

    vocabulary: Vocabulary
    """Counted over all tickets and the queries that are not tickets, with added words."""
    texts: PackedTexts
    """The texts of all tickets."""
    archive: Archive
    """The same texts, for making examples."""
    queries: dict[str, FieldIds]
    """Queries by id."""
    asked: list[str]
    """Ids of the queries that are not tickets."""
    newest: datetime | None
    """Date of the newest ticket; None if no ticket has a date."""
    digest: str
    """Digest of all data, with labels."""
    texts_digest: str
    """Digest of the texts alone, on which word vectors and topics depend."""

    @property
    def facts(self) -> Json:
        """Facts for a bundle's manifest."""
        return {"digest": self.digest, "newest": self.newest and self.newest.isoformat()}


def read_corpus(
    tickets: TicketList,
    labels: Sequence[Label],
    network: NetworkSettings,
    folder: Path | None = None,
    also: Iterable[str] = (),
) -> Corpus:
    """Tokenize tickets and the labels' queries, and count the vocabulary. The words of `also` are
    added while it has fewer than JOINED_UP_TO words.

    Tickets are read once. Their words are kept in an unnamed temporary file in `folder` (default:
    the system's folder for these).
    """
    queries = {label.query.id: label.query for label in labels}
    asked = {
        id: {name: tokenize(getattr(query, name)) for name in FIELDS[:2]}
        for id, query in sorted(queries.items())
    }
    new = [id for id in asked if not queries[id].ticket_id]
    versions, created = bytearray(), array("q")
    with TemporaryFile(dir=folder) as file:
        packer, compounds = Packer(file), CountedCompounds()

        def read() -> Iterator[str]:
            for ticket in tqdm(tickets, desc="reading tickets", unit="ticket"):
                packer.add({name: tokenize(getattr(ticket, name)) for name in FIELDS})
                compounds.add(ticket.text)
                versions.extend(bytes.fromhex(ticket.version))
                created.append(moment_of(ticket.created))
                yield ticket.id

        ids, order = Ids.of(read()).in_order()
        for id in new:
            packer.count(asked[id])
        counted = packer.vocabulary()
        vocabulary = counted.splitting(compounds.usual(counted)).joined_by(also, JOINED_UP_TO)
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
    """Sixteen hex digits over all tickets, whose versions are the rows of `stamps`, and over
    `others`."""
    digest = hashlib.sha256()
    for id, stamp in zip(ids, stamps, strict=True):
        digest.update(f"{id}\0{stamp.tobytes().hex()}\n".encode())
    for other in sorted(others):
        digest.update(f"{other}\n".encode())
    return digest.hexdigest()[:16]
