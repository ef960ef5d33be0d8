"""What a form of ours sent and could not be done: kept on the page that says so, to be sent again.

It goes with a fresh form token, so it is kept for a page of ours alone, and sent by a press alone.
Passwords are typed again, and files chosen again.
"""

from dataclasses import dataclass

from flask import request

from web.security import from_our_page

FORM_TYPE = "application/x-www-form-urlencoded"
"""What a form without files is sent as."""

KEPT_BYTES = 3 * 2**20
"""The longest question in any script; more is not read of those who are not let in."""

PASSWORDS = {"password": "Password", "new_password": "New password"}
"""Fields that are never kept, and what they are called."""


@dataclass(frozen=True)
class Kept:
    """The fields that a form sent, and those of its passwords: name and what it is called."""

    fields: list[tuple[str, str]]
    passwords: list[tuple[str, str]]


def kept_form() -> Kept | None:
    """What is to be sent again; None where nothing is kept."""
    length = request.content_length
    if not (request.endpoint and request.method == "POST" and from_our_page()):
        return None
    if request.mimetype != FORM_TYPE or length is None or length > KEPT_BYTES:
        return None
    sent = request.form
    never = {"csrf_token", *PASSWORDS}
    return Kept(
        [(name, value) for name, value in sent.items(multi=True) if name not in never],
        [(name, label) for name, label in PASSWORDS.items() if name in sent],
    )
