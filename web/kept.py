"""Keeps the fields of a form that could not be processed, so that the error page can offer to send
it again.

The form is shown with a fresh form token, so it is kept only for pages of this site, and sent only
when the person presses the button. A browser that never signed in here gets nothing back, since
anybody can forge the header that names the form's page. Passwords must be typed again, and files
chosen again.
"""

from dataclasses import dataclass, field, replace

from flask import g, request, session

from web.context import known_person, served_desk
from web.forms import FORM_TYPE, has_too_many_fields
from web.security import from_our_page, is_open
from web.sessions import KEY

TYPED: dict[str, dict[str, str]] = {
    "account.change_password": {},
    "account.make_token": {"label": "What it is for", "days": "Days until it ends"},
    "jobs.train": {"before": "Learn only from tickets created before"},
    "judging.begin": {"size": "How many queries"},
    "judging.judge": {"note": "Note"},
    "pages.ask_now": {
        "subject": "Subject",
        "description": "Description",
        "created_since": "Created since",
        "created_before": "Created before",
    },
    "schedule.change": {"at": "At (UTC)", "judgments": "New judgments"},
    "topics.name": {"name": "Name"},
}
"""Fields that a person types into the form of an endpoint, with their names on the page. If the
form is refused, these can be corrected, and all other fields stay unchanged."""

PASSWORDS = {"password": "Password", "new_password": "New password"}
"""Fields that are never kept, with their names."""


@dataclass(frozen=True)
class Kept:
    """The fields that a form sent; those that can be corrected; and the passwords that must be
    typed again, with their names."""

    fields: list[tuple[str, str]]
    passwords: dict[str, str]
    typed: dict[str, str] = field(default_factory=dict)


def typed_here() -> dict[str, str]:
    """Fields that people type into the present form, with their names on the page."""
    return TYPED.get(request.endpoint or "", {})


def refused_form() -> Kept | None:
    """The form to be corrected and sent again; None if nothing is kept or nothing is typed."""
    kept = kept_form() if request.endpoint in TYPED else None
    return kept and replace(kept, typed=typed_here())


def kept_form() -> Kept | None:
    """The form to be sent again; None if nothing is kept."""
    if not (request.endpoint and request.method == "POST" and from_our_page()):
        return None
    if not (_signed_in_here() and _is_short()) or has_too_many_fields():
        return None
    sent = request.form
    never = {"csrf_token", *PASSWORDS}
    return Kept(
        [(name, value) for name, value in sent.items(multi=True) if name not in never],
        {name: label for name, label in PASSWORDS.items() if name in sent},
    )


def _signed_in_here() -> bool:
    """Whether somebody is signed in, or was: the cookie holds a session id, which may have ended.
    On a desk for this machine only, nobody needs to sign in, but that cannot be checked while the
    store is away."""
    if "person" not in g and is_open(served_desk().settings):
        return True
    return known_person() is not None or KEY in session


def _is_short() -> bool:
    """Whether a form without files is short enough to be read."""
    length, most = request.content_length, request.max_content_length
    return request.mimetype == FORM_TYPE and length is not None and length <= (most or 0)
