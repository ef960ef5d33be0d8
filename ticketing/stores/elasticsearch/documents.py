"""Converts a ticket and its codes to documents, and back."""

import base64
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from zlib import crc32

import numpy as np

from ticketing.files import Json
from ticketing.stores.blocks import CodeRow
from ticketing.text import token_lines
from ticketing.text.literals import literal_keys
from ticketing.tickets import Ticket

FIELDS = ("id", "subject", "description", "solution", "product", "status", "created", "groups")

COPIED = ("id", "product", "status", "created", "groups", "has_solution", "tokens")
"""Fields copied from a ticket's document to its codes."""

STAMP_BITS = 32
"""Bits of the random number of each write of codes; a sum of a million of them is exact in a
float64."""

OWN = ("code", "checksum", "topic", "vector")
"""Fields of codes that are not copies."""


def document_of(ticket: Ticket) -> Json:
    """The document of a ticket without codes."""
    texts = ticket.subject, ticket.description, ticket.solution
    return {
        **{field: getattr(ticket, field) for field in FIELDS},
        "created": ticket.created and ticket.created.isoformat(),
        "groups": sorted(ticket.groups),
        "has_solution": ticket.has_solution,
        "version": ticket.version,
        "tokens": token_lines(*texts),
        "literals": literal_keys(*texts),
        "coded": [],
    }


def ticket_of(doc: Mapping[str, Any]) -> Ticket:
    """The ticket of a document; its texts may be missing."""
    source = doc["_source"]
    created = source["created"]
    values = {"subject": "", **{field: source[field] for field in FIELDS if field in source}}
    values["groups"] = frozenset(source.get("groups", ()))
    return Ticket(**values | {"created": created and datetime.fromisoformat(created)})


def copied(ticket: Mapping[str, Any]) -> Json:
    """The fields that codes copy from a ticket's document, and a new random stamp."""
    copies = {field: ticket[field] for field in COPIED if field in ticket}
    month = ticket["created"] and ticket["created"][:7]
    return copies | {"month": month, "stamp": secrets.randbits(STAMP_BITS)}


def codes_document(row: CodeRow, ticket: Mapping[str, Any]) -> Json:
    """The document of a row of codes, with fields copied from its ticket's document."""
    return {
        **copied(ticket),
        "topic": row.topic,
        "code": base64.b64encode(row.code).decode(),
        "checksum": crc32(row.code),
        **({"vector": row.vector.hex()} if row.vector else {}),
    }


def columns(*fields: str) -> Json:
    """Search options that read fields of codes from doc values alone. Reading whole documents, as
    older programs stored them, takes ten times as long."""
    return {"docvalue_fields": ["id", *fields], "stored_fields": "_none_"}


def own_of(fields: Mapping[str, Sequence[Any]]) -> Json:
    """The own fields of codes in writable form, from doc values."""
    own = {field: fields[field][0] for field in OWN if field in fields}
    if "vector" in own:
        own["vector"] = np.array(own["vector"], np.int8).tobytes().hex()
    return own


def row_of(id: str, version: str, own: Mapping[str, Any]) -> CodeRow:
    """The row of codes from the result of `own_of`."""
    vector = bytes.fromhex(own.get("vector", ""))
    return CodeRow(id, version, base64.b64decode(own["code"]), own.get("topic"), vector)
