"""Addresses for sharing: without empty arguments, and without arguments that the page does not
know."""

import re
from typing import Any
from urllib.parse import urlsplit

from flask import redirect, request, url_for
from werkzeug.routing import PathConverter
from werkzeug.wrappers import Response

from ticketing.errors import InputError
from web.schemas.requests import FiltersIn


class AnyPath(PathConverter):
    """The rest of a path unchanged: an id that begins with "/" or contains a line end must not be
    taken for another id."""

    part_isolating, regex = False, "(?s:.+?)"


OWN_ADDRESS = re.compile(r"/(?![/\\])[\x21-\x7e]*")
"""A path of this site; the address of another site could begin with two slashes."""


def own(address: str, otherwise: str = "/") -> str:
    """The address if it belongs to this site, else `otherwise`."""
    return address if OWN_ADDRESS.fullmatch(address) else otherwise


def short_address(address: str, most: int) -> str:
    """The address; without its arguments if it has more than `most` characters, as a link with a
    whole description has."""
    return address if len(address) <= most else urlsplit(address).path


def page_before() -> str:
    """The page of this site that sent the form, according to the browser, to return to."""
    try:
        said = urlsplit(request.referrer or "")
    except ValueError:
        return "/"
    address = f"{said.path}?{said.query}" if said.query else said.path
    return own(address) if said.netloc == request.host else "/"


FILTERS = frozenset(FiltersIn.model_fields)

ALONE = (
    "account.overview",
    "exports.jobs",
    "exports.models",
    "history.as_csv",
    "history.saved_as_csv",
    "history.unanswered",
    "history.unanswered_as_csv",
    "jobs.overview",
    "judging.agreement",
    "judging.agreement_as_csv",
    "judging.overview",
    "models.overview",
    "people.as_csv",
    "people.audit_as_csv",
    "people.audit_as_jsonl",
    "quality.as_csv",
    "quality.overview",
    "schedule.overview",
)
"""Pages and files without any arguments in their addresses."""

KNOWN: dict[str, frozenset[str]] = {
    **dict.fromkeys(ALONE, frozenset()),
    "pages.answer": FILTERS | {"order", "open"},
    "pages.as_markdown": FILTERS | {"order"},
    "exports.answer": FILTERS | {"order"},
    "pages.ticket": FILTERS | {"order", "query"},
    "topics.overview": FILTERS | {"sort", "words"},
    "topics.as_csv": FILTERS | {"sort", "words"},
    "history.overview": frozenset({"page"}),
    "people.audit": frozenset({"page"}),
    "topics.topic": FILTERS | {"page"},
    "topics.tickets_as_csv": FILTERS,
}
"""Arguments that the address of a page may have."""


def clean_address() -> Response | None:
    """Redirect to the same page without empty arguments, if there are any.

    Raises InputError naming an argument that the page does not know.
    """
    known = KNOWN.get(request.endpoint or "")
    if known is None or request.method != "GET":
        return None
    for name in request.args:
        if name not in known:
            raise InputError(
                f"This page knows no filter {name[:80]!r}; it knows"
                f" {', '.join(sorted(known)) or 'none'}."
            )
    given = request.args.to_dict()
    filled: dict[str, Any] = {name: value for name, value in given.items() if value.strip()}
    if filled == given:
        return None
    return redirect(url_for(request.endpoint or "", **(request.view_args or {}), **filled))
