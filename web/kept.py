"""What a form of ours sent and could not be done: kept on the page that says so, to be sent again.

It goes with a fresh form token, so it is kept for a page of ours alone, and sent by a press alone.
Whoever never signed in here gets nothing back: what says where a form comes from anybody can write.
Passwords are typed again, and files chosen again.
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
"""What a person types into the form of an endpoint, and what the page calls it: where the form was
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


def typed_here() -> dict[str, str]:
    """What is typed into the form that was sent, and what the page calls it."""
    return TYPED.get(request.endpoint or "", {})


def refused_form() -> Kept | None:
    """What is to be corrected and sent again; None where nothing is kept, or nothing is typed."""
    kept = kept_form() if request.endpoint in TYPED else None
    return kept and replace(kept, typed=typed_here())


def kept_form() -> Kept | None:
    """What is to be sent again; None where nothing is kept."""
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
    """Whether somebody is known, or was: the cookie names their session, which may have ended. On a
    desk for this machine alone nobody need sign in, which cannot be asked while the store is away.
    """
    if "person" not in g and is_open(served_desk().settings):
        return True
    return known_person() is not None or KEY in session


def _is_short() -> bool:
    """Whether all of a form without files may be read."""
    length, most = request.content_length, request.max_content_length
    return request.mimetype == FORM_TYPE and length is not None and length <= (most or 0)
