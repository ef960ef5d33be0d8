"""Limits on the size and the number of fields of forms and JSON, checked before they are parsed.

All fields of a form are parsed at once, each takes far more memory than its bytes, and a page may
show them again; an empty list in JSON takes twenty times its bytes. The sender is unknown until the
guard has run; no form is read before.
"""

from collections.abc import Collection

from flask import request
from werkzeug.exceptions import RequestEntityTooLarge

from web.uploads import TAKE_FILES, UPLOAD_LIMIT

STRANGERS_BYTES = 64 * 2**10
"""Maximum bytes of a body sent to public endpoints; enough for a name, a password and an
address."""

FORM_BYTES = 3 * 2**20
"""Maximum bytes of other forms without files and of JSON; the longest query in any script fits."""

LONG_JSON = "api.put_ticket"
"""The endpoint that takes longer JSON, for tickets."""

FORM_FIELDS = 50
"""Maximum number of fields of a form; no form of this site has half as many."""

FORM_TYPE = "application/x-www-form-urlencoded"
"""Content type of a form without files."""

FORM_TYPES = (FORM_TYPE, "multipart/form-data")


def size_in_words(size: int) -> str:
    """A number of bytes as text."""
    return f"{size // 2**20} MB" if size >= 2**20 else f"{size // 2**10} KB"


def limit_body(public: Collection[str]) -> None:
    """Set the maximum size of the body by endpoint and content type; `public` endpoints need no
    sign-in."""
    endpoint = request.endpoint
    if endpoint is None or endpoint in public:
        request.max_content_length = STRANGERS_BYTES
    elif endpoint in TAKE_FILES and request.mimetype != FORM_TYPE:
        form = FORM_BYTES if request.mimetype in FORM_TYPES else 0
        request.max_content_length = UPLOAD_LIMIT + form
    elif endpoint != LONG_JSON or request.mimetype in FORM_TYPES:
        request.max_content_length = FORM_BYTES


def check_fields() -> None:
    """Raises RequestEntityTooLarge for a form with too many fields."""
    if has_too_many_fields():
        raise RequestEntityTooLarge


def has_too_many_fields() -> bool:
    """Whether a form without files has too many fields; fields of forms with files are counted
    while they are parsed. Raises RequestEntityTooLarge for a form that is too long."""
    return request.mimetype == FORM_TYPE and request.get_data().count(b"&") >= FORM_FIELDS
