"""Permissions: a table of all endpoints, and the guard that enforces it.

An endpoint that is missing in the table is refused to everybody, so a new one cannot be forgotten.
"""

from flask import g, redirect, request, url_for
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Forbidden, Unauthorized
from werkzeug.wrappers import Response

from ticketing.history import Deed
from ticketing.people import PERMISSIONS, Permission, Person
from web.addresses import short_address
from web.context import audit, client_address, current_address, for_program
from web.security import from_our_page
from web.sessions import find_person
from web.throttle import current_throttle

PUBLIC = frozenset(
    {
        "static",
        "health.healthz",
        "health.readyz",
        "account.sign_in",
        "account.sign_in_now",
        "openid.begin",
        "openid.back",
    }
)
"""Endpoints that need no sign-in."""

FOR_NOBODY = frozenset({"static", "health.healthz", "health.readyz"})
"""Endpoints of PUBLIC that do not read the session from the store, which may be away; they are not
rate-limited."""

MOST_IN_ADDRESS = 8000
"""Characters of an address to go on to after signing in: escaped once more, as part of the address
of that page, they may become three times as many, and must still fit into a request's headers."""

NEEDS: dict[Permission, frozenset[str]] = {
    Permission.ASK: frozenset(
        {
            "account.overview",
            "account.change_password",
            "account.form_token",
            "account.make_token",
            "account.revoke_token",
            "account.sign_out",
            "api.get_ticket",
            "api.query_answer",
            "api.recommend",
            "api.similar",
            "api.topic",
            "api.topics",
            "exports.answer",
            "exports.jobs",
            "history.as_csv",
            "history.overview",
            "history.save",
            "history.saved_as_csv",
            "history.unanswered",
            "job_api.job",
            "job_api.jobs",
            "job_api.schedule",
            "jobs.begun",
            "jobs.one",
            "jobs.overview",
            "openapi.spec",
            "pages.answer",
            "pages.api_docs",
            "pages.as_markdown",
            "pages.ask",
            "pages.ask_now",
            "pages.preview",
            "pages.similar",
            "pages.ticket",
            "schedule.overview",
            "topics.overview",
            "topics.topic",
            "work_api.categories",
            "work_api.forget",
            "work_api.history",
            "work_api.save",
            "work_api.saved",
            "work_api.solved",
            "work_api.unanswered",
        }
    ),
    Permission.JUDGE: frozenset(
        {
            "api.judge",
            "api.name_topic",
            "categories.answer_proposal",
            "judging.begin",
            "judging.judge",
            "judging.overview",
            "judging.round_",
            "judging.round_as_csv",
            "pages.judge",
            "topics.name",
            "work_api.answer_category",
            "work_api.begin_round",
            "work_api.get_round",
        }
    ),
    Permission.EVALUATE: frozenset(
        {
            "job_api.compare",
            "job_api.evaluate",
            "jobs.evaluate",
            "exports.models",
            "jobs.report",
            "job_api.models",
            "judging.agreement",
            "models.compare",
            "models.overview",
            "quality.overview",
            "work_api.agreement",
            "work_api.quality",
        }
    ),
    Permission.EXPORT: frozenset(
        {
            "history.unanswered_as_csv",
            "judging.agreement_as_csv",
            "quality.as_csv",
            "topics.as_csv",
            "topics.tickets_as_csv",
        }
    ),
    Permission.TRAIN: frozenset({"job_api.train", "jobs.train"}),
    Permission.IMPORT: frozenset({"api.put_ticket", "job_api.import_", "jobs.import_"}),
    Permission.DELETE: frozenset({"api.delete_ticket"}),
    Permission.JOBS: frozenset({"job_api.cancel", "job_api.retry", "jobs.cancel", "jobs.retry"}),
    Permission.PROMOTE: frozenset(
        {
            "job_api.answer",
            "job_api.delete_model",
            "job_api.promote",
            "job_api.rollback",
            "job_api.set_schedule",
            "jobs.answer",
            "models.delete",
            "models.promote",
            "models.rollback",
            "schedule.change",
        }
    ),
    Permission.PEOPLE: frozenset(
        {
            "people.overview",
            "people.add",
            "people.change",
            "people.changing",
            "people.as_csv",
            "work_api.people",
        }
    ),
    Permission.AUDIT: frozenset({"people.audit", "people.audit_as_csv", "people.audit_as_jsonl"}),
}
"""The endpoints that each permission allows."""

NEEDED = {endpoint: needed for needed, endpoints in NEEDS.items() for endpoint in endpoints}
"""The permission that each endpoint needs."""


def guard() -> Response | None:
    """Identify the person, count the request, and allow it, redirect to the sign-in page, or
    refuse.

    Raises Unauthorized (401), Forbidden (403) and TooManyRequests (429).
    """
    endpoint = request.endpoint
    if endpoint in FOR_NOBODY:
        return None
    current_throttle().asked_from(client_address())
    person = g.person = find_person()
    if person:
        current_throttle().asked_by(person.name)
    if endpoint is None or endpoint in PUBLIC:
        return None
    if person is None:
        return _sign_in_first()
    needed = NEEDED.get(endpoint)
    require(person, needed)
    if needed == Permission.EXPORT:
        audit(Deed.EXPORTED, request.path)
    return None


def require(person: Person, permission: Permission | None) -> None:
    """Raises Forbidden, naming the missing permission; with None, for everybody."""
    if permission is None:
        raise Forbidden("Nobody may do that here.")
    if permission not in PERMISSIONS[person.role]:
        raise Forbidden(
            f"Your role, {person.role}, does not allow that ({permission}); ask an admin."
        )
    if not person.may(permission):
        raise Forbidden(f"This token has no scope {permission}; make one that has it.")


def _sign_in_first() -> Response:
    """Redirect a browser that opens a page to the sign-in page. Raises Unauthorized for all other
    requests."""
    opened = request.method == "GET" and request.headers.get("Sec-Fetch-Dest") != "empty"
    if for_program() or not opened:
        raise Unauthorized(
            "Sign in first, or send a token that is valid."
            if for_program() and not from_our_page()
            else "You were signed out; sign in and try again.",
            www_authenticate=WWWAuthenticate("bearer"),
        )
    next_ = short_address(current_address(), MOST_IN_ADDRESS)
    return redirect(url_for("account.sign_in", next=next_), 303)
