"""What a form of ours sent and could not be done: kept on the page that says so, to be sent again.

It goes with a fresh form token, so it is kept for a page of ours alone, and sent by a press alone.
Passwords are typed again, and files chosen again.
"""

from dataclasses import dataclass, field, replace

from flask import request

from web.security import from_our_page

FORM_TYPE = "application/x-www-form-urlencoded"
"""What a form without files is sent as."""

KEPT_BYTES = 3 * 2**20
"""The longest question in any script; more is not read of those who are not let in."""

TYPED: dict[str, dict[str, str]] = {
    "account.change_password": {},
    "account.make_token": {"label": "What it is for", "days": "Days until it ends"},
    "judging.judge": {"note": "Note"},
    "pages.ask_now": {
        "subject": "Subject",
        "description": "Description",
        "created_since": "Created since",
        "created_before": "Created before",
    },
    "people.change": {"groups": "Groups"},
    "topics.name": {"name": "Name"},
}
"""What a person types into the form of an endpoint, and what it is called: where the form was
refused, that is shown to be corrected, and all else stays as it is."""

PASSWORDS = {"password": "Password", "new_password": "New password"}
"""Fields that are never kept, and what they are called."""


@dataclass(frozen=True)
class Kept:
    """The fields that a form sent, with names; which of them can be corrected, and the passwords
    that it wants anew, with what they are called."""

    fields: list[tuple[str, str]]
    passwords: dict[str, str]
    typed: dict[str, str] = field(default_factory=dict)


def refused_form() -> Kept | None:
    """What is to be corrected and sent again; None where nothing is kept, or nothing is typed."""
    typed, kept = TYPED.get(request.endpoint or ""), kept_form()
    return None if typed is None or kept is None else replace(kept, typed=typed)


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
        {name: label for name, label in PASSWORDS.items() if name in sent},
    )
