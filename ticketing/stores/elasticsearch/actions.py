"""Actions on one document each, for `Connection.bulk` and `Connection.write`.

An action with a condition is not done if others have changed the document; its status is then
CONFLICT.
"""

from collections.abc import Mapping
from typing import Any

from ticketing.files import Json


def creation(id: str, source: Mapping[str, Any]) -> Json:
    """Write a document that does not exist yet."""
    return {"_op_type": "create", "_id": id, "_source": source}


def writing(id: str, source: Mapping[str, Any]) -> Json:
    """Write a document, whatever was there."""
    return {"_op_type": "index", "_id": id, "_source": source}


def replacement(before: Json | None, id: str, source: Mapping[str, Any]) -> Json:
    """Write a document that has not changed since it was read as `before`; None: that still does
    not exist."""
    return {**writing(id, source), **_if_unchanged(before)} if before else creation(id, source)


def change(before: Json, id: str, fields: Mapping[str, Any]) -> Json:
    """Set fields of a document that has not changed since it was read as `before`."""
    return {"_op_type": "update", "_id": id, "doc": fields, **_if_unchanged(before)}


def deletion(id: str) -> Json:
    """Delete a document, if it exists."""
    return {"_op_type": "delete", "_id": id}


def deletion_of(before: Json) -> Json:
    """Delete a document that has not changed since it was read as `before`."""
    return {**deletion(before["_id"]), **_if_unchanged(before)}


def _if_unchanged(before: Json) -> Json:
    return {"if_seq_no": before["_seq_no"], "if_primary_term": before["_primary_term"]}
