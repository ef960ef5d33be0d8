"""Forms and JSON that are sent: how long, and of how many fields, before anything reads them.

All fields of a form are read at once, each costs far more than its bytes, and a page may show them
again; an empty list in JSON costs twenty times its bytes. Who sends it is not known until the guard
has looked; until then no form is read.
"""

from collections.abc import Collection

from flask import request
from werkzeug.exceptions import RequestEntityTooLarge

from web.uploads import TAKE_FILES, UPLOAD_LIMIT

STRANGERS_BYTES = 64 * 2**10
"""Of a body that is sent to where nobody has to sign in; a name, a password and an address fit."""

FORM_BYTES = 3 * 2**20
"""Of any other form without a file and of JSON; the longest question in any script fits."""

LONG_JSON = "api.put_ticket"
"""The endpoint whose JSON may be longer, as a ticket may."""

FORM_FIELDS = 50
"""Of any form; none of ours has half as many."""

FORM_TYPE = "application/x-www-form-urlencoded"
"""What a form without files is sent as."""

FORM_TYPES = (FORM_TYPE, "multipart/form-data")


def size_in_words(size: int) -> str:
    """A limit of bytes as people say it."""
    return f"{size // 2**20} MB" if size >= 2**20 else f"{size // 2**10} KB"


def limit_body(public: Collection[str]) -> None:
    """Set how many bytes may be read of the body, by where it goes and what it is sent as; at the
    `public` endpoints nobody has to sign in."""
    endpoint = request.endpoint
    if endpoint is None or endpoint in public:
        request.max_content_length = STRANGERS_BYTES
    elif endpoint in TAKE_FILES and request.mimetype != FORM_TYPE:
        form = FORM_BYTES if request.mimetype in FORM_TYPES else 0
        request.max_content_length = UPLOAD_LIMIT + form
    elif endpoint != LONG_JSON or request.mimetype in FORM_TYPES:
        request.max_content_length = FORM_BYTES


def check_fields() -> None:
    """Raises RequestEntityTooLarge for a form of too many fields."""
    if has_too_many_fields():
        raise RequestEntityTooLarge


def has_too_many_fields() -> bool:
    """Whether a form without files has more fields than any of ours; those of one with files are
    counted while it is read. Raises RequestEntityTooLarge for one that is too long."""
    return request.mimetype == FORM_TYPE and request.get_data().count(b"&") >= FORM_FIELDS
